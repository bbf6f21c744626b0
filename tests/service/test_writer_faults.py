import asyncio
from collections.abc import Callable
from uuid import uuid4

import pytest
from msgspec.structs import replace

from service.db import writer
from service.db.errors import (
    DatabaseUnavailableError,
    RowRefusedError,
)
from service.db.rows import Change, StoredEvent, StoredMatch, Write
from service.db.session import Point
from service.db.writer import BATCH, Writer
from tests.service.databases import DISCONNECT, Server
from tests.service.steps import (
    Points,
    changes,
    created,
    insert_matches,
    new_match,
    opened,
    outcomes,
    step,
    versions,
)
from tests.sizes import SOAK

pytestmark = pytest.mark.anyio


def with_event(change: Callable[[StoredEvent], StoredEvent]) -> Callable[[StoredMatch], Write[int]]:
    def judge(row: StoredMatch) -> Write[int]:
        write = step(row)
        return replace(write, events=tuple(map(change, write.events)))

    return judge


def with_row(**fields: object) -> Callable[[StoredMatch], Write[int]]:
    def judge(row: StoredMatch) -> Write[int]:
        write = step(row)
        assert write.row is not None
        return replace(write, row=replace(write.row, **fields))

    return judge


BAD = {
    "a seq that is taken": with_event(lambda one: replace(one, seq=1)),
    "a seq below 1": with_event(lambda one: replace(one, seq=0)),
    "no body": with_event(lambda one: replace(one, body=None)),
    "a body of text": with_event(lambda one: replace(one, body="card 7")),
    "a seq beyond 64 bits": with_event(lambda one: replace(one, seq=1 << 70)),
    "a match that is not there": with_event(lambda one: replace(one, match_id=uuid4())),
    "half a surrogate": with_row(status="\ud800"),
    "a digest that is taken": with_row(join_digest=b"taken"),
}


@pytest.mark.parametrize("place", [0, BATCH - 1] if SOAK else [31])
@pytest.mark.parametrize("bad", BAD)
async def test_one_bad_row_among_64_fails_alone(database_url: str, bad: str, place: int) -> None:
    async with opened(database_url) as session:
        writer = Writer(session)
        await writer.submit(created(replace(new_match(), join_digest=b"taken")))
        ids = await insert_matches(writer, BATCH)
        jobs = changes(ids)
        jobs[place] = Change(ids[place], BAD[bad])
        heard = await outcomes(writer, jobs)
        culprit = heard.pop(place)
        assert isinstance(culprit, RowRefusedError)
        assert str(culprit) == ""
        assert culprit.__context__ is None or culprit.__suppress_context__
        assert heard == [2] * (BATCH - 1)
        expected = [2] * BATCH
        expected[place] = 1
        assert await versions(session, ids) == expected


async def test_a_judge_that_breaks_fails_alone(database_url: str) -> None:
    def broken(row: StoredMatch) -> Write[int]:
        raise ZeroDivisionError(row.version)

    async with opened(database_url) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, BATCH)
        jobs = [Change(ids[0], broken), *changes(ids[1:])]
        first, *others = await outcomes(writer, jobs)
        assert isinstance(first, ZeroDivisionError)
        assert others == [2] * (BATCH - 1)


POINTS: dict[str, tuple[Point, ...]] = {
    "sqlite": ("read", "begin", "matches", "events", "commit", "done"),
    "postgresql": ("read", "matches", "done"),
}


async def test_a_database_that_fails_at_any_statement_leaves_all_or_nothing(database_url: str) -> None:
    points = Points()
    async with opened(database_url, points) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 5)
        points.seen.clear()
        await outcomes(writer, changes(ids))
        passed = tuple(points.seen)
        assert passed == POINTS[database_url.partition(":")[0]]
        before = [2] * 5
        for point in passed:
            points.failing = point
            heard = await outcomes(writer, changes(ids))
            assert all(isinstance(one, DatabaseUnavailableError) for one in heard)
            points.failing = None
            if point == "done":
                before = [version + 1 for version in before]
            assert await versions(session, ids) == before
            assert await outcomes(writer, changes(ids)) == [version + 1 for version in before]
            before = [version + 1 for version in before]


async def test_a_server_that_drops_its_connections_is_met_again(
    postgresql_server: Server, postgresql_url: str
) -> None:
    async with opened(postgresql_url) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 2)
        await asyncio.to_thread(postgresql_server.run, DISCONNECT)
        heard = await outcomes(writer, changes(ids))
        assert heard == [2, 2] or all(isinstance(one, DatabaseUnavailableError) for one in heard)
        again = await outcomes(writer, changes(ids))
        assert again == await versions(session, ids)


async def test_a_database_that_is_not_there_is_unavailable(database_url: str) -> None:
    missing = database_url.replace("ginrummy.db", "other.db").replace("/ginrummy?", "/other?")
    with pytest.raises(DatabaseUnavailableError):
        async with opened(missing):
            pass


async def test_a_move_that_a_full_disk_does_not_take_waits_and_is_then_unavailable(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database answers, and saves nothing: no race was lost, however often it is tried."""
    monkeypatch.setattr(writer, "TRIES", 2)
    monkeypatch.setattr(writer, "PAUSE_SECONDS", 0.001)
    points, seconds = Points(), iter(range(100))
    async with opened(database_url, points) as session:
        patient = Writer(session, clock=lambda: next(seconds), patience=60)
        [match_id] = await insert_matches(patient, 1)
        points.failing = "commit" if database_url.startswith("sqlite") else "matches"
        with pytest.raises(DatabaseUnavailableError):
            await patient.submit(Change(match_id, step))
        assert await versions(session, [match_id]) == [1]
        assert points.seen.count("read") > 2 * writer.TRIES
