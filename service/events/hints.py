"""Hints between processes: that a match has moved, and to which version. Nothing depends on them.

A hint is a message on its match's channel of a Valkey or Redis server, and holds the version alone. A lost
one, and a server that is away, cost the interval after which the database is asked anyway.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Final
from uuid import UUID

import structlog
from valkey.asyncio import Valkey
from valkey.asyncio.client import PubSub

from service.db.writer import OnCommit

PREFIX: Final = "ginrummy:"

BACKLOG: Final = 10_000
"""The most matches whose hints wait to be sent; those of others are lost."""

SUBSCRIBED_AT_ONCE: Final = 500
"""The most channels that one command names."""

CONNECT_SECONDS: Final = 2.0
LISTEN_SECONDS: Final = 1.0
FIRST_PAUSE_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 5.0
"""How long a server that is away is left alone, at first and at most."""

_log = structlog.get_logger(__name__)


class Hints:
    """Tells other processes what this one has committed, and hears what they have; this one hears nobody."""

    @asynccontextmanager
    async def opened(self, heard: OnCommit) -> AsyncIterator[None]:  # noqa: ARG002  nobody is heard
        """Tell `heard` what others say, until the end of the block."""
        yield

    def publish(self, match_id: UUID, version: int) -> None:
        """Say that a match is at a version, or that something else of it has changed."""

    def follow(self, match_id: UUID) -> None:
        """Listen for what is said of a match."""

    def forget(self, match_id: UUID) -> None:
        """Listen no more for what is said of a match."""


class ValkeyHints(Hints):
    """Hints by way of a server, over one connection to speak and one to listen."""

    def __init__(self, url: str) -> None:
        self._client = Valkey.from_url(url, socket_connect_timeout=CONNECT_SECONDS, socket_keepalive=True)
        self._unsent: dict[UUID, int] = {}
        self._unsaid = asyncio.Event()
        self._wanted: set[UUID] = set()
        self._changed = asyncio.Event()
        self._echoes: set[tuple[UUID, int]] = set()

    @asynccontextmanager
    async def opened(self, heard: OnCommit) -> AsyncIterator[None]:
        """Tell `heard` what others say, until the end of the block."""

        async def listen() -> None:
            await self._listen(heard)

        tasks = [asyncio.create_task(_persistently(work)) for work in (self._speak, listen)]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await self._client.aclose()

    def publish(self, match_id: UUID, version: int) -> None:
        """Say that a match is at a version, as soon as the server can be reached; nobody waits for it."""
        if len(self._unsent) < BACKLOG:
            self._unsent[match_id] = version
            self._unsaid.set()

    def follow(self, match_id: UUID) -> None:
        """Listen for what is said of a match."""
        self._wanted.add(match_id)
        self._changed.set()

    def forget(self, match_id: UUID) -> None:
        """Listen no more for what is said of a match."""
        self._wanted.discard(match_id)
        self._changed.set()

    async def _speak(self) -> None:
        await self._unsaid.wait()
        self._unsaid.clear()
        said, self._unsent = self._unsent, {}
        if len(self._echoes) > BACKLOG:
            self._echoes.clear()  # nothing has come back for long
        pipeline = self._client.pipeline(transaction=False)
        for match_id, version in said.items():
            if match_id in self._wanted:
                self._echoes.add((match_id, version))
            pipeline.publish(f"{PREFIX}{match_id}", version)
        try:
            await pipeline.execute()
        except Exception:
            self._unsent = said | self._unsent
            self._unsaid.set()
            raise

    async def _listen(self, heard: OnCommit) -> None:
        """Listen until the server is away."""
        self._echoes.clear()
        async with self._client.pubsub(ignore_subscribe_messages=True) as line:
            subscribing = asyncio.create_task(self._subscribe(line))
            try:
                # The line is open once something is subscribed to.
                await line.subscribe(PREFIX)
                while True:
                    # Not for ever: the client may have changed the connection under who waits at it.
                    message = await line.get_message(timeout=LISTEN_SECONDS)
                    if message is not None:
                        self._take(message["channel"], message["data"], heard)
            finally:
                subscribing.cancel()
                await asyncio.gather(subscribing, return_exceptions=True)

    async def _subscribe(self, line: PubSub) -> None:
        """Keep what is subscribed to the same as what is wanted."""
        held: set[UUID] = set()
        self._changed.set()
        while True:
            await self._changed.wait()
            self._changed.clear()
            wanted = set(self._wanted)
            await _in_parts(line.subscribe, wanted - held)
            await _in_parts(line.unsubscribe, held - wanted)
            held = wanted

    def _take(self, channel: bytes, data: bytes, heard: OnCommit) -> None:
        """Pass a hint on, unless it is this process's own or no hint at all."""
        with suppress(ValueError):
            hint = UUID(channel.decode().removeprefix(PREFIX)), int(data)
            if hint in self._echoes:
                self._echoes.discard(hint)
            else:
                heard(*hint)


async def _in_parts(change: Callable[..., Awaitable[object]], ids: Iterable[UUID]) -> None:
    names = [f"{PREFIX}{match_id}" for match_id in ids]
    for start in range(0, len(names), SUBSCRIBED_AT_ONCE):
        await change(*names[start : start + SUBSCRIBED_AT_ONCE])


async def _persistently(work: Callable[[], Awaitable[None]]) -> None:
    """Repeat some work; after each failure in a row leave the server alone for longer."""
    pause = FIRST_PAUSE_SECONDS
    while True:
        began = monotonic()
        try:
            await work()
        except Exception as error:  # noqa: BLE001  whatever a broken line raises costs an interval
            if monotonic() - began > LONGEST_PAUSE_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            _log.warning("hints_away", error=type(error).__name__)
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311  replicas come back one by one
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
