"""Clients that vanish: nothing of them is left, and the others are told."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import pytest
import uvicorn

from service.cli import _Server
from service.http import protocol
from service.http.protocol import BoundedProtocol
from tests.service.listening import PATIENCE
from tests.service.serving import serving
from tests.service.table_talk import SELVES

pytestmark = pytest.mark.anyio


async def test_who_asks_for_more_behind_a_stream_and_leaves_is_gone(sqlite_url: str) -> None:
    async with asyncio.timeout(PATIENCE):
        with serving(sqlite_url) as server:
            async with httpx.AsyncClient(base_url=server.base, timeout=PATIENCE) as client:
                body = {"seats": SELVES, "visibility": "link"}
                created = (await client.post("/v1/matches", json=body)).json()
                match = f"/v1/matches/{created['match']['id']}"
                stream = f"{match}/seats/0/events/stream"
                async with client.stream("GET", f"{match}/events/stream") as answer:
                    told = answer.aiter_lines()
                    async with line_with_two(server.base, stream, created["seats"][0]["token"]):
                        while not await is_here(told):
                            pass
                    while await is_here(told):
                        pass


@asynccontextmanager
async def line_with_two(base: str, path: str, token: str) -> AsyncIterator[None]:
    """A connection on which a stream is open and something else is asked for; it is hung up at the end."""
    url = httpx.URL(base)
    reader, writer = await asyncio.open_connection(url.host, url.port)
    for asked in (path, "/healthz"):
        head = f"GET {asked} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n"
        writer.write(head.encode())
    await reader.readuntil(b"event: snapshot")
    yield
    writer.transport.abort()
    with suppress(ConnectionError):
        await writer.wait_closed()


async def is_here(told: Any) -> bool:  # noqa: ANN401  the lines of a stream
    """Whether the first seat is there, as is told next."""
    while "presence" not in (line := await anext(told)) or not line.startswith("data: "):
        if line == "event: presence":
            data = json.loads((await anext(told)).removeprefix("data: "))
            return bool(data["seats"][0]["status"] == "here")
    return bool(json.loads(line.removeprefix("data: "))["presence"]["seats"][0]["status"] == "here")


async def test_who_takes_nothing_of_what_he_is_sent_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GONE_SECONDS", "PROBE_SECONDS"):
        monkeypatch.setattr(protocol, name, 1)
    gone = asyncio.Event()

    async def pour(
        _scope: object,
        receive: Callable[[], Awaitable[dict[str, Any]]],
        send: Callable[[dict[str, Any]], Awaitable[None]],
    ) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(1 << 23), "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    config = uvicorn.Config(pour, http=BoundedProtocol, port=0, lifespan="off", log_config=None)
    server = _Server(config, lambda: None)
    running = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  nothing tells of it
        await asyncio.sleep(0.01)
    with socket.create_connection(server.servers[0].sockets[0].getsockname()) as silent:
        silent.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        async with asyncio.timeout(PATIENCE):
            await gone.wait()
    server.should_exit = True
    await running
