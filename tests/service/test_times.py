"""The times of a match's events, when the clocks of replicas disagree and are set back."""

import random
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Any, Final

import pytest

from service.matches.house import House as TimeOuts
from tests.service.hours import run_out
from tests.service.players import audit, choose
from tests.service.table_talk import BOT, SELVES, START, Chance, House, Party, Person, house, ok
from tests.sizes import size

pytestmark = pytest.mark.anyio

OPEN: Final = {"kind": "open"}
DAY: Final = 86_400
TABLES: Final[tuple[dict[str, Any], ...]] = (
    {"seats": SELVES},
    {"seats": (SELVES[0], BOT)},
    {"seats": (SELVES[0], OPEN)},
)


async def step(party: Party, doors: list[House], sweeper: TimeOuts, dice: random.Random) -> bool:
    """Do the next thing at any replica, and return whether the match goes on."""
    door = dice.choice(doors)
    match = (await door.table(party.id)).match
    if match.deal is None and match.result is None:
        joined = ok(await door.call("POST", "/joins", json={"code": party.code, "name": "Ben"}), 201)
        party.people[1] = Person(door, party.id, joined["seat"], joined["token"])
    elif match.deal is None or match.result is not None:
        return False
    elif dice.random() < 0.1:
        await run_out(door.session)
        assert await sweeper.sweep() == 1
    elif dice.random() < 0.02:
        ok(await party[0].at(door).act({"type": "resign"}, match.version), 201)
    else:
        person = party[match.deal.turn].at(door)
        ok(await person.act(choose(await person.seen(), dice), match.version), 201)
    if dice.random() < 0.2:
        party[0].token = ok(await party[0].at(door).rotate())["token"]
    return True


@pytest.mark.parametrize("table", TABLES)
async def test_the_times_of_a_match_never_run_backwards(sqlite_url: str, table: dict[str, Any]) -> None:
    dice = random.Random(7)
    chances = [Chance() for _ in range(3)]
    async with AsyncExitStack() as stack:
        doors = [await stack.enter_async_context(house(sqlite_url, chance)) for chance in chances]
        sweeper = TimeOuts(doors[0].store, clock=chances[0].outside().clock, replica="")
        for _ in range(size(2, 40)):
            chances[0].now = START
            body = {"ruleset": "simple", "overrides": {"target": 10}, "clock": {"turn_seconds": DAY}}
            party = await doors[0].create(*table["seats"], **body)
            going = True
            last = (await doors[0].row(party.id)).updated_at
            while going:
                for chance in chances:
                    chance.now = START + timedelta(seconds=dice.uniform(-DAY, DAY))
                going = await step(party, doors, sweeper, dice)
                row = await doors[0].row(party.id)
                assert row.updated_at >= last
                last = row.updated_at
            log = await doors[0].log_of(party.id)
            times = [event.at for event in log]
            assert times == sorted(times)
            assert row.created_at == times[0]
            assert row.finished_at == row.updated_at == times[-1]
            await audit(doors[0], party.id)


async def test_a_clock_that_runs_on_is_told_as_it_is(sqlite_url: str) -> None:
    chance = Chance()
    async with house(sqlite_url, chance) as table:
        party = await table.create(ruleset="simple", first_dealer=1)
        chance.later(5)
        ok(await party[0].act({"type": "draw_stock"}, 1), 201)
        chance.later(-3)
        ok(await party[0].act({"type": "resign"}, 2), 201)
        seconds = [(event.at - START).total_seconds() for event in await table.log_of(party.id)]
        assert seconds == sorted(seconds)
        assert set(seconds) == {0, 5}
        assert seconds[-1] == 5
        view = ok(await party[0].match())
        assert view["finished_at"] == ok(await party[0].events())["items"][-1]["at"]
