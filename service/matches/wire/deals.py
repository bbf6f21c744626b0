"""Finished deals and results: the same for every audience."""

from functools import lru_cache
from typing import Literal, TypeAlias

from msgspec import Struct

from engine.state import Column, DealRow, HandShown, MatchResult, PerSeat, Tally
from service.http.cards import CardCode, code_of, codes_of, codes_of_melds
from service.matches.wire.actions import LaidCardBody, layoff_to_wire
from service.matches.wire.numbers import Deadwood, DealCount, DealNumber, KnockDeadwood, Points, SeatNumber

DealResultName: TypeAlias = Literal["knock", "gin", "big_gin", "undercut", "tie", "void", "unfinished"]
PartName: TypeAlias = Literal[
    "deadwood_difference", "gin_bonus", "big_gin_bonus", "undercut_bonus", "spade_doubles", "box_bonus"
]
MatchEndName: TypeAlias = Literal[
    "target", "deals", "penalty_limit", "resigned", "forfeited", "deal_limit", "aborted"
]


class HandOut(Struct, frozen=True):
    """A hand as the end of its deal showed it; `cards` are those held before layoffs."""

    seat: SeatNumber
    cards: list[CardCode]
    melds: list[list[CardCode]]
    layoffs: list[LaidCardBody]
    unmatched: list[CardCode]
    deadwood: Deadwood


class DealPartOut(Struct, frozen=True):
    """A part of what a seat gets for a deal: points, or penalties where those are scored."""

    seat: SeatNumber
    code: PartName
    amount: Points


class DealOut(Struct, frozen=True):
    """A finished deal, without ids or times; `points` is what the winner gets, boxes not included.

    `penalties` are those of each seat if penalties are scored, else null. `upcard` is null if the first
    seat was dealt eleven cards instead. `parts` say how the points or penalties came about: the amounts of a
    seat add up to them, `box_bonus` aside, which counts at the end of the match. An `unfinished` deal shows
    its hands if the server shuffled; they are empty for cards from a text or from given decks, because
    another match may still use those.
    """

    deal: DealNumber
    dealer: SeatNumber
    upcard: CardCode | None
    knocker: SeatNumber | None
    result: DealResultName
    winner: SeatNumber | None
    points: Points
    penalties: list[Points] | None
    multiplier: Literal[1, 2]
    hands: list[HandOut]
    parts: list[DealPartOut]


class DealsOut(Struct, frozen=True):
    """Finished deals in order; `next_cursor` is null where these are the latest."""

    items: list[DealOut]
    next_cursor: DealNumber | None


class TallyOut(Struct, frozen=True):
    """What the finished deals of a match add up to for a seat: how it plays, as everybody could see.

    `deals` are all finished deals of the match, void ones counted. Of them the seat won `won`, ended `knocks`
    with deadwood left, which was `knock_deadwood` points together, and `gins` without any.
    """

    seat: SeatNumber
    deals: DealCount
    won: DealCount
    knocks: DealCount
    gins: DealCount
    knock_deadwood: KnockDeadwood


class ColumnOut(Struct, frozen=True):
    """A Hollywood column: each seat's points in it, and who brought it to the target."""

    points: list[Points]
    closed_by: SeatNumber | None


class ResultOut(Struct, frozen=True):
    """How the match ended.

    `totals` are the points with boxes and bonuses, or the penalties; null where it was not played out.
    """

    reason: MatchEndName
    winner: SeatNumber | None
    totals: list[Points] | None


@lru_cache(maxsize=2048)
def deal_to_wire(row: DealRow) -> DealOut:
    """Return a finished deal as everybody reads it; the views of the next deal show it again."""
    return DealOut(
        deal=row.deal,
        dealer=row.dealer,
        upcard=None if row.upcard is None else code_of(row.upcard),
        knocker=row.knocker,
        result=row.result.value,
        winner=row.winner,
        points=row.points,
        penalties=None if row.penalties is None else list(row.penalties),
        multiplier=2 if row.multiplier > 1 else 1,
        hands=[_hand(hand) for hand in row.hands],
        parts=[DealPartOut(part.seat, part.code.value, part.amount) for part in row.parts],
    )


def tallies_to_wire(tallies: PerSeat[Tally], deals: int) -> list[TallyOut]:
    """Return what the finished deals of a match, so many, add up to for each seat."""
    return [
        TallyOut(seat, deals, tally.boxes, tally.knocks, tally.gins, tally.knock_deadwood)
        for seat, tally in enumerate(tallies)
    ]


def columns_to_wire(columns: tuple[Column, ...] | None) -> list[ColumnOut] | None:
    """Return the columns of a match, or null where none are kept."""
    if columns is None:
        return None
    return [ColumnOut(list(column.points), column.closed_by) for column in columns]


def result_to_wire(result: MatchResult) -> ResultOut:
    """Return the result of a match."""
    totals = None if result.totals is None else list(result.totals)
    return ResultOut(result.reason.value, result.winner, totals)


def _hand(hand: HandShown) -> HandOut:
    return HandOut(
        seat=hand.seat,
        cards=codes_of(hand.cards),
        melds=codes_of_melds(hand.melds),
        layoffs=[layoff_to_wire(layoff) for layoff in hand.layoffs],
        unmatched=codes_of(hand.unmatched),
        deadwood=hand.deadwood,
    )
