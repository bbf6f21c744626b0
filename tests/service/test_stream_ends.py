"""How many may listen, for how long, and what is said to whoever may not any more."""

import asyncio
from contextlib import AsyncExitStack
from typing import NoReturn

import pytest

from service.db.errors import DatabaseUnavailableError
from service.events.fanout import Pace
from service.events.follow import Follow
from service.events.pools import OF_A_SEAT
from service.matches.store import Store
from tests.service.listening import Ear, followers, listening, until_followed
from tests.service.table_talk import Person, code_of, house, ok

pytestmark = pytest.mark.anyio

BRISK = Pace(poll_seconds=0.02, beat_seconds=0.3)
"""As a test wants it: heartbeats are soon, and other processes are looked after often."""


async def farewell(ear: Ear) -> str:
    """Why a stream is closed, after whatever it still tells."""
    told = (await ear.until("bye"))[-1]
    assert (told.id, ear.ended) == (None, True)
    return str(told.data["reason"])


async def test_a_fifth_stream_of_a_seat_closes_its_oldest(database_url: str) -> None:
    async with house(database_url) as table, AsyncExitStack() as stack:
        party = await table.create(visibility="link")
        watching = await stack.enter_async_context(listening(table.stranger(party.id)))
        ears = [await stack.enter_async_context(listening(party[0])) for _ in range(OF_A_SEAT)]
        other = await stack.enter_async_context(listening(party[1]))
        for ear in (watching, other, *ears):
            assert (await ear.event()).event == "snapshot"
        for number in range(2):
            ears.append(await stack.enter_async_context(listening(party[0])))
            assert (await ears[-1].event()).event == "snapshot"
            assert await farewell(ears[number]) == "replaced"
        ok(await party[1].act({"type": "resign"}, 1), 201)
        for ear in (watching, other, *ears[2:]):
            assert await farewell(ear) == "finished"


async def test_a_stream_that_was_closed_makes_room(sqlite_url: str) -> None:
    async with house(sqlite_url) as table, AsyncExitStack() as stack:
        party = await table.create()
        kept = [await stack.enter_async_context(listening(party[0])) for _ in range(OF_A_SEAT - 1)]
        for _ in range(3):
            async with listening(party[0]) as ear:
                assert (await ear.event()).event == "snapshot"
        ok(await party[1].act({"type": "resign"}, 1), 201)
        for ear in kept:
            assert await farewell(ear) == "finished"


async def test_spectators_share_a_pool_of_their_own(database_url: str) -> None:
    async with house(database_url, spectators=2) as table, AsyncExitStack() as stack:
        one, two = await table.create(visibility="link"), await table.create(visibility="link")
        strangers = [table.stranger(party.id) for party in (one, two)]
        ears = [await stack.enter_async_context(listening(person)) for person in strangers]
        for ear in ears:
            assert (await ear.event()).event == "snapshot"
        last = ok(await one[0].events())["next_after"]
        for what in ("events/stream", f"events?wait=1&after={last}"):
            refused = await table.call("GET", f"/matches/{one.id}/{what}")
            assert code_of(refused) == (503, "busy")
            assert refused.headers["retry-after"] == "1"
        async with listening(one[0]) as ear:
            assert (await ear.event()).event == "snapshot"
        ears[0].hang_up()
        await until_followed(table, 1)
        async with listening(strangers[0]) as ear:
            assert (await ear.event()).event == "snapshot"


async def test_a_heartbeat_tells_the_version(database_url: str) -> None:
    async with house(database_url, pace=BRISK) as table:
        party = await table.create(first_dealer=1)
        async with listening(party[0]) as ear:
            assert (await beat(ear)).removeprefix("version ") == "1"
            await party.play({"type": "pass"})
            while await beat(ear) != "version 2":
                pass


async def test_a_database_that_is_stuck_does_not_stop_heartbeats(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(sqlite_url, pace=BRISK) as table:
        party = await table.create()
        async with listening(party[0]) as ear:
            await beat(ear)

            async def stuck(*_: object) -> None:
                await asyncio.Event().wait()

            monkeypatch.setattr(Store, "heads", stuck)
            for _ in range(2):
                assert await beat(ear) == "version 1"


async def beat(ear: Ear) -> str:
    while (told := await ear.next()).event:
        pass
    return str(told.data)


async def test_a_replaced_token_ends_its_streams(database_url: str) -> None:
    async with (
        house(database_url, replica="one") as table,
        house(database_url, pace=BRISK, replica="two") as other,
    ):
        party = await table.create()
        watching = Person(table, party.id, None, party[0].token)
        places = (party[0], party[0].at(other), watching, watching.at(other))
        async with AsyncExitStack() as stack:
            ears = [await stack.enter_async_context(listening(person)) for person in places]
            own = await stack.enter_async_context(listening(party[1]))
            for ear in (*ears, own):
                assert (await ear.event()).event == "snapshot"
            token = ok(await party[0].rotate())["token"]
            assert [await farewell(ear) for ear in ears] == ["revoked"] * 4
            renewed = Person(table, party.id, 0, token)
            async with listening(renewed) as ear:
                assert (await ear.event()).event == "snapshot"
                ok(await renewed.act({"type": "resign"}, 1), 201)
                assert [await farewell(one) for one in (ear, own)] == ["finished"] * 2


async def test_an_answer_from_before_a_token_was_replaced_ends_nothing(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(first_dealer=1)
        before = (await table.row(party.id)).generations
        renewed = Person(table, party.id, 0, ok(await party[0].rotate())["token"])
        async with listening(renewed) as ear:
            assert (await ear.event()).event == "snapshot"
            followers(table)[0].channel.meet(before)
            await party[1].act({"type": "pass"}, 1)
            ok(await renewed.act({"type": "resign"}, await party.version()), 201)
            assert await farewell(ear) == "finished"
            async with listening(party[0]) as refused:
                assert refused.status == 401


async def test_a_process_that_stops_says_goodbye_to_whoever_waits_for_its_database(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(sqlite_url) as table:
        party = await table.create()

        async def stop(*_: object) -> NoReturn:
            table.service.drain()
            raise DatabaseUnavailableError

        monkeypatch.setattr(Follow, "snapshot", stop)
        async with listening(party[0]) as ear:
            assert await farewell(ear) == "draining"


async def test_a_process_that_stops_says_goodbye_and_takes_nobody(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(visibility="link")
        number = len(ok(await party[0].events())["items"])
        async with listening(party[0]) as ear, listening(table.stranger(party.id)) as watching:
            for one in (ear, watching):
                assert (await one.event()).event == "snapshot"
            waiting = asyncio.create_task(party[0].events(number, wait=25))
            await until_followed(table, 3)
            table.service.drain()
            assert [await farewell(one) for one in (ear, watching)] == ["draining"] * 2
            assert ok(await waiting) == {"items": [], "next_after": number, "reset": False}
        refused = await party[0].of_seat("GET", "events/stream")
        assert code_of(refused) == (503, "draining")
        assert refused.headers["retry-after"] == "1"
        assert code_of(await party[0].events(number, wait=1)) == (503, "draining")
        assert len(ok(await party[0].events(0, wait=1))["items"]) == number
