"""The player who waits: what it sees coming, what it fears, when it knocks, and that it never swaps back."""

import random
from typing import Final

import pytest
from msgspec.structs import replace

import engine
from engine.actions import BigGin, Discard, DrawDiscard, DrawStock, Knock, LayOff, Move, Pass, TakeUpcard
from engine.bots import LEVELS, Level, choose
from engine.bots.belief import held_by, unseen
from engine.bots.danger import danger, melding_pairs, next_seat
from engine.bots.outlook import after_draws, melding_with
from engine.cards import DECK_SIZE, cards_of, parse_all, set_of
from engine.deadwood import solver_for
from engine.melds import is_meld
from engine.rules import Ace, RuleSet
from engine.state import Match
from tests.engine.tables import TABLES
from tests.playbook import (
    CLASSIC,
    DECLARED,
    LOOSE,
    MELDED,
    PENALTY,
    STRAIGHT,
    card,
    deal,
    deal_round,
    hand,
    in_turn,
    knock,
    offered,
    play,
    running,
    throw,
)
from tests.sizes import size

SEED: Final = b"a seed of a bot"
OPENING: Final = (Pass(), Pass(), DrawStock())


def chosen(match: Match, level: Level = Level.STRONG) -> Move:
    return choose(engine.view(match, in_turn(match)), level, SEED)


@pytest.mark.parametrize("ace", Ace)
def test_the_outlook_is_what_the_solver_says_of_every_draw(ace: Ace) -> None:
    dice = random.Random(ace)
    for number in range(size(60, 3000)):
        rules = RuleSet(ace=ace, ace_points=dice.choice((1, 11, 15)))
        solver = solver_for(rules)
        deck = dice.sample(range(DECK_SIZE), DECK_SIZE)
        if number % 2:
            deck.sort(key=lambda card: card % 13 // 3)
        held, hidden = set_of(deck[:10]), set_of(deck[12:40])
        draws = [solver.best_throw(held | 1 << card) for card in cards_of(hidden)]
        assert after_draws(rules, solver, held, hidden) == sorted(draws)


@pytest.mark.parametrize("ace", Ace)
def test_cards_that_meld_are_those_that_the_rules_call_melds(ace: Ace) -> None:
    dice = random.Random(ace)
    for card_ in range(DECK_SIZE):
        others = [other for other in range(DECK_SIZE) if other != card_]
        threes = {
            (first, second)
            for first in others
            for second in others
            if first < second and is_meld(1 << card_ | 1 << first | 1 << second, ace)
        }
        assert {tuple(sorted(pair)) for pair in melding_pairs(ace)[card_]} == threes
    held = set_of(dice.sample(range(DECK_SIZE), 12))
    assert melding_with(held, ace) == set_of(
        card_
        for card_ in cards_of(~held & (1 << DECK_SIZE) - 1)
        if any(held >> first & held >> second & 1 for first, second in melding_pairs(ace)[card_])
    )


def test_a_throw_is_dangerous_as_the_pairs_that_would_meld_it_are_likely() -> None:
    nobody = [0.0] * DECK_SIZE
    assert danger(nobody, card("7H"), Ace.LOW) == 0.0
    sevens = [1.0 if each in parse_all("7S 7D") else 0.0 for each in range(DECK_SIZE)]
    assert danger(sevens, card("7H"), Ace.LOW) == 1.0
    assert danger(sevens, card("8H"), Ace.LOW) == 0.0
    even = [0.5] * DECK_SIZE
    # Three pairs of kings and one run; three pairs of sevens and three runs.
    assert danger(even, card("KH"), Ace.LOW) == 1 - 0.75**4
    assert danger(even, card("7H"), Ace.LOW) == 1 - 0.75**6


def test_a_throw_goes_to_the_next_seat() -> None:
    match = deal_round(
        PENALTY, ("7H 8H 9H AC 2C 3C 5D", "6H 5H KD KS KC 2D 9C", "TH JH 4C AS AD AH 3S"), "9D"
    )
    assert next_seat(engine.view(match, 0)) == 1
    assert next_seat(engine.view(play(match, DrawStock(), throw("5D"), DrawStock()), 1)) == 2


def test_belief_counts_the_cards_of_each_hand() -> None:
    for name in TABLES:
        for step in TABLES[name].steps(0)[:: size(9, 1)]:
            view = engine.view(step.before, step.seat)
            if view.table is None:
                continue
            for opponent in view.opponents:
                held = held_by(view, opponent.seat)
                assert all(0 <= chance <= 1 for chance in held)
                assert {each for each in cards_of(view.hand) if held[each]} == set()
                assert all(held[each] == 1 for each in cards_of(opponent.known_cards))
                elsewhere = ~(unseen(view) | opponent.known_cards) & (1 << DECK_SIZE) - 1
                assert not any(held[each] for each in cards_of(elsewhere))


def test_it_does_not_throw_what_the_other_seat_is_known_to_want() -> None:
    wanted = play(
        deal(CLASSIC, f"{MELDED} KH", "9C 8D 4C 4D QD JC 2D 6D AD 3H", "KD", "KS QS"),
        *(Pass(), TakeUpcard(), throw("AD"), DrawStock()),
    )
    assert running(wanted).face_up[1] == hand("KD")
    assert isinstance(chosen(wanted), Knock)
    waiting = replace(wanted, deal=replace(running(wanted), knock_limit=0))
    assert chosen(waiting) in {throw("KH"), throw("KS")}


def test_it_knocks_in_its_first_three_turns_and_waits_for_gin_after_them() -> None:
    match = play(deal(CLASSIC, f"{MELDED} 4H", LOOSE, "5C", "8D"), *OPENING)
    assert Knock in offered(match)
    assert chosen(match) == knock("8D")
    later = replace(running(match).seen[0], thrown=parse_all("KS QS JS"))
    patient = replace(match, deal=replace(running(match), seen=(later, running(match).seen[1])))
    assert isinstance(chosen(patient), Discard)
    gin = play(deal(CLASSIC, f"{MELDED} 4H", LOOSE, "5C", "TH"), *OPENING)
    waited = replace(gin, deal=replace(running(gin), seen=(later, running(gin).seen[1])))
    assert chosen(waited) == knock("4H")


def test_it_declares_big_gin_and_defends_with_its_best() -> None:
    assert chosen(play(deal(STRAIGHT, f"{MELDED} TH", LOOSE, "5C", "6H"), *OPENING)) == BigGin()
    answered = play(deal(DECLARED, f"{MELDED} 4H", LOOSE, "5C", "8D"), *OPENING, knock("8D"))
    assert chosen(answered) == LayOff()


@pytest.mark.parametrize("level", Level)
def test_no_level_takes_its_own_throw_back_but_for_gin(level: Level) -> None:
    held = "2S 2H 5S 6S 7S 9D TD JD KC KH"
    match = play(
        deal(CLASSIC, held, "KS QD JH TS 8C 7D 6C 4D 3C AC", "4H", "2D QH"),
        *(Pass(), Pass(), DrawStock(), throw("2D")),
    )
    with_own = replace(match, deal=replace(running(match), turn=0))
    assert isinstance(chosen(with_own, level), DrawStock)
    gin = play(
        deal(CLASSIC, f"{MELDED} 4H", LOOSE, "5C", "TH"),
        *(Pass(), Pass(), DrawStock(), throw("TH")),
    )
    assert chosen(replace(gin, deal=replace(running(gin), turn=0)), level) == DrawDiscard()


def test_every_level_has_a_player() -> None:
    assert list(LEVELS) == list(Level)
