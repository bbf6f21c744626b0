"""Matches without a game: a step adds 1 to the version and tells it in snapshot and events."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from msgspec.structs import replace
from uuid_utils.compat import uuid7

from service.db.rows import Change, Insert, StoredEvent, StoredMatch, Write
from service.db.session import Point, Probe, Session, unwatched
from service.db.urls import session_on
from service.db.writer import Writer
from service.matches.store import Store

START: Final = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


class Stale(Exception):  # noqa: N818  as a use case refuses
    """The version was another."""


def new_match() -> StoredMatch:
    return StoredMatch(
        id=UUID(int=uuid7().int),
        status="playing",
        visibility="private",
        ruleset="classic@1",
        version=1,
        generations="0,0",
        snapshot=b"at 1",
        join_digest=None,
        created_at=START,
        updated_at=START,
        finished_at=None,
    )


def event(row: StoredMatch, seq: int) -> StoredEvent:
    return StoredEvent(
        match_id=row.id,
        seq=seq,
        version=row.version,
        type="stepped",
        seat=0,
        at=row.updated_at,
        action=b"step",
        nonce=b"nonce",
        body=b"to %d" % row.version,
    )


def created(row: StoredMatch) -> Insert:
    return Insert(row, (replace(event(row, 1), seat=None, action=None, nonce=None),))


def step(row: StoredMatch) -> Write[int]:
    version = row.version + 1
    moved = replace(
        row,
        version=version,
        snapshot=b"at %d" % version,
        updated_at=START + timedelta(microseconds=version),
    )
    return Write(version, moved, (event(moved, version),))


def step_from(version: int) -> Callable[[StoredMatch], Write[int]]:
    def judge(row: StoredMatch) -> Write[int]:
        if row.version != version:
            raise Stale
        return step(row)

    return judge


async def insert_matches(writer: Writer, count: int) -> list[UUID]:
    rows = [new_match() for _ in range(count)]
    for row in rows:
        await writer.submit(created(row))
    return [row.id for row in rows]


def changes(ids: Sequence[UUID], judge: Callable[[StoredMatch], Write[int]] = step) -> list[Change[int]]:
    return [Change(match_id, judge) for match_id in ids]


@asynccontextmanager
async def opened(url: str, probe: Probe = unwatched) -> AsyncIterator[Session]:
    session = session_on(url, probe)
    await session.open()
    try:
        yield session
    finally:
        await session.close()


@asynccontextmanager
async def writers(url: str, count: int) -> AsyncIterator[list[Writer]]:
    """As many replicas: each with a session of its own."""
    async with AsyncExitStack() as stack:
        yield [Writer(await stack.enter_async_context(opened(url))) for _ in range(count)]


async def versions(session: Session, ids: Sequence[UUID]) -> list[int]:
    """The version of each match, after a look at whether its events tell the same."""
    store = Store(session)
    found = []
    for match_id in ids:
        row = await store.load(match_id)
        assert row is not None
        events = await store.events(match_id, 0, 1_000_000)
        assert [one.version for one in events] == list(range(1, row.version + 1))
        assert row.snapshot == b"at %d" % row.version
        found.append(row.version)
    return found


class Points:
    """The points that a session has passed; at `failing` the connection breaks."""

    def __init__(self) -> None:
        self.seen: list[Point] = []
        self.failing: Point | None = None

    def __call__(self, point: Point) -> None:
        self.seen.append(point)
        if point == self.failing:
            raise ConnectionResetError

    def transactions(self) -> int:
        return self.seen.count("done")


async def outcomes(writer: Writer, jobs: Sequence[Change[int]]) -> list[object]:
    return await asyncio.gather(*map(writer.submit, jobs), return_exceptions=True)
