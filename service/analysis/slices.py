"""Long work done in slices on the event loop, so that moves go on meanwhile."""

import asyncio
from collections.abc import Iterator
from time import perf_counter
from typing import Final, TypeVar

T = TypeVar("T")

SLICE: Final = 0.001
"""Seconds of work before everything else gets its turn; a unit of work is not interrupted."""

_QUIET: Final = 0.0001
"""A round of the event loop that took no longer had nothing else to do."""

_PATIENCE: Final = 8
"""The rounds of a busy event loop after which a slice is worked all the same."""


class Slices:
    """One slice at a time for all who ask, in the order in which they asked.

    A worker thread would compete for the interpreter's lock and hold up each step of a move by as
    much as the switch interval; here a move waits for one slice at most, however many analyse.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def all(self, results: Iterator[T]) -> list[T]:
        """Return every result; taking one is a unit of work, best well below `SLICE`."""
        done: list[T] = []
        while True:
            async with self._turn:
                until = perf_counter() + SLICE
                for result in results:
                    done.append(result)
                    if perf_counter() >= until:
                        break
                else:
                    return done
                await self._give_way()

    async def _give_way(self) -> None:
        for _ in range(_PATIENCE):
            before = perf_counter()
            await asyncio.sleep(0)
            if perf_counter() - before < _QUIET:
                return
