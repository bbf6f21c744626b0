import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from uuid import UUID

import pytest

from service.events.fanout import Fanout, Pace
from service.events.store import Change, PresenceStore, Stay
from tests.service.hours import pass_by
from tests.service.listening import PATIENCE, Ear, listening, until_followed
from tests.service.table_talk import BOT, SELVES, house

pytestmark = pytest.mark.anyio


async def here(ear: Ear) -> dict[int, bool]:
    """Which seats are there, as the stream tells next."""
    while (told := await ear.next()).event != "presence":
        assert told.event == ""
    assert told.id is None
    return {one["seat"]: one["status"] == "here" for one in told.data["seats"]}


async def test_a_seat_is_here_while_it_has_a_stream(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(visibility="link")
        async with listening(table.stranger(party.id)) as watching:
            first = await watching.event()
            assert first.data["presence"]["seats"] == [
                {"seat": seat, "status": "gone", "since": None} for seat in (0, 1)
            ]
            async with listening(party[0]) as ear:
                assert await here(watching) == {0: True, 1: False}
                snapshot = await ear.event()
                assert snapshot.event == "snapshot"
                async with listening(party[0]):
                    async with listening(party[1]):
                        assert await here(watching) == {0: True, 1: True}
                    assert await here(watching) == {0: True, 1: False}
            assert await here(watching) == {0: False, 1: False}
            last = watching.heard[-1].data["seats"]
            assert last[0]["since"] >= last[1]["since"]


async def test_who_leaves_while_the_others_are_looked_up_is_missed(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(sqlite_url) as table, AsyncExitStack() as stack:
        party = await table.create(visibility="link")
        fanout: Fanout = table.service.application.state["follow"]._fanout
        watching = await stack.enter_async_context(listening(table.stranger(party.id)))
        assert (await watching.event()).event == "snapshot"
        ear = await stack.enter_async_context(listening(party[0]))
        assert await here(watching) == {0: True, 1: False}
        read, late = PresenceStore.read, iter([True])

        async def found(self: PresenceStore, ids: Sequence[UUID]) -> list[Stay]:
            stays = await read(self, ids)
            if next(late, False):
                ear.hang_up()
                await until_followed(table, 1)
                while fanout._door.is_set():  # noqa: ASYNC110  nothing tells of it
                    await asyncio.sleep(0.001)
            return stays

        monkeypatch.setattr(PresenceStore, "read", found)
        fanout.heard(UUID(party.id), 0)
        while (await here(watching))[0]:
            pass


async def test_bots_are_not_told_of(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(BOT, SELVES[0])
        async with listening(party[1]) as ear:
            snapshot = await ear.event()
            assert [one["seat"] for one in snapshot.data["presence"]["seats"]] == [1]


BRISK = Pace(poll_seconds=0.02, beat_seconds=0.3)


async def test_a_seat_is_here_at_whichever_process(database_url: str) -> None:
    async with (
        house(database_url, replica="one", pace=BRISK) as table,
        house(database_url, replica="two", pace=BRISK) as other,
    ):
        party = await table.create(visibility="link")
        async with listening(other.stranger(party.id)) as watching:
            assert (await watching.event()).event == "snapshot"
            async with listening(party[0]):
                assert await here(watching) == {0: True, 1: False}
                async with listening(party[0].at(other)) as ear:
                    snapshot = await ear.event()
                    assert snapshot.data["presence"]["seats"][0]["status"] == "here"
            while (await here(watching))[0]:
                pass  # one of the two said so first


async def test_a_process_that_is_gone_takes_its_streams_along(database_url: str) -> None:
    async with house(database_url, replica="one", pace=BRISK) as table:
        party = await table.create(visibility="link")
        ghost = PresenceStore(table.session, "ghost")
        async with listening(table.stranger(party.id)) as watching:
            assert (await watching.event()).event == "snapshot"
            await table.store.beat("ghost")
            await ghost.write([Change(UUID(party.id), 0, here=True)])
            assert await here(watching) == {0: True, 1: False}
            await pass_by(table.session, 60)
            assert await here(watching) == {0: False, 1: False}


async def test_nothing_is_kept_of_who_was_at_a_match_that_is_over(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create()
        said = PresenceStore(table.session, "another")
        async with asyncio.timeout(PATIENCE), listening(party[0]) as ear:
            while not await said.read([UUID(party.id)]):
                pass
            await party[1].act({"type": "resign"}, 1)
            await ear.until("bye")
        async with asyncio.timeout(PATIENCE):
            while await said.read([UUID(party.id)]):
                pass
