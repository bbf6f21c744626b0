"""An evening of matches at any door, with followers at each, while parts of the layout come and go."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import httpx
from msgspec import Struct

from service.matches.store import Store
from tests.replicas.layout import Layout
from tests.replicas.roaming import roaming
from tests.replicas.streams import Follower, Json
from tests.service.guests import TABLES, Guest
from tests.service.settled import settled
from tests.service.steps import opened
from tests.service.table_talk import BOT, SELVES, ok
from tests.sizes import size

PLAYED: Final[tuple[Json, ...]] = (
    *TABLES,
    *({"ruleset": "classic", "seats": [SELVES[0], BOT]},) * size(0, 1),  # to 100 points, as the preset has it
)
AT_ONCE: Final = size(4, 12)
PATIENCE_SECONDS: Final = size(300, 10_000)
"""When to give up: something hangs."""

Upheaval = Callable[[Layout, "Evening"], Awaitable[None]]


class Told(Struct, frozen=True):
    """What an evening was like."""

    matches: int
    reconnections: int
    farewells: frozenset[str]


class Evening:
    """Matches that are played to their end, each followed by its seats and by spectators."""

    def __init__(self, layout: Layout, dice: random.Random) -> None:
        self._layout = layout
        self._dice = dice
        self._answers = 0
        self._bell = asyncio.Event()
        self._started = 0
        self._played: dict[str, int] = {}
        """The last version of each match that is over."""
        self._upheavals = 0
        self._followers: list[Follower] = []

    async def spend(self, matches: int, *upheavals: Upheaval) -> Told:
        """Play at least so many matches, and on until everything that is to happen has happened."""
        self._upheavals = len(upheavals)
        async with (
            asyncio.timeout(PATIENCE_SECONDS),
            roaming(self._layout.doors, self._dice) as client,
            httpx.AsyncClient(timeout=None, limits=httpx.Limits(max_connections=None)) as listening,  # noqa: S113  a stream may be silent
            asyncio.TaskGroup() as tasks,
        ):
            tasks.create_task(self._suffer(upheavals))
            for _ in range(AT_ONCE):
                tasks.create_task(self._sit(matches, client, listening))
        async with opened(self._layout.database_url) as session:
            for match_id, version in self._played.items():
                assert (await settled(Store(session), match_id)).match.version == version
        return Told(
            len(self._played),
            sum(one.connections - 1 for one in self._followers),
            frozenset(reason for one in self._followers for reason in one.farewells),
        )

    async def answers(self, number: int) -> None:
        """Return when so many more requests were answered."""
        wanted = self._answers + number
        await self._until(lambda: self._answers >= wanted)

    async def over(self, matches: int) -> None:
        """Return when so many matches were played to their end."""
        await self._until(lambda: len(self._played) >= matches)

    async def _until(self, true: Callable[[], bool]) -> None:
        while not true():
            self._bell.clear()
            await self._bell.wait()

    def _heard(self) -> None:
        self._answers += 1
        self._bell.set()

    async def _suffer(self, upheavals: Sequence[Upheaval]) -> None:
        for upheaval in upheavals:
            await upheaval(self._layout, self)
            self._upheavals -= 1

    async def _sit(self, matches: int, client: httpx.AsyncClient, listening: httpx.AsyncClient) -> None:
        while self._started < matches or self._upheavals:
            self._started += 1
            await self._play(PLAYED[self._started % len(PLAYED)], client, listening)
            self._bell.set()

    async def _play(self, table: Json, client: httpx.AsyncClient, listening: httpx.AsyncClient) -> None:
        guest = Guest(table, self._heard)
        await guest.step(client)
        followers = self._followers_of(guest)
        self._followers += followers
        async with asyncio.TaskGroup() as tasks:
            for follower, door in zip(followers, self._layout.doors * len(followers), strict=False):
                tasks.create_task(follower.follow(listening, door))
            await guest.finish(client)
        for follower in followers:
            log = await log_of(client, follower)
            assert [event["seq"] for event in log] == list(range(1, len(log) + 1))
            assert follower.heard == log[follower.first :]
        versions = [step["version"] for one in guest.confirmed for step in (one.move, *one.replies)]
        assert versions == list(range(versions[0], guest.version + 1))
        self._played[str(guest.match_id)] = guest.version

    def _followers_of(self, guest: Guest) -> list[Follower]:
        match = f"/v1/matches/{guest.match_id}"
        audiences = [
            (f"{match}/events", None),
            *((f"{match}/seats/{seat}/events", token) for seat, token in guest.tokens.items()),
        ]
        self._dice.shuffle(audiences)
        return [
            Follower(path, token, self._layout.doors, self._dice, from_start=from_start)
            for path, token in audiences
            for from_start in (True, False)
        ]


async def log_of(client: httpx.AsyncClient, follower: Follower) -> list[Json]:
    """All that the follower's audience may read of the match's log."""
    log: list[Json] = []
    while True:
        asked = {"after": len(log), "limit": 1000}
        page = ok(await client.get(follower.path, params=asked, headers=follower.headers))
        if not page["items"]:
            return log
        log += page["items"]
