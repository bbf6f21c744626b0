"""What nobody may know has no effect on anything that he is told."""

import hashlib
import random
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest
from msgspec.structs import replace

import engine
from engine import apply, complete, preview, view
from engine.actions import Discard, DrawStock, Join, Knock, Move, Pass, Seat
from engine.cards import CardSet, parse
from engine.deadwood import Arrangement, solver_for
from engine.events import AnyEvent
from engine.known import Audience
from engine.layoffs import best_spread
from engine.preview import Preview
from engine.state import Match, Phase
from engine.view import View
from service.matches.table import Table
from tests.playbook import DECLARED, deck_of, play
from tests.service.games import GAMES
from tests.service.twins import Twins, begun, copies, differences, twins_at, twins_undealt
from tests.sizes import SOAK, size

pytestmark = pytest.mark.anyio

OFFER, DRAW, DISCARD, LAYOFF = Phase.UPCARD_OFFER, Phase.DRAW, Phase.DISCARD, Phase.LAYOFF
LAST = Phase.LAST_DISCARD
PHASES = {
    "classic": (OFFER, DRAW, DISCARD),
    "declared": (OFFER, DRAW, DISCARD, LAYOFF),
    "simple": (DRAW, DISCARD),
    "straight": (OFFER, DRAW, DISCARD),
    "oklahoma": (OFFER, DRAW, DISCARD),
    "hollywood": (OFFER, DRAW, DISCARD),
    "traditional": (OFFER, DRAW, DISCARD, LAYOFF),
    "openspiel": (OFFER, DRAW, DISCARD, LAYOFF),
    "eaai": (OFFER, DRAW, DISCARD, LAYOFF),
    "penalty": (DRAW, DISCARD),
    "penalty of 3": (DRAW, DISCARD),
    "penalty of 4": (DRAW, DISCARD),
    "eleven": (DRAW, DISCARD),
    "declared of 3": (DRAW, DISCARD, LAYOFF),
    "declared of 4": (DRAW, DISCARD, LAYOFF),
    "knock only": (LAST, DISCARD),
    "playable": (LAST, DISCARD),
    "reshuffled": (DRAW, DISCARD),
}
"""The phases of every preset in every company, and of what is hidden in ways of its own elsewhere."""
RESHUFFLED = {"reshuffled"}
Case: TypeAlias = tuple[str, Audience, Phase, bool]
Mutant: TypeAlias = Callable[[pytest.MonkeyPatch], None]


@pytest.fixture
def files(migrated_file: Path, tmp_path: Path) -> Iterator[Path]:
    return copies(migrated_file, tmp_path)


def audiences_of(game: str) -> tuple[Audience, ...]:
    return (*range(GAMES[game].seats), None)


def cases(game: str) -> Iterator[Case]:
    """Who looks, in which phase, and whether it is his turn."""
    for phase in PHASES[game]:
        for audience in range(GAMES[game].seats):
            yield from ((game, audience, phase, own_turn) for own_turn in (False, True))
        yield game, None, phase, False


def some_cases(game: str) -> Iterator[Case]:
    """A seat in each phase and a stranger in one, others for each game."""
    number, phases, seats = list(PHASES).index(game), PHASES[game], GAMES[game].seats
    for turn, phase in enumerate(phases, number):
        yield game, turn % seats, phase, bool(turn // seats % 2)
    yield game, None, phases[number % len(phases)], False


CASES = [case for game in PHASES for case in (cases if SOAK else some_cases)(game)]


@cache
def twins_of(game: str, audience: Audience, phase: Phase, seed: int, *, own_turn: bool) -> Twins:
    dice = random.Random(f"{game} {audience} {phase} {own_turn} {seed}")
    reshuffled = game in RESHUFFLED
    return twins_at(game, audience, phase, own_turn=own_turn, reshuffled=reshuffled, dice=dice)


@pytest.mark.parametrize(("game", "audience", "phase", "own_turn"), CASES)
async def test_no_answer_depends_on_cards_that_its_audience_cannot_know(
    *, files: Iterator[Path], game: str, audience: Audience, phase: Phase, own_turn: bool
) -> None:
    for seed in range(size(1, 3)):
        twins = twins_of(game, audience, phase, seed, own_turn=own_turn)
        assert await differences(files, twins) == [], twins


@pytest.mark.parametrize("game", ["classic", "declared", "simple", "straight", "hollywood", "declared of 3"])
async def test_what_was_not_dealt_is_not_told_when_the_deal_is_over(files: Iterator[Path], game: str) -> None:
    for number, audience in enumerate(audiences_of(game)):
        for seed in range(size(number % 2, 3)):
            twins = twins_undealt(game, audience, random.Random(f"{game} {audience} {seed}"))
            assert await differences(files, twins) == [], twins


KNOCKER = "4D 5D 6D 5S 5H 9S TS JS QS KS"
"""Ten points of deadwood, whether the five of diamonds is in a run or in a set."""
DEFENDER = "5C 2C 8C KC 2H 8H TC AH AC TD"


def a_spread_that_would_matter(preset: str) -> Twins:
    """A knocker whose best spread would depend on whether the defender can lay off a five or a seven."""
    deck = deck_of(KNOCKER, DEFENDER, "KD", "KH 3S 7D")
    five, seven = parse("5C"), parse("7D")
    swap = {five: seven, seven: five}
    other = tuple(swap.get(card, card) for card in deck)
    script: tuple[tuple[Seat, Move], ...] = ((0, Pass()), (1, Pass()), (0, DrawStock()))
    moment = play(begun(preset, 1, deck), *(action for _, action in script))
    return Twins(preset, 1, (deck, other), script, 0, (five, seven, parse("KH")), moment)


@pytest.mark.parametrize("preset", ["classic", "declared"])
async def test_a_spread_is_shown_and_filled_in_without_the_defenders_cards(
    files: Iterator[Path], preset: str
) -> None:
    twins = a_spread_that_would_matter(preset)
    hands = [cheated_arrangement(play(begun(preset, 1, deck), Pass(), Pass())) for deck in twins.decks]
    assert hands[0].deadwood == hands[1].deadwood == 10
    assert hands[0].melds != hands[1].melds
    assert await differences(files, twins) == []


def cheated_arrangement(match: Match, cards: CardSet | None = None) -> Arrangement:
    """The spread of seat 0 that is chosen by the cards of seat 1."""
    assert match.deal is not None
    hand = match.deal.hands[0] if cards is None else cards
    return best_spread(DECLARED, hand, (match.deal.hands[1],), laying_off=True)


def preview_from_the_state(mutant: pytest.MonkeyPatch) -> None:
    looked_at: list[Match] = []

    def watched(match: Match, audience: Audience) -> View:
        looked_at.append(match)
        return view(match, audience)

    def cheated(seen: View, action: Move) -> Preview:
        assert seen.seat is not None
        deal = apply(looked_at[-1], seen.seat, action).match.deal
        hand = deal.hands[seen.seat] if deal is not None else 0
        return replace(preview(seen, action), hand=hand, arrangement=solver_for(seen.rules).arrange(hand))

    mutant.setattr("service.matches.play.view", watched)
    mutant.setattr("service.matches.play.preview", cheated)


def tag_by_content(mutant: pytest.MonkeyPatch) -> None:
    def cheated(table: Table, audience: str) -> str:
        return f'"{hashlib.sha256(table.row.snapshot).hexdigest()}.{audience}"'

    mutant.setattr("service.matches.api.answers.tag", cheated)


def refusal_order_by_the_opponents_hand(mutant: pytest.MonkeyPatch) -> None:
    def cheated(match: Match, seat: Seat, action: Move | Join) -> tuple[AnyEvent, ...]:
        if isinstance(action, Discard | Knock) and match.deal is not None:
            others = [hand for other, hand in enumerate(match.deal.hands) if other != seat]
            engine.refusal.require(
                not any(hand >> action.card & 1 for hand in others), engine.Reason.CARD_NOT_IN_HAND
            )
        return engine.decide(match, seat, action)

    mutant.setattr("engine.play.decide", cheated)


def advice_by_the_opponents_hand(mutant: pytest.MonkeyPatch) -> None:
    def cheated(match: Match, audience: Audience) -> View:
        seen = view(match, audience)
        assert match.deal is not None
        hands = match.deal.hands
        return replace(
            seen, opponents=tuple(replace(other, known_cards=hands[other.seat]) for other in seen.opponents)
        )

    mutant.setattr("service.coaching.coach.view", cheated)


MUTANTS: tuple[tuple[Mutant, Phase, bool], ...] = (
    (preview_from_the_state, DRAW, True),
    (tag_by_content, DRAW, False),
    (refusal_order_by_the_opponents_hand, DISCARD, False),
    (advice_by_the_opponents_hand, DISCARD, True),
)


@pytest.mark.parametrize(("mutant", "phase", "own_turn"), MUTANTS)
async def test_a_service_that_peeks_is_found_out(
    *, files: Iterator[Path], monkeypatch: pytest.MonkeyPatch, mutant: Mutant, phase: Phase, own_turn: bool
) -> None:
    twins = [
        twins_of(preset, audience, phase, 0, own_turn=own_turn)
        for preset, audience in (("classic", 0), ("declared", 1))
    ]
    mutant(monkeypatch)
    for each in twins:
        assert await differences(files, each) != [], each


def spread_in_views(mutant: pytest.MonkeyPatch) -> None:
    def cheated(match: Match, audience: Audience) -> View:
        return replace(view(match, audience), arrangement=cheated_arrangement(match))

    mutant.setattr("service.matches.wire.matches.view", cheated)


def spread_in_previews(mutant: pytest.MonkeyPatch) -> None:
    looked_at: list[Match] = []

    def watched(match: Match, audience: Audience) -> View:
        looked_at.append(match)
        return view(match, audience)

    def cheated(seen: View, action: Move) -> Preview:
        shown = preview(seen, action)
        return replace(shown, arrangement=cheated_arrangement(looked_at[-1], shown.hand))

    mutant.setattr("service.matches.play.view", watched)
    mutant.setattr("service.matches.play.preview", cheated)


def spread_filled_in(mutant: pytest.MonkeyPatch) -> None:
    looked_at: list[Match] = []

    def watched(match: Match, audience: Audience) -> View:
        looked_at.append(match)
        return view(match, audience)

    def cheated(seen: View, action: Move) -> Move:
        match action:
            case Knock(card, None):
                return Knock(card, cheated_arrangement(looked_at[-1], seen.hand & ~(1 << card)).melds)
            case _:
                return complete(seen, action)

    mutant.setattr("service.matches.play.view", watched)
    mutant.setattr("service.matches.play.complete", cheated)


@pytest.mark.parametrize("mutant", [spread_in_views, spread_in_previews, spread_filled_in])
async def test_a_spread_chosen_by_the_defenders_cards_is_found_out(
    files: Iterator[Path], monkeypatch: pytest.MonkeyPatch, mutant: Mutant
) -> None:
    twins = a_spread_that_would_matter("declared")
    mutant(monkeypatch)
    assert await differences(files, twins) != []
