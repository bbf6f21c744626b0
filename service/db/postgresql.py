import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID

import asyncpg
from msgspec.structs import astuple
from sqlalchemy.dialects.postgresql.asyncpg import dialect

from service.db.connecting import connect_options
from service.db.errors import BusyError, DatabaseUnavailableError, RowRefusedError
from service.db.following import EVENTS_AFTER, MOVED, Head, as_texts
from service.db.heartbeats import MAKE_GOOD
from service.db.reasons import Outage, of_postgresql
from service.db.rows import Save, StoredEvent, StoredMatch
from service.db.session import Probe, unwatched
from service.db.statements import (
    EVENT_FIELDS,
    MATCH_FIELDS,
    ROWS_BY_ARRAY,
    SAVE_BATCH,
    Command,
    Prepared,
    Query,
    match_fields,
)
from service.settings import LIMITS, Limits

R = TypeVar("R")

_Rows: TypeAlias = list[tuple[Any, ...]]

_REFUSALS: Final = ("22", "23")
"""Classes of errors that a row brings about: data and constraints."""

_TOO_LONG: Final = (asyncpg.QueryCanceledError, asyncpg.LockNotAvailableError)
"""What ends a statement that has used up its time, or that of its wait for a lock: it wrote nothing."""

_CUT: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    ConnectionError,
)
"""What a statement hears whose connection ends, as all do when a server restarts."""

_MET: Final = (asyncpg.SerializationError, asyncpg.DeadlockDetectedError)
"""What ends a transaction that met another one: it wrote nothing."""

_UNANSWERED: Final = (TimeoutError, asyncio.CancelledError)
"""What ends a wait for a server that may be stuck; its connection, to be clean again, would wait on."""

CLOSING_SECONDS: Final = 0.5
"""How long a session that closes waits for connections in use."""

_ANSWER_SECONDS: Final = 2
"""How much longer than a statement its answer may take, where the network and not the server is slow."""

_DIALECT: Final = dialect()  # type: ignore[no-untyped-call]  # so it is published
_SAVE: Final = Prepared(SAVE_BATCH, _DIALECT)


@cache
def _prepared(query: Query[Any]) -> Prepared:
    return Prepared(query.statement, _DIALECT)


@cache
def _commanded(command: Command) -> Prepared:
    return Prepared(command.statement, _DIALECT)


@contextmanager
def _guarded(outage: Outage) -> Iterator[None]:
    """Turn the driver's errors into ours; theirs are dropped, for their texts show values."""
    try:
        yield
    except asyncpg.DataError:
        raise RowRefusedError from None
    except _TOO_LONG:
        raise BusyError from None
    except asyncpg.PostgresError as error:
        if (error.sqlstate or "")[:2] in _REFUSALS:
            raise RowRefusedError from None
        raise _unavailable(error, outage) from None
    except (asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError) as error:
        raise _unavailable(error, outage) from None


def _unavailable(error: Exception, outage: Outage) -> DatabaseUnavailableError:
    reason = of_postgresql(error)
    outage.begun(reason)
    return DatabaseUnavailableError(reason)


class _Connection(asyncpg.Connection):  # type: ignore[misc]  # the driver has no types
    """A connection that needs no statement to be clean again: nothing here changes a session."""

    def get_reset_query(self) -> str:
        """Return nothing to run between two users of a connection."""
        return ""


def _columns(rows: Sequence[tuple[object, ...]], width: int) -> list[Sequence[object]]:
    """Return rows of a width as its columns."""
    return list(zip(*rows, strict=True)) if rows else [()] * width


async def _asked(
    ask: Callable[[str, Sequence[object]], Awaitable[_Rows]],
    query: Query[R],
    values: Mapping[str, object],
    outage: Outage,
) -> list[R]:
    """Return the rows of a query; one whose connection was cut is asked again."""
    prepared = _prepared(query)
    arguments = prepared.arguments(values)
    with _guarded(outage):
        try:
            rows = await ask(prepared.sql, arguments)
        except _CUT:
            rows = await ask(prepared.sql, arguments)
    return [query.into(*row) for row in rows]


class PostgreSQLSession:
    """A server, through a small pool, of which the writer keeps one connection to itself.

    A batch is read by one statement and saved by one, which is its own transaction.
    """

    def __init__(self, url: str, probe: Probe = unwatched, limits: Limits = LIMITS) -> None:
        self._url = url
        self._probe = probe
        self._limits = limits
        self._outage = Outage()
        self._answer_seconds = limits.statement_seconds + _ANSWER_SECONDS
        self._pool: asyncpg.Pool
        self._writing = asyncio.Lock()
        self._kept: asyncpg.Connection | None = None

    async def open(self) -> None:
        """Connect once, to see that it can be done."""
        limits = self._limits
        with _guarded(self._outage):
            self._pool = await asyncpg.create_pool(
                **connect_options(
                    self._url,
                    default_transaction_isolation="read committed",  # the races are settled by versions
                    statement_timeout=f"{limits.statement_seconds}s",
                    lock_timeout=f"{limits.lock_seconds}s",
                    idle_in_transaction_session_timeout=f"{limits.idle_seconds}s",
                ),
                min_size=0,  # a pool that keeps some would look for a server that is away, and log it
                max_size=limits.connections,
                timeout=limits.connect_seconds,
                command_timeout=self._answer_seconds,
                connection_class=_Connection,
            )
            await self._pool.release(await self._acquired())

    async def fetch(self, query: Query[R], **values: object) -> list[R]:
        """Return the rows of a query on committed data; one whose connection was cut is asked again."""
        return await _asked(self._rows, query, values, self._outage)

    async def read(self, ids: Sequence[UUID]) -> list[StoredMatch]:
        """Return the matches that exist among `ids`."""
        with _guarded(self._outage):
            self._probe("read")
        return await _asked(self._rows_kept, ROWS_BY_ARRAY, {"ids": ids}, self._outage)

    async def moved(self, seen: Mapping[UUID, int]) -> list[Head]:
        """Return those matches whose version is another than the one seen."""
        return await self.fetch(MOVED, **as_texts(seen))

    async def events_after(self, seen: Mapping[UUID, int]) -> list[StoredEvent]:
        """Return the events of each match after the number seen."""
        return await self.fetch(EVENTS_AFTER, ids=list(seen), numbers=list(seen.values()))

    async def save(self, batch: Sequence[Save]) -> dict[UUID, datetime | None]:
        """Save a batch by one statement and return those that won, with deadlines."""
        rows = [
            (
                *match_fields(one.row),
                *((one.read.version, one.read.generations) if one.read else (None, None)),
            )
            for one in batch
        ]
        happened = [astuple(event) for one in batch for event in one.events]
        arrays = (*_columns(happened, len(EVENT_FIELDS)), *_columns(rows, len(MATCH_FIELDS) + 2))
        with _guarded(self._outage):
            self._probe("matches")
            try:
                won = await self._rows_kept(_SAVE.sql, arrays)
            except _MET:
                return {}
            self._probe("done")
        return {row[0]: row[1] for row in won}

    async def run(self, commands: Sequence[Command], **values: object) -> int:
        """Run commands in one transaction, and return how many rows the last one changed."""
        several = len(commands) > 1  # one command is a transaction, and no stopped process can hold it open
        with _guarded(self._outage):
            connection = await self._acquired()
            try:
                if several:
                    await connection.execute("BEGIN")
                for command in commands:
                    prepared = _commanded(command)
                    done: str = await connection.execute(prepared.sql, *prepared.arguments(values))
                if several:
                    await connection.execute("COMMIT")
            except BaseException:
                connection.terminate()  # to roll back would be to wait for the server
                raise
            finally:
                await self._pool.release(connection)
        return int(done.rpartition(" ")[2])

    async def make_good(self, replica: str) -> None:
        """Move every deadline by an outage, or with a clock that was set, and beat, by one statement."""
        await self.fetch(MAKE_GOOD, replica=replica)

    async def close(self) -> None:
        """Close the pool; a connection that is still in use is cut after `CLOSING_SECONDS`."""
        try:
            async with asyncio.timeout(CLOSING_SECONDS), self._writing:
                await self._let_go()
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    async def _rows(self, sql: str, arguments: Sequence[object]) -> _Rows:
        """Return the rows of one statement on the next free connection."""
        connection = await self._acquired()
        try:
            rows: _Rows = await connection.fetch(sql, *arguments)
        except _UNANSWERED:
            connection.terminate()
            raise
        finally:
            await self._pool.release(connection)
        return rows

    async def _rows_kept(self, sql: str, arguments: Sequence[object]) -> _Rows:
        """Return the rows of one statement on the writer's connection: to change hands takes 80 µs."""
        async with self._writing:
            if self._kept is None:
                self._kept = await self._acquired()
            try:
                rows: _Rows = await self._kept.fetch(sql, *arguments)
            except _UNANSWERED:
                self._kept.terminate()
                self._kept = None
                raise
            except _CUT:
                await self._let_go()
                raise
        return rows

    async def _acquired(self) -> asyncpg.Connection:
        async with asyncio.timeout(self._limits.connect_seconds):
            connection = await self._pool.acquire()
        self._outage.over()
        return connection

    async def _let_go(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            await self._pool.release(kept, timeout=self._limits.connect_seconds)
