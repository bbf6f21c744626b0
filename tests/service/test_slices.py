import asyncio
from collections.abc import Iterator
from time import perf_counter

import pytest

from service.analysis.slices import SLICE, Slices

pytestmark = pytest.mark.anyio


def work(units: int, seconds: float) -> Iterator[int]:
    for unit in range(units):
        until = perf_counter() + seconds
        while perf_counter() < until:
            pass
        yield unit


async def test_every_result_is_returned_in_order() -> None:
    assert await Slices().all(iter(range(10_000))) == list(range(10_000))


async def test_others_have_their_turn_between_slices() -> None:
    slices = Slices()
    busy = [asyncio.create_task(slices.all(work(40, SLICE / 2))) for _ in range(4)]
    rounds = 0
    while not all(task.done() for task in busy):
        await asyncio.sleep(0)
        rounds += 1
    # 160 units of half a slice are at least 80 slices, and this ran once or more after each of them.
    assert rounds >= 80


async def test_those_who_ask_are_served_in_turns() -> None:
    slices = Slices()
    ended: list[str] = []

    async def ask(name: str, units: int) -> None:
        await slices.all(work(units, SLICE))
        ended.append(name)

    await asyncio.gather(ask("long", 40), ask("short", 4))
    assert ended == ["short", "long"]


async def test_a_failure_lets_the_next_one_in() -> None:
    slices = Slices()

    def fail() -> Iterator[int]:
        yield 1
        raise ValueError("no such hand")

    with pytest.raises(ValueError, match="no such hand"):
        await slices.all(fail())
    assert await slices.all(iter([1])) == [1]
