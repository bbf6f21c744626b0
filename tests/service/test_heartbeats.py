"""Heartbeats wait for nobody, and what they make good they make good once."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
import pytest
from sqlalchemy import select
from sqlalchemy.dialects.postgresql.asyncpg import dialect

from service.db.heartbeats import FORGET, MAKE_GOOD
from service.db.session import Session
from service.db.statements import Prepared, Query
from service.db.tables import heartbeats
from service.events.store import Change, PresenceStore
from service.matches.house import House
from tests.service.hours import REPLICAS, houses, pass_by, set_clock
from tests.service.table_talk import Party, house
from tests.sizes import size

pytestmark = pytest.mark.anyio

MANY: Final = 10
ROUNDS: Final = size(4, 100)
HOUR: Final = 3600
AT_ANAS: Final[dict[str, Any]] = {"first_dealer": 1, "clock": {"turn_seconds": 24 * HOUR}}
LOCK_OF_OLD: Final = "SELECT pg_advisory_xact_lock(448546567013)"
"""What every heartbeat and every presence write once took."""

_SEEN: Final = Query(
    select(heartbeats.c.replica, heartbeats.c.seen_at), lambda replica, seen_at: (replica, seen_at)
)


async def seen(session: Session) -> dict[str, datetime]:
    return dict(await session.fetch(_SEEN))


async def overtime(party: Party) -> float:
    """The seconds since the deadline, as a judge reads them."""
    (row,) = await party.house.session.read([UUID(party.id)])
    assert row.overtime is not None
    return row.overtime


async def deadline(party: Party) -> datetime:
    found = (await party.house.row(party.id)).deadline
    assert found is not None
    return found


@asynccontextmanager
async def stopped(url: str, *statements: str) -> AsyncIterator[None]:
    """A process that has stopped in the middle of a transaction, after these statements."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("BEGIN")
        for statement in statements:
            await connection.execute(statement)
        yield
        await connection.execute("ROLLBACK")
    finally:
        await connection.close()


def locking(replica: str) -> str:
    return f"SELECT 1 FROM heartbeats WHERE replica = '{replica}' FOR UPDATE"  # noqa: S608  a test's own name


async def beaten(all_: Sequence[House]) -> None:
    """Let all of them beat at once, and once more: who stood back for another one beats then."""
    for _ in range(2):
        await asyncio.gather(*(each.beat() for each in all_))


async def test_while_one_process_has_stopped_the_others_beat(postgresql_url: str) -> None:
    async with house(postgresql_url) as table, houses(postgresql_url, 3) as (gone, *others):
        await gone.beat()
        party = await table.create(**AT_ANAS)
        before = await deadline(party)
        async with stopped(postgresql_url, LOCK_OF_OLD, locking("replica 0")):
            for each in (*others, *others):
                was = await seen(table.session)
                await each.beat()
                now = await seen(table.session)
                assert [name for name in now if now[name] != was.get(name)] == [each._replica]
        await gone.beat()
        assert await deadline(party) == before


async def test_an_outage_that_a_stopped_process_has_claimed_is_made_good_later(postgresql_url: str) -> None:
    async with house(postgresql_url) as table, houses(postgresql_url, 2) as (gone, other):
        await gone.beat()
        party = await table.create(**AT_ANAS)
        await pass_by(table.session, 2 * HOUR)
        before = await deadline(party)
        async with stopped(postgresql_url, locking("replica 0")):
            await other.beat()
            assert await seen(table.session) == {"replica 0": (await seen(table.session))["replica 0"]}
            assert await deadline(party) == before
            assert -24 * HOUR <= await overtime(party) < -23 * HOUR  # the outage counts already
        await other.beat()
        assert 2 * HOUR - 5 < (await deadline(party) - before).total_seconds() < 3 * HOUR
        assert await table.session.fetch(REPLICAS) == ["replica 1"]


async def test_the_last_beat_before_an_outage_is_kept_until_it_is_made_good(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, 2) as (gone, other):
        await gone.beat()
        party = await table.create(first_dealer=1, clock={"turn_seconds": 60})
        await pass_by(table.session, 2 * HOUR)
        await table.session.run((FORGET,))
        await other.beat()
        assert -60 <= await overtime(party) < 0


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
async def test_many_that_beat_at_once_move_the_deadlines_once(database_url: str, seconds: int) -> None:
    async with house(database_url) as table, houses(database_url, MANY) as all_:
        await all_[0].beat()
        party = await table.create(**AT_ANAS)
        for number in range(ROUNDS):
            await set_clock(table.session, seconds)
            before = await deadline(party)
            await beaten(all_[number % MANY :] + all_[: number % MANY])
            moved = (await deadline(party) - before).total_seconds()
            assert -HOUR / 2 < moved - seconds < HOUR / 2
            assert len(await table.session.fetch(REPLICAS)) == MANY


async def test_presence_is_written_beside_a_process_that_has_stopped(postgresql_url: str) -> None:
    async with house(postgresql_url) as table, houses(postgresql_url, 1) as (other,):
        party = await table.create()
        match_id = UUID(party.id)
        here = [Change(match_id, seat, here=True) for seat in (0, 1)]
        ghost, mine = (PresenceStore(table.session, name) for name in ("ghost", "replica 0"))
        await ghost.write(here)
        await other.beat()
        dropping = "DELETE FROM presence WHERE replica = 'ghost'"
        async with stopped(postgresql_url, LOCK_OF_OLD, dropping):
            await mine.write(here)
        found = await mine.read([match_id])
        assert sorted(stay.here for stay in found) == [False, False, True, True]  # those of the ghost stay
        await mine.write(here)
        assert [stay.here for stay in await mine.read([match_id])] == [True, True]


@pytest.mark.parametrize("seconds", [HOUR, -HOUR])
async def test_of_statements_that_have_read_the_same_last_beat_one_moves_the_deadlines(
    postgresql_url: str, seconds: int
) -> None:
    """Each waits for a moment between reading the last beat and claiming it, while another may commit."""
    prepared = Prepared(MAKE_GOOD.statement, dialect())  # type: ignore[no-untyped-call]  # so it is published
    claim = "FOR UPDATE SKIP LOCKED"
    assert prepared.sql.count(claim) == 1
    slow = prepared.sql.replace(claim, f"AND pg_sleep(0.02 * random()) IS NOT NULL {claim}")
    async with (
        house(postgresql_url) as table,
        houses(postgresql_url, 1) as (gone,),
        AsyncExitStack() as stack,
    ):
        party = await table.create(**AT_ANAS)
        connections = [await asyncpg.connect(postgresql_url) for _ in range(MANY)]
        for connection in connections:
            stack.push_async_callback(connection.close)
        for number in range(ROUNDS):
            await gone.beat()
            await set_clock(table.session, seconds)
            before = await deadline(party)
            names = [f"{number} {place}" for place in range(MANY)]
            claimed = await asyncio.gather(
                *(
                    one.fetch(slow, *prepared.arguments({"replica": name}))
                    for one, name in zip(connections, names, strict=True)
                )
            )
            assert sum(map(len, claimed)) == 1
            moved = (await deadline(party) - before).total_seconds()
            assert -HOUR / 2 < moved - seconds < HOUR / 2
