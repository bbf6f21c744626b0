"""Pages that are worth waiting for."""

import asyncio

import pytest

from tests.service.listening import followers, until_followed
from tests.service.table_talk import Answer, Person, code_of, house, ok

pytestmark = pytest.mark.anyio

LONG = 25


async def waited(person: Person, after: int) -> asyncio.Task[Answer]:
    """A request for the page after a number, once it waits."""
    before = len(followers(person.house))
    request = asyncio.create_task(person.events(after, wait=LONG))
    await until_followed(person.house, before + 1)
    return request


async def test_a_page_comes_as_soon_as_there_is_something_in_it(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(first_dealer=1, visibility="link")
        number = len(ok(await party[0].events())["items"])
        own = await waited(party[1], number)
        asked = {"after": number, "wait": LONG}
        public = asyncio.create_task(table.stranger(party.id).public_events(params=asked))
        await until_followed(table, 2)
        await party.play({"type": "pass"})
        for request in (own, public):
            page = ok(await request)
            assert [event["type"] for event in page["items"]] == ["upcard_passed"]
            assert page["next_after"] == number + 1
        assert followers(table) == []


async def test_what_is_there_is_not_waited_for(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create()
        assert ok(await party[0].events(0, wait=LONG)) == ok(await party[0].events())


async def test_a_page_is_empty_after_the_wait(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create()
        number = len(ok(await party[0].events())["items"])
        for after in (number, number + 5):
            assert ok(await party[0].events(after, wait=1)) == {"items": [], "next_after": after}
        assert followers(table) == []


async def test_a_move_at_another_replica_ends_the_wait(database_url: str) -> None:
    async with house(database_url, replica="one") as table, house(database_url, replica="two") as other:
        party = await table.create(first_dealer=1)
        number = len(ok(await party[0].events())["items"])
        request = await waited(party[0].at(other), number)
        await party.play({"type": "pass"})
        assert len(ok(await request)["items"]) == 1


async def test_whoever_waits_with_a_replaced_token_is_refused(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create()
        number = len(ok(await party[0].events())["items"])
        request = await waited(party[0], number)
        ok(await party[0].rotate())
        assert code_of(await request) == (401, "unauthenticated")


async def test_a_fifth_request_that_waits_answers_the_oldest(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create()
        number = len(ok(await party[0].events())["items"])
        requests = [await waited(party[0], number) for _ in range(4)]
        requests.append(asyncio.create_task(party[0].events(number, wait=LONG)))
        assert ok(await requests[0]) == {"items": [], "next_after": number}
        await party[1].act({"type": "resign"}, 1)
        for request in requests[1:]:
            assert len(ok(await request)["items"]) == 3


async def test_how_long_to_wait_is_bounded(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create()
        for wait in ("-1", "26", "01", "1.5", ""):
            answer = await party[0].of_seat("GET", "events", params={"wait": wait})
            assert code_of(answer) == (400, "parameter-invalid"), wait
