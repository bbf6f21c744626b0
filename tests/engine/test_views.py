"""What each audience is shown: nothing that it may not know, and enough to follow."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

import engine
from engine.actions import DrawDiscard, DrawStock, Join, Knock, LayOff, Pass, Resign, TakeUpcard
from engine.cards import CardSet, parse_all, set_of
from engine.events import DealStarted, Discarded, Knocked
from engine.known import Audience
from engine.play import Transition
from engine.shuffle import ShuffleMode
from engine.state import DealResult, Match, Phase, Seen, Source, Status, Taken
from engine.view import View
from tests.engine.follower import Follower
from tests.engine.seen import ALL, VIEW_WITH_CARDS, VIEW_WITHOUT_CARDS, cards_in_event, cards_in_view
from tests.engine.tables import TABLES, table_of
from tests.playbook import (
    ANA,
    CLASSIC,
    DECLARED,
    LOOSE,
    MELDED,
    OPEN,
    card,
    deal,
    hand,
    knock,
    layoffs,
    play,
    running,
    seeded,
    throw,
)
from tests.sizes import size
from tests.strategies import Game, games

PAIR: Final[tuple[Audience, ...]] = (0, 1, None)
KNOCKER: Final = f"{MELDED} 4H"


def audiences(match: Match) -> tuple[Audience, ...]:
    """Every seat, and those who only look on."""
    return (*range(len(match.seats)), None)


def seen_face_up(transitions: list[Transition]) -> Iterator[tuple[Match, CardSet]]:
    """Each match with the cards that have lain face up in its deal, wherever a reshuffle put them (R7.4)."""
    cards = 0
    for transition in transitions:
        for event in transition.events:
            match event:
                case DealStarted(upcard=upcard):
                    cards = 0 if upcard is None else 1 << upcard
                case Discarded(card=card) | Knocked(card=card):
                    cards |= 1 << card
                case _:
                    pass
        yield transition.match, cards


@pytest.fixture(scope="module", params=TABLES)
def transitions(request: pytest.FixtureRequest) -> list[list[Transition]]:
    """Some matches of one table, each from its creation to its end."""
    table = TABLES[request.param]
    return [
        [table.opening(number), *(Transition(step.match, step.events) for step in table.steps(number))]
        for number in range(size(2, 30))
    ]


def test_every_field_of_a_view_is_listed_as_one_with_cards_or_without() -> None:
    assert set(View.__struct_fields__) == VIEW_WITH_CARDS | VIEW_WITHOUT_CARDS


def test_a_view_shows_no_card_that_its_audience_may_not_know(
    transitions: list[list[Transition]],
) -> None:
    for match, face_up in chain.from_iterable(map(seen_face_up, transitions)):
        for audience in audiences(match):
            seen = engine.view(match, audience)
            assert cards_in_view(seen) & ~(engine.known(match, audience) | face_up) == 0
            assert (seen.deal_count, seen.last_deal) == (match.deal_count, match.last_deal)
            assert seen.tallies == match.tallies


def test_an_event_shows_no_card_that_its_audience_may_not_know(
    transitions: list[list[Transition]],
) -> None:
    for steps in transitions:
        match: Match | None = None
        for event in chain.from_iterable(transition.events for transition in steps):
            match = engine.evolve(match, event)
            for audience in audiences(match):
                shown = cards_in_event(engine.redact(event, audience))
                assert shown & ~engine.known(match, audience) == 0


def test_the_events_are_enough_to_follow(transitions: list[list[Transition]]) -> None:
    for steps in transitions:
        for audience in audiences(steps[0].match):
            follower = Follower(audience)
            for transition in steps:
                for event in transition.events:
                    follower.see(engine.redact(event, audience))
                assert follower.agrees_with(engine.view(transition.match, audience))


@settings(max_examples=size(25, 500), deadline=None, derandomize=True)
@given(game=games())
def test_with_any_knobs_the_events_are_enough_to_follow_and_no_more_is_shown(game: Game) -> None:
    table = table_of(game)
    steps = [Transition(step.match, step.events) for step in table.steps(game.number)]
    played = [[table.opening(game.number), *steps]]
    test_a_view_shows_no_card_that_its_audience_may_not_know(played)
    test_an_event_shows_no_card_that_its_audience_may_not_know(played)
    test_the_events_are_enough_to_follow(played)


def test_nobody_knows_the_stock_and_a_seat_knows_its_hand_and_what_everybody_knows(
    transitions: list[list[Transition]],
) -> None:
    for transition in chain.from_iterable(transitions):
        match = transition.match
        if match.deal is None:
            assert {engine.known(match, audience) for audience in audiences(match)} == {0}
            continue
        public = engine.known(match, None)
        for seat in range(len(match.seats)):
            known = engine.known(match, seat)
            assert known & set_of(match.deal.stock) == 0
            assert known == public | match.deal.hands[seat]
        hidden = ALL & ~public & ~set_of(match.deal.stock)
        assert hidden & ~sum(match.deal.hands) == 0


def test_a_view_tells_what_each_seat_threw_and_what_it_left_face_up() -> None:
    match = play(
        deal(CLASSIC, LOOSE, f"{MELDED} TH", "5H", "KD 8D"),
        *(Pass(), Pass(), DrawStock(), throw("KC")),
        *(DrawStock(), throw("8D"), DrawDiscard(), throw("QD")),
    )
    for audience in PAIR:
        table = engine.view(match, audience).table
        assert table is not None
        assert table.seen == (
            Seen(thrown=parse_all("KC QD"), declined=parse_all("5H")),
            Seen(thrown=parse_all("8D"), declined=parse_all("5H KC")),
        )


def test_before_every_seat_is_filled_no_view_holds_a_hand_a_dealer_or_a_count() -> None:
    match = engine.start_match(CLASSIC, (ANA, OPEN), seeded("waiting")).match
    for audience in PAIR:
        seen = engine.view(match, audience)
        assert (seen.phase, seen.table, seen.hand, seen.arrangement) == (Phase.WAITING, None, 0, None)
        assert [opponent.hand_count for opponent in seen.opponents] == [None] * len(seen.opponents)
    assert engine.view(engine.apply(match, 1, Join()).match, 1).status is Status.PLAYING


def test_a_card_taken_face_up_is_known_until_it_is_thrown() -> None:
    match = play(deal(CLASSIC, KNOCKER, LOOSE, "KD", "KH KS"), TakeUpcard(), throw("4H"))
    assert engine.view(match, 1).opponents[0].known_cards == hand("KD")
    assert engine.view(match, None).opponents[0].known_cards == hand("KD")
    match = play(match, DrawStock(), throw("KH"), DrawStock(), throw("KD"))
    assert engine.view(match, 1).opponents[0].known_cards == 0


def test_only_the_seat_in_turn_sees_what_it_has_taken_and_what_throws_would_leave() -> None:
    match = play(deal(CLASSIC, KNOCKER, LOOSE, "5C", "8D"), Pass(), Pass(), DrawStock())
    seen = engine.view(match, 0)
    assert seen.taken == Taken(card("8D"), Source.STOCK)
    assert seen.deadwood_after[card("8D")] == 4
    assert len(seen.deadwood_after) == 11
    for audience in (1, None):
        other = engine.view(match, audience)
        assert (other.taken, other.deadwood_after, other.actions) == (None, {}, ())


def test_a_hand_is_shown_as_r1_5_arranges_it() -> None:
    arrangement = engine.view(deal(CLASSIC, KNOCKER, LOOSE), 0).arrangement
    assert arrangement is not None
    assert arrangement.melds == (hand("AS 2S 3S 4S 5S 6S"), hand("7H 8H 9H"))
    assert (arrangement.unmatched, arrangement.deadwood) == (hand("4H"), 4)


def test_a_spread_shows_the_knockers_whole_hand_and_nothing_of_the_defenders() -> None:
    match = play(deal(DECLARED, KNOCKER, LOOSE, "5C", "8D"), Pass(), Pass(), DrawStock(), knock("8D"))
    for audience in (1, None):
        seen = engine.view(match, audience)
        assert seen.table is not None
        assert seen.table.spread is not None
        assert {opponent.seat: opponent.known_cards for opponent in seen.opponents}[0] == hand(KNOCKER)
    assert engine.view(match, 0).opponents[0].known_cards == 0


def test_automatic_melds_come_with_the_score() -> None:
    match = play(deal(CLASSIC, KNOCKER, LOOSE, "5C", "8D"), Pass(), Pass(), DrawStock())
    knocked, *_ = engine.apply(match, 0, Knock(card("8D"))).events
    assert cards_in_event(engine.redact(knocked, 1)) == hand("8D")


def test_layoffs_are_public_once_made() -> None:
    match = play(deal(DECLARED, KNOCKER, "TH JH QH 7S 7D 7C 8C 9C KC QD", "5C", "8D"), Pass(), Pass())
    match = play(match, DrawStock(), knock("8D"))
    answered, *_ = engine.decide(match, 1, LayOff((), layoffs(("TH", 1))))
    assert engine.known(engine.evolve(match, answered), None) == hand(f"5C 8D {KNOCKER} TH")


def test_a_resignation_shows_no_hand_of_cards_that_another_match_may_use() -> None:
    dealt = deal(CLASSIC, KNOCKER, LOOSE)
    for mode in (ShuffleMode.SEED, ShuffleMode.DECKS):
        match = engine.apply(replace(dealt, shuffle=replace(dealt.shuffle, mode=mode)), 1, Resign()).match
        for audience in PAIR:
            seen = engine.view(match, audience)
            assert (seen.phase, seen.table, seen.hand) == (Phase.FINISHED, None, 0)
            assert seen.last_deal is not None
            assert (seen.last_deal.result, seen.last_deal.hands) == (DealResult.UNFINISHED, ())


def test_a_resignation_shows_all_hands_that_the_server_shuffled() -> None:
    dealt = deal(CLASSIC, KNOCKER, LOOSE)
    match = engine.apply(replace(dealt, shuffle=replace(dealt.shuffle, mode=ShuffleMode.SERVER)), 1, Resign())
    for audience in PAIR:
        seen = engine.view(match.match, audience)
        assert (seen.phase, seen.table, seen.hand) == (Phase.FINISHED, None, 0)
        assert seen.last_deal is not None
        assert [shown.cards for shown in seen.last_deal.hands] == [hand(KNOCKER), hand(LOOSE)]
        assert [shown.deadwood for shown in seen.last_deal.hands] == [4, 70]


def test_a_resignation_after_a_knock_shows_hands_as_they_were_laid() -> None:
    dealt = deal(DECLARED, KNOCKER, "TH JH QH 7S 7D 7C 8C 9C KC QD", "5C", "8D")
    dealt = replace(dealt, shuffle=replace(dealt.shuffle, mode=ShuffleMode.SERVER))
    match = play(dealt, Pass(), Pass(), DrawStock(), knock("8D"))
    spread = running(match).spread
    assert spread is not None
    ended = engine.apply(match, 1, Resign()).match
    assert ended.last_deal is not None
    knocker, defender = ended.last_deal.hands
    assert (knocker.melds, knocker.unmatched, knocker.deadwood) == (
        spread.melds,
        spread.unmatched,
        spread.deadwood,
    )
    assert set(defender.melds) == {hand("7C 8C 9C"), hand("TH JH QH")}
