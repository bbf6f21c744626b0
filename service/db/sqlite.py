import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from operator import attrgetter
from pathlib import Path
from threading import local
from typing import Any, Final, TypeVar
from uuid import UUID

from msgspec.structs import astuple
from sqlalchemy import DateTime, Uuid
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.types import TypeEngine

from service.db.errors import DatabaseUnavailableError, RowRefusedError
from service.db.following import CHUNK, EVENTS_OF_ONE, HEADS_OF_CHUNK, Head
from service.db.heartbeats import MAKE_GOOD_ALONE
from service.db.reasons import Outage, of_sqlite
from service.db.rows import Save, StoredEvent, StoredMatch
from service.db.session import Probe, unwatched
from service.db.statements import (
    DEADLINE,
    INSERT_EVENT,
    INSERT_MATCH,
    UPDATE_MATCH,
    Command,
    Prepared,
    Query,
    rows_by_ids,
)

R = TypeVar("R")

READERS: Final = 4
"""Threads that read; each has a connection of its own."""

BUSY_SECONDS: Final = 5.0
"""How long a writer waits for the writer of another process."""

_DIALECT: Final = dialect(paramstyle="qmark")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_INSERT_MATCH: Final = Prepared(INSERT_MATCH, _DIALECT)
_UPDATE_MATCH: Final = Prepared(UPDATE_MATCH, _DIALECT)
_INSERT_EVENT: Final = Prepared(INSERT_EVENT, _DIALECT)
_DEADLINE: Final = Prepared(DEADLINE, _DIALECT)
_inserted: Final = attrgetter(*_INSERT_MATCH.names)
_OF_READ: Final = 3
"""How many of the last parameters of `UPDATE_MATCH` are of the row that was read."""
_updated: Final = attrgetter(*_UPDATE_MATCH.names[:-_OF_READ])


def _from_instant(at: datetime) -> int:
    """Return the microseconds since 1970."""
    return (at - _EPOCH) // _MICROSECOND


def _to_instant(microseconds: int | None) -> datetime | None:
    """Return the time so many microseconds after 1970, in UTC."""
    return None if microseconds is None else _EPOCH + microseconds * _MICROSECOND


def _to_uuid(raw: bytes) -> UUID:
    """Return the UUID of sixteen bytes."""
    return UUID(bytes=raw)


def _reader(kind: TypeEngine[Any]) -> Callable[[Any], Any] | None:
    """Return what makes a value of what SQLite keeps in such a column; None where they are the same."""
    if isinstance(kind, Uuid):
        return _to_uuid
    return _to_instant if isinstance(kind, DateTime) else None


_KEPT: Final[dict[type, Callable[[Any], object]]] = {UUID: attrgetter("bytes"), datetime: _from_instant}
"""What SQLite keeps for a value of a type; anything else as it is."""


class _Select(Prepared):
    """A query for SQLite, with what turns the columns of its rows into values."""

    def __init__(self, query: Query[Any]) -> None:
        super().__init__(query.statement, _DIALECT)
        self.into = query.into
        readers = [_reader(one.type) for one in query.statement.selected_columns]
        self.readers = [(place, read) for place, read in enumerate(readers) if read is not None]


@cache
def _prepared(query: Query[Any]) -> _Select:
    return _Select(query)


@cache
def _commanded(command: Command) -> Prepared:
    return Prepared(command.statement, _DIALECT)


def _stored(values: Iterable[object]) -> tuple[object, ...]:
    """Return what SQLite keeps for each of some values."""
    return tuple([_KEPT[kind](value) if (kind := type(value)) in _KEPT else value for value in values])


def _changed(save: Save, read: StoredMatch) -> tuple[object, ...]:
    """Return the parameters of `UPDATE_MATCH` in their order."""
    return _stored((*_updated(save.row), save.row.id, read.version, read.generations))


@contextmanager
def _guarded(outage: Outage) -> Iterator[None]:
    """Turn the driver's errors into ours; theirs are dropped, for their texts may show values."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.DataError, sqlite3.ProgrammingError, sqlite3.InterfaceError):
        raise RowRefusedError from None
    except (OverflowError, UnicodeEncodeError):
        raise RowRefusedError from None
    except (sqlite3.Error, OSError) as error:
        reason = of_sqlite(error)
        outage.begun(reason)
        raise DatabaseUnavailableError(reason) from None


class SQLiteSession:
    """A file: one thread writes, a few read, and the event loop never waits for the disk.

    Write-ahead log, ``synchronous=FULL``: what has been committed survives a power cut.
    """

    def __init__(self, path: Path, probe: Probe = unwatched) -> None:
        self._address = f"{path.absolute().as_uri()}?mode=rw"
        self._probe = probe
        self._outage = Outage()
        self._writing = ThreadPoolExecutor(1, "sqlite-writer")
        self._reading = ThreadPoolExecutor(READERS, "sqlite-reader")
        self._mine = local()
        self._connections: list[sqlite3.Connection] = []

    async def open(self) -> None:
        """See whether the file is there."""
        await asyncio.get_running_loop().run_in_executor(self._writing, self._open)

    async def fetch(self, query: Query[R], **values: object) -> list[R]:
        """Return the rows of a query on committed data."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._select, query, values)

    async def read(self, ids: Sequence[UUID]) -> list[StoredMatch]:
        """Return the matches that exist among `ids`."""
        return await asyncio.get_running_loop().run_in_executor(self._writing, self._read, ids)

    async def moved(self, seen: Mapping[UUID, int]) -> list[Head]:
        """Return those matches whose version is another than the one seen."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._moved, dict(seen))

    async def events_after(self, seen: Mapping[UUID, int]) -> list[StoredEvent]:
        """Return the events of each match after the number seen."""
        return await asyncio.get_running_loop().run_in_executor(self._reading, self._after, dict(seen))

    async def save(self, batch: Sequence[Save]) -> dict[UUID, datetime | None]:
        """Save a batch in one transaction and return those that won, with deadlines."""
        return await asyncio.get_running_loop().run_in_executor(self._writing, self._save, batch)

    async def run(self, commands: Sequence[Command], **values: object) -> int:
        """Run commands in one transaction, and return how many rows the last one changed."""
        return await asyncio.get_running_loop().run_in_executor(self._writing, self._run, commands, values)

    async def make_good(self, replica: str) -> None:
        """Move every deadline by an outage, or with a clock that was set, and beat: nobody else writes."""
        await self.run(MAKE_GOOD_ALONE, replica=replica)

    async def close(self) -> None:
        """Wait for the threads, then close their connections."""
        await asyncio.get_running_loop().run_in_executor(None, self._writing.shutdown)
        await asyncio.get_running_loop().run_in_executor(None, self._reading.shutdown)
        for connection in self._connections:
            connection.close()

    def _open(self) -> None:
        with _guarded(self._outage):
            self._connection()

    def _connection(self) -> sqlite3.Connection:
        """Return this thread's connection, opened when it first needs one."""
        held: sqlite3.Connection | None = getattr(self._mine, "connection", None)
        if held is not None:
            return held
        opened = sqlite3.connect(
            self._address,
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,  # `close` closes them all
            cached_statements=256,
        )
        opened.execute("PRAGMA journal_mode=WAL")
        opened.execute("PRAGMA synchronous=FULL")
        opened.execute("PRAGMA foreign_keys=ON")
        self._connections.append(opened)
        self._mine.connection = opened
        return opened

    def _select(self, query: Query[R], values: dict[str, object]) -> list[R]:
        prepared = _prepared(query)
        rows: list[R] = []
        with _guarded(self._outage):
            parameters = _stored(prepared.arguments(values))
            for row in self._connection().execute(prepared.sql, parameters).fetchall():
                made = list(row)
                for place, read in prepared.readers:
                    made[place] = read(made[place])
                rows.append(prepared.into(*made))
        return rows

    def _moved(self, seen: dict[UUID, int]) -> list[Head]:
        ids = list(seen)
        found: list[Head] = []
        for start in range(0, len(ids), CHUNK):
            # The statement asks for a whole chunk; what is missing of it is asked for twice.
            chunk = ids[start : start + CHUNK]
            names = {f"id_{place}": chunk[min(place, len(chunk) - 1)] for place in range(CHUNK)}
            found += self._select(HEADS_OF_CHUNK, dict[str, object](names))
        return [head for head in found if head.version != seen[head.id]]

    def _after(self, seen: dict[UUID, int]) -> list[StoredEvent]:
        return [
            event
            for match_id, seq in seen.items()
            for event in self._select(EVENTS_OF_ONE, {"match": match_id, "after": seq})
        ]

    def _read(self, ids: Sequence[UUID]) -> list[StoredMatch]:
        with _guarded(self._outage):
            self._probe("read")
        query = rows_by_ids(len(ids), judged=True)
        return self._select(query, {f"id_{number}": one for number, one in enumerate(ids)})

    def _save(self, batch: Sequence[Save]) -> dict[UUID, datetime | None]:
        with _guarded(self._outage):
            self._probe("begin")
            with self._transaction() as connection:
                won = self._write(connection, batch)
                self._probe("commit")
            self._probe("done")
            self._outage.over()
            return won

    def _run(self, commands: Sequence[Command], values: dict[str, object]) -> int:
        with _guarded(self._outage), self._transaction() as connection:
            for command in commands:
                prepared = _commanded(command)
                done = connection.execute(prepared.sql, _stored(prepared.arguments(values)))
        return done.rowcount

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Keep other writers out until what is written here is committed, or none of it."""
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise

    def _write(self, connection: sqlite3.Connection, batch: Sequence[Save]) -> dict[UUID, datetime | None]:
        """Write row by row, since a statement for many does not tell who lost, then the winners' events."""
        won: dict[UUID, datetime | None] = {}
        happened: list[tuple[object, ...]] = []
        self._probe("matches")
        for one in batch:
            if one.read is None:
                connection.execute(_INSERT_MATCH.sql, _stored(_inserted(one.row)))
            elif not connection.execute(_UPDATE_MATCH.sql, _changed(one, one.read)).rowcount:
                continue
            won[one.row.id] = _deadline_of(connection, one.row)
            happened += [_stored(astuple(event)) for event in one.events]
        self._probe("events")
        connection.executemany(_INSERT_EVENT.sql, happened)
        return won


def _deadline_of(connection: sqlite3.Connection, row: StoredMatch) -> datetime | None:
    """Return the deadline that was written with a row."""
    if row.turn_seconds is None:
        return None
    return _to_instant(connection.execute(_DEADLINE.sql, _stored((row.id,))).fetchone()[0])
