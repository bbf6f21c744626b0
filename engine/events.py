"""What happened. Events are past tense; a step is one `Act` and the consequences it had."""

from typing import TypeAlias

from msgspec import Struct

from engine.actions import Layoff, Meld, Seat, wire_name
from engine.cards import Card, CardSet
from engine.rules import RuleSet
from engine.shuffle import Shuffle
from engine.state import Column, DealRow, MatchResult, PerSeat, Player


class Event(Struct, frozen=True, tag_field="type", tag=wire_name):
    """The base of all events; the tag of `StockDrawn` is ``stock_drawn``."""

    def __repr__(self) -> str:
        """Show no card: an event may hold hidden ones."""
        return type(self).__name__


class Notice(Event, frozen=True):
    """Why the act that comes next is the house's; it is in the same step, before it."""


class Act(Event, frozen=True):
    """What a step is about: each has one, and it adds 1 to the version."""


class Consequence(Event, frozen=True):
    """An event that an act brought about, in the same step."""


class MatchCreated(Act, frozen=True):
    """The match exists; nothing is dealt before every seat is filled."""

    rules: RuleSet
    seats: PerSeat[Player]
    shuffle: Shuffle
    first_dealer: Seat | None


class SeatJoined(Act, frozen=True):
    """An open seat was taken."""

    seat: Seat
    name: str | None


class UpcardPassed(Act, frozen=True):
    """The seat in turn declined the upcard."""

    seat: Seat


class UpcardTaken(Act, frozen=True):
    """The seat in turn took the upcard."""

    seat: Seat
    card: Card


class DiscardPassed(Act, frozen=True):
    """The seat in turn declined the last discard, which voids the deal (R4.5)."""

    seat: Seat


class StockDrawn(Act, frozen=True):
    """The seat in turn drew; only it sees the card. `stock_count` is what is left."""

    seat: Seat
    card: Card
    stock_count: int


class DiscardDrawn(Act, frozen=True):
    """The seat in turn took the top of the discard pile."""

    seat: Seat
    card: Card


class Discarded(Act, frozen=True):
    """The seat in turn threw a card."""

    seat: Seat
    card: Card


class Knocked(Act, frozen=True):
    """The seat in turn threw a card and knocked.

    `melds` and `unmatched` are None under automatic melds, where they come with the score (R5.1).
    """

    seat: Seat
    card: Card
    melds: tuple[Meld, ...] | None
    unmatched: CardSet | None
    deadwood: int
    gin: bool


class BigGinDeclared(Act, frozen=True):
    """The seat in turn showed eleven melded cards; `melds` as in `Knocked`."""

    seat: Seat
    melds: tuple[Meld, ...] | None


class LaidOff(Act, frozen=True):
    """A defender answered a knock; `melds` and `unmatched` are shown with the score (R5.2)."""

    seat: Seat
    melds: tuple[Meld, ...]
    layoffs: tuple[Layoff, ...]
    unmatched: CardSet
    deadwood: int


class TurnTimedOut(Notice, frozen=True):
    """The time of the seat in turn was up, for the `in_a_row`-th time since it acted itself (R3.5)."""

    seat: Seat
    in_a_row: int


class Forfeited(Act, frozen=True):
    """The house gave the match up for a seat whose time was up (R3.5); otherwise as `Resigned`."""

    seat: Seat


class Aborted(Act, frozen=True):
    """A seat gave the match up before anything was dealt."""

    seat: Seat


class Resigned(Act, frozen=True):
    """A seat gave the match up (R3.4)."""

    seat: Seat


class MatchStarted(Consequence, frozen=True):
    """The last open seat was filled."""

    seats: PerSeat[Player]


class DealStarted(Consequence, frozen=True):
    """Cards were dealt; each seat sees its own, and nobody the stock (its top is first)."""

    deal: int
    dealer: Seat
    turn: Seat
    upcard: Card | None
    knock_limit: int
    hands: PerSeat[CardSet]
    stock: tuple[Card, ...]


class StockReshuffled(Consequence, frozen=True):
    """All discards but the top one went under the stock (R7.4); nobody sees the stock's order."""

    stock: tuple[Card, ...]
    top: Card


class DealScored(Consequence, frozen=True):
    """The deal ended with a score; `scores` and `columns` are the running ones after it."""

    row: DealRow
    scores: PerSeat[int]
    columns: tuple[Column, ...] | None = None


class DealVoided(Consequence, frozen=True):
    """The deal ended without a score (R4.5, R4.6)."""

    row: DealRow
    scores: PerSeat[int]


class DealUnfinished(Consequence, frozen=True):
    """A resignation or forfeit cut the deal off (R3.4); histories before snapshot format 4 have none."""

    row: DealRow
    scores: PerSeat[int]


class MatchFinished(Consequence, frozen=True):
    """The match is over."""

    result: MatchResult
    server_seed: bytes | None


MoveMade: TypeAlias = (
    UpcardPassed
    | UpcardTaken
    | StockDrawn
    | DiscardDrawn
    | DiscardPassed
    | Discarded
    | Knocked
    | BigGinDeclared
    | LaidOff
    | Resigned
    | Forfeited
)
"""The act of every action that a seated player may ask for, and what the house may do in his place."""

AnyEvent: TypeAlias = (
    MatchCreated
    | SeatJoined
    | UpcardPassed
    | UpcardTaken
    | DiscardPassed
    | StockDrawn
    | DiscardDrawn
    | Discarded
    | Knocked
    | BigGinDeclared
    | LaidOff
    | Resigned
    | TurnTimedOut
    | Forfeited
    | Aborted
    | MatchStarted
    | DealStarted
    | StockReshuffled
    | DealScored
    | DealVoided
    | DealUnfinished
    | MatchFinished
)
"""Every event of a match's log."""
