"""Pages that are worth waiting for."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from service.db.rows import StoredMatch
from service.events import follow
from service.matches.store import Store
from service.matches.table import Table, read
from tests.service.listening import PATIENCE, followers, listening, until_followed
from tests.service.table_talk import Answer, Person, code_of, house, ok

pytestmark = pytest.mark.anyio

LONG = 25


async def waited(person: Person, after: int) -> asyncio.Task[Answer]:
    """A request for the page after a number, once it waits."""
    before = len(followers(person.house))
    request = asyncio.create_task(person.events(after, wait=LONG))
    await until_followed(person.house, before + 1)
    return request


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wait runs out: a request that waits is answered because something happened, or never."""
    news = follow._Waiter.news
    monkeypatch.setattr(follow._Waiter, "news", lambda waiter, _seconds: news(waiter, None))


def before_joining(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Awaitable[object]]) -> None:
    """Have something happen once, between reading a match for a caller and letting him follow it."""
    first = iter([True])

    async def read_and_act(store: Store, row: StoredMatch) -> Table:
        table = await read(store, row)
        if next(first, False):
            await act()
        return table

    monkeypatch.setattr(follow, "read", read_and_act)


@pytest.mark.usefixtures("endless")
async def test_an_event_between_reading_and_joining_is_told_at_once(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(database_url) as table, asyncio.timeout(PATIENCE):
        party = await table.create(first_dealer=1, visibility="link")
        number = len(ok(await party[0].events())["items"])
        stranger = table.stranger(party.id)
        async with listening(party[1]) as ear:
            assert (await ear.event()).event == "snapshot"

            async def move() -> None:
                await party.play({"type": "pass"})
                assert (await ear.event()).event == "upcard_passed"  # nothing is left to wake anybody

            for person in (party[0], stranger):
                before_joining(monkeypatch, move)
                asked = {"after": number, "wait": LONG}
                answer = await (
                    person.events(**asked) if person.seat == 0 else person.public_events(params=asked)
                )
                page = ok(answer)
                assert [event["type"] for event in page["items"]] == ["upcard_passed"]
                number = page["next_after"]


@pytest.mark.usefixtures("endless")
async def test_a_token_that_is_replaced_between_reading_and_joining_opens_nothing(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(database_url) as table, asyncio.timeout(PATIENCE):
        party = await table.create()
        number = len(ok(await party[0].events())["items"])
        token = party[0].token
        async with listening(party[1]) as ear:
            assert (await ear.event()).event == "snapshot"

            async def replace() -> None:
                nonlocal token
                async with listening(Person(table, party.id, 0, token)) as own:
                    token = ok(await Person(table, party.id, 0, token).rotate())["token"]
                    assert (await own.until("bye"))[-1].data == {"reason": "revoked"}

            stale = Person(table, party.id, 0, token)
            before_joining(monkeypatch, replace)
            assert code_of(await stale.events(number, wait=LONG)) == (401, "unauthenticated")
            stale = Person(table, party.id, 0, token)
            before_joining(monkeypatch, replace)
            async with listening(stale) as late:
                assert [told.event for told in await late.until("bye")] == ["bye"]
                assert late.heard[-1].data == {"reason": "revoked"}
            async with listening(Person(table, party.id, 0, token)) as own:
                assert (await own.event()).event == "snapshot"


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
        nothing_new = {"items": [], "next_after": number, "reset": False}
        assert ok(await party[0].events(number, wait=1)) == nothing_new
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
        assert ok(await requests[0]) == {"items": [], "next_after": number, "reset": False}
        await party[1].act({"type": "resign"}, 1)
        for request in requests[1:]:
            assert len(ok(await request)["items"]) == 3


async def test_how_long_to_wait_is_bounded(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create()
        for wait in ("-1", "26", "01", "1.5", ""):
            answer = await party[0].of_seat("GET", "events", params={"wait": wait})
            assert code_of(answer) == (400, "parameter-invalid"), wait
