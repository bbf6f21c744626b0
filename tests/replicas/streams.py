"""Somebody who follows a match, wherever the service can be reached, and remembers what he was told."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, TypeAlias

import httpx
from msgspec import Struct

from tests.replicas.roaming import AWAY, PAUSE

Json: TypeAlias = dict[str, Any]


class Message(Struct, frozen=True):
    """A server-sent event; `id` is None where the cursor stays where it is."""

    event: str
    id: int | None
    data: Json


async def messages(answer: httpx.Response) -> AsyncIterator[Message]:
    """The events of a stream, without its comments."""
    fields: dict[str, str] = {}
    async for line in answer.aiter_lines():
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            number = fields.get("id")
            yield Message(
                fields["event"], None if number is None else int(number), json.loads(fields["data"])
            )
            fields = {}


class Follower:
    """Follows a match as one audience, from the start of the log or from a snapshot, to the end of the match.

    Where a stream breaks he goes on at any door with the number of the last event that he heard.
    """

    def __init__(
        self, path: str, token: str | None, doors: Sequence[str], dice: random.Random, *, from_start: bool
    ) -> None:
        self.path = path
        self.token = token
        self.heard: list[Json] = []
        self.first = 0
        """The last event that he did not hear, for the snapshot told of it."""
        self.connections = 0
        self.farewells: list[str] = []
        self._cursor: int | None = None
        self._from_start = from_start
        self._doors = doors
        self._dice = dice

    @property
    def headers(self) -> Mapping[str, str]:
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}

    async def follow(self, client: httpx.AsyncClient, door: str) -> None:
        """Listen until the match is over, first at a certain door."""
        while "finished" not in self.farewells:
            try:
                await self._listen(client, door)
            except httpx.TransportError:
                await asyncio.sleep(PAUSE)
            door = self._dice.choice(self._doors)

    async def _listen(self, client: httpx.AsyncClient, door: str) -> None:
        cursor = {} if self._cursor is None else {"Last-Event-ID": str(self._cursor)}
        query = "?after=0" if self._from_start and self._cursor is None else ""
        url = f"{door}{self.path}/stream{query}"
        async with client.stream("GET", url, headers={**self.headers, **cursor}) as answer:
            if answer.status_code in AWAY:
                await asyncio.sleep(PAUSE)
                return
            assert answer.status_code == 200, await answer.aread()
            assert answer.headers["content-type"].startswith("text/event-stream")
            self.connections += 1
            async for message in messages(answer):
                self._take(message)

    def _take(self, message: Message) -> None:
        if message.event == "bye":
            self.farewells.append(message.data["reason"])
        elif message.event == "snapshot":
            assert self._cursor is None
            assert not self._from_start
            assert message.id is not None
            self._cursor = self.first = message.id
        elif message.id is not None:
            assert message.event == message.data["type"]  # and so no `reset`
            assert message.id == message.data["seq"]
            self._cursor = message.id
            self.heard.append(message.data)
