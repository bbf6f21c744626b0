"""Matches as everybody sees them, and what a caller is given once."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from engine.actions import Seat
from engine.shuffle import ShuffleMode, commitment
from engine.view import phase_of, view
from service.http.cards import CardCode, code_of
from service.http.rules import Knobs, RulesetName, knobs_of
from service.matches.lobby import Created, Joined
from service.matches.table import Table
from service.matches.wire.creation import ClockBody, JoinCode, VisibilityName, clock_to_wire
from service.matches.wire.deals import (
    ColumnOut,
    DealOut,
    ResultOut,
    TallyOut,
    columns_to_wire,
    deal_to_wire,
    result_to_wire,
    tallies_to_wire,
)
from service.matches.wire.numbers import (
    Count,
    DealCount,
    DealNumber,
    KnockLimitOut,
    Points,
    SeatNumber,
    Version,
)
from service.matches.wire.seats import SeatOut, seats_to_wire
from service.matches.wire.view import (
    OpponentOut,
    PhaseName,
    SpreadOut,
    StatusName,
    ViewOut,
    opponent_to_wire,
    spread_to_wire,
    upcard_to_wire,
    view_to_wire,
)


class ListedMatchOut(Struct, frozen=True, kw_only=True):
    """A match as a list tells of it.

    `cards_known` tells that somebody may know the cards: they came from a given text or given decks. Then
    there is no `commitment`, which else is SHA-256("gin-shuffle-1" ‖ the id's 16 bytes ‖ the seed).
    `deadline` is when the time of the seat in turn is up; null where nobody is waited for.
    """

    id: UUID
    ruleset: RulesetName
    visibility: VisibilityName
    hints: bool
    clock: ClockBody | None
    cards_known: bool
    commitment: Annotated[str, Meta(pattern="^[0-9a-f]{64}\\Z")] | None
    seats: list[SeatOut]
    status: StatusName
    phase: PhaseName
    version: Version
    scores: list[Points]
    deadline: datetime | None
    result: ResultOut | None
    created_at: datetime
    finished_at: datetime | None


class MatchOut(ListedMatchOut, frozen=True, kw_only=True):
    """The public part of a match: nothing that a seat does not see too.

    `deal_count` is the number of finished deals, and `last_deal` the latest of them, null before the first
    has ended; `listDeals` has all.
    """

    knobs: Knobs
    deal: DealNumber | None
    dealer: SeatNumber | None
    turn: SeatNumber | None
    knock_limit: KnockLimitOut | None
    upcard: CardCode | None
    stock_count: Count | None
    discard_pile: list[CardCode]
    hands: list[OpponentOut]
    spread: SpreadOut | None
    columns: list[ColumnOut] | None
    tallies: list[TallyOut]
    deal_count: DealCount
    last_deal: DealOut | None


class SeatTokenOut(Struct, frozen=True):
    """A seat of the caller's, and the token that acts for it: it is shown once."""

    seat: SeatNumber
    token: str


class JoinOut(Struct, frozen=True):
    """The code that takes the open seats; it dies when the last one is taken."""

    code: JoinCode


class CreatedOut(Struct, frozen=True):
    """A new match, the tokens of the caller's seats, and the code for the open ones."""

    match: MatchOut
    seats: list[SeatTokenOut]
    join: JoinOut | None


class MatchesOut(Struct, frozen=True):
    """Public matches, newest first; `next_cursor` is null on the last page."""

    items: list[ListedMatchOut]
    next_cursor: UUID | None


class JoinedOut(Struct, frozen=True):
    """The seat that was taken, and its token: it is shown once."""

    match_id: UUID
    seat: SeatNumber
    token: str


class TokenOut(Struct, frozen=True):
    """The new token of a seat; the old one is worthless."""

    token: str


def created_to_wire(created: Created) -> CreatedOut:
    """Return a new match for its creator."""
    return CreatedOut(
        match_to_wire(created.table),
        [SeatTokenOut(seat, token) for seat, token in created.tokens],
        None if created.code is None else JoinOut(created.code),
    )


def joined_to_wire(joined: Joined) -> JoinedOut:
    """Return a seat for whoever took it."""
    return JoinedOut(joined.match_id, joined.seat, joined.token)


def match_to_wire(table: Table) -> MatchOut:
    """Return the public part of a match."""
    seen = view(table.match, None)
    dealt = seen.table
    return MatchOut(
        **_listed(table),
        knobs=knobs_of(seen.rules),
        deal=dealt.number if dealt else None,
        dealer=dealt.dealer if dealt else None,
        turn=dealt.turn if dealt else None,
        knock_limit=dealt.knock_limit if dealt else None,
        upcard=upcard_to_wire(dealt),
        stock_count=dealt.stock_count if dealt else None,
        discard_pile=[code_of(card) for card in dealt.discard_pile] if dealt else [],
        hands=[opponent_to_wire(opponent) for opponent in seen.opponents],
        spread=spread_to_wire(dealt.spread) if dealt and dealt.spread else None,
        columns=columns_to_wire(seen.columns),
        tallies=tallies_to_wire(seen.tallies, seen.deal_count),
        deal_count=seen.deal_count,
        last_deal=None if seen.last_deal is None else deal_to_wire(seen.last_deal),
    )


def table_to_wire(table: Table, seat: Seat) -> ViewOut:
    """Return what a seat sees of a match."""
    snapshot = table.snapshot
    return view_to_wire(
        table.row.id,
        view(table.match, seat),
        seat,
        hints=snapshot.hints,
        clock=clock_to_wire(snapshot.clock),
        deadline=table.row.deadline,
        metadata=snapshot.metadata if seat in snapshot.creator_seats else None,
    )


def listed_to_wire(table: Table) -> ListedMatchOut:
    """Return a match as a list tells of it."""
    return ListedMatchOut(**_listed(table))


def _listed(table: Table) -> dict[str, Any]:
    match, row = table.match, table.row
    known = match.shuffle.mode is not ShuffleMode.SERVER
    return {
        "id": row.id,
        "ruleset": row.ruleset,
        "visibility": row.visibility,
        "hints": table.snapshot.hints,
        "clock": clock_to_wire(table.snapshot.clock),
        "cards_known": known,
        "commitment": None if known else commitment(row.id.bytes, match.shuffle.server_seed).hex(),
        "seats": seats_to_wire(match.seats),
        "status": match.status.value,
        "phase": phase_of(match).value,
        "version": match.version,
        "scores": list(match.scores),
        "deadline": row.deadline,
        "result": None if match.result is None else result_to_wire(match.result),
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }
