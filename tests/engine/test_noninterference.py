"""Matches that differ only in cards an audience cannot know give it the same answers; mutants do not."""

import random
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

import engine
from engine.actions import DrawStock, Knock, LayOff, Move, Pass, Seat, TimeOut
from engine.deadwood import solver_for
from engine.events import AnyEvent, Knocked, StockDrawn
from engine.known import Audience
from engine.layoffs import best_spread
from engine.preview import Preview
from engine.redact import Seen
from engine.rules import Melds
from engine.state import Match, Phase
from engine.view import View
from tests.engine.seen import cards_in_event, cards_in_view, twin
from tests.engine.tables import TABLES, table_of
from tests.engine.twins import TRUE, Voice, differences
from tests.playbook import CLASSIC, DECLARED, PENALTY, card, deal, deal_round, play, running
from tests.sizes import size
from tests.strategies import Game, games

TWINS: Final = size(1, 4)
APART: Final = size(9, 3)
"""Steps between two states that are asked about."""
RARE: Final = {Phase.LAST_DISCARD, Phase.LAYOFF}
"""Phases whose states are all asked about."""


def asked_about(name: str) -> Iterator[Match]:
    """Return states of a table's matches; the last in which somebody is in turn is one of them."""
    for number in range(size(1, 6)):
        steps = TABLES[name].steps(number)
        for at, step in enumerate(steps):
            if at % APART == 0 or running(step.before).phase in RARE or step is steps[-1]:
                yield step.before


def told_apart(voice: Voice, match: Match, dice: random.Random, count: int = TWINS) -> list[str]:
    """Return the questions whose answers tell an audience more than it may know."""
    return [
        question
        for audience in (*range(len(match.seats)), None)
        for _ in range(count)
        for question in differences(voice, match, twin(match, audience, dice), audience)
    ]


@pytest.mark.parametrize("name", TABLES)
def test_hidden_cards_change_no_answer(name: str) -> None:
    dice = random.Random(name)
    for match in asked_about(name):
        assert told_apart(TRUE, match, dice) == []


@settings(max_examples=size(25, 500), deadline=None, derandomize=True)
@given(game=games())
def test_with_any_knobs_hidden_cards_change_no_answer(game: Game) -> None:
    states = [step.before for step in table_of(game).steps(game.number)]
    rare = [match for match in states if running(match).phase in RARE]
    for match in (states[game.number % len(states)], *rare[:2]):
        assert told_apart(TRUE, match, random.Random(game.number)) == []


def test_every_phase_was_asked_about_and_defenders_who_follow_another_were_too() -> None:
    asked = [running(match) for name in TABLES for match in asked_about(name)]
    assert {deal.phase for deal in asked} == set(Phase) - {Phase.WAITING, Phase.FINISHED}
    assert max(len(deal.answers) for deal in asked) == 2
    assert any(deal.reshuffles for deal in asked)


SETS_OR_RUNS: Final = "AS 5S 6S 7S 5C 6C 7C 5H 6H 7H"
"""Ten cards that three sets and three runs arrange equally well."""


DEFENDER: Final = "KC QD JS TS 8S 7D 4H 4D 3C 2H"
DRAWING: Final = play(deal(CLASSIC, SETS_OR_RUNS, DEFENDER, "KD", "9H"), Pass(), Pass())
THROWING: Final = play(DRAWING, DrawStock())
DECLARING: Final = play(deal(DECLARED, SETS_OR_RUNS, DEFENDER, "KD", "9H"), Pass(), Pass(), DrawStock())


ANSWERING: Final = play(
    deal_round(
        replace(PENALTY, melds=Melds.DECLARED),
        ("7H 8H 9H AC 2C 3C 5D", "6H 5H KD KS KC 2D 9C", "TH JH 4C AS AD AH 3S"),
        upcard="9D",
        stock="4D",
    ),
    *(DrawStock(), Knock(card("4D")), LayOff()),
)
"""One defender has answered and one has not."""


def preview_of_the_state(match: Match, seat: Seat, action: Move) -> Preview:
    foreseen = TRUE.preview(match, seat, action)
    if not isinstance(action, DrawStock):
        return foreseen
    hand = foreseen.hand | 1 << running(match).stock[0]
    return replace(foreseen, arrangement=solver_for(match.rules).arrange(hand))


def refusal_by_the_opponents_hand(match: Match, seat: Seat, action: Move | TimeOut) -> tuple[AnyEvent, ...]:
    if isinstance(action, Knock) and running(match).hands[1 - seat] >> action.card & 1:
        raise engine.Refusal(engine.Reason.DEADWOOD_ABOVE_LIMIT)
    return engine.decide(match, seat, action)


def spread_by_the_defenders_cards(match: Match, seat: Seat, action: Move | TimeOut) -> tuple[AnyEvent, ...]:
    first, *others = engine.decide(match, seat, action)
    if isinstance(first, Knocked) and isinstance(action, Knock) and action.melds is None:
        hands = running(match).hands
        best = best_spread(
            match.rules, hands[seat] & ~(1 << action.card), (hands[1 - seat],), laying_off=True
        )
        first = replace(first, melds=best.melds)
    return (first, *others)


def view_of_the_stocks_top(match: Match, audience: Audience) -> View:
    seen = engine.view(match, audience)
    if match.deal is None or seen.table is None:
        return seen
    return replace(
        seen, table=replace(seen.table, discard_pile=(*match.deal.discard_pile, match.deal.stock[0]))
    )


def view_by_the_stock(match: Match, audience: Audience) -> View:
    return replace(engine.view(match, audience), version=sum(running(match).stock[:3]))


def view_of_the_answers(match: Match, audience: Audience) -> View:
    return replace(
        engine.view(match, audience), version=sum(hand.deadwood for hand in running(match).answers)
    )


def every_draw_shown(event: AnyEvent, audience: Audience) -> Seen:
    return engine.redact(event, event.seat if isinstance(event, StockDrawn) else audience)


@pytest.mark.parametrize(
    ("mutant", "match"),
    [
        pytest.param(Voice(preview=preview_of_the_state), DRAWING, id="preview of the state"),
        pytest.param(
            Voice(decide=refusal_by_the_opponents_hand), THROWING, id="refusal by the opponent's hand"
        ),
        pytest.param(
            Voice(decide=spread_by_the_defenders_cards), DECLARING, id="spread by the defender's cards"
        ),
        pytest.param(Voice(view=view_of_the_stocks_top), DRAWING, id="view of the stock's top"),
        pytest.param(Voice(view=view_by_the_stock), DRAWING, id="view by the stock"),
        pytest.param(Voice(view=view_of_the_answers), ANSWERING, id="view of the answers"),
        pytest.param(Voice(redact=every_draw_shown), DRAWING, id="every draw shown"),
    ],
)
def test_a_mutant_that_tells_more_is_caught(mutant: Voice, match: Match) -> None:
    assert told_apart(mutant, match, random.Random(1), count=8) != []
    assert told_apart(TRUE, match, random.Random(1), count=8) == []


def test_mutants_that_show_a_card_are_caught_by_what_is_known_too() -> None:
    match = DRAWING
    assert cards_in_view(view_of_the_stocks_top(match, 0)) & ~engine.known(match, 0)
    drawn, *_ = engine.decide(match, 0, DrawStock())
    after = engine.evolve(match, drawn)
    assert cards_in_event(every_draw_shown(drawn, 1)) & ~engine.known(after, 1)
