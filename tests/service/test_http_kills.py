import asyncio
import random
import signal
from collections.abc import AsyncIterator, Awaitable, Iterable, Sequence
from contextlib import asynccontextmanager

import httpx
import pytest

from service.matches.store import Store
from tests.service.guests import TABLES, Guest
from tests.service.serving import Server, serving
from tests.service.settled import locked, settled
from tests.service.steps import opened
from tests.service.table_talk import code_of
from tests.sizes import size

pytestmark = pytest.mark.anyio

ENDS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: 0}
"""How a server has ended that was sent a signal."""


class Fuse:
    """Sends a server a signal in the middle of its work: when so many answers have been heard."""

    def __init__(self) -> None:
        self._left = 0

    def light(self, server: Server, number: signal.Signals, answers: int) -> None:
        self._server, self._signal, self._left = server, number, answers

    def __call__(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._server.process.send_signal(self._signal)


@asynccontextmanager
async def calling(server: Server) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=server.base, timeout=60) as client:
        yield client


@asynccontextmanager
async def stored(url: str) -> AsyncIterator[Store]:
    async with opened(url) as session:
        yield Store(session)


async def until_the_server_is_gone(played: Iterable[Awaitable[None]]) -> None:
    for ended in await asyncio.gather(*played, return_exceptions=True):
        assert isinstance(ended, httpx.TransportError), ended


async def keep_what_was_confirmed(store: Store, guests: Sequence[Guest]) -> None:
    for guest in guests:
        if guest.match_id is not None:
            assert (await settled(store, guest.match_id)).match.version >= guest.version


async def end_well(url: str, store: Store, guests: Sequence[Guest]) -> None:
    """Serve until every match is over; then every match that was ever made is whole."""
    with serving(url) as server:
        async with calling(server) as client:
            await asyncio.gather(*(guest.finish(client) for guest in guests))
    rows = await store.list_public(status=None, ruleset=None, cursor=None, limit=1_000_000)
    tables = {str(row.id): await settled(store, row.id) for row in rows}
    for guest in guests:
        assert tables[str(guest.match_id)].row.status == "finished"


async def test_a_kill_between_requests_loses_nothing(database_url: str) -> None:
    guests = [Guest(table, Fuse()) for table in TABLES]
    async with stored(database_url) as store:
        for _ in range(size(1, 20)):
            with serving(database_url) as server:
                async with calling(server) as client:
                    for guest in guests:
                        await confirm_all(guest, client)
                        for _ in range(3):
                            await guest.step(client)
                        view = await guest.view(client)
                        if view["status"] == "playing":
                            await guest.propose(client, view)
                server.process.kill()
            for guest in guests:
                assert (await settled(store, str(guest.match_id))).match.version == guest.version
        with serving(database_url) as server:
            async with calling(server) as client:
                for guest in guests:
                    await confirm_all(guest, client)


async def confirm_all(guest: Guest, client: httpx.AsyncClient) -> None:
    """What was confirmed is told again, and what was only proposed can be played."""
    await guest.confirm_again(client)
    if guest.asked is not None:
        assert (await guest.confirm(client)).status_code == 201


@pytest.mark.parametrize("number", ENDS)
async def test_a_stop_during_requests_loses_no_confirmed_move_and_leaves_no_half_of_one(
    database_url: str, number: signal.Signals
) -> None:
    dice = random.Random(1)
    fuse = Fuse()
    guests = [Guest(table, fuse) for table in TABLES * size(1, 3)]
    async with stored(database_url) as store:
        for _ in range(size(1, 40)):
            with serving(database_url) as server:
                fuse.light(server, number, dice.randrange(1, 300))
                async with calling(server) as client:
                    await until_the_server_is_gone(guest.play(client) for guest in guests)
                assert server.process.wait(30) == ENDS[number]
            await keep_what_was_confirmed(store, guests)
        await end_well(database_url, store, guests)


async def test_a_stop_that_cannot_wait_any_longer_is_told_and_leaves_no_half_of_a_move(
    database_url: str,
) -> None:
    # A bot may end a short match before the guest has moved thrice.
    guests = [Guest({**table, "overrides": {"deals": 20}}, Fuse()) for table in TABLES]
    async with stored(database_url) as store:
        with serving(database_url) as server:
            async with calling(server) as client:
                for guest in guests:
                    for _ in range(2):
                        await guest.step(client)
                    await guest.propose(client, await guest.view(client))
                async with locked(database_url):
                    waiting = [asyncio.create_task(guest.send(client)) for guest in guests]
                    await asyncio.sleep(1)  # they have arrived, and wait
                    server.process.terminate()
                    answers = await asyncio.gather(*waiting)
                for answer in answers:
                    assert code_of(answer) == (503, "draining")
                    assert answer.headers["retry-after"] == "1"
            assert server.process.wait(30) == 0
        await keep_what_was_confirmed(store, guests)
