import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, TypeVar
from uuid import UUID

import asyncpg
from msgspec.structs import astuple
from sqlalchemy.dialects.postgresql.asyncpg import dialect

from service.db.errors import DatabaseUnavailableError, RowRefusedError
from service.db.following import EVENTS_AFTER, MOVED, Head
from service.db.rows import Save, StoredEvent, StoredMatch
from service.db.session import Probe, unwatched
from service.db.statements import EVENT_FIELDS, MATCH_FIELDS, ROWS_BY_ARRAY, SAVE_BATCH, Prepared, Query

R = TypeVar("R")

CONNECTIONS: Final = 8
"""The most connections of a process: one for the writer, the others for views and events."""

CONNECT_SECONDS: Final = 5.0
STATEMENT_SECONDS: Final = 10.0

_REFUSALS: Final = ("22", "23", "40")
"""Classes of errors that a row brings about: data, constraints, transactions that met."""

_DIALECT: Final = dialect()  # type: ignore[no-untyped-call]  # so it is published
_SAVE: Final = Prepared(SAVE_BATCH, _DIALECT)


@cache
def _prepared(query: Query[Any]) -> Prepared:
    return Prepared(query.statement, _DIALECT)


@contextmanager
def _guarded() -> Iterator[None]:
    """Turn the driver's errors into ours; theirs are dropped, for their texts show values."""
    try:
        yield
    except asyncpg.DataError:
        raise RowRefusedError from None
    except asyncpg.PostgresError as error:
        refused = (error.sqlstate or "")[:2] in _REFUSALS
        raise (RowRefusedError if refused else DatabaseUnavailableError) from None
    except (asyncpg.InterfaceError, OSError, TimeoutError):
        raise DatabaseUnavailableError from None


class _Connection(asyncpg.Connection):  # type: ignore[misc]  # the driver has no types
    """A connection that needs no statement to be clean again: nothing here changes a session."""

    def get_reset_query(self) -> str:
        """Return nothing to run between two users of a connection."""
        return ""


def _columns(rows: Sequence[tuple[object, ...]], width: int) -> list[Sequence[object]]:
    """Return rows of a width as its columns."""
    return list(zip(*rows, strict=True)) if rows else [()] * width


class PostgreSQLSession:
    """A server, through a small pool: a writer that batches needs one connection.

    A batch is read by one statement and saved by one, which is its own transaction.
    """

    def __init__(self, url: str, probe: Probe = unwatched) -> None:
        self._url = url
        self._probe = probe
        self._pool: asyncpg.Pool

    async def open(self) -> None:
        """Make a first connection."""
        with _guarded():
            self._pool = await asyncpg.create_pool(
                self._url,
                min_size=1,
                max_size=CONNECTIONS,
                timeout=CONNECT_SECONDS,
                command_timeout=STATEMENT_SECONDS,
                connection_class=_Connection,
                server_settings={
                    "application_name": "ginrummy",
                    "default_transaction_isolation": "read committed",  # the races are settled by versions
                },
            )

    async def fetch(self, query: Query[R], **values: object) -> list[R]:
        """Return the rows of a query on committed data."""
        prepared = _prepared(query)
        with _guarded():
            rows = await self._pool.fetch(prepared.sql, *prepared.arguments(values))
        return [query.into(*row) for row in rows]

    async def read(self, ids: Sequence[UUID]) -> list[StoredMatch]:
        """Return the matches that exist among `ids`."""
        with _guarded():
            self._probe("read")
        return await self.fetch(ROWS_BY_ARRAY, ids=ids)

    async def moved(self, seen: Mapping[UUID, int]) -> list[Head]:
        """Return those matches whose version is another than the one seen."""
        return await self.fetch(MOVED, ids=list(seen), numbers=list(seen.values()))

    async def events_after(self, seen: Mapping[UUID, int]) -> list[StoredEvent]:
        """Return the events of each match after the number seen."""
        return await self.fetch(EVENTS_AFTER, ids=list(seen), numbers=list(seen.values()))

    async def save(self, batch: Sequence[Save]) -> frozenset[UUID]:
        """Save a batch by one statement and return the ids of those that won."""
        rows = [
            (*astuple(one.row), *((one.read.version, one.read.generations) if one.read else (None, None)))
            for one in batch
        ]
        happened = [astuple(event) for one in batch for event in one.events]
        arrays = (*_columns(happened, len(EVENT_FIELDS)), *_columns(rows, len(MATCH_FIELDS) + 2))
        with _guarded():
            self._probe("matches")
            won = await self._pool.fetch(_SAVE.sql, *arrays)
            self._probe("done")
        return frozenset(row[0] for row in won)

    async def close(self) -> None:
        """Close the pool; a connection still in use is cut after a statement's time."""
        try:
            async with asyncio.timeout(STATEMENT_SECONDS):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()
