import pytest

from tests.service.listening import listening
from tests.service.table_talk import house, ok

pytestmark = pytest.mark.anyio


async def test_a_stream_begins_with_what_the_view_tells_and_goes_on_with_events(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(first_dealer=1)
        async with listening(party[0]) as ear:
            first = await ear.event()
            assert (first.event, first.id) == ("snapshot", first.data["seq"])
            assert first.data["view"] == await party[0].seen()
            await party.play({"type": "pass"})
            passed = await ear.event()
            page = ok(await party[0].events(first.id or 0))
            assert [passed.data] == page["items"]
            assert (passed.event, passed.id) == ("upcard_passed", page["next_after"])
            ok(await party[1].act({"type": "resign"}, await party.version()), 201)
            rest = await ear.until("bye")
            assert [told.event for told in rest] == ["resigned", "match_finished", "bye"]
            assert rest[-1].data == {"reason": "finished"}
            assert ear.ended
