"""Rows as values. What they hold may be secret, so none of them shows more than ids and counts."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from msgspec import Struct

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

    def __repr__(self) -> str:
        """Show no snapshot and no digest."""
        return f"StoredMatch({self.id}, version={self.version})"


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
