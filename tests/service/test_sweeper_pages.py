"""A sweep comes past matches in which it cannot act, and past any number that are due."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace

from service.db.codec import FORMAT
from service.db.errors import DatabaseUnavailableError
from service.db.rows import StoredMatch, untimed
from service.matches import house as houses_
from service.matches.house import SWEPT, House
from tests.service.hours import houses, pass_by, run_out
from tests.service.players import audit
from tests.service.steps import event, new_match
from tests.service.table_talk import Chance, Party, house
from tests.service.table_talk import House as Table
from tests.sizes import size

pytestmark = pytest.mark.anyio

AT_ANAS: Final[dict[str, Any]] = {"first_dealer": 1, "clock": {"turn_seconds": 60}}


async def timed_out(table: Table, party: Party) -> int:
    """How often the house has acted in a match."""
    await audit(table, party.id)
    return [event.type for event in await table.log_of(party.id)].count("turn_timed_out")


def newer(row: StoredMatch) -> StoredMatch:
    return replace(row, snapshot=msgspec.msgpack.encode({"format": FORMAT + 1, "match": None}))


def garbage(row: StoredMatch) -> StoredMatch:
    return replace(row, snapshot=b"\xc1 no snapshot")


UNREADABLE: Final = SWEPT + 6


async def in_front(table: Table, spoil: Callable[[StoredMatch], StoredMatch]) -> list[StoredMatch]:
    """More matches than one page that cannot be read, all longer overdue than a match that is made next."""
    rows = [spoil(replace(new_match(), turn_seconds=60)) for _ in range(UNREADABLE)]
    await asyncio.gather(*(table.store.insert(row, [event(row, 1)]) for row in rows))
    await pass_by(table.session, 600)
    return rows


async def stored(table: Table, rows: Sequence[StoredMatch]) -> list[StoredMatch]:
    return [untimed(await table.row(str(row.id))) for row in rows]


def failures(table: Table) -> Counter[str]:
    """How often a time-out of each match has failed."""
    lines = map(msgspec.json.decode, table.log.getvalue().splitlines())
    return Counter(line["match"] for line in lines if line["event"] == "time_out_failed")


@pytest.mark.parametrize("spoil", [newer, garbage])
async def test_matches_that_cannot_be_read_hold_up_no_other(
    database_url: str, spoil: Callable[[StoredMatch], StoredMatch]
) -> None:
    async with house(database_url) as table:
        seconds = 0.0
        sweeper = House(table.store, clock=Chance().outside().clock, replica="", monotonic=lambda: seconds)
        rows = await in_front(table, spoil)
        good = await table.create(**AT_ANAS)
        await pass_by(table.session, 120)
        assert await sweeper.sweep() == 1
        assert await timed_out(table, good) == 1
        once = dict.fromkeys((str(row.id) for row in rows), 1)
        assert failures(table) == once
        seconds = houses_.LEFT_ALONE_SECONDS - 1
        await pass_by(table.session, 120)
        assert await sweeper.sweep() == 1
        assert failures(table) == once  # they were left alone
        seconds = houses_.LEFT_ALONE_SECONDS
        await pass_by(table.session, 120)
        assert await sweeper.sweep() == 1
        assert failures(table) == dict.fromkeys(once, 2)
        assert await stored(table, rows) == rows


async def test_only_so_many_matches_are_remembered_that_cannot_be_read(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(houses_, "LEFT_ALONE", 10)
    async with house(sqlite_url) as table, houses(sqlite_url, 1) as (sweeper,):
        await in_front(table, garbage)
        for _ in range(2):
            good = await table.create(**AT_ANAS)
            await pass_by(table.session, 120)
            assert await sweeper.sweep() >= 1
            assert await timed_out(table, good) == 1
            assert len(sweeper._left_alone) == 10


async def test_a_match_is_tried_again_at_once_after_the_database_was_away(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(sqlite_url) as table, houses(sqlite_url, 1) as (sweeper,):
        await table.create(**AT_ANAS)
        await run_out(table.session)

        async def away(_ids: object) -> Any:  # noqa: ANN401  it returns nothing
            raise DatabaseUnavailableError

        with monkeypatch.context() as patch:
            patch.setattr(sweeper._store.session, "read", away)
            assert await sweeper.sweep() == 0
        assert await sweeper.sweep() == 1


async def test_one_sweep_acts_in_all_that_are_due_whatever_deadline_they_share(database_url: str) -> None:
    async with house(database_url) as table, houses(database_url, 1) as (sweeper,):
        count = SWEPT + size(6, 300)
        parties = await asyncio.gather(*(table.create(**AT_ANAS) for _ in range(count)))
        await run_out(table.session)  # at one moment for all
        assert await sweeper.sweep() == count
        assert await timed_out(table, parties[-1]) == 1
