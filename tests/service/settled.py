"""What stands in the database once nobody writes."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import asyncpg

from engine import replay
from engine.state import Match
from service.db.codec import decode_event
from service.db.rows import Change, StoredEvent, StoredMatch, Write
from service.matches.store import Store
from service.matches.table import Table, read


async def rows_of(store: Store, match_id: UUID) -> tuple[StoredMatch, list[StoredEvent]]:
    """A match and all of its events as of one moment, though a server that was killed may still commit."""
    while True:
        row = await store.load(match_id)
        assert row is not None
        events = await store.events(match_id, 0, 1_000_000)
        if await store.load(match_id) == row:
            return row, events


async def settled(store: Store, match_id: str | UUID) -> Table:
    """A match, after a look at whether its row and its events tell the same."""
    row, events = await rows_of(store, UUID(str(match_id)))
    table = await read(store, row)
    match = table.match
    assert match == replayed(events)
    assert [event.seq for event in events] == list(range(1, table.snapshot.seq + 1))
    assert list(dict.fromkeys(event.version for event in events)) == list(range(1, row.version + 1))
    assert (row.version, row.status) == (match.version, match.status.value)
    assert (row.finished_at is None) == (match.status.value != "finished")
    assert (row.join_digest is None) == (match.status.value != "open")
    return table


def replayed(events: list[StoredEvent]) -> Match:
    return replay(decode_event(event.body) for event in events)


async def put(store: Store, row: StoredMatch, *strays: StoredEvent) -> None:
    """Leave a row and events in the database that no use case would."""
    await store.submit(Change(row.id, lambda _current: Write(None, row, strays)))


async def execute(url: str, statement: str) -> None:
    """Run a statement that is the same in both databases."""
    async with locked(url, statement, "COMMIT"):
        pass


@asynccontextmanager
async def locked(url: str, statement: str = "SELECT 1", end: str = "ROLLBACK") -> AsyncIterator[None]:
    """Hold a transaction during which nobody else can write a match."""
    if url.startswith("sqlite"):
        file = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)
        file.execute("BEGIN IMMEDIATE")
        file.execute(statement)
        yield
        file.execute(end)
        file.close()
    else:
        server = await asyncpg.connect(url)
        await server.execute("BEGIN")
        await server.execute("LOCK TABLE matches IN EXCLUSIVE MODE")
        await server.execute(statement)
        yield
        await server.execute(end)
        await server.close()
