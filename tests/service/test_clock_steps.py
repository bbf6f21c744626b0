"""The database's clock is set forward or back, by an hour or a day: turns last as long as they should."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any, Final
from uuid import UUID

import pytest

from service.events.store import Change, PresenceStore
from service.matches import house as houses_
from tests.service.hours import houses, run_out, set_clock
from tests.service.listening import PATIENCE
from tests.service.players import audit
from tests.service.table_talk import Party, code_of, house, ok

pytestmark = pytest.mark.anyio

HOUR: Final = 3600
DAY: Final = 24 * HOUR
TURN: Final = 600
LEFT: Final = 300
SLACK: Final = 60
"""How many seconds a test may hang without failing; every step of a clock is far larger."""
AT_ANAS: Final[dict[str, Any]] = {"first_dealer": 1, "clock": {"turn_seconds": TURN}}
STRICT: Final[dict[str, Any]] = {
    "first_dealer": 1,
    "clock": {"turn_seconds": TURN, "on_timeout": "forfeit"},
}
PASS: Final = {"type": "pass"}
NOT_YET: Final = (409, "deadline-not-reached")

every_step = pytest.mark.parametrize("seconds", [-DAY, -HOUR, HOUR, DAY])
steps = pytest.mark.parametrize("seconds", [-HOUR, DAY])


async def left(party: Party) -> float:
    """The seconds that the seat in turn has left, as a judge reads them."""
    (row,) = await party.house.session.read([UUID(party.id)])
    assert row.overtime is not None
    return -row.overtime


async def is_left(party: Party, seconds: float) -> None:
    found = await left(party)
    assert seconds - SLACK < found < seconds + SLACK, found
    assert found <= TURN


async def timed_out(party: Party) -> int:
    await audit(party.house, party.id)
    return [event.type for event in await party.house.log_of(party.id)].count("turn_timed_out")


@every_step
async def test_a_turn_has_as_long_as_before_and_a_claim_is_judged_right(
    database_url: str, seconds: int
) -> None:
    async with house(database_url) as table, houses(database_url, 2) as both:
        await both[0].beat()
        running, strict = [await table.create(**body) for body in (AT_ANAS, STRICT)]
        await run_out(table.session, -LEFT)
        await set_clock(table.session, seconds)
        for beating in (*both, None):  # before anybody has beaten, and after one and the other has
            for party in (running, strict):
                await is_left(party, LEFT)
                assert code_of(await party[1].claim()) == NOT_YET
            assert [await each.sweep() for each in both] == [0, 0]
            if beating is not None:
                await beating.beat()
        await run_out(table.session)
        assert ok(await strict[1].claim(), 201)["view"]["result"]["reason"] == "forfeited"
        assert await both[1].sweep() == 1
        assert await timed_out(running) == 1


@steps
async def test_before_the_next_beat_a_turn_that_is_over_is_claimed_and_others_begin(
    database_url: str, seconds: int
) -> None:
    async with house(database_url) as table, houses(database_url, 2) as both:
        await both[0].beat()
        claimed, moved = [await table.create(**AT_ANAS) for _ in range(2)]
        await run_out(table.session, SLACK)
        await set_clock(table.session, seconds)
        ok(await claimed[1].claim(), 201)
        assert code_of(await moved[0].act(PASS, 1)) == (409, "turn-timed-out")
        begun = await table.create(**AT_ANAS)
        ok(await begun[0].act(PASS, await begun.version()), 201)
        waiting = (claimed, moved, begun)
        for party in waiting:
            await is_left(party, TURN)
        for each in both:
            await each.beat()
            for party in waiting:
                await is_left(party, TURN)
        assert [await each.sweep() for each in both] == [0, 0]
        assert await timed_out(begun) == 0


@steps
async def test_a_server_that_runs_makes_it_good_by_itself(
    database_url: str, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(houses_, "BEAT_SECONDS", 0.02)
    monkeypatch.setattr(houses_, "SWEEP_SECONDS", 0.02)
    async with AsyncExitStack() as stack:
        table, _other = [
            await stack.enter_async_context(house(database_url, replica=name)) for name in ("one", "other")
        ]
        party = await table.create(**AT_ANAS)
        await run_out(table.session, -LEFT)
        await set_clock(table.session, seconds)
        wrong = (await table.row(party.id)).deadline
        async with asyncio.timeout(PATIENCE):
            while (await table.row(party.id)).deadline == wrong:  # noqa: ASYNC110  nothing tells of it
                await asyncio.sleep(0.01)
        await is_left(party, LEFT)
        assert code_of(await party[1].claim()) == NOT_YET
        ok(await party[0].act(PASS, 1), 201)
        await is_left(party, TURN)
        assert await timed_out(party) == 0
        await run_out(table.session)
        async with asyncio.timeout(PATIENCE):
            while await party.version() == 2:  # noqa: ASYNC110  likewise
                await asyncio.sleep(0.01)
        assert await timed_out(party) == 1


async def test_after_a_clock_is_set_time_goes_on(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, 1) as (replica,):
        await replica.beat()
        party = await table.create(**AT_ANAS)
        await set_clock(table.session, -HOUR)
        await replica.beat()
        before = await left(party)
        await asyncio.sleep(0.01)
        await replica.beat()
        assert await left(party) < before


async def test_a_clock_that_was_set_back_while_nobody_served(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, 1) as (replica,):
        await replica.beat()
        party = await table.create(**AT_ANAS)
        await run_out(table.session, -LEFT)
        await set_clock(table.session, HOUR - DAY)  # an hour without the service, and a day back
        await replica.beat()
        await is_left(party, LEFT)


async def test_a_little_back_moves_nothing(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, 1) as (replica,):
        await replica.beat()
        party = await table.create(**AT_ANAS)
        await set_clock(table.session, -houses_.BEAT_SECONDS / 4)
        deadline = (await table.row(party.id)).deadline
        for _ in range(2):
            await replica.beat()
            assert (await table.row(party.id)).deadline == deadline


async def seats_here(store: PresenceStore, party: Party) -> list[bool]:
    return [stay.here for stay in await store.read([UUID(party.id)])]


@steps
async def test_a_process_that_is_gone_does_not_look_alive(database_url: str, seconds: int) -> None:
    async with house(database_url) as table, houses(database_url, 1) as (replica,):
        party = await table.create()
        await table.store.beat("ghost")
        ghost = PresenceStore(table.session, "ghost")
        await ghost.write([Change(UUID(party.id), 0, here=True)])
        await set_clock(table.session, 60)
        await replica.beat()
        await set_clock(table.session, seconds)
        asking = PresenceStore(table.session, "replica 0")
        for _ in range(2):
            assert await seats_here(asking, party) == [False]
            await replica.beat()


async def test_what_was_said_before_the_clock_was_set_back_is_heard_once_more_and_not_for_ever(
    database_url: str,
) -> None:
    async with house(database_url) as table, houses(database_url, 1) as (replica,):
        party = await table.create()
        match_id = UUID(party.id)
        await replica.beat()
        speaker, asking = (PresenceStore(table.session, name) for name in ("replica 0", "another"))
        await speaker.write([Change(match_id, 0, here=True)])
        (first,) = await asking.read([match_id])
        await set_clock(table.session, -HOUR)
        await replica.beat()
        assert await asking.recent(SLACK) == [match_id]
        (now,) = await asking.read([match_id])
        assert -SLACK < (now.since - first.since).total_seconds() < SLACK
        await set_clock(table.session, HOUR)
        assert await asking.recent(SLACK) == []


async def test_what_seems_to_be_said_in_the_future_is_not_recent(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create()
        speaker, asking = (PresenceStore(table.session, name) for name in ("replica 0", "another"))
        await speaker.write([Change(UUID(party.id), 0, here=True)])
        assert await asking.recent(SLACK) == [UUID(party.id)]
        await set_clock(table.session, -HOUR)  # and nobody beats
        assert await asking.recent(SLACK) == []
