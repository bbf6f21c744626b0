"""What an intent promises: computed from a view, and true once the action is played."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

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
    Resign,
    TakeUpcard,
    TimeOut,
)
from engine.cards import set_of
from engine.events import DealScored, DealVoided, Knocked
from engine.preview import Ending, KnockKind, Preview, Reveal, Stakes, Warn
from engine.rules import Melds, RuleSet, StockEnd, UndercutTie
from engine.state import DealResult, Match, Phase
from tests.engine.tables import TABLES, table_of
from tests.playbook import (
    CLASSIC,
    DECLARED,
    LOOSE,
    MELDED,
    PENALTY,
    SIMPLE,
    STRAIGHT,
    Step,
    deal,
    deal_round,
    hand,
    in_turn,
    knock,
    last_deal,
    layoffs,
    play,
    running,
    throw,
    with_stock,
)
from tests.sizes import size
from tests.strategies import Game, games

KNOCKER: Final = f"{MELDED} 4H"
GIN: Final = f"{MELDED} TH"
DEFENDER: Final = "KC QD JH TH 7S 7D 6C 7C 3C 2H"
NINE: Final = ("AS 2S 3S", "4S 5S 6S", "7H 8H 9H")
BOOKS: Final = RuleSet(gin_bonus=20, undercut_bonus=10)
ZERO: Final = RuleSet(undercut_tie=UndercutTie.KNOCKER_ZERO)
TO_DRAW: Final = (Pass(), Pass(), DrawStock())


def previewed(match: Match, action: Move, seat: int | None = None) -> Preview:
    seen = engine.view(match, in_turn(match) if seat is None else seat)
    return engine.preview(seen, engine.complete(seen, action))


def drew(rules: RuleSet = CLASSIC, knocker: str = KNOCKER, stock: str = "8D", defender: str = LOOSE) -> Match:
    """Return a match in which seat 0 has drawn the first card of this stock."""
    return play(deal(rules, knocker, defender, "5C", stock), *TO_DRAW)


def played_steps() -> Iterator[Step]:
    for table in TABLES.values():
        for number in range(size(2, 30)):
            yield from (step for step in table.steps(number) if not isinstance(step.action, TimeOut))


def ending_of(step: Step) -> Ending:
    """Return how the step did end the deal."""
    if isinstance(step.move, Resign):
        return Ending.UNFINISHED
    for event in step.events:
        match event:
            case DealScored():
                return Ending.SCORED
            case DealVoided():
                return Ending.VOID
            case _:
                continue
    return Ending.LAYOFF if running(step.match).phase is Phase.LAYOFF else Ending.NO


def test_what_is_completed_does_what_was_asked() -> None:
    for step in played_steps():
        action = engine.complete(engine.view(step.before, step.seat), step.move)
        assert engine.decide(step.before, step.seat, action) == step.events


def test_a_preview_says_how_the_deal_ends() -> None:
    met: Counter[Ending] = Counter()
    for step in played_steps():
        ending = previewed(step.before, step.move, step.seat).ends_deal
        met[ending] += 1
        assert ending == ending_of(step)
    assert set(met) == set(Ending)


@settings(max_examples=size(25, 500), deadline=None, derandomize=True)
@given(game=games())
def test_with_any_knobs_a_preview_says_how_the_deal_ends_and_what_is_completed_does_it(game: Game) -> None:
    for step in table_of(game).steps(game.number):
        seen = engine.view(step.before, step.seat)
        action = engine.complete(seen, step.move)
        assert engine.decide(step.before, step.seat, action) == step.events
        assert engine.preview(seen, action).ends_deal == ending_of(step)


def test_a_preview_shows_the_hand_as_the_view_will() -> None:
    for step in played_steps():
        foreseen = previewed(step.before, step.move, step.seat)
        if isinstance(step.move, DrawStock | Resign):
            before = engine.view(step.before, step.seat)
            assert (foreseen.hand, foreseen.arrangement) == (before.hand, before.arrangement)
            continue
        match foreseen.ends_deal:
            case Ending.NO:
                after = engine.view(step.match, step.seat)
                assert (foreseen.hand, foreseen.arrangement) == (after.hand, after.arrangement)
            case Ending.LAYOFF:
                after = engine.view(step.match, step.seat)
                assert after.table is not None
                assert after.table.spread is not None
                if after.table.spread.seat == step.seat:
                    assert foreseen.arrangement.melds == after.table.spread.melds
                    assert foreseen.hand == after.hand
                else:
                    laid = running(step.match).answers[-1]
                    assert foreseen.arrangement.unmatched == laid.unmatched
                    assert foreseen.hand == after.hand & ~set_of(layoff.card for layoff in laid.layoffs)
            case _:
                shown = last_deal(step.match).hands[step.seat]
                assert foreseen.hand == shown.cards & ~sum(1 << layoff.card for layoff in shown.layoffs)
                assert foreseen.arrangement.deadwood == shown.deadwood


def test_a_knock_previews_what_the_score_then_says() -> None:
    seen: Counter[KnockKind] = Counter()
    for step in played_steps():
        stakes = previewed(step.before, step.move, step.seat).scoring
        assert (stakes is not None) == isinstance(step.move, Knock | BigGin)
        scored = step.match.deal_count > step.before.deal_count
        if stakes is None or not isinstance(step.events[0], Knocked) or not scored:
            continue
        seen[stakes.kind] += 1
        row = last_deal(step.match)
        theirs = min(shown.deadwood for shown in row.hands if shown.seat != step.seat)
        undercut = stakes.undercut_if_at_most is not None and theirs <= stakes.undercut_if_at_most
        assert undercut == (row.result is DealResult.UNDERCUT)
        if row.result is DealResult.TIE or row.penalties is not None:
            assert row.points == 0
            continue
        bonus = stakes.undercut_bonus if undercut else stakes.bonus
        assert row.points == stakes.multiplier * (bonus + abs(theirs - stakes.own_deadwood))
        assert row.multiplier == stakes.multiplier
    assert set(seen) == {KnockKind.KNOCK, KnockKind.GIN}


def test_taking_a_face_up_card_shows_the_hand_with_it() -> None:
    for rules, take in ((CLASSIC, TakeUpcard()), (SIMPLE, DrawDiscard())):
        foreseen = previewed(deal(rules, KNOCKER, LOOSE, "TH"), take)
        assert foreseen.hand == hand(f"{KNOCKER} TH")
        assert foreseen.arrangement.melds == (hand("AS 2S 3S 4S 5S 6S"), hand("7H 8H 9H TH"))
        assert (foreseen.ends_deal, foreseen.reveals, foreseen.warnings) == (Ending.NO, (), ())


def test_drawing_shows_that_a_card_comes_and_not_which() -> None:
    for top in ("8D", "9D"):
        foreseen = previewed(deal(SIMPLE, KNOCKER, LOOSE, "5C", top), DrawStock())
        assert foreseen.hand == hand(KNOCKER)
        assert foreseen.reveals == (Reveal.STOCK_CARD,)


ON_DRAW: Final = replace(SIMPLE, stock_floor=2, stock_end=StockEnd.DEAD_ON_DRAW)
FOR_A_KNOCK: Final = replace(SIMPLE, stock_floor=2, stock_end=StockEnd.LAST_DISCARD_KNOCK_ONLY)
LAST_DISCARD: Final = play(with_stock(deal(FOR_A_KNOCK, LOOSE, GIN), 3), DrawStock(), throw("2H"))
"""Seat 1 may take the 2H, and must knock then."""
AMONG_THREE: Final = play(
    deal_round(
        replace(PENALTY, melds=Melds.DECLARED),
        ("AS 2S 3S 7H 8H 9H 4D", "KC KH 7C TH 3C 5D JS", "QC QH 4S 2D 6C 9S 8D"),
        stock="QS",
    ),
    *(DrawStock(), knock("QS")),
)


@pytest.mark.parametrize(
    ("match", "action", "reveals"),
    [
        (deal(CLASSIC, KNOCKER, LOOSE), Pass(), ()),
        (drew(), throw("8D"), ()),
        (with_stock(drew(), 2), throw("8D"), (Reveal.OWN_HAND,)),  # R2.5: void deals too
        (drew(), knock("8D"), (Reveal.OWN_HAND,)),
        (drew(DECLARED), knock("8D"), (Reveal.OWN_HAND,)),
        (drew(STRAIGHT, GIN, "6H"), BigGin(), (Reveal.OWN_HAND,)),
        (play(drew(DECLARED), knock("8D")), LayOff(), (Reveal.OWN_HAND,)),
        (AMONG_THREE, LayOff(), ()),                             # R5.2: his hand waits for the score
        (play(AMONG_THREE, LayOff()), LayOff(), (Reveal.OWN_HAND,)),
        (with_stock(deal(ON_DRAW, KNOCKER, LOOSE), 4), DrawStock(), (Reveal.STOCK_CARD,)),
        (with_stock(deal(ON_DRAW, KNOCKER, LOOSE), 3), DrawStock(), (Reveal.STOCK_CARD, Reveal.OWN_HAND)),
        (LAST_DISCARD, Pass(), (Reveal.OWN_HAND,)),
        (LAST_DISCARD, DrawDiscard(), ()),
        (drew(), Resign(), ()),  # R3.4
    ],
)  # fmt: skip
def test_what_confirming_shows_to_others(match: Match, action: Move, reveals: tuple[Reveal, ...]) -> None:
    assert previewed(match, action).reveals == reveals


@pytest.mark.parametrize(
    ("rules", "knocker", "action", "stakes"),
    [
        (CLASSIC, KNOCKER, knock("8D"), Stakes(KnockKind.KNOCK, 4, 0, 25, 4, 1)),
        (CLASSIC, GIN, knock("8D"), Stakes(KnockKind.GIN, 0, 25, 25, None, 1)),
        (BOOKS, KNOCKER, knock("8D"), Stakes(KnockKind.KNOCK, 4, 0, 10, 4, 1)),
        (ZERO, KNOCKER, knock("8D"), Stakes(KnockKind.KNOCK, 4, 0, 25, 3, 1)),
        (DECLARED, GIN, knock("8D", *NINE), Stakes(KnockKind.KNOCK, 10, 0, 25, 10, 1)),
    ],
)  # fmt: skip
def test_what_a_knock_is_worth(rules: RuleSet, knocker: str, action: Knock, stakes: Stakes) -> None:
    assert previewed(drew(rules, knocker), action).scoring == stakes


def test_a_spade_upcard_doubles_what_a_knock_is_worth() -> None:
    match = play(deal(RuleSet(spade_doubles=True), KNOCKER, LOOSE, "9S", "8D"), *TO_DRAW)
    stakes = previewed(match, knock("8D")).scoring
    assert stakes is not None
    assert stakes.multiplier == 2


def test_under_penalties_an_undercut_is_strictly_less() -> None:
    stakes = previewed(drew(replace(PENALTY, upcard_offer=CLASSIC.upcard_offer)), knock("8D")).scoring
    assert stakes == Stakes(KnockKind.KNOCK, 4, 0, 25, 3, 1)  # R7.1


def test_big_gin_has_its_own_bonus() -> None:
    stakes = previewed(drew(STRAIGHT, GIN, "6H"), BigGin()).scoring
    assert stakes == Stakes(KnockKind.BIG_GIN, 0, 31, 25, None, 1)


LAST: Final = Warn.LAST_TURN_BEFORE_VOID
LATE: Final = replace(SIMPLE, max_turns=20)
ANSWERED: Final = play(drew(DECLARED, defender=DEFENDER), knock("8D", *NINE))


def in_the_last_turn(match: Match) -> Match:
    return replace(match, deal=replace(running(match), turns=19))


@pytest.mark.parametrize(
    ("match", "action", "warnings"),
    [
        (drew(), throw("8D"), ()),
        (drew(), throw("AS"), (Warn.BREAKS_MELD,)),
        (drew(), throw("4H"), (Warn.BREAKS_MELD,)),
        (drew(), knock("8D"), ()),
        (drew(), knock("AS"), (Warn.BREAKS_MELD,)),
        (drew(knocker=GIN), throw("8D"), (Warn.GIN_AVAILABLE,)),
        (drew(knocker=GIN), throw("7H"), (Warn.BREAKS_MELD, Warn.GIN_AVAILABLE)),
        (drew(knocker=GIN), knock("8D"), ()),
        (drew(knocker=GIN), knock("TH"), (Warn.BREAKS_MELD, Warn.GIN_AVAILABLE)),
        (drew(DECLARED), knock("8D", "4S 5S 6S", "7H 8H 9H"), (Warn.BETTER_MELDS_EXIST,)),
        (drew(DECLARED), knock("8D", "7H 8H 9H", "4S 5S 6S", "AS 2S 3S"), ()),
        (drew(DECLARED, GIN), knock("8D", *NINE), (Warn.GIN_AVAILABLE, Warn.BETTER_MELDS_EXIST)),
        (drew(STRAIGHT, GIN, "6H"), knock("6H"), ()),
        (drew(STRAIGHT, GIN, "6H"), throw("6H"), (Warn.GIN_AVAILABLE,)),
        (with_stock(deal(SIMPLE, KNOCKER, LOOSE), 2), DrawStock(), ()),
        (with_stock(deal(SIMPLE, KNOCKER, LOOSE), 1), DrawStock(), (LAST,)),
        (with_stock(deal(SIMPLE, KNOCKER, LOOSE), 1), DrawDiscard(), ()),  # the stock stays
        (in_the_last_turn(deal(LATE, KNOCKER, LOOSE)), DrawDiscard(), (LAST,)),
        (in_the_last_turn(deal(LATE, KNOCKER, LOOSE)), DrawStock(), (LAST,)),
        (with_stock(drew(), 2), throw("8D"), (LAST,)),
        (with_stock(drew(), 2), knock("8D"), ()),
        (with_stock(deal(FOR_A_KNOCK, LOOSE, GIN), 3), DrawStock(), (LAST,)),
        (LAST_DISCARD, DrawDiscard(), (LAST,)),
        (play(LAST_DISCARD, DrawDiscard()), knock("TH"), ()),
        (play(deal(CLASSIC, KNOCKER, LOOSE, "8D"), TakeUpcard()), throw("4H"), ()),  # the 8D may not go
        (ANSWERED, LayOff(), ()),
        (ANSWERED, LayOff(layoffs=()), (Warn.BETTER_MELDS_EXIST,)),
        (ANSWERED, LayOff((hand("7S 7D 7C"),), layoffs(("TH", 2))), (Warn.BETTER_MELDS_EXIST,)),
    ],
)  # fmt: skip
def test_warnings(match: Match, action: Move, warnings: tuple[Warn, ...]) -> None:
    assert previewed(match, action).warnings == warnings


def test_a_warning_of_a_broken_meld_is_for_throws_that_are_not_the_best() -> None:
    for step in played_steps():
        if isinstance(step.move, Discard):
            seen = engine.view(step.before, step.seat)
            (offer,) = (offer for offer in seen.actions if offer.action is Discard)
            best = min(seen.deadwood_after[card] for card in offer.cards)
            broken = Warn.BREAKS_MELD in previewed(step.before, step.move).warnings
            assert broken == (seen.deadwood_after[step.move.card] > best)
