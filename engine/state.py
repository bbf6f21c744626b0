"""What is true of a match. Every struct here is frozen; `engine.evolve` makes the next one."""

from enum import StrEnum
from typing import TypeAlias, TypeVar

from msgspec import Struct

from engine.actions import Layoff, Meld, Seat
from engine.cards import Card, CardSet
from engine.rules import RuleSet
from engine.shuffle import Shuffle

T = TypeVar("T")

PerSeat: TypeAlias = tuple[T, ...]
"""One slot a seat, in the order of the seats."""


def put(per_seat: PerSeat[T], seat: Seat, value: T) -> PerSeat[T]:
    """Return the slots with one seat's replaced."""
    return (*per_seat[:seat], value, *per_seat[seat + 1 :])


def seat_after(seat: Seat, seats: int) -> Seat:
    """Return the seat whose turn is next."""
    return (seat + 1) % seats


def seats_after(seat: Seat, seats: int) -> tuple[Seat, ...]:
    """Return the other seats in the order of their turns."""
    return tuple((seat + step) % seats for step in range(1, seats))


class Status(StrEnum):
    """How far a match is."""

    OPEN = "open"
    PLAYING = "playing"
    FINISHED = "finished"


class Phase(StrEnum):
    """What the seat in turn is asked for."""

    WAITING = "waiting"
    UPCARD_OFFER = "upcard_offer"
    DRAW = "draw"
    DISCARD = "discard"
    LAST_DISCARD = "last_discard"
    LAYOFF = "layoff"
    FINISHED = "finished"


class DealResult(StrEnum):
    """How a deal ended (R6); ``unfinished`` is the running deal of a match that was given up (R3.4)."""

    KNOCK = "knock"
    GIN = "gin"
    BIG_GIN = "big_gin"
    UNDERCUT = "undercut"
    TIE = "tie"
    VOID = "void"
    UNFINISHED = "unfinished"


class MatchEnd(StrEnum):
    """Why a match ended."""

    TARGET = "target"
    DEALS = "deals"
    PENALTY_LIMIT = "penalty_limit"
    RESIGNED = "resigned"
    FORFEITED = "forfeited"
    DEAL_LIMIT = "deal_limit"
    ABORTED = "aborted"


class PlayerKind(StrEnum):
    """Who has a seat: nobody yet, a caller, or a bot."""

    OPEN = "open"
    PLAYER = "player"
    BOT = "bot"


class Player(Struct, frozen=True):
    """A seat of the match; `level` is a bot's."""

    kind: PlayerKind
    name: str | None = None
    level: str | None = None


class Source(StrEnum):
    """Where a card was taken from."""

    STOCK = "stock"
    DISCARD_PILE = "discard_pile"


class Taken(Struct, frozen=True):
    """The card the seat in turn has just taken (R3.2)."""

    card: Card
    source: Source

    def __repr__(self) -> str:
        """Show no card."""
        return f"Taken({self.source})"


class Spread(Struct, frozen=True):
    """The knocker's hand as he laid it; public from the knock on (R5.2)."""

    seat: Seat
    melds: tuple[Meld, ...]
    unmatched: CardSet
    deadwood: int
    layoffs: tuple[tuple[Seat, Layoff], ...] = ()


class HandShown(Struct, frozen=True):
    """A hand as a finished deal shows it to everyone (R2.5); `cards` are those held before layoffs."""

    seat: Seat
    cards: CardSet
    melds: tuple[Meld, ...]
    layoffs: tuple[Layoff, ...]
    unmatched: CardSet
    deadwood: int

    def __repr__(self) -> str:
        """Show no card: a defender's answer is hidden until the score."""
        return f"HandShown({self.seat}, deadwood={self.deadwood})"


class PartCode(StrEnum):
    """Where points or penalties of a deal come from (R6, R7.1)."""

    DEADWOOD_DIFFERENCE = "deadwood_difference"
    GIN_BONUS = "gin_bonus"
    BIG_GIN_BONUS = "big_gin_bonus"
    UNDERCUT_BONUS = "undercut_bonus"
    SPADE_DOUBLES = "spade_doubles"
    BOX_BONUS = "box_bonus"


class Part(Struct, frozen=True):
    """A part of what a seat gets for a deal: points, or penalties where those are scored."""

    seat: Seat
    code: PartCode
    amount: int


class DealRow(Struct, frozen=True):
    """A finished deal, the same for every audience; `points` is what the winner gets, boxes not included.

    `parts` say how the points or penalties came about, and which box the deal brought; the box aside,
    the amounts of a seat add up to its points or penalties. Rows written before there were parts have none.
    """

    deal: int
    dealer: Seat
    upcard: Card | None
    knocker: Seat | None
    result: DealResult
    winner: Seat | None
    points: int
    penalties: PerSeat[int] | None
    multiplier: int
    hands: tuple[HandShown, ...]
    parts: tuple[Part, ...] = ()


class Tally(Struct, frozen=True):
    """What the finished deals of a match add up to for a seat; everybody may know it.

    `points` and `boxes` are those of the deals it won, `latest_win` the number of the last of them, or 0.
    `knocks` are the deals it ended with deadwood, which was `knock_deadwood` points together; `gins` those it
    ended without any.
    """

    points: int = 0
    boxes: int = 0
    latest_win: int = 0
    knocks: int = 0
    gins: int = 0
    knock_deadwood: int = 0


class Column(Struct, frozen=True):
    """A Hollywood column: what is entered in it for each seat, and who brought it to the target (R6.6)."""

    points: PerSeat[int]
    entries: PerSeat[int]
    closed_by: Seat | None


class MatchResult(Struct, frozen=True):
    """How a match ended; `totals` (R6.4) are None where it was not played to its end."""

    reason: MatchEnd
    winner: Seat | None
    totals: PerSeat[int] | None


class Seen(Struct, frozen=True):
    """What everybody has seen a seat do in the running deal, each in the order it happened.

    `thrown` are its throws; `declined` the face-up cards it left for another: each upcard it passed, and
    the top of the discard pile whenever it drew from the stock instead. A reshuffle forgets neither.
    """

    thrown: tuple[Card, ...] = ()
    declined: tuple[Card, ...] = ()

    def __repr__(self) -> str:
        """Show no card."""
        return f"Seen({len(self.thrown)} thrown, {len(self.declined)} declined)"


class Deal(Struct, frozen=True):
    """The running deal. The top of the stock is its first card, the top of the discard pile its last."""

    number: int
    dealer: Seat
    turn: Seat
    phase: Phase
    upcard: Card | None
    """The first face-up card; None where the first seat was dealt eleven (R2.4)."""
    knock_limit: int
    hands: PerSeat[CardSet]
    stock: tuple[Card, ...]
    discard_pile: tuple[Card, ...]
    face_up: PerSeat[CardSet]
    """Cards each seat took face up and has not thrown since: everyone knows them."""
    seen: PerSeat[Seen]
    taken: Taken | None = None
    passes: int = 0
    turns: int = 0
    reshuffles: int = 0
    spread: Spread | None = None
    answers: tuple[HandShown, ...] = ()
    """What defenders have laid down after a knock, in the order of their turns."""

    def __repr__(self) -> str:
        """Show no card."""
        return f"Deal({self.number}, {self.phase}, turn={self.turn})"


def unscored(deal: Deal, result: DealResult, hands: tuple[HandShown, ...] = ()) -> DealRow:
    """Return the row of a deal that ended without a score."""
    return DealRow(
        deal=deal.number,
        dealer=deal.dealer,
        upcard=deal.upcard,
        knocker=None,
        result=result,
        winner=None,
        points=0,
        penalties=None,
        multiplier=1,
        hands=hands,
    )


class Match(Struct, frozen=True):
    """A match; `version` counts accepted steps from 1."""

    rules: RuleSet
    seats: PerSeat[Player]
    shuffle: Shuffle
    first_dealer: Seat | None
    """The named seat, or None where the shuffle chooses (R2.2)."""
    version: int
    status: Status
    scores: PerSeat[int]
    """Running points, or penalties so far."""
    columns: tuple[Column, ...] | None = None
    """The Hollywood columns, where they are kept (R6.6)."""
    timeouts: PerSeat[int] = ()
    """How often each seat's time has been up since it last acted itself (R3.5)."""
    house_acts: bool = False
    """Whether the next act is the house's: after a notice, and never between two steps."""
    tallies: PerSeat[Tally] = ()
    deal_count: int = 0
    """How many deals are finished: scored, void, and the one that a resignation or forfeit cut off."""
    scored_deals: int = 0
    last_deal: DealRow | None = None
    """The latest finished deal; the others are in the events only."""
    deal: Deal | None = None
    result: MatchResult | None = None

    def __repr__(self) -> str:
        """Show no card and no seed."""
        return f"Match(version={self.version}, {self.status}, {self.deal!r})"
