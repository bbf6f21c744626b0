import asyncio
import json
import signal
from contextlib import AsyncExitStack

import httpx
import pytest

from tests.service.databases import Server as Database
from tests.service.serving import Server, serving
from tests.service.table_talk import SELVES

pytestmark = pytest.mark.anyio

STREAMS = 50
AT_MOST = 5
"""Seconds in which a server that was told to stop has stopped."""


async def test_a_server_that_stops_says_goodbye(database_url: str) -> None:
    with serving(database_url) as server:
        assert await farewells(server) == ["draining"] * STREAMS
        assert server.process.wait(AT_MOST) == 0
        assert "request_failed" not in server.rest.result()


async def test_a_server_stops_though_its_database_is_stuck(
    postgresql_server: Database, postgresql_url: str
) -> None:
    with serving(postgresql_url) as server:
        async with httpx.AsyncClient(base_url=server.base, timeout=AT_MOST) as client:
            created = (await client.post("/v1/matches", json={"seats": SELVES})).json()
            seat = f"/v1/matches/{created['match']['id']}/seats/0"
            headers = {"Authorization": f"Bearer {created['seats'][0]['token']}"}
            with postgresql_server.frozen():
                for _ in range(2):
                    assert (await client.get("/readyz")).status_code == 503
                action = {"action": {"type": "resign"}, "expected_version": 1}
                moving = asyncio.create_task(client.post(f"{seat}/moves", json=action, headers=headers))
                await asyncio.sleep(0.2)  # it has arrived, and waits
                server.process.send_signal(signal.SIGTERM)
                assert (await moving).status_code == 503
                assert await asyncio.to_thread(server.process.wait, AT_MOST) == 0


async def farewells(server: Server) -> list[str]:
    """Stop a server to which many listen, and return what it says to them."""
    async with AsyncExitStack() as stack:
        client = httpx.AsyncClient(
            base_url=server.base, limits=httpx.Limits(max_connections=None), timeout=60
        )
        await stack.enter_async_context(client)
        asked = {"seats": SELVES, "visibility": "link"}
        created = (await client.post("/v1/matches", json=asked)).json()
        path = f"/v1/matches/{created['match']['id']}/events/stream"
        answers = [await stack.enter_async_context(client.stream("GET", path)) for _ in range(STREAMS)]
        lines = [answer.aiter_lines() for answer in answers]
        for line in lines:
            assert await anext(line) == "event: snapshot"
        server.process.send_signal(signal.SIGTERM)
        return [farewell([text async for text in line]) for line in lines]


def farewell(lines: list[str]) -> str:
    at = lines.index("event: bye")
    return str(json.loads(lines[at + 1].removeprefix("data: "))["reason"])
