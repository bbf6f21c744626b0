"""Clients that wait for an answer, and how the service notices that one of them is gone."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from litestar.types import Receive


class Client:
    """Who waits for an answer. Whatever lets a client wait notices through this that the client has gone.

    A client is gone when its connection is closed or reset, when it has closed its sending side, and when
    the system has given the connection up.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive

    async def gone(self) -> None:
        """Return as soon as the client is gone, or has been sent the whole answer."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    @asynccontextmanager
    async def watched(self, stop: Callable[[], None]) -> AsyncIterator[None]:
        """Call `stop` if the client goes before the end of the block."""

        async def watch() -> None:
            await self.gone()
            stop()

        watching = asyncio.create_task(watch())
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.wait([watching])
