"""Who takes a place, from when on, and how it becomes free again."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

from service.events.pools import OF_A_SEAT
from tests.service.listening import PATIENCE, Ear, followers, listening, until_followed
from tests.service.table_talk import Answer, House, Person, code_of, house, ok

pytestmark = pytest.mark.anyio


class Deaf(Ear):
    """A client that does not even take the head of its answer; it may break the line instead."""

    def __init__(self) -> None:
        super().__init__()
        self._broken = asyncio.Event()

    async def send(self, message: dict[str, Any]) -> None:
        await super().send(message)
        await self._broken.wait()
        raise OSError

    def break_line(self) -> None:
        self._broken.set()


async def refused(house: House, match_id: str) -> bool:
    """Whether a spectator finds no place, for a stream, a page that waits, or by asking with HEAD."""
    last = ok(await house.call("GET", f"/matches/{match_id}/events"))["next_after"]
    asked = (
        ("GET", "events/stream"),
        ("GET", f"events?wait=25&after={last}"),
        ("HEAD", "events/stream"),
    )
    answers = [await house.call(method, f"/matches/{match_id}/{what}") for method, what in asked]
    for answer in answers[:2]:
        assert code_of(answer) == (503, "busy")
    return {(one.status_code, one.headers["retry-after"]) for one in answers} == {(503, "1")}


async def test_a_seats_streams_and_pages_share_its_places(database_url: str) -> None:
    async with house(database_url) as table, AsyncExitStack() as stack:
        party = await table.create(first_dealer=1)
        number = len(ok(await party[0].events())["items"])

        async def stream() -> Ear:
            ear = await stack.enter_async_context(listening(party[0]))
            assert (await ear.event()).event == "snapshot"
            return ear

        async def waiting(person: Person) -> asyncio.Task[Answer]:
            before = set(followers(table))
            page = asyncio.create_task(person.events(number, wait=25))
            async with asyncio.timeout(PATIENCE):
                while set(followers(table)) <= before:  # noqa: ASYNC110  nothing tells of it
                    await asyncio.sleep(0.001)
            return page

        first, second = await stream(), await stream()
        page, third = await waiting(party[0]), await stream()
        other = await waiting(party[1])
        newer = await waiting(party[0])
        assert (await first.until("bye"))[-1].data == {"reason": "replaced"}
        fourth = await stream()
        assert (await second.until("bye"))[-1].data == {"reason": "replaced"}
        fifth = await stream()
        assert ok(await page)["items"] == []
        await party.play({"type": "pass"})
        for ear in (third, fourth, fifth):
            assert (await ear.event()).event == "upcard_passed"
        for request in (newer, other):
            assert len(ok(await request)["items"]) == 1


async def test_a_place_is_taken_before_an_answer_begins(database_url: str) -> None:
    async with house(database_url, spectators=1) as table:
        party = await table.create(visibility="link")
        stranger = table.stranger(party.id)
        async with listening(stranger, ear=Deaf()):
            assert await refused(table, party.id)
        async with listening(stranger) as ear:
            assert (await ear.event()).event == "snapshot"
            assert await refused(table, party.id)


async def test_an_answer_that_never_begins_keeps_no_place(database_url: str) -> None:
    async with house(database_url, spectators=1) as table:
        party = await table.create(visibility="link")
        for person in (table.stranger(party.id), party[0]):
            deaf = Deaf()
            async with listening(person, ear=deaf), asyncio.timeout(PATIENCE):
                assert len(followers(table)) == 1
                deaf.break_line()
                await until_followed(table, 0)
            async with listening(person) as ear:
                assert (await ear.event()).event == "snapshot"


async def test_head_takes_no_place(sqlite_url: str) -> None:
    async with house(sqlite_url, spectators=1) as table, AsyncExitStack() as stack:
        party = await table.create(visibility="link", first_dealer=1)
        ears = []
        for person in (table.stranger(party.id), *[party[0]] * OF_A_SEAT):
            assert await head_is_answered(person)
            ears.append(await stack.enter_async_context(listening(person)))
            assert (await ears[-1].event()).event == "snapshot"
        assert await refused(table, party.id)
        assert await head_is_answered(party[0])
        await party.play({"type": "pass"})
        for ear in ears:
            assert (await ear.event()).event == "upcard_passed"


async def head_is_answered(person: Person) -> bool:
    async with listening(person, method="HEAD") as ear:
        return (ear.status, await ear.body()) == (200, b"")
