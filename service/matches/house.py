"""The house: it acts for seats whose time is up, and says that this process serves."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from time import monotonic
from typing import Final
from uuid import UUID

import structlog

from service.db.errors import BusyError, DatabaseUnavailableError, DrainingError, MatchMissingError
from service.db.heartbeats import FIRST, Due
from service.db.rows import StoredMatch, Write
from service.http.problems import Code, Problem
from service.matches.access import Access, require_current
from service.matches.play import Played, played_at, told
from service.matches.store import Store
from service.matches.table import change, opened
from service.matches.timeouts import is_due, timed_out

BEAT_SECONDS: Final = 2.0
"""What lies between two heartbeats of a serving process."""

SWEEP_SECONDS: Final = 1.0
"""What lies between two looks for seats whose time is up."""

SWEPT: Final = 64
"""The most matches that are looked for by one statement, and acted in at once."""

LEFT_ALONE_SECONDS: Final = 60.0
"""How long sweeps leave a match alone in which they could not act."""

LEFT_ALONE: Final = 10_000
"""The most such matches that are remembered; others are tried at every look."""

GRACE_SECONDS: Final = 1.0
"""How long after a deadline the house waits: a move that arrived in time may still wait for its writer."""

_PASSING: Final = (BusyError, DatabaseUnavailableError, DrainingError)
"""Failures that say nothing of a match: it is tried again at the next look."""

_log = structlog.get_logger(__name__)


class House:
    """Applies time-outs for whoever asks, and on its own.

    `clock` stamps events and judges nothing; `monotonic` gives seconds that only grow. Every process may
    sweep: of several that find the same match the version lets one act.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], datetime],
        replica: str,
        monotonic: Callable[[], float] = monotonic,
    ) -> None:
        self._store = store
        self._clock = clock
        self._monotonic = monotonic
        self._replica = replica
        self._left_alone: OrderedDict[UUID, float] = OrderedDict()
        """Until when each match is left alone in which no sweep could act; the oldest failure first."""

    async def claim(self, access: Access) -> Played:
        """Act for the seat in turn whose time is up, and tell the seat that asked.

        Raise `Problem`: 401 for a replaced token, 409 `deadline-not-reached`.
        """
        while True:
            played = await self._claimed(access)
            if isinstance(played, Played):
                return played
            await asyncio.sleep(played)

    async def sweep(self) -> int:
        """Act for all seats whose time is up, and return for how many.

        A match in which that fails holds up no other, and is left alone for `LEFT_ALONE_SECONDS`.
        """
        acted, after = 0, FIRST
        while True:
            due = await self._store.due(GRACE_SECONDS, SWEPT, after)
            acted += await self._act_in([one.id for one in due if self._may_try(one)])
            if len(due) < SWEPT:
                return acted
            after = due[-1]

    async def _act_in(self, matches: Sequence[UUID]) -> int:
        """Act in some matches at once, and return in how many that was done."""
        done = await asyncio.gather(*map(self._time_out, matches), return_exceptions=True)
        for match_id, failure in zip(matches, done, strict=True):
            if isinstance(failure, BaseException):
                _log.warning("time_out_failed", match=str(match_id), error=type(failure).__name__)
                if not isinstance(failure, _PASSING):
                    self._leave_alone(match_id)
        return sum(one is True for one in done)

    def _may_try(self, due: Due) -> bool:
        return self._left_alone.get(due.id, 0) <= self._monotonic()

    def _leave_alone(self, match_id: UUID) -> None:
        self._left_alone[match_id] = self._monotonic() + LEFT_ALONE_SECONDS
        self._left_alone.move_to_end(match_id)
        if len(self._left_alone) > LEFT_ALONE:
            self._left_alone.popitem(last=False)

    async def beat(self) -> None:
        """Say that this process serves; see `Store.beat`."""
        await self._store.beat(self._replica)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Beat and sweep while a server runs; it has beaten before the first request."""
        await _tried(self.beat)
        async with _again_and_again(BEAT_SECONDS, self.beat), self.sweeping():
            yield

    @asynccontextmanager
    async def sweeping(self) -> AsyncIterator[None]:
        """Sweep meanwhile."""
        async with _again_and_again(SWEEP_SECONDS, self._look):
            yield

    async def _look(self) -> None:
        await self.sweep()

    async def _claimed(self, access: Access) -> Played | float:
        """Return what the house has played, or in how many seconds to ask again."""
        at = self._clock()

        def judge(row: StoredMatch) -> Write[Played | float]:
            require_current(row, access.claim)
            table = opened(row)
            if is_due(row, GRACE_SECONDS):
                after, steps, rows = timed_out(table, at)
                return Write(told(after, steps, rows, access.claim.seat), after.row, rows, dated=_dated)
            if row.overtime is not None and row.overtime >= 0:
                return Write(GRACE_SECONDS - row.overtime)
            if row.deadline is None:
                raise Problem(Code.DEADLINE_NOT_REACHED)
            raise Problem(Code.DEADLINE_NOT_REACHED, deadline=row.deadline)

        try:
            return await change(self._store, access.claim.match_id, judge)
        except MatchMissingError:
            raise Problem(Code.UNAUTHENTICATED) from None

    async def _time_out(self, match_id: UUID) -> bool:
        """Act for the seat in turn if its time is up still, and return whether it was."""
        at = self._clock()

        def judge(row: StoredMatch) -> Write[bool]:
            if not is_due(row, GRACE_SECONDS):
                return Write(answer=False)
            after, _, rows = timed_out(opened(row), at)
            return Write(True, after.row, rows)  # noqa: FBT003  the judge's answer

        return await change(self._store, match_id, judge)


def _dated(answer: Played | float, deadline: datetime | None) -> Played | float:
    return played_at(answer, deadline) if isinstance(answer, Played) else answer


@asynccontextmanager
async def _again_and_again(seconds: float, work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    """Do some work every so many seconds meanwhile."""

    async def repeat() -> None:
        while True:
            await _tried(work)
            await asyncio.sleep(seconds)

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _tried(work: Callable[[], Awaitable[None]]) -> None:
    """Do some work; what goes wrong is logged, and it will be tried again."""
    try:
        await work()
    except Exception as error:  # noqa: BLE001  the house must not stop, whatever a database does
        _log.warning("house_failed", error=type(error).__name__)
