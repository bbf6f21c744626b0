"""A position told by the seat in turn gives back the seat's own view, whatever fills what it cannot know."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

import engine
from engine.actions import Discard, DrawDiscard, DrawStock, Knock, Layoff, Pass
from engine.cards import DECK_SIZE, CardSet, cards_of, parse
from engine.position import ImpossibleError, Misfit, Position, view_of
from engine.rules import RuleSet, StockEnd, UpcardOffer
from engine.state import Match, Phase, Source, Taken
from engine.view import View
from tests.engine.tables import TABLES, table_of
from tests.playbook import CLASSIC, DECLARED, LOOSE, MELDED, SIMPLE, TABLE, card, deal, hand, play, running
from tests.sizes import size
from tests.strategies import Game, games

APART = size(13, 1)


def told(view: View) -> Position:
    """The position as the seat in turn would tell it from its view."""
    table = view.table
    assert table is not None
    assert view.seat is not None
    seats = len(view.opponents) + 1
    known = [0] * seats
    for opponent in view.opponents:
        known[opponent.seat] = opponent.known_cards
    return Position(
        rules=view.rules,
        seat=view.seat,
        phase=view.phase,
        dealer=table.dealer,
        hand=view.hand,
        taken=view.taken,
        upcard=table.upcard,
        discard_pile=table.discard_pile,
        stock_count=table.stock_count,
        counts=(None,) * seats,
        known=tuple(known),
        seen=table.seen,
        spread=table.spread,
        scores=view.scores,
        deal_count=view.deal_count,
        tallies=view.tallies,
    )


def as_told(view: View) -> View:
    """The view without what no position tells: names, version, columns, the last deal, and what is past."""
    table = view.table
    assert table is not None
    opening = view.phase is Phase.UPCARD_OFFER or (view.phase is Phase.DRAW and not table.turns)
    return replace(
        view,
        version=0,
        columns=None,
        last_deal=None,
        opponents=tuple(replace(opponent, player=TABLE[0]) for opponent in view.opponents),
        table=replace(
            table,
            passes=table.passes if opening else 0,
            turns=0 if view.phase is Phase.LAYOFF else table.turns,
        ),
    )


def states(name: str) -> Iterator[Match]:
    for number in range(size(1, 5)):
        steps = TABLES[name].steps(number)
        for at, step in enumerate(steps):
            if at % APART == 0 or running(step.before).phase in {Phase.LAYOFF, Phase.LAST_DISCARD}:
                yield step.before


def backwards(cards: CardSet) -> tuple[int, ...]:
    return cards_of(cards)[::-1]


def check(match: Match) -> None:
    view = engine.view(match, running(match).turn)
    position = told(view)
    assert as_told(view_of(position)) == as_told(view)
    assert view_of(position, backwards) == view_of(position)


@pytest.mark.parametrize("name", TABLES)
def test_a_view_that_is_told_is_the_view(name: str) -> None:
    for match in states(name):
        check(match)


@settings(max_examples=size(25, 500), deadline=None, derandomize=True)
@given(game=games())
def test_with_any_knobs_a_view_that_is_told_is_the_view(game: Game) -> None:
    steps = table_of(game).steps(game.number)
    for step in steps[:: max(1, len(steps) // 10)]:
        check(step.before)


DRAWING = play(deal(CLASSIC, f"{MELDED} KS", LOOSE, "KD", "9C"), Pass(), Pass())
THROWING = play(DRAWING, DrawStock())
ANSWERING = play(
    deal(DECLARED, f"{MELDED} KS", "TH JH QD JD 8C 7D 6C 4D 3C 2H", "KD", "AC"),
    *(Pass(), Pass(), DrawStock(), Knock(card("KS"))),
)
NOTHING_DRAWN = {"stock_count": 31, "discard_pile": (), "known": (0, hand("KD"))}
LAID = Layoff(card("TH"), 1)
ELEVEN = deal(RuleSet(upcard_offer=UpcardOffer.ELEVEN), f"{MELDED} KS", LOOSE, "KD")
TOOK_THE_FIRST_THROW = play(ELEVEN, Discard(card("KS")), DrawDiscard())


def in_view(match: Match) -> Position:
    return told(engine.view(match, running(match).turn))


def test_the_first_throw_of_eleven_may_be_taken_from_a_pile_that_is_empty_then() -> None:
    check(ELEVEN)
    check(TOOK_THE_FIRST_THROW)
    check(play(TOOK_THE_FIRST_THROW, Discard(card("KC")), DrawDiscard()))


@pytest.mark.parametrize(
    ("match", "changes", "misfit"),
    [
        (DRAWING, {"discard_pile": (card("AS"),)}, Misfit.DUPLICATE_CARDS),
        (DRAWING, {"known": (0, hand("AS"))}, Misfit.DUPLICATE_CARDS),
        (DRAWING, {"hand": hand(MELDED)}, Misfit.HAND_SIZE_WRONG),
        (DRAWING, {"counts": (None, 9)}, Misfit.HAND_SIZE_WRONG),
        (DRAWING, {"stock_count": 30}, Misfit.CARDS_MISCOUNTED),
        (DRAWING, {"known": (0, hand(f"{LOOSE} TD"))}, Misfit.KNOWN_CARDS_IMPOSSIBLE),
        (DRAWING, {"upcard": None}, Misfit.UPCARD_IMPOSSIBLE),
        (DRAWING, {"upcard": card("TD")}, Misfit.UPCARD_IMPOSSIBLE),
        (ELEVEN, {"upcard": card("KS")}, Misfit.UPCARD_IMPOSSIBLE),
        (DRAWING, {"taken": Taken(card("AS"), Source.STOCK)}, Misfit.TAKEN_IMPOSSIBLE),
        (THROWING, {"taken": None}, Misfit.TAKEN_IMPOSSIBLE),
        (THROWING, {"taken": Taken(card("TD"), Source.STOCK)}, Misfit.TAKEN_IMPOSSIBLE),
        (THROWING, NOTHING_DRAWN, Misfit.TAKEN_IMPOSSIBLE),
        (TOOK_THE_FIRST_THROW, {"taken": None}, Misfit.TAKEN_IMPOSSIBLE),
        (ELEVEN, {"dealer": 0}, Misfit.TAKEN_IMPOSSIBLE),
        (DRAWING, {"phase": Phase.WAITING}, Misfit.PHASE_IMPOSSIBLE),
        (DRAWING, {"phase": Phase.LAST_DISCARD}, Misfit.PHASE_IMPOSSIBLE),
        (DRAWING, {"phase": Phase.LAYOFF}, Misfit.PHASE_IMPOSSIBLE),
        (DRAWING, {"phase": Phase.UPCARD_OFFER, "rules": SIMPLE}, Misfit.PHASE_IMPOSSIBLE),
        (ANSWERING, {"rules": CLASSIC}, Misfit.PHASE_IMPOSSIBLE),
        (ANSWERING, {"spread": None}, Misfit.PHASE_IMPOSSIBLE),
    ],
)
def test_a_position_to_which_no_match_comes_is_refused(
    match: Match, changes: dict[str, object], misfit: Misfit
) -> None:
    with pytest.raises(ImpossibleError, match=misfit):
        view_of(replace(in_view(match), **changes))


def test_a_last_discard_is_not_taken_where_no_knock_is_possible() -> None:
    position = in_view(THROWING)
    pile = tuple(each for each in range(DECK_SIZE) if not position.hand >> each & 1)[-29:]
    taken = replace(
        position,
        taken=Taken(card("9C"), Source.DISCARD_PILE),
        upcard=pile[0],
        discard_pile=pile,
        stock_count=2,
    )
    knock_only = RuleSet(stock_end=StockEnd.LAST_DISCARD_KNOCK_ONLY)
    assert view_of(replace(taken, rules=knock_only)).actions
    with pytest.raises(ImpossibleError, match=Misfit.TAKEN_IMPOSSIBLE):
        view_of(replace(taken, rules=replace(knock_only, knock_limit=8)))


def test_a_card_that_is_in_two_places_is_named() -> None:
    with pytest.raises(ImpossibleError) as refused:
        view_of(replace(in_view(DRAWING), discard_pile=(parse("4S"),)))
    assert refused.value.card == parse("4S")


@pytest.mark.parametrize(
    ("changes", "misfit"),
    [
        ({"melds": (hand("AS 2S 3S"), hand("4S 5S 7H"), hand("6S 8H 9H"))}, Misfit.SPREAD_INVALID),
        ({"deadwood": 4}, Misfit.SPREAD_INVALID),
        ({"layoffs": ((1, LAID),)}, Misfit.LAYOFFS_IMPOSSIBLE),
    ],
)
def test_a_spread_that_cannot_lie_there_is_refused(changes: dict[str, object], misfit: Misfit) -> None:
    position = in_view(ANSWERING)
    assert position.spread is not None
    with pytest.raises(ImpossibleError, match=misfit):
        view_of(replace(position, spread=replace(position.spread, **changes)))


def test_a_position_shows_no_card() -> None:
    assert repr(in_view(THROWING)) == "Position(seat=0, discard)"
