"""What a stream first tells of the seat that has opened it: that it is here."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any
from uuid import UUID

import pytest

from service.db.errors import DatabaseUnavailableError
from service.events import tracker
from service.events.fanout import Pace
from service.events.follow import Follow
from service.events.store import Change, PresenceStore, Stay
from tests.service.hours import pass_by
from tests.service.listening import PATIENCE, Ear, Told, listening, until_followed
from tests.service.table_talk import SELVES, Party, house, ok
from tests.service.test_presence import here

pytestmark = pytest.mark.anyio

BRISK = Pace(poll_seconds=0.02, beat_seconds=0.3)
LATE = 0.05
"""Seconds: enough for whoever does not wait to be served first."""

OF_THE_PROCESS = {"_read", "_poll", "_beat", "_say"}
"""The tasks that read for all followers."""


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a while to write who has come, and a stream waits for that as long as it takes."""
    write = PresenceStore.write

    async def write_late(store: PresenceStore, changes: Sequence[Change]) -> None:
        await asyncio.sleep(LATE)
        await write(store, changes)

    monkeypatch.setattr(PresenceStore, "write", write_late)
    monkeypatch.setattr(tracker, "WRITTEN_SECONDS", PATIENCE)


def seats_of(told: Told) -> list[dict[str, Any]]:
    """What a snapshot, or an event about presence, says of the seats."""
    data = told.data if told.event == "presence" else told.data["presence"]
    seats: list[dict[str, Any]] = data["seats"]
    return seats


def assert_here(told: Told, *seats: int) -> None:
    """These seats are here and no other is, and it is known since when."""
    said = seats_of(told)
    assert [one["seat"] for one in said if one["status"] == "here"] == list(seats), told
    assert all(said[seat]["since"] is not None for seat in seats)


async def first_of(ear: Ear) -> Told:
    """The first event that says who is there."""
    while (told := await ear.next()).event not in {"snapshot", "reset", "presence"}:
        pass
    return told


async def last_of(party: Party) -> int:
    return int(ok(await party[0].events())["next_after"])


@pytest.mark.usefixtures("slow")
async def test_a_seat_is_here_in_its_own_first_snapshot(database_url: str) -> None:
    async with house(database_url) as table, AsyncExitStack() as stack:
        party = await table.create(SELVES[0], SELVES[0], SELVES[0], ruleset="penalty")
        for seat in range(3):
            ear = await stack.enter_async_context(listening(party[seat]))
            assert_here(await first_of(ear), *range(seat + 1))


@pytest.mark.usefixtures("slow")
async def test_seats_that_come_at_once_are_here_each_in_its_own_snapshot(database_url: str) -> None:
    async with house(database_url) as table, AsyncExitStack() as stack:
        parties = [await table.create() for _ in range(20)]
        people = [party[seat] for party in parties for seat in (0, 1, 1)]
        ears = [await stack.enter_async_context(listening(person)) for person in people]
        for person, ear in zip(people, ears, strict=True):
            said = seats_of(await first_of(ear))[person.seat or 0]
            assert said["status"] == "here"
            assert said["since"] is not None


@pytest.mark.usefixtures("slow")
async def test_a_seat_is_here_in_a_reset_and_after_a_cursor(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create()
        last = await last_of(party)
        async with listening(party[1]) as other:
            assert_here(await first_of(other), 1)
            for after, event in ((last + 1, "reset"), (last, "presence"), (0, "presence")):
                async with listening(party[0], after=after) as ear:
                    told = await first_of(ear)
                    assert told.event == event
                    assert_here(told, 0, 1)
                    assert await here(other) == {0: True, 1: True}
                assert await here(other) == {0: False, 1: True}


@pytest.mark.usefixtures("slow")
async def test_a_seat_that_comes_back_before_it_was_missed_is_here(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create()
        for _ in range(3):
            async with listening(party[0]) as ear:
                assert_here(await first_of(ear), 0)
                async with listening(party[0]) as second:
                    assert_here(await first_of(second), 0)
            await until_followed(table, 0)


@pytest.mark.usefixtures("slow")
async def test_a_seat_whose_process_died_is_here_at_another(database_url: str) -> None:
    async with house(database_url, replica="one", pace=BRISK) as table:
        party = await table.create()
        ghost = PresenceStore(table.session, "ghost")
        await table.store.beat("ghost")
        await ghost.write([Change(UUID(party.id), seat, here=True) for seat in (0, 1)])
        await pass_by(table.session, 60)
        async with listening(party[0]) as ear:
            told = await first_of(ear)
            assert_here(told, 0)
            assert seats_of(told)[0]["since"] > seats_of(told)[1]["since"]


async def test_a_seat_is_here_though_that_cannot_be_written(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the first snapshot nor a heartbeat waits for a database that writes nothing."""
    stuck = asyncio.Event()
    write = PresenceStore.write

    async def write_then(store: PresenceStore, changes: Sequence[Change]) -> None:
        await stuck.wait()
        await write(store, changes)

    async with house(database_url, pace=BRISK) as table, asyncio.timeout(PATIENCE):
        party = await table.create(first_dealer=1)
        last = await last_of(party)
        with monkeypatch.context() as slowly:
            slowly.setattr(PresenceStore, "write", write_then)
            for after in (None, last):
                async with listening(party[0], after=after) as ear:
                    assert seats_of(await first_of(ear))[0] == {"seat": 0, "status": "here", "since": None}
                    while (await ear.next()).event:
                        pass
            async with listening(party[0]) as ear:
                assert (await ear.event()).event == "snapshot"
                await party.play({"type": "pass"})
                assert (await ear.event()).event == "upcard_passed"
                stuck.set()
                assert await here(ear) == {0: True, 1: False}
                assert seats_of(ear.heard[-1])[0]["since"] is not None


async def test_a_stream_that_cannot_be_told_anything_yet_shows_that_it_lives(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(sqlite_url, pace=BRISK) as table:
        party = await table.create()

        async def away(*_: object) -> None:
            raise DatabaseUnavailableError

        with monkeypatch.context() as broken:
            broken.setattr(Follow, "snapshot", away)
            async with listening(party[0]) as ear:
                for _ in range(2):
                    assert (await ear.next()).data == "version 1"
                broken.undo()
                assert (await ear.event()).event == "snapshot"


async def test_an_answer_that_was_overtaken_does_not_say_that_a_seat_is_gone(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, held, overtaken = PresenceStore.read, asyncio.Event(), asyncio.Event()

    async def read_early(store: PresenceStore, ids: Sequence[UUID]) -> list[Stay]:
        stays = await read(store, ids)
        task = asyncio.current_task()
        if not held.is_set() and task is not None and task.get_name() not in OF_THE_PROCESS:
            held.set()  # a stream reads for its snapshot
            await overtaken.wait()
        return stays

    async with house(database_url) as table, AsyncExitStack() as stack:
        party = await table.create(visibility="link")
        watching = await stack.enter_async_context(listening(table.stranger(party.id)))
        assert seats_of(await first_of(watching))[0]["status"] == "gone"
        monkeypatch.setattr(PresenceStore, "read", read_early)
        second = await stack.enter_async_context(listening(table.stranger(party.id)))
        await held.wait()
        await stack.enter_async_context(listening(party[0]))
        assert await here(watching) == {0: True, 1: False}
        overtaken.set()
        assert seats_of(await first_of(second))[0]["status"] == "here"
        await stack.enter_async_context(listening(party[1]))
        assert await here(watching) == {0: True, 1: True}
