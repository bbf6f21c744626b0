"""Finished deals and results: the same for every audience."""

from functools import lru_cache
from typing import Literal, TypeAlias

from msgspec import Struct

from engine.state import DealRow, HandShown, MatchResult
from service.http.cards import CardCode, code_of, codes_of, codes_of_melds
from service.matches.wire.actions import LayoffBody, layoff_to_wire
from service.matches.wire.numbers import Deadwood, DealNumber, Points, SeatNumber

DealResultName: TypeAlias = Literal["knock", "gin", "big_gin", "undercut", "tie", "void", "unfinished"]
MatchEndName: TypeAlias = Literal["target", "deals", "resigned", "deal_limit"]


class HandOut(Struct, frozen=True):
    """A hand as the end of its deal showed it; `cards` are those held before layoffs."""

    seat: SeatNumber
    cards: list[CardCode]
    melds: list[list[CardCode]]
    layoffs: list[LayoffBody]
    unmatched: list[CardCode]
    deadwood: Deadwood


class DealOut(Struct, frozen=True):
    """A finished deal, without ids or times; `points` is what the winner gets, boxes not included."""

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


class ResultOut(Struct, frozen=True):
    """How the match ended; `totals` are with boxes and bonuses, null where it was not played out."""

    reason: MatchEndName
    winner: SeatNumber | None
    totals: list[Points] | None


@lru_cache(maxsize=2048)
def deal_to_wire(row: DealRow) -> DealOut:
    """Return a finished deal as everybody reads it; every later view of its match shows it again."""
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
    )


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
