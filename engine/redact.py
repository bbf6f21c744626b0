"""The audience's copy of an event. An event never changes what it shows: more comes in later events."""

from typing import TypeAlias

from engine.actions import Layoff, Seat, wire_name
from engine.cards import Card, CardSet
from engine.events import (
    Aborted,
    AnyEvent,
    BigGinDeclared,
    DealScored,
    DealStarted,
    DealUnfinished,
    DealVoided,
    DiscardDrawn,
    Discarded,
    DiscardPassed,
    Event,
    Forfeited,
    Knocked,
    LaidOff,
    MatchCreated,
    MatchFinished,
    MatchStarted,
    Resigned,
    SeatJoined,
    StockDrawn,
    StockReshuffled,
    TurnTimedOut,
    UpcardPassed,
    UpcardTaken,
)
from engine.known import Audience, dealt, sees_card
from engine.rules import RuleSet
from engine.state import PerSeat, Player


def _seen(name: str) -> str:
    return wire_name(name.removeprefix("Seen"))


class SeenMatchCreated(Event, frozen=True, tag=_seen):
    """`MatchCreated` without the shuffle."""

    rules: RuleSet
    seats: PerSeat[Player]


class SeenDealStarted(Event, frozen=True, tag=_seen):
    """`DealStarted` with the audience's own hand (None for a spectator) and the stock's count."""

    deal: int
    dealer: Seat
    turn: Seat
    upcard: Card | None
    knock_limit: int
    stock_count: int
    hand: CardSet | None


class SeenStockDrawn(Event, frozen=True, tag=_seen):
    """`StockDrawn`; `card` is None to everybody but the seat that drew it."""

    seat: Seat
    card: Card | None
    stock_count: int


class SeenStockReshuffled(Event, frozen=True, tag=_seen):
    """`StockReshuffled` with the stock's count, and the discard that stays face up."""

    stock_count: int
    top: Card


class SeenLaidOff(Event, frozen=True, tag=_seen):
    """`LaidOff` without the rest of the hand, which comes with the score (R5.2)."""

    seat: Seat
    layoffs: tuple[Layoff, ...]


Seen: TypeAlias = (
    SeenMatchCreated
    | SeenDealStarted
    | SeenStockDrawn
    | SeenStockReshuffled
    | SeenLaidOff
    | SeatJoined
    | MatchStarted
    | UpcardPassed
    | UpcardTaken
    | DiscardPassed
    | DiscardDrawn
    | Discarded
    | Knocked
    | BigGinDeclared
    | Resigned
    | TurnTimedOut
    | Forfeited
    | Aborted
    | DealScored
    | DealVoided
    | DealUnfinished
    | MatchFinished
)
"""Every event as an audience sees it."""


def redact(event: AnyEvent, audience: Audience) -> Seen:
    """Return the audience's copy of an event: whatever hides cards is listed field by field."""
    match event:
        case MatchCreated():
            return SeenMatchCreated(event.rules, event.seats)
        case DealStarted():
            return SeenDealStarted(
                deal=event.deal,
                dealer=event.dealer,
                turn=event.turn,
                upcard=event.upcard,
                knock_limit=event.knock_limit,
                stock_count=len(event.stock),
                hand=dealt(event, audience),
            )
        case StockDrawn():
            card = event.card if sees_card(event, audience) else None
            return SeenStockDrawn(event.seat, card, event.stock_count)
        case StockReshuffled():
            return SeenStockReshuffled(len(event.stock), event.top)
        case LaidOff():
            return SeenLaidOff(event.seat, event.layoffs)
        case _:
            return event
