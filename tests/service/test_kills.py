import asyncio
import random
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest

from service.db.writer import Writer
from tests.service.steps import insert_matches, opened, versions
from tests.sizes import size

pytestmark = pytest.mark.anyio

CHECKOUT = Path(__file__).parents[2]
ROUNDS = size(4, 60)


async def confirmed_before_the_kill(command: list[str], lines: int) -> dict[UUID, int]:
    """Read so many confirmations, kill the process in the middle of its work, and read what it had said."""
    process = await asyncio.create_subprocess_exec(*command, cwd=CHECKOUT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    said = [await process.stdout.readline() for _ in range(lines)]
    process.kill()
    said += (await process.stdout.read()).splitlines(keepends=True)
    await process.wait()
    words = [line.split() for line in said if line.endswith(b"\n")]
    return {UUID(match_id.decode()): int(version) for match_id, version in words}


async def test_a_kill_loses_no_confirmed_step_and_leaves_no_half_of_one(database_url: str) -> None:
    dice = random.Random(1)
    async with opened(database_url) as session:
        ids = await insert_matches(Writer(session), 16)
        command = [sys.executable, "-m", "tests.service.stepper", database_url, "100000", *map(str, ids)]
        for _ in range(ROUNDS):
            confirmed = await confirmed_before_the_kill(command, dice.randrange(1, 200))
            found = dict(zip(ids, await versions(session, ids), strict=True))
            assert confirmed
            assert all(found[match_id] >= version for match_id, version in confirmed.items())
