"""Any replica answers any request, and a stream at any door tells the whole log, whatever goes down."""

import asyncio
import random
import signal

import httpx
import pytest

from tests.replicas.evening import PATIENCE_SECONDS, Evening
from tests.replicas.layout import Layout
from tests.replicas.programs import Program
from tests.replicas.roaming import roaming
from tests.replicas.streams import messages
from tests.service.guests import TABLES, Guest
from tests.sizes import size

pytestmark = pytest.mark.anyio

MATCHES = size(6, 200)
PAUSE = size(30, 600)
"""How many answers are heard between one thing that happens and the next."""

TIMES = size(1, 12)


async def hints_die_half_way(layout: Layout, evening: Evening) -> None:
    await evening.over(MATCHES // 2)
    layout.hints_program.stop()


class Exchanged:
    """A replica is stopped, missed for a while, and started again at the same address.

    The proxy sends nobody to it meanwhile.
    """

    def __init__(self, number: int, how: signal.Signals) -> None:
        self._number = number
        self._how = how

    async def __call__(self, layout: Layout, evening: Evening) -> None:
        replica: Program = layout.replica_programs[self._number]
        await evening.answers(PAUSE)
        await asyncio.to_thread(replica.stop, self._how)
        async with httpx.AsyncClient(base_url=layout.proxy) as client:
            for _ in range(10):
                assert (await client.get("/readyz")).status_code == 200
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
    assert told.reconnections == 0
    assert told.farewells == {"finished"}


async def test_without_hints_nothing_is_lost(layout: Layout) -> None:
    told = await Evening(layout, random.Random(2)).spend(MATCHES, hints_die_half_way)
    layout.hints_program.launch()
    await asyncio.to_thread(layout.hints_program.wait_until_ready)
    assert told.reconnections == 0
    assert told.farewells == {"finished"}


async def test_replicas_are_killed_in_turn_and_nothing_is_lost_or_played_twice(layout: Layout) -> None:
    kills = [Exchanged(number, signal.SIGKILL) for number in (0, 1)] * TIMES
    told = await Evening(layout, random.Random(3)).spend(MATCHES, *kills)
    assert told.reconnections > 0
    assert told.farewells == {"finished"}


async def test_replicas_are_exchanged_and_their_streams_are_told(layout: Layout) -> None:
    exchanges = [Exchanged(number, signal.SIGTERM) for number in range(size(1, 2))] * TIMES
    told = await Evening(layout, random.Random(4)).spend(MATCHES, *exchanges)
    assert told.farewells == {"finished", "draining"}


async def test_the_database_restarts_and_nothing_is_lost_or_played_twice(layout: Layout) -> None:
    restarts = [Restarted(signal.SIGINT), Restarted(signal.SIGQUIT)] * TIMES
    await Evening(layout, random.Random(5)).spend(MATCHES, *restarts)


async def test_an_event_passes_the_proxy_while_its_stream_is_open(layout: Layout) -> None:
    guest = Guest(TABLES[0], lambda: None)
    async with (
        asyncio.timeout(PATIENCE_SECONDS),
        roaming(layout.doors, random.Random(6)) as client,
        httpx.AsyncClient(base_url=layout.proxy) as listening,
    ):
        await guest.step(client)
        stream = f"/v1/matches/{guest.match_id}/seats/0/events/stream"
        headers = {"Authorization": f"Bearer {guest.tokens[0]}"}
        async with listening.stream("GET", stream, headers=headers, timeout=None) as answer:
            told = messages(answer)
            assert (await anext(told)).event == "snapshot"
            for _ in range(size(5, 50)):
                await guest.step(client)
                for event in guest.confirmed[-1].move["events"]:
                    heard = await anext(told)
                    while heard.id is None:
                        heard = await anext(told)
                    assert (heard.id, heard.event) == (event["seq"], event["type"])
