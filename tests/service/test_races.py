import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from service.db.rows import Change
from service.db.writer import Writer
from tests.service.steps import Stale, changes, insert_matches, opened, step, step_from, versions, writers
from tests.sizes import size

pytestmark = pytest.mark.anyio

CHECKOUT = Path(__file__).parents[2]


async def test_of_20_changes_to_one_version_on_two_replicas_one_wins(database_url: str) -> None:
    rounds = size(20, 500)
    async with writers(database_url, 2) as replicas, opened(database_url) as session:
        [match_id] = await insert_matches(replicas[0], 1)
        for version in range(1, rounds + 1):
            jobs = [replicas[one % 2].submit(Change(match_id, step_from(version))) for one in range(20)]
            heard = await asyncio.gather(*jobs, return_exceptions=True)
            assert heard.count(version + 1) == 1
            assert sum(isinstance(one, Stale) for one in heard) == 19
        assert await versions(session, [match_id]) == [rounds + 1]


async def test_20_changes_to_any_version_on_two_replicas_all_happen(database_url: str) -> None:
    rounds = size(5, 50)
    async with writers(database_url, 2) as replicas, opened(database_url) as session:
        [match_id] = await insert_matches(replicas[0], 1)
        for turn in range(rounds):
            heard = await asyncio.gather(
                *(replicas[one % 2].submit(Change(match_id, step)) for one in range(20))
            )
            assert sorted(heard) == list(range(20 * turn + 2, 20 * turn + 22))
        assert await versions(session, [match_id]) == [20 * rounds + 1]


async def test_batches_that_take_the_same_matches_in_other_orders_go_on(
    database_url: str,
) -> None:
    rounds = size(10, 100)
    async with writers(database_url, 3) as replicas, opened(database_url) as session:
        ids = await insert_matches(replicas[0], 32)
        for _ in range(rounds):
            orders = (ids, ids[::-1], ids[16:] + ids[:16])
            await asyncio.gather(
                *(
                    replica.submit(job)
                    for replica, order in zip(replicas, orders, strict=True)
                    for job in changes(order)
                )
            )
        assert await versions(session, ids) == [3 * rounds + 1] * 32


async def test_two_processes_step_the_same_matches(database_url: str) -> None:
    steps = size(20, 200)
    async with opened(database_url) as session:
        ids = await insert_matches(Writer(session), 4)
        command = [sys.executable, "-m", "tests.service.stepper", database_url, str(steps), *map(str, ids)]
        processes = [
            await asyncio.create_subprocess_exec(*command, cwd=CHECKOUT, stdout=subprocess.PIPE)
            for _ in range(2)
        ]
        said = b"".join([(await process.communicate())[0] for process in processes])
        assert [process.returncode for process in processes] == [0, 0]
        every = [f"{match_id} {version}" for match_id in ids for version in range(2, 2 * steps + 2)]
        assert sorted(said.decode().splitlines()) == sorted(every)
        assert await versions(session, ids) == [2 * steps + 1] * 4
