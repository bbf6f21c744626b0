"""Pages of events, and what streams carry beside them."""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.actions import Seat
from service.events.feed import Page
from service.events.presence import Present
from service.matches.table import Table
from service.matches.wire.events import AnyEventOut
from service.matches.wire.matches import MatchOut, match_to_wire, table_to_wire
from service.matches.wire.moves import seen_to_wire
from service.matches.wire.numbers import SeatNumber
from service.matches.wire.view import ViewOut

LATEST = 10_000_000
"""The greatest number that an event may have."""

LONGEST_WAIT = 25
"""The most seconds that a request for a page may wait."""

After: TypeAlias = Annotated[
    int, Meta(ge=0, le=LATEST, description="Tell the events after the one with this number.")
]
Latest: TypeAlias = Annotated[int, Meta(ge=0, le=LATEST, description="The number of the last event.")]


class PageParams(Struct, frozen=True, forbid_unknown_fields=True):
    """Which events to read; where there is none, how many seconds to wait for one."""

    after: Annotated[int, Meta(ge=0, le=LATEST)] = 0
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100
    wait: Annotated[
        int,
        Meta(
            ge=0,
            le=LONGEST_WAIT,
            description="Seconds to wait for an event where there is none yet; the page may be empty then.",
        ),
    ] = 0


class StreamParams(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a stream goes on; without it, it begins with a snapshot. `Last-Event-ID` comes before it."""

    after: After | UnsetType = UNSET


class EventsOut(Struct, frozen=True):
    """Events in order; ask for those after `next_after` next. An empty page without `reset`: nothing new.

    `reset`: the match has never had an event with the number that was asked for, so it tells nothing of what
    the client knows. Read the view, or the match, again, and go on from `next_after`: its last event.
    """

    items: list[AnyEventOut]
    next_after: Annotated[int, Meta(ge=0, le=LATEST)]
    reset: bool


class AttendanceOut(Struct, frozen=True):
    """A seat is `here` while it has a stream, else `gone`.

    `since` is null where it has never been here, and where the time of its coming is not known yet.
    """

    seat: SeatNumber
    status: Literal["here", "gone"]
    since: datetime | None


class PresenceOut(Struct, frozen=True):
    """`presence`: who is there, of the seats that are no bots'. It stops no clock."""

    seats: list[AttendanceOut]


class SeatSnapshotOut(Struct, frozen=True):
    """`snapshot` or `reset`: all that the seat may know, after the event `seq`, and who is there."""

    seq: Latest
    view: ViewOut
    presence: PresenceOut


class MatchSnapshotOut(Struct, frozen=True):
    """`snapshot` or `reset`: the public part of the match, after the event `seq`, and who is there."""

    seq: Latest
    match: MatchOut
    presence: PresenceOut


class ByeOut(Struct, frozen=True):
    """`bye`: the service closes the stream. Only after `finished` there is nothing to come back for.

    `replaced`: the seat took a fifth place, for a stream or a page that waits. `revoked`: the token was
    replaced. `draining`: this process stops, and another one goes on.
    """

    reason: Literal["replaced", "revoked", "draining", "finished"]


def page_to_wire(page: Page) -> EventsOut:
    """Return a page as an answer tells it."""
    return EventsOut([seen_to_wire(event) for event in page.events], page.next_after, page.reset)


def snapshot_to_wire(
    table: Table, audience: Seat | None, present: Present
) -> SeatSnapshotOut | MatchSnapshotOut:
    """Return a match as its audience sees it now."""
    seq, presence = table.snapshot.seq, presence_to_wire(present)
    if audience is None:
        return MatchSnapshotOut(seq, match_to_wire(table), presence)
    return SeatSnapshotOut(seq, table_to_wire(table, audience), presence)


def presence_to_wire(present: Present) -> PresenceOut:
    """Return who is there."""
    return PresenceOut(
        [AttendanceOut(one.seat, "here" if one.here else "gone", one.since) for one in present]
    )
