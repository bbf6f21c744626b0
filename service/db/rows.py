"""Rows as values. What they hold may be secret, so none of them shows more than ids and counts."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

T = TypeVar("T")


class StoredMatch(Struct, frozen=True):
    """A row of ``matches``; `version` and `generations` together say whether a reader is up to date."""

    id: UUID
    status: str
    visibility: str
    ruleset: str
    """The preset as ``id@version``."""
    version: int
    generations: str
    """The token generation of each seat, divided by commas; it moves without `version`."""
    snapshot: bytes
    join_digest: bytes | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    turn_seconds: int | None = None
    """How long the seat in turn may take; None where nobody is waited for."""
    deadline: datetime | None = None
    """When its time is up; the database writes it with each step, whatever stands here."""
    overtime: float | None = None
    """No column: the seconds since the deadline when the row was read to be judged, negative before it.

    The database counts them by its own time, without an outage that has not been made good yet.
    """

    def __repr__(self) -> str:
        """Show no snapshot and no digest."""
        return f"StoredMatch({self.id}, version={self.version})"


def untimed(row: StoredMatch) -> StoredMatch:
    """Return a row without what the database alone says: rows that are equal then were written alike."""
    return replace(row, deadline=None, overtime=None)


class StoredEvent(Struct, frozen=True):
    """A row of ``events``; `seq` counts a match's events from 1, `version` its steps."""

    match_id: UUID
    seq: int
    version: int
    type: str
    seat: int | None
    at: datetime
    action: bytes | None
    """What was asked for; on the first event of a step only."""
    nonce: bytes | None
    """The nonce of the intent that was confirmed; on the first event of a step only."""
    body: bytes

    def __repr__(self) -> str:
        """Show no action, no nonce and no body."""
        return f"StoredEvent({self.match_id}, seq={self.seq}, {self.type})"


class Write(Struct, Generic[T], frozen=True):
    """What a judge decided: the caller's answer, and the row as it is to be, or None to leave it alone."""

    answer: T
    row: StoredMatch | None = None
    events: Sequence[StoredEvent] = ()
    dated: Callable[[T, datetime | None], T] | None = None
    """Makes the answer that tells the deadline which the database has written; None where none is told."""

    def __repr__(self) -> str:
        """Show no answer."""
        return f"Write({self.row!r}, events={len(self.events)})"


class Change(Struct, Generic[T], frozen=True):
    """A job for the writer: judge the row as it is now.

    `judge` is pure and fast, runs on the event loop and may run again on a newer row. What it raises
    goes to the caller of this job and to nobody else.
    """

    match_id: UUID
    judge: Callable[[StoredMatch], Write[T]]

    def __repr__(self) -> str:
        """Show no judge: what it closes over may be secret."""
        return f"Change({self.match_id})"


class Insert(Struct, frozen=True):
    """A job for the writer: a match that is not there yet, with its first events."""

    row: StoredMatch
    events: Sequence[StoredEvent]


class Save(Struct, frozen=True):
    """One match of a batch as it goes to the database; `read` is the row it replaces, None for a new one."""

    row: StoredMatch
    read: StoredMatch | None
    events: Sequence[StoredEvent]
