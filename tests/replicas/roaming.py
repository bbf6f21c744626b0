"""A client that asks any door, and another one where nobody answers."""

import asyncio
import random
from collections.abc import Sequence
from typing import Final

import httpx

AWAY: Final = frozenset({502, 503, 504})
"""What a door answers that has nobody behind it, or a replica that cannot serve just now."""

PAUSE: Final = 0.05
PATIENCE: Final = httpx.Timeout(60)


class AnyDoor(httpx.AsyncBaseTransport):
    """Sends each request to a door at random until one has answered it.

    So a request may be served twice, which every call but that of a new match allows.
    """

    def __init__(self, doors: Sequence[str], dice: random.Random) -> None:
        self._doors = [httpx.URL(door) for door in doors]
        self._dice = dice
        self._inner = httpx.AsyncHTTPTransport(limits=httpx.Limits(max_connections=None))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        headers = {name: value for name, value in request.headers.items() if name != "host"}
        while True:
            door = self._dice.choice(self._doors)
            url = request.url.copy_with(host=door.host, port=door.port)
            sent = httpx.Request(
                request.method, url, headers=headers, content=body, extensions=request.extensions
            )
            try:
                answer = await self._inner.handle_async_request(sent)
                await answer.aread()
            except httpx.TransportError:
                pass
            else:
                if answer.status_code not in AWAY:
                    return answer
            await asyncio.sleep(PAUSE)

    async def aclose(self) -> None:
        await self._inner.aclose()


def roaming(doors: Sequence[str], dice: random.Random) -> httpx.AsyncClient:
    """A client to whom the doors are one service."""
    return httpx.AsyncClient(base_url="http://anywhere", transport=AnyDoor(doors, dice), timeout=PATIENCE)
