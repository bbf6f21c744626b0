"""Events as clients read them: one envelope, and the facts of each type."""

from datetime import datetime
from typing import TypeAlias, assert_never

from msgspec import Struct

from engine.actions import wire_name
from engine.events import (
    Aborted,
    BigGinDeclared,
    DealScored,
    DealUnfinished,
    DealVoided,
    DiscardDrawn,
    Discarded,
    DiscardPassed,
    Forfeited,
    Knocked,
    MatchFinished,
    MatchStarted,
    Resigned,
    SeatJoined,
    TurnTimedOut,
    UpcardPassed,
    UpcardTaken,
)
from engine.redact import (
    Seen,
    SeenDealStarted,
    SeenLaidOff,
    SeenMatchCreated,
    SeenStockDrawn,
    SeenStockReshuffled,
)
from service.http.cards import CardCode, code_of, codes_of, codes_of_melds
from service.matches.wire.actions import LaidCardBody, layoff_to_wire
from service.matches.wire.deals import (
    ColumnOut,
    DealOut,
    ResultOut,
    columns_to_wire,
    deal_to_wire,
    result_to_wire,
)
from service.matches.wire.numbers import (
    Count,
    Deadwood,
    DealNumber,
    InARow,
    KnockLimitOut,
    Points,
    SeatNumber,
    Seq,
    Version,
)
from service.matches.wire.seats import SeatOut, seats_to_wire


def _tag(name: str) -> str:
    return wire_name(name.removesuffix("Out"))


class EventOut(Struct, frozen=True, tag_field="type", tag=_tag):
    """The envelope: `seq` has no gaps, `version` is the step's, `seat` who acted, if anybody."""

    seq: Seq
    version: Version
    at: datetime
    seat: SeatNumber | None


class MatchCreatedOut(EventOut, frozen=True):
    """The match exists."""

    seats: list[SeatOut]


class SeatJoinedOut(EventOut, frozen=True):
    """An open seat was taken."""

    name: str | None


class MatchStartedOut(EventOut, frozen=True):
    """The last open seat was filled."""

    seats: list[SeatOut]


class DealStartedOut(EventOut, frozen=True):
    """Cards were dealt; `hand` is the seat's own and null to spectators.

    `upcard` is null where the first seat was dealt a card more instead.
    """

    deal: DealNumber
    dealer: SeatNumber
    turn: SeatNumber
    upcard: CardCode | None
    knock_limit: KnockLimitOut
    stock_count: Count
    hand: list[CardCode] | None


class UpcardPassedOut(EventOut, frozen=True):
    """The upcard was declined."""


class UpcardTakenOut(EventOut, frozen=True):
    """The upcard was taken."""

    card: CardCode


class DiscardPassedOut(EventOut, frozen=True):
    """The last discard was declined, which voids the deal."""


class StockDrawnOut(EventOut, frozen=True):
    """A card was drawn; only the seat that drew it sees `card`."""

    card: CardCode | None
    stock_count: Count


class DiscardDrawnOut(EventOut, frozen=True):
    """The top of the discard pile was taken."""

    card: CardCode


class DiscardedOut(EventOut, frozen=True):
    """A card was thrown."""

    card: CardCode


class KnockedOut(EventOut, frozen=True):
    """A card was thrown to knock; under automatic melds the spread comes with the score."""

    card: CardCode
    melds: list[list[CardCode]] | None
    unmatched: list[CardCode] | None
    deadwood: Deadwood
    gin: bool


class BigGinDeclaredOut(EventOut, frozen=True):
    """Eleven melded cards were shown; under automatic melds they come with the score."""

    melds: list[list[CardCode]] | None


class LaidOffOut(EventOut, frozen=True):
    """A defender answered a knock."""

    layoffs: list[LaidCardBody]


class StockReshuffledOut(EventOut, frozen=True):
    """The discards under `top` were shuffled and went under the stock, which has `stock_count` now."""

    stock_count: Count
    top: CardCode


class DealScoredOut(EventOut, frozen=True):
    """A deal ended with a score; `columns` are null where none are kept."""

    row: DealOut
    scores: list[Points]
    columns: list[ColumnOut] | None


class DealVoidedOut(EventOut, frozen=True):
    """A deal ended without a score."""

    row: DealOut
    scores: list[Points]


class DealUnfinishedOut(EventOut, frozen=True):
    """A deal was cut off by a resignation or a forfeit; `scores` stay as they were."""

    row: DealOut
    scores: list[Points]


class ResignedOut(EventOut, frozen=True):
    """A seat gave the match up."""


class TurnTimedOutOut(EventOut, frozen=True):
    """The time of the seat in turn was up, for the `in_a_row`-th time since it last acted itself.

    What the house did for it comes next, in the same step.
    """

    in_a_row: InARow


class ForfeitedOut(EventOut, frozen=True):
    """The seat whose time was up lost the match by it."""


class AbortedOut(EventOut, frozen=True):
    """A seat gave the match up before the cards were dealt."""


class MatchFinishedOut(EventOut, frozen=True):
    """The match is over; `server_seed` (hexadecimal) is null where other matches may use it."""

    result: ResultOut
    server_seed: str | None


AnyEventOut: TypeAlias = (
    MatchCreatedOut
    | SeatJoinedOut
    | MatchStartedOut
    | DealStartedOut
    | UpcardPassedOut
    | UpcardTakenOut
    | DiscardPassedOut
    | StockDrawnOut
    | DiscardDrawnOut
    | DiscardedOut
    | KnockedOut
    | BigGinDeclaredOut
    | LaidOffOut
    | StockReshuffledOut
    | DealScoredOut
    | DealVoidedOut
    | DealUnfinishedOut
    | ResignedOut
    | TurnTimedOutOut
    | ForfeitedOut
    | AbortedOut
    | MatchFinishedOut
)


class Stamp(Struct, frozen=True):
    """Where an event stands in its log."""

    seq: int
    version: int
    at: datetime


def event_to_wire(stamp: Stamp, event: Seen) -> AnyEventOut:  # noqa: C901  one case a type of event
    """Return an event as its audience reads it."""
    at = (stamp.seq, stamp.version, stamp.at)
    match event:
        case SeenMatchCreated():
            return MatchCreatedOut(*at, None, seats_to_wire(event.seats))
        case SeatJoined():
            return SeatJoinedOut(*at, event.seat, event.name)
        case MatchStarted():
            return MatchStartedOut(*at, None, seats_to_wire(event.seats))
        case SeenDealStarted():
            return _deal_started(stamp, event)
        case UpcardPassed():
            return UpcardPassedOut(*at, event.seat)
        case UpcardTaken():
            return UpcardTakenOut(*at, event.seat, code_of(event.card))
        case DiscardPassed():
            return DiscardPassedOut(*at, event.seat)
        case SeenStockDrawn():
            card = None if event.card is None else code_of(event.card)
            return StockDrawnOut(*at, event.seat, card, event.stock_count)
        case DiscardDrawn():
            return DiscardDrawnOut(*at, event.seat, code_of(event.card))
        case Discarded():
            return DiscardedOut(*at, event.seat, code_of(event.card))
        case Knocked():
            return _knocked(stamp, event)
        case BigGinDeclared():
            melds = None if event.melds is None else codes_of_melds(event.melds)
            return BigGinDeclaredOut(*at, event.seat, melds)
        case SeenLaidOff():
            return LaidOffOut(*at, event.seat, [layoff_to_wire(layoff) for layoff in event.layoffs])
        case SeenStockReshuffled():
            return StockReshuffledOut(*at, None, event.stock_count, code_of(event.top))
        case DealScored():
            columns = columns_to_wire(event.columns)
            return DealScoredOut(*at, None, deal_to_wire(event.row), list(event.scores), columns)
        case DealVoided():
            return DealVoidedOut(*at, None, deal_to_wire(event.row), list(event.scores))
        case DealUnfinished():
            return DealUnfinishedOut(*at, None, deal_to_wire(event.row), list(event.scores))
        case Resigned():
            return ResignedOut(*at, event.seat)
        case TurnTimedOut():
            return TurnTimedOutOut(*at, event.seat, event.in_a_row)
        case Forfeited():
            return ForfeitedOut(*at, event.seat)
        case Aborted():
            return AbortedOut(*at, event.seat)
        case MatchFinished():
            seed = None if event.server_seed is None else event.server_seed.hex()
            return MatchFinishedOut(*at, None, result_to_wire(event.result), seed)
        case _:
            assert_never(event)


def _deal_started(stamp: Stamp, event: SeenDealStarted) -> DealStartedOut:
    return DealStartedOut(
        seq=stamp.seq,
        version=stamp.version,
        at=stamp.at,
        seat=None,
        deal=event.deal,
        dealer=event.dealer,
        turn=event.turn,
        upcard=None if event.upcard is None else code_of(event.upcard),
        knock_limit=event.knock_limit,
        stock_count=event.stock_count,
        hand=None if event.hand is None else codes_of(event.hand),
    )


def _knocked(stamp: Stamp, event: Knocked) -> KnockedOut:
    return KnockedOut(
        seq=stamp.seq,
        version=stamp.version,
        at=stamp.at,
        seat=event.seat,
        card=code_of(event.card),
        melds=None if event.melds is None else codes_of_melds(event.melds),
        unmatched=None if event.unmatched is None else codes_of(event.unmatched),
        deadwood=event.deadwood,
        gin=event.gin,
    )
