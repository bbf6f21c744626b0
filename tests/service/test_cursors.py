"""A cursor from nowhere is told `reset`, whichever way somebody follows a match."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.service.listening import PATIENCE, followers, listening
from tests.service.table_talk import Answer, Party, Person, code_of, house, ok

pytestmark = pytest.mark.anyio

NO_NUMBERS = (-1, "01", "x", "", "9" * 30, "1.0", "\u0661", "1 ", "+1")
GREATEST = 10_000_000
"""The greatest number that `after` may be."""


@asynccontextmanager
async def audiences(url: str) -> AsyncIterator[tuple[Party, tuple[Person, ...], int]]:
    """A match, a seat and a spectator who follow it, and the number of its last event."""
    async with house(url) as table, asyncio.timeout(PATIENCE):
        party = await table.create(first_dealer=1, visibility="link")
        people = (party[0], table.stranger(party.id))
        yield party, people, len(ok(await party[0].events())["items"])


async def page(person: Person, after: int, wait: int) -> Answer:
    if person.seat is not None:
        return await person.events(after, wait=wait)
    return await person.public_events(params={"after": after, "wait": wait})


async def test_a_page_after_a_number_from_nowhere_is_a_reset_at_once(database_url: str) -> None:
    async with audiences(database_url) as (party, people, last):
        for person in people:
            for wait in (0, 25):
                for after in (last + 1, 999, GREATEST):
                    answer = ok(await page(person, after, wait))
                    assert answer == {"items": [], "next_after": last, "reset": True}
        assert followers(party.house) == []
        await party.play({"type": "pass"})
        for person in people:
            for wait in (0, 25):
                told = ok(await page(person, last, wait))
                assert [event["type"] for event in told["items"]] == ["upcard_passed"]
                assert (told["next_after"], told["reset"]) == (last + 1, False)
                assert ok(await page(person, 0, wait))["reset"] is False
            nothing_new = {"items": [], "next_after": last + 1, "reset": False}
            assert ok(await page(person, last + 1, 0)) == nothing_new
            assert code_of(await page(person, GREATEST + 1, 0)) == (400, "parameter-invalid")


async def test_a_stream_after_a_number_from_nowhere_begins_with_a_reset(database_url: str) -> None:
    async with audiences(database_url) as (_, people, last):
        for person in people:
            for number in (last + 1, 999, GREATEST):
                for after, header in ((number, None), (None, number), (1, number)):
                    async with listening(person, after=after, last=header) as ear:
                        first = await ear.event()
                        assert (first.event, first.id, first.data["seq"]) == ("reset", last, last)
            for text in (*NO_NUMBERS, 99_999_999):
                async with listening(person, after=1, last=text) as ear:
                    assert (await ear.event()).event == "reset", text


async def test_a_reset_shows_what_a_snapshot_shows(database_url: str) -> None:
    async with (
        audiences(database_url) as (party, (player, stranger), last),
        listening(player, after=last + 1) as ear,
        listening(stranger, last="x") as public,
    ):
        assert (await ear.event()).data["view"] == await player.seen()
        assert (await public.event()).data["match"] == ok(await stranger.match())
        await party.play({"type": "pass"})
        for one in (ear, public):
            assert (await one.event()).id == last + 1
