"""PostgreSQL ends connections, restarts and refuses: moves wait, and each is played once."""

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import asyncpg
import pytest

from service.contract import client_of
from service.db.errors import BusyError, DatabaseUnavailableError
from service.db.postgresql import PostgreSQLSession
from service.db.rows import Change
from service.db.schema import newest
from service.db.session import Point
from service.db.urls import session_on
from service.db.writer import Writer
from service.matches.store import Store
from service.settings import Limits
from tests.service.databases import DISCONNECT, Server
from tests.service.settled import execute, locked
from tests.service.steps import Points, changes, insert_matches, opened, outcomes, step, versions
from tests.service.table_talk import code_of, house
from tests.service.test_writer_faults import POINTS
from tests.sizes import size

pytestmark = pytest.mark.anyio

PATIENCE = 600.0
FAILING = """
    CREATE SEQUENCE attempts;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF nextval('attempts') <= {times} THEN {failure}; END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER failing BEFORE UPDATE ON matches FOR EACH ROW EXECUTE FUNCTION fail();
"""
WHOLE = "DROP TRIGGER failing ON matches; DROP FUNCTION fail(); DROP SEQUENCE attempts;"


class Load:
    """Players who step their matches without a pause, and remember what they were told."""

    def __init__(self, writer: Writer, ids: Sequence[UUID]) -> None:
        self.ids = ids
        self.told: list[list[int]] = [[] for _ in ids]
        self._writer = writer
        self._ended = False

    async def beside(self, trouble: Callable[[], Awaitable[None]]) -> None:
        """Play while there is trouble, and for a step more."""
        async with asyncio.TaskGroup() as group:
            for match_id, told in zip(self.ids, self.told, strict=True):
                group.create_task(self._play(match_id, told))
            await trouble()
            self._ended = True

    async def _play(self, match_id: UUID, told: list[int]) -> None:
        while not self._ended:
            told.append(await self._writer.submit(Change(match_id, step)))


async def play_through(url: str, trouble: Callable[[], Awaitable[None]]) -> None:
    """Every step that was asked for is told once, is in the database, and there is no other."""
    async with opened(url) as session:
        writer = Writer(session, patience=PATIENCE)
        load = Load(writer, await insert_matches(writer, 24))
        await load.beside(trouble)
        assert load.told == [list(range(2, version + 1)) for version in await versions(session, load.ids)]


async def test_steps_are_played_once_though_connections_are_cut_at_random(
    postgresql_server: Server, postgresql_url: str
) -> None:
    dice = random.Random(1)

    async def cut() -> None:
        killer = await asyncpg.connect(postgresql_server.url("postgres"))
        for _ in range(size(100, 1_000)):
            await asyncio.sleep(dice.random() * 0.03)
            await killer.execute(DISCONNECT)
        await killer.close()

    await play_through(postgresql_url, cut)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT])
async def test_steps_are_played_once_though_the_server_restarts(
    postgresql_server: Server, postgresql_url: str, number: signal.Signals
) -> None:
    async def restart() -> None:
        for _ in range(size(1, 20)):
            await asyncio.sleep(0.1)
            await asyncio.to_thread(postgresql_server.stop, number)
            await asyncio.sleep(0.1)
            postgresql_server.launch()
            await asyncio.to_thread(postgresql_server.wait_until_ready)

    await play_through(postgresql_url, restart)


class Once:
    """A probe that breaks the connection the first time it comes to a point."""

    def __init__(self) -> None:
        self.point: Point | None = None

    def __call__(self, point: Point) -> None:
        if point == self.point:
            self.point = None
            raise ConnectionResetError


async def test_a_statement_that_fails_once_is_not_heard_of(database_url: str) -> None:
    once = Once()
    async with opened(database_url, once) as session:
        writer = Writer(session, patience=PATIENCE)
        ids = await insert_matches(writer, 3)
        for number, point in enumerate(POINTS[database_url.partition(":")[0]]):
            once.point = point
            assert await outcomes(writer, changes(ids)) == [number + 2] * 3
            assert once.point is None
            assert await versions(session, ids) == [number + 2] * 3


async def test_a_step_whose_answer_was_lost_is_known_though_others_have_played_on(database_url: str) -> None:
    once = Once()
    async with opened(database_url, once) as session, opened(database_url) as elsewhere:
        writer, other = Writer(session, patience=PATIENCE), Writer(elsewhere)
        ids = await insert_matches(writer, 2)

        class Slow:
            """The session of a replica that hears of the loss when another one has played."""

            read, fetch = session.read, session.fetch

            async def save(self, batch: Sequence[object]) -> Mapping[UUID, datetime | None]:
                try:
                    return await session.save(batch)  # type: ignore[arg-type]  # as it is given
                except DatabaseUnavailableError:
                    assert await outcomes(other, changes(ids)) == [3, 3]
                    raise

        slow = Writer(Slow(), patience=PATIENCE)  # type: ignore[arg-type]  # what a writer uses of it
        once.point = "done"
        assert await outcomes(slow, changes(ids)) == [2, 2]
        assert await versions(session, ids) == [3, 3]


async def test_what_is_read_is_asked_once_more_where_its_connection_was_cut(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(postgresql_url) as session:
        [match_id] = await insert_matches(Writer(session), 1)
        assert isinstance(session, PostgreSQLSession)
        ask, cuts = session._rows, iter([True, False, True, True])

        async def cut(sql: str, arguments: Sequence[object]) -> list[tuple[object, ...]]:
            if next(cuts):
                raise asyncpg.ConnectionDoesNotExistError
            return await ask(sql, arguments)

        monkeypatch.setattr(session, "_rows", cut)
        row = await Store(session).load(match_id)
        assert row is not None
        assert row.id == match_id
        with pytest.raises(DatabaseUnavailableError):
            await Store(session).load(match_id)


async def test_a_writer_that_closes_waits_for_no_database(database_url: str) -> None:
    points = Points()
    async with opened(database_url, points) as session:
        writer = Writer(session, patience=PATIENCE)
        ids = await insert_matches(writer, 2)
        points.failing = "read"
        asked = asyncio.gather(*map(writer.submit, changes(ids)), return_exceptions=True)
        await asyncio.sleep(0.01)  # they are a batch, and wait
        await writer.close()
        assert [type(one) for one in await asked] == [DatabaseUnavailableError] * 2


@pytest.mark.parametrize("state", ["40001", "40P01"])
async def test_a_transaction_that_met_another_is_tried_again(
    postgresql_server: Server, postgresql_url: str, state: str
) -> None:
    async with opened(postgresql_url) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 3)
        failure = f"RAISE 'met' USING ERRCODE = '{state}'"
        await asyncio.to_thread(
            postgresql_server.run, FAILING.format(times=5, failure=failure), database="ginrummy"
        )
        try:
            assert await outcomes(writer, changes(ids)) == [2, 2, 2]
        finally:
            await asyncio.to_thread(postgresql_server.run, WHOLE, database="ginrummy")
        assert await versions(session, ids) == [2, 2, 2]


async def test_a_lock_that_is_held_too_long_is_busy(postgresql_url: str) -> None:
    session = session_on(postgresql_url, limits=Limits(lock_seconds=1))
    await session.open()
    writer = Writer(session, patience=PATIENCE)
    ids = await insert_matches(writer, 3)
    async with locked(postgresql_url):
        heard = await outcomes(writer, changes(ids))
        assert [type(one) for one in heard] == [BusyError] * 3
    assert await outcomes(writer, changes(ids)) == [2, 2, 2]
    assert await versions(session, ids) == [2, 2, 2]
    await session.close()


async def test_a_statement_that_takes_too_long_is_busy(
    postgresql_server: Server, postgresql_url: str
) -> None:
    session = session_on(postgresql_url, limits=Limits(statement_seconds=1))
    await session.open()
    writer = Writer(session, patience=PATIENCE)
    ids = await insert_matches(writer, 3)
    slow = FAILING.format(times=1, failure="PERFORM pg_sleep(600)")
    await asyncio.to_thread(postgresql_server.run, slow, database="ginrummy")
    try:
        heard = await outcomes(writer, changes(ids))
        assert [type(one) for one in heard] == [BusyError] * 3
        assert await outcomes(writer, changes(ids)) == [2, 2, 2]
    finally:
        await asyncio.to_thread(postgresql_server.run, WHOLE, database="ginrummy")
    assert await versions(session, ids) == [2, 2, 2]
    await session.close()


async def test_a_server_that_is_away_is_looked_for_by_nobody_but_who_asks(
    postgresql_server: Server, postgresql_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened(postgresql_url) as session:
        await asyncio.to_thread(postgresql_server.stop)
        with pytest.raises(DatabaseUnavailableError):
            await Store(session).load(UUID(int=0))
        await asyncio.sleep(0.2)
        postgresql_server.launch()
        await asyncio.to_thread(postgresql_server.wait_until_ready)
        assert await Store(session).load(UUID(int=0)) is None
    assert not caplog.records


async def test_a_process_is_ready_while_its_database_is_and_has_its_schema(
    postgresql_server: Server, postgresql_url: str
) -> None:
    async with house(postgresql_url) as table, client_of(table.service) as client:

        async def ready() -> bool:
            answer = await client.get("/readyz")
            if answer.status_code == 200:
                return True
            assert code_of(answer) == (503, "database-unavailable")
            assert answer.headers["retry-after"] == "1"
            return False

        assert await ready()
        await asyncio.to_thread(postgresql_server.stop)
        assert not await ready()
        postgresql_server.launch()
        await asyncio.to_thread(postgresql_server.wait_until_ready)
        assert await ready()
        for revision, expected in (("0001", False), (newest(), True)):
            await execute(postgresql_url, f"UPDATE alembic_version SET version_num = '{revision}'")  # noqa: S608  ours
            assert await ready() is expected
