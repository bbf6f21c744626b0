"""Hints between processes: that a match has moved, and to which version. Nothing depends on them.

A message on the one channel names matches and their versions, and who says so. A lost one, and a server that
is away, cost the interval after which the database is asked anyway.
"""

import asyncio
import random
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Final
from uuid import UUID

import structlog
from valkey.asyncio import Valkey

from service.db.writer import OnCommit

CHANNEL: Final = "ginrummy:hints"

BACKLOG: Final = 10_000
"""The most matches whose hints wait to be sent; those of others are lost."""

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


class ValkeyHints(Hints):
    """Hints by way of a server, over one connection to speak and one to listen."""

    def __init__(self, url: str) -> None:
        self._client = Valkey.from_url(url, socket_connect_timeout=CONNECT_SECONDS, socket_keepalive=True)
        self._name = secrets.token_hex(8)
        self._unsent: dict[UUID, int] = {}
        self._unsaid = asyncio.Event()

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

    async def _speak(self) -> None:
        """Say all that is unsaid in one message: a batch of the writer costs one."""
        await self._unsaid.wait()
        self._unsaid.clear()
        said, self._unsent = self._unsent, {}
        try:
            await self._client.publish(CHANNEL, message_of(self._name, said))
        except Exception:
            self._unsent = said | self._unsent
            self._unsaid.set()
            raise

    async def _listen(self, heard: OnCommit) -> None:
        """Listen until the server is away."""
        async with self._client.pubsub(ignore_subscribe_messages=True) as line:
            await line.subscribe(CHANNEL)
            while True:
                message = await line.get_message(timeout=LISTEN_SECONDS)
                if message is None:
                    continue
                speaker, said = read_message(message["data"])
                if speaker != self._name:
                    for match_id, version in said:
                        heard(match_id, version)


def message_of(speaker: str, said: dict[UUID, int]) -> str:
    """Return what a process says as one message: its name, then ``match:version`` for each, by spaces."""
    return " ".join([speaker, *(f"{match_id}:{version}" for match_id, version in said.items())])


def read_message(data: bytes) -> tuple[str, list[tuple[UUID, int]]]:
    """Return who speaks and what he says; what is no hint is left out."""
    speaker, *hints = data.decode("ascii", "replace").split(" ")
    said: list[tuple[UUID, int]] = []
    for hint in hints:
        match_id, _, version = hint.partition(":")
        with suppress(ValueError):
            said.append((UUID(match_id), int(version)))
    return speaker, said


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
