"""Bots: the same view as a player, the same answer to the same view, and the Simple player's rules."""

import random
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final

import pytest

import engine
from engine.actions import (
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Move,
    Pass,
    Seat,
    TakeUpcard,
)
from engine.bots import LEVELS, Level, choose, replies
from engine.cards import cards_of
from engine.deadwood import solver_for
from engine.events import DealScored
from engine.melds import is_meld
from engine.rules import StockEnd
from engine.state import Match, Phase, Status
from tests.engine.seen import twin
from tests.engine.tables import TABLES
from tests.playbook import (
    ANA,
    CLASSIC,
    CLUB,
    COMPANIES,
    DECLARED,
    LOOSE,
    MELDED,
    PLAYED,
    SIMPLE,
    between_bots,
    card,
    deal,
    in_turn,
    knock,
    offered,
    play,
    running,
    seeded,
)
from tests.sizes import size

SEED: Final = b"a seed of a bot"


def chosen(match: Match, seed: bytes = SEED) -> Move:
    return choose(engine.view(match, in_turn(match)), Level.CLUB, seed)


def states(name: str, matches: int) -> Iterator[Match]:
    """States in which a seat is in turn, from matches of a table."""
    for number in range(matches):
        for step in TABLES[name].steps(number):
            if step.before.deal is not None:
                yield step.before


def test_every_level_has_a_player() -> None:
    assert set(LEVELS) == set(Level)


@pytest.mark.parametrize(("name", "seats"), COMPANIES)
def test_bots_play_whole_matches_of_every_preset(name: str, seats: int) -> None:
    for number in range(size(2, 50)):
        *_, last = between_bots(PLAYED[name], f"match {number}", seats)
        assert last.match.status is Status.FINISHED
        assert any(isinstance(event, DealScored) for event in last.events)


@pytest.mark.parametrize("name", TABLES)
def test_no_choice_is_refused(name: str) -> None:
    for match in states(name, size(1, 10)):
        engine.decide(match, in_turn(match), chosen(match))


def test_the_same_view_and_seed_give_the_same_choice_and_the_seed_decides_between_equals() -> None:
    match = play(deal(SIMPLE, LOOSE, f"{MELDED} TH", "5H", "KD"), DrawStock())
    assert {chosen(match) for _ in range(20)} == {chosen(match)}
    tens = {Discard(card(code)) for code in ("KC", "KD", "QD", "JH", "TS")}
    assert {chosen(match, bytes([seed])) for seed in range(40)} == tens


@pytest.mark.parametrize("name", TABLES)
def test_it_takes_a_face_up_card_only_into_a_meld(name: str) -> None:
    for match in states(name, size(1, 10)):
        offers = offered(match)
        if running(match).phase is Phase.LAST_DISCARD and must_knock_with_it(match):
            assert isinstance(chosen(match), DrawDiscard if DrawDiscard in offers else Pass)
        elif TakeUpcard in offers or DrawDiscard in offers:
            takes = isinstance(chosen(match), TakeUpcard | DrawDiscard)
            top = running(match).discard_pile[-1]
            own = top in running(match).seen[in_turn(match)].thrown
            assert takes == (gins(match, top) if own else makes_meld(match, top))


@pytest.mark.parametrize("name", TABLES)
def test_it_knocks_as_soon_as_it_may_and_throws_what_leaves_least(name: str) -> None:
    for match in states(name, size(1, 10)):
        offers = offered(match)
        if running(match).phase is not Phase.DISCARD:
            continue
        action = chosen(match)
        if BigGin in offers:
            assert action == BigGin()
            continue
        assert isinstance(action, Knock if Knock in offers else Discard)
        left = solver_for(match.rules).throws(running(match).hands[in_turn(match)])
        assert left[action.card] == min(left[card] for card in offers[type(action)].cards)


def test_it_defends_with_its_best() -> None:
    match = play(deal(DECLARED, f"{MELDED} 4H", LOOSE, "5C", "8D"), Pass(), Pass(), DrawStock(), knock("8D"))
    assert chosen(match) == LayOff()


def swayed(player: Callable[[Match, Seat], Move], match: Match, dice: random.Random, count: int) -> bool:
    """Return whether cards that the seat in turn cannot know change what this player does."""
    seat = in_turn(match)
    return any(player(twin(match, seat, dice), seat) != player(match, seat) for _ in range(count))


def club(match: Match, seat: Seat) -> Move:
    return choose(engine.view(match, seat), Level.CLUB, SEED)


def peeking(match: Match, seat: Seat) -> Move:
    """Play as the club bot, but leave a face-up card for a better one on the stock."""
    action = club(match, seat)
    better = isinstance(action, TakeUpcard) and makes_meld(match, running(match).stock[0])
    return Pass() if better else action


@pytest.mark.parametrize("name", TABLES)
def test_it_is_blind_to_what_it_cannot_know(name: str) -> None:
    dice = random.Random(name)
    for match in list(states(name, size(1, 10)))[:: size(5, 1)]:
        assert not swayed(club, match, dice, size(2, 10))


def test_a_player_that_peeks_is_caught() -> None:
    match = deal(CLASSIC, "7S 8S 9H TH KC KD 4C 3D 2S AS", LOOSE.replace("KC", "QS"), "9S")
    assert swayed(peeking, match, random.Random(1), 60)
    assert not swayed(club, match, random.Random(1), 60)


def test_bots_reply_until_a_player_is_in_turn() -> None:
    match = engine.start_match(CLASSIC, (ANA, CLUB), seeded("a reply"), 0).match
    steps = list(replies(match, (b"", SEED)))
    assert [seat for seat, _ in steps] == [1] * len(steps)
    assert in_turn(steps[-1][1].match) == 0
    assert list(replies(steps[-1][1].match, (b"", SEED))) == []


def gins(match: Match, card: int) -> bool:
    """Return whether a throw of another card would leave no deadwood once this one is taken."""
    left = solver_for(match.rules).throws(running(match).hands[in_turn(match)] | 1 << card)
    return min(left[other] for other in left if other != card) == 0


def must_knock_with_it(match: Match) -> bool:
    return match.rules.stock_end is StockEnd.LAST_DISCARD_KNOCK_ONLY


def makes_meld(match: Match, card: int) -> bool:
    """Return whether three of the cards then held, this one among them, are a meld."""
    held = running(match).hands[in_turn(match)] & ~(1 << card)
    return any(
        is_meld(1 << card | 1 << first | 1 << second, match.rules.ace)
        for first, second in combinations(cards_of(held), 2)
    )
