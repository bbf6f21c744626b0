from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, Protocol, TypeAlias, TypeVar
from uuid import UUID

from service.db.following import Head
from service.db.rows import Save, StoredEvent, StoredMatch
from service.db.statements import Command, Query

R = TypeVar("R")

Point: TypeAlias = Literal["read", "begin", "matches", "events", "commit", "done"]
"""Where a session stands in a batch: just before that statement, or ``done`` after the last."""


class Probe(Protocol):
    """Is told of each point; what it raises happens there, as if the driver had raised it."""

    def __call__(self, point: Point) -> None:
        """Let it pass, or raise."""


def unwatched(point: Point) -> None:
    """Let every point pass."""


class Session(Protocol):
    """A database as the writer and the stores use it.

    Every method raises `DatabaseUnavailableError` when it cannot be reached, and `RowRefusedError`
    when it refuses a value.
    """

    async def open(self) -> None:
        """Connect; before this nothing else is called."""

    async def fetch(self, query: Query[R], **values: object) -> list[R]:
        """Return the rows of a query on committed data."""

    async def read(self, ids: Sequence[UUID]) -> list[StoredMatch]:
        """Return the matches that exist among `ids`, in any order, by one statement."""

    async def moved(self, seen: Mapping[UUID, int]) -> list[Head]:
        """Return those matches whose version is another than the one seen."""

    async def events_after(self, seen: Mapping[UUID, int]) -> list[StoredEvent]:
        """Return the events of each match after the number seen, those of a match in order."""

    async def save(self, batch: Sequence[Save]) -> Mapping[UUID, datetime | None]:
        """Save a batch in one transaction, all or nothing, and return those that won, with deadlines.

        A `Save` loses when its row is no longer the one that was read; its events stay out too.
        Each match is in the batch once.
        """

    async def run(self, commands: Sequence[Command], **values: object) -> int:
        """Run commands in one transaction, and return how many rows the last one changed.

        Each takes the values that it names.
        """

    async def make_good(self, replica: str) -> None:
        """Move every deadline by an outage, or with a clock that was set, and say that `replica` serves.

        Of any number of processes that do so at once, one moves the deadlines. None waits for another: the
        others do nothing.
        """

    async def close(self) -> None:
        """Let go of every connection."""
