"""Clients that vanish: nothing of them is left, and the others are told."""

import asyncio
import json
import select
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias

import httpx
import pytest
import uvicorn

from service.cli import _Server
from service.http import protocol
from service.http.protocol import BoundedProtocol
from tests.service import endless
from tests.service.crowds import Crowd, Kind, Spectator, raise_file_limit
from tests.service.listening import PATIENCE
from tests.service.serving import serving
from tests.service.table_talk import SELVES
from tests.sizes import size

pytestmark = pytest.mark.anyio

ROOM = size(40, 1000)
"""How many spectators the server has room for."""


async def test_spectators_who_hang_up_leave_room_for_others(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No wait runs out at this server: it has noticed each of them."""
    monkeypatch.setenv("GINRUMMY_SPECTATORS", str(ROOM))
    raise_file_limit(4 * ROOM)
    with serving(sqlite_url, program=endless.PROGRAM) as server:
        async with httpx.AsyncClient(base_url=server.base, timeout=PATIENCE) as client:
            body = {"seats": SELVES, "visibility": "link"}
            watched = (await client.post("/v1/matches", json=body)).json()["match"]["id"]
            events = (await client.get(f"/v1/matches/{watched}/events")).json()
            crowd = Crowd(server.base, watched, events["next_after"], ROOM)
            for kind in KINDS:
                for leave in (Spectator.reset, Spectator.half_close, ask_for_more_and_reset):
                    waiting = await asyncio.to_thread(crowd.gather, kind)
                    async with asyncio.timeout(PATIENCE):
                        await assert_seats_are_served(client)
                    for one in waiting:
                        leave(one)
                    newer = await asyncio.to_thread(crowd.gather, "stream")
                    for one in (*waiting, *newer):
                        one.line.close()


KINDS: tuple[Kind, ...] = ("page", "stream")


def ask_for_more_and_reset(spectator: Spectator) -> None:
    spectator.ask_for_more()
    spectator.reset()


async def assert_seats_are_served(client: httpx.AsyncClient) -> None:
    """One seat of a new match hears by a stream, and the other by a page, what is played."""
    created = (await client.post("/v1/matches", json={"seats": SELVES, "first_dealer": 1})).json()
    match = f"/v1/matches/{created['match']['id']}"
    keys = [{"Authorization": f"Bearer {seat['token']}"} for seat in created["seats"]]
    events = (await client.get(f"{match}/seats/1/events", headers=keys[1])).json()
    asked = {"after": events["next_after"], "wait": 25}
    page = asyncio.create_task(client.get(f"{match}/seats/1/events", params=asked, headers=keys[1]))
    async with client.stream("GET", f"{match}/seats/0/events/stream", headers=keys[0]) as answer:
        lines = answer.aiter_lines()
        assert await anext(lines) == "event: snapshot"
        move = {"action": {"type": "pass"}, "expected_version": 1}
        assert (await client.post(f"{match}/seats/0/moves", json=move, headers=keys[0])).status_code == 201
        while await anext(lines) != "event: upcard_passed":
            pass
    assert [event["type"] for event in (await page).json()["items"]] == ["upcard_passed"]


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
    async with pouring() as (address, gone):
        with socket.create_connection(address) as silent:
            silent.sendall(ASKED)
            async with asyncio.timeout(PATIENCE):
                await gone.wait()


async def test_who_takes_nothing_and_closes_his_sending_side_is_gone_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("GONE_SECONDS", "PROBE_SECONDS"):
        monkeypatch.setattr(protocol, name, 30 * PATIENCE)
    async with pouring() as (address, gone):
        with socket.create_connection(address) as silent:
            silent.sendall(ASKED)
            await asyncio.to_thread(select.select, [silent], [], [], PATIENCE)
            silent.shutdown(socket.SHUT_WR)
            async with asyncio.timeout(PATIENCE):
                await gone.wait()


async def test_who_sends_too_much_behind_a_request_that_waits_is_cut_off() -> None:
    async with pouring() as (address, gone), asyncio.timeout(PATIENCE):
        _, writer = await asyncio.open_connection(*address)
        writer.write(ASKED + b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (1 << 30))
        with suppress(ConnectionError):
            for _ in range(50):
                writer.write(bytes(protocol.BEHIND_LIMIT // 5))
                await writer.drain()
        await gone.wait()
        writer.transport.abort()


async def test_who_is_answered_may_send_as_many_requests_as_he_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = 20_000
    monkeypatch.setattr(protocol, "BEHIND_LIMIT", limit)
    ahead, count = limit // 2 // len(ASKED), 5 * limit // len(ASKED)

    async def answer(_scope: object, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    async with running(answer) as address, asyncio.timeout(PATIENCE):
        reader, writer = await asyncio.open_connection(*address)
        writer.write(ASKED * ahead)
        for _ in range(count):
            writer.write(ASKED)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200")
            assert await reader.readexactly(2) == b"ok"
        writer.transport.abort()


ASKED = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"

Receive: TypeAlias = Callable[[], Awaitable[dict[str, Any]]]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]


@asynccontextmanager
async def pouring() -> AsyncIterator[tuple[Any, asyncio.Event]]:
    """A server whose answer is more than anybody takes at once, and whether its client is gone."""
    gone = asyncio.Event()

    async def pour(_scope: object, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(1 << 23), "more_body": True})
        while (await receive())["type"] != "http.disconnect":
            pass
        gone.set()

    async with running(pour) as address:
        yield address, gone


@asynccontextmanager
async def running(application: Any) -> AsyncIterator[Any]:  # noqa: ANN401  any application
    """The address of a server in this process."""
    config = uvicorn.Config(application, http=BoundedProtocol, port=0, lifespan="off", log_config=None)
    server = _Server(config, lambda: None, "none")
    serving_it = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110  nothing tells of it
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()
    finally:
        server.should_exit = True
        await serving_it
