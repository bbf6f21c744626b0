"""Any replica answers any request, and a stream at any door tells the whole log, whatever goes down."""

import asyncio
import random
import signal

import httpx
import pytest

from tests.replicas.evening import Evening
from tests.replicas.layout import Layout
from tests.replicas.programs import Program
from tests.sizes import size

pytestmark = pytest.mark.anyio

MATCHES = size(6, 200)
PAUSE = size(60, 600)
"""How many answers are heard between one thing that happens and the next."""

TIMES = size(1, 12)


async def hints_die_half_way(layout: Layout, evening: Evening) -> None:
    await evening.answers(PAUSE * TIMES)
    layout.hints_program.stop()


async def hints_return(layout: Layout, evening: Evening) -> None:
    await evening.answers(PAUSE)
    layout.hints_program.launch()
    await asyncio.to_thread(layout.hints_program.wait_until_ready)


class Exchanged:
    """A replica is stopped, missed for a while, and started again at the same address."""

    def __init__(self, number: int, how: signal.Signals) -> None:
        self._number = number
        self._how = how

    async def __call__(self, layout: Layout, evening: Evening) -> None:
        replica: Program = layout.replica_programs[self._number]
        await evening.answers(PAUSE)
        await asyncio.to_thread(replica.stop, self._how)
        await evening.answers(PAUSE)
        replica.launch()
        await asyncio.to_thread(replica.wait_until_ready)


class Restarted:
    """PostgreSQL ends every connection and stops, or is killed and recovers, and is there again."""

    def __init__(self, how: signal.Signals) -> None:
        self._how = how

    async def __call__(self, layout: Layout, evening: Evening) -> None:
        await evening.answers(PAUSE)
        await asyncio.to_thread(layout.database.stop, self._how)
        layout.database.launch()
        await asyncio.to_thread(layout.database.wait_until_ready)


async def test_streams_at_every_door_tell_the_log_of_moves_at_any_door(layout: Layout) -> None:
    told = await Evening(layout, random.Random(1)).spend(MATCHES)
    assert told.matches >= MATCHES
    assert told.farewells == {"finished"}


async def test_without_hints_nothing_is_lost(layout: Layout) -> None:
    told = await Evening(layout, random.Random(2)).spend(MATCHES, hints_die_half_way, hints_return)
    assert told.farewells == {"finished"}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
async def test_replicas_stop_in_turn_and_nothing_is_lost_or_played_twice(
    layout: Layout, how: signal.Signals
) -> None:
    stops = [Exchanged(number, how) for number in (0, 1)] * TIMES
    told = await Evening(layout, random.Random(3)).spend(MATCHES, *stops)
    assert told.farewells == ({"finished"} if how == signal.SIGKILL else {"finished", "draining"})


async def test_the_database_restarts_and_nothing_is_lost_or_played_twice(layout: Layout) -> None:
    restarts = [Restarted(signal.SIGINT), Restarted(signal.SIGQUIT)] * TIMES
    await Evening(layout, random.Random(4)).spend(MATCHES, *restarts)


async def test_the_proxy_leaves_out_whoever_is_not_ready(layout: Layout) -> None:
    async with httpx.AsyncClient(base_url=layout.proxy) as client:
        layout.replica_programs[0].stop()
        for _ in range(size(20, 200)):
            assert (await client.get("/readyz")).status_code == 200
        layout.replica_programs[0].launch()
        await asyncio.to_thread(layout.replica_programs[0].wait_until_ready)
