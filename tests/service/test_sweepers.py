"""The house on its own: many sweepers, clocks that disagree, and outages that cost nobody a match."""

import asyncio
import itertools
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from typing import Any, Final, TypeVar

import httpx
import pytest

from service.matches import house as houses_
from service.matches import timeouts
from service.matches.house import House
from tests.service.databases import Server
from tests.service.hours import REPLICAS, houses, pass_by, run_out
from tests.service.players import audit
from tests.service.serving import CHECKOUT, environment, ginrummy, serving
from tests.service.steps import opened
from tests.service.table_talk import SELVES, Answer, Chance, Party, code_of, house, ok
from tests.service.table_talk import House as Table
from tests.sizes import size

pytestmark = pytest.mark.anyio

T = TypeVar("T")

SWEEPERS: Final = 10
ROUNDS: Final = size(6, 200)
AT_ANAS: Final[dict[str, Any]] = {"first_dealer": 1, "clock": {"turn_seconds": 60}}
PASS: Final = {"type": "pass"}
MOVES: Final = (PASS, PASS, {"type": "draw_stock"})
"""What Ana, Ben and Ana again do first of all."""


async def log_of(table: Table, party: Party) -> Counter[str]:
    await audit(table, party.id)
    return Counter(event.type for event in await table.log_of(party.id))


async def test_a_time_out_is_applied_once_by_sweepers_claims_and_a_late_player(database_url: str) -> None:
    dice = random.Random(5)
    async with (
        house(database_url) as table,
        house(database_url) as other,
        houses(database_url, SWEEPERS) as sweepers,
    ):
        for number in range(ROUNDS):
            party = await table.create(**AT_ANAS)
            for action in MOVES[: number % 3]:
                await party.play(action)
            late = await party.in_turn()
            version = await party.version()
            await run_out(table.session)
            swept: list[int] = []
            told: list[Answer] = []
            asked = [
                *(into(swept, each.sweep()) for each in sweepers),
                into(told, late.at(dice.choice((table, other))).act(MOVES[number % 3], version)),
                into(told, party[1 - (late.seat or 0)].at(other).claim()),
            ]
            await asyncio.gather(*dice.sample(asked, len(asked)))
            codes = [answer.json().get("code", "applied") for answer in told]
            assert sum(swept) + codes.count("turn-timed-out") + codes.count("applied") == 1, (swept, codes)
            assert set(codes) <= {"turn-timed-out", "applied", "version-conflict", "deadline-not-reached"}
            assert await party.version() == version + 1
            assert (await log_of(table, party))["turn_timed_out"] == 1
            ok(await party[0].act({"type": "resign"}, version + 1), 201)


async def again() -> AsyncIterator[None]:
    """Let others work, and look again."""
    while True:
        yield
        await asyncio.sleep(0.01)


async def into(heard: list[T], asking: Awaitable[T]) -> None:
    heard.append(await asking)


async def test_a_sweep_finds_those_that_are_due_and_no_other(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, 1) as (sweeper,):
        late = [await table.create(**AT_ANAS) for _ in range(3)]
        await run_out(table.session)
        early = await table.create(**AT_ANAS)
        without = await table.create()
        assert await sweeper.sweep() == len(late)
        assert await sweeper.sweep() == 0
        for party in late:
            assert (await log_of(table, party))["turn_timed_out"] == 1
        for party in (early, without):
            assert (await log_of(table, party))["turn_timed_out"] == 0


async def test_one_match_that_cannot_be_judged_holds_up_no_other(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(database_url) as table, houses(database_url, 1) as (sweeper,):
        bad, good = [await table.create(**AT_ANAS) for _ in range(2)]
        await run_out(table.session)
        honest = timeouts.timed_out

        def failing(table: Any, at: Any) -> Any:  # noqa: ANN401  as they are given
            if str(table.row.id) == bad.id:
                raise RuntimeError
            return honest(table, at)

        monkeypatch.setattr(houses_, "timed_out", failing)
        assert await sweeper.sweep() == 1
        assert (await log_of(table, good))["turn_timed_out"] == 1


async def test_deadlines_are_the_databases_whatever_the_clocks_of_replicas_say(database_url: str) -> None:
    ahead, behind = Chance(), Chance()
    ahead.later(30)
    async with (
        house(database_url, ahead) as fast,
        house(database_url, behind) as slow,
        houses(database_url, 2) as sweepers,
    ):
        party = await fast.create(first_dealer=1, clock={"turn_seconds": 20})
        assert (await party[0].at(slow).seen())["deadline"] == (await party[0].seen())["deadline"]
        for replica, action in zip(itertools.cycle((slow, fast)), MOVES, strict=False):
            person = await party.in_turn()
            ok(await person.at(replica).act(action, await party.version()), 201)
            assert [await each.sweep() for each in sweepers] == [0, 0]
            assert code_of(await party[0].at(replica).claim()) == (409, "deadline-not-reached")
        await run_out(fast.session, 2)
        assert sum([await each.sweep() for each in sweepers]) == 1


async def test_a_service_that_was_down_for_ten_turns_forfeits_nobody(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, SWEEPERS) as all_:
        await all_[0].beat()
        playing = [await table.create(first_dealer=1, clock={"turn_seconds": 60}) for _ in range(3)]
        strict = await table.create(first_dealer=1, clock={"turn_seconds": 60, "on_timeout": "forfeit"})
        await pass_by(table.session, 600)
        assert [await each.sweep() for each in all_] == [0] * SWEEPERS  # before anybody has beaten
        assert code_of(await strict[1].claim()) == (409, "deadline-not-reached")
        ok(await playing[0][0].act(PASS, await playing[0].version()), 201)
        before = {party.id: (await table.row(party.id)).deadline for party in (*playing[1:], strict)}
        await asyncio.gather(*(each.beat() for each in all_))
        for match_id, deadline in before.items():
            moved = (await table.row(match_id)).deadline
            assert moved is not None
            assert deadline is not None
            assert 595 < (moved - deadline).total_seconds() < 660
        assert [await each.sweep() for each in all_] == [0] * SWEEPERS
        for party in (*playing, strict):
            assert (await log_of(table, party))["turn_timed_out"] == 0


async def test_an_outage_is_made_good_once(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, SWEEPERS) as all_:
        await all_[0].beat()
        party = await table.create(first_dealer=1, clock={"turn_seconds": 3600})
        await pass_by(table.session, 600)
        down = (await table.row(party.id)).deadline
        for _ in range(2):
            await asyncio.gather(*(each.beat() for each in all_))
        up = (await table.row(party.id)).deadline
        assert up is not None
        assert down is not None
        assert 595 < (up - down).total_seconds() < 660


async def test_a_wait_that_began_after_the_last_beat_gets_one_whole_turn(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, 1) as (replica,):
        await replica.beat()
        await pass_by(table.session, 600)
        party = await table.create(first_dealer=1, clock={"turn_seconds": 60})
        begun = (await table.row(party.id)).deadline
        await replica.beat()
        whole = (await table.row(party.id)).deadline
        assert begun is not None
        assert whole is not None
        assert 0 <= (whole - begun).total_seconds() < 30


async def test_while_somebody_beats_no_deadline_moves(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, 2) as replicas:
        party = await table.create(**AT_ANAS)
        deadline = (await table.row(party.id)).deadline
        for replica in (*replicas, *replicas):
            await replica.beat()
        assert (await table.row(party.id)).deadline == deadline


async def test_who_has_gone_long_ago_is_forgotten(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, 2) as (gone, here):
        await gone.beat()
        await pass_by(table.session, 7200)
        await here.beat()
        assert await table.session.fetch(REPLICAS) == ["replica 1"]


async def test_a_serving_house_acts_on_its_own(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(houses_, "SWEEP_SECONDS", 0.01)
    monkeypatch.setattr(houses_, "BEAT_SECONDS", 0.01)
    async with house(database_url) as table, houses(database_url, 2) as both:
        party = await table.create(*SELVES, **AT_ANAS)
        version = await party.version()
        async with both[0].serving(), both[1].serving():
            await run_out(table.session)
            async for _ in again():
                if await party.version() > version:
                    break
        assert (await log_of(table, party))["turn_timed_out"] == 1


async def test_a_house_goes_on_after_its_database_was_away(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(houses_, "SWEEP_SECONDS", 0.01)
    async with house(sqlite_url) as table, houses(sqlite_url, 1) as (one,):
        party = await table.create(**AT_ANAS)
        failures = 0

        async def away(_house: House) -> int:
            nonlocal failures
            failures += 1
            raise ConnectionError

        with monkeypatch.context() as patch:
            patch.setattr(House, "sweep", away)
            async with one.sweeping():
                async for _ in again():
                    if failures >= 3:
                        break
                patch.undo()
                monkeypatch.setattr(houses_, "SWEEP_SECONDS", 0.01)
                await run_out(table.session)
                async for _ in again():
                    if (await log_of(table, party))["turn_timed_out"]:
                        break


async def test_a_process_of_its_own_can_sweep(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS)
        version = await party.version()
        await run_out(table.session)
        sweeper = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "service.cli", "sweep"), cwd=CHECKOUT, env=environment(database_url)
        )
        try:
            async for _ in again():
                if await party.version() > version:
                    break
                assert sweeper.returncode is None
        finally:
            sweeper.send_signal(signal.SIGTERM)
        assert await sweeper.wait() == 0
        assert (await log_of(table, party))["turn_timed_out"] == 1


def test_a_server_beats_and_acts_on_its_own(database_url: str) -> None:
    async def is_late() -> list[str]:
        async with opened(database_url) as session:
            await run_out(session)
            return await session.fetch(REPLICAS)

    with serving(database_url) as server, httpx.Client(base_url=f"{server.base}/v1") as client:
        body = {"seats": SELVES, "visibility": "link", **AT_ANAS}
        made = client.post("/matches", json=body).raise_for_status().json()["match"]
        assert len(asyncio.run(is_late())) == 1
        while (seen := client.get(f"/matches/{made['id']}").json())["version"] == made["version"]:
            time.sleep(0.05)
        assert seen["turn"] == 1 - made["turn"]


def test_a_sweeper_wants_the_newest_schema(postgresql_server: Server) -> None:
    with postgresql_server.empty() as url:
        swept = ginrummy(url, "sweep")
    assert (swept.returncode, swept.stderr) == (
        1,
        "ginrummy: the database has no schema yet: run `ginrummy migrate`\n",
    )
