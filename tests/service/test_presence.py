import pytest

from tests.service.listening import Ear, listening
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


async def test_bots_are_not_told_of(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(BOT, SELVES[0])
        async with listening(party[1]) as ear:
            snapshot = await ear.event()
            assert [one["seat"] for one in snapshot.data["presence"]["seats"]] == [1]
