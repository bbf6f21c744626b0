"""Streams of the service in this process, read event by event as a client over a socket reads them."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from msgspec import Struct

from service.events.channel import Follower
from service.events.fanout import Fanout
from tests.service.table_talk import House, Person

PATIENCE = 30
"""How many seconds a test waits for what must come."""


class Told(Struct, frozen=True):
    """An event of a stream, or a comment, whose `event` is empty; `raw` is all of it."""

    event: str
    data: Any
    id: int | None
    raw: bytes


class Ear:
    """A client of a stream: it takes one message at a time, and reads only when it is asked to."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.ended = False
        self.heard: list[Told] = []
        self._rest = b""
        self._gone = asyncio.Event()
        self._started = asyncio.Event()
        self._sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue(1)

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            self._started.set()
        else:
            await self._sent.put(message)

    async def receive(self) -> dict[str, Any]:
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def started(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self._started.wait()

    def hang_up(self) -> None:
        self._gone.set()

    async def next(self) -> Told:
        """The next event or comment."""
        while b"\n\n" not in self._rest:
            assert not self.ended, "the stream has ended"
            async with asyncio.timeout(PATIENCE):
                message = await self._sent.get()
            self._rest += message["body"]
            if not message["more_body"]:
                self.ended = True
                self._gone.set()
        block, _, self._rest = self._rest.partition(b"\n\n")
        told = parsed(block)
        self.heard.append(told)
        return told

    async def event(self) -> Told:
        """The next event that is no comment and does not only tell who is there."""
        while (told := await self.next()).event in {"", "presence"}:
            pass
        return told

    async def until(self, event: str) -> list[Told]:
        """Every event up to one of a name, and that."""
        found = [await self.event()]
        while found[-1].event != event:
            found.append(await self.event())
        return found

    async def body(self) -> bytes:
        """All of an answer that is no stream."""
        return bytes((await self._sent.get())["body"])


def parsed(block: bytes) -> Told:
    fields = dict(line.split(": ", 1) for line in block.decode().split("\n"))
    if "" in fields:
        return Told("", fields[""], None, block)
    number = fields.get("id")
    return Told(fields["event"], json.loads(fields["data"]), None if number is None else int(number), block)


def followers(house: House) -> list[Follower]:
    """Whoever follows a match at a replica, with a stream or by waiting for a page."""
    fanout: Fanout = house.service.application.state["follow"]._fanout
    return [one for channel in fanout._channels.values() for one in channel.followers]


async def until_followed(house: House, count: int = 1) -> None:
    """Wait until so many follow at a replica."""
    async with asyncio.timeout(PATIENCE):
        while len(followers(house)) != count:  # noqa: ASYNC110  nothing tells of it
            await asyncio.sleep(0.001)


@asynccontextmanager
async def listening(
    person: Person,
    *,
    after: int | None = None,
    last: object = None,
    seat: int | None = None,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    ear: Ear | None = None,
) -> AsyncIterator[Ear]:
    """Open a stream for a person: of his seat, or of the public part if he has none."""
    house: House = person.house
    seat = person.seat if seat is None else seat
    place = "" if seat is None else f"/seats/{seat}"
    path = f"/v1/matches/{person.match_id}{place}/events/stream"
    given = {"host": "service"}
    given |= {} if person.token is None else {"authorization": f"Bearer {person.token}"}
    given |= {} if last is None else {"last-event-id": str(last)}
    given |= headers or {}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"" if after is None else f"after={after}".encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "client": ("test", 1),
        "server": ("service", 80),
    }
    ear = ear or Ear()
    serving = asyncio.create_task(house.service.asgi(scope, ear.receive, ear.send))  # type: ignore[arg-type]
    try:
        await ear.started()
        yield ear
    finally:
        ear.hang_up()
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving
