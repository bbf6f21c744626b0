import asyncio
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import Any, Final, TypeAlias, TypeVar, overload
from uuid import UUID

import structlog

from service.db.errors import (
    BusyError,
    DatabaseUnavailableError,
    DrainingError,
    MatchMissingError,
    RowRefusedError,
)
from service.db.landed import landed
from service.db.rows import Change, Insert, Save, StoredMatch, Write
from service.db.session import Session

A = TypeVar("A")
R = TypeVar("R")
T = TypeVar("T")

BATCH: Final = 64
"""The most jobs of one transaction."""

JUDGING_SECONDS: Final = 0.005
"""How long a batch may judge before it goes with what it has: the event loop stands still meanwhile."""

WAITING: Final = 2_000
"""The most jobs that may wait."""

TRIES: Final = 50
"""How often a job is judged while other writers are faster."""

STEP_ASIDE_SECONDS: Final = 0.0005
"""What a job waits longer after each lost race, lest two writers in step leave one behind for good."""

CLOSING_SECONDS: Final = 1.0
"""How long a writer that closes waits for the batch that is being played."""

PAUSE_SECONDS: Final = 0.05
"""What lies between two looks for a database that is away."""

OnCommit: TypeAlias = Callable[[UUID, int], None]
"""Told of each match that moved, with its version, after its transaction has committed."""


def unheard(match_id: UUID, version: int) -> None:
    """Tell nobody."""


_log = structlog.get_logger(__name__)


class _Job:
    """A job in its line, and the caller who waits for it."""

    __slots__ = ("answer", "asked", "losses", "match_id", "unsaved", "until")

    def __init__(self, asked: Change[Any] | Insert, answer: asyncio.Future[Any], until: float) -> None:
        self.asked = asked
        self.until = until
        self.match_id = asked.match_id if isinstance(asked, Change) else asked.row.id
        self.answer = answer
        self.losses = 0
        self.unsaved = False
        """Whether the database failed when this was saved last, and does not have it."""

    def succeed(self, answer: object) -> None:
        """Answer the caller, if he still waits."""
        if not self.answer.done():
            self.answer.set_result(answer)

    def fail(self, error: Exception) -> None:
        """Raise at the caller, if he still waits."""
        if not self.answer.done():
            self.answer.set_exception(error)


class _Judged:
    """A job with what it writes and what its caller hears once that is committed."""

    __slots__ = ("job", "save", "write")

    def __init__(self, job: _Job, save: Save, write: Write[Any]) -> None:
        self.job = job
        self.save = save
        self.write = write

    def answer(self, deadline: datetime | None) -> object:
        """Return what the caller hears, with the deadline that was written if he is to hear of it."""
        dated = self.write.dated
        return self.write.answer if dated is None else dated(self.write.answer, deadline)


def _judged(job: _Job, rows: Mapping[UUID, StoredMatch]) -> _Judged | None:
    """Judge a job on the rows that were read; None where it has its answer and writes nothing."""
    if isinstance(job.asked, Insert):
        read, write = None, Write(None, job.asked.row, job.asked.events, dated=_deadline)
    else:
        read = rows.get(job.match_id)
        if read is None:
            raise MatchMissingError
        write = job.asked.judge(read)
    if write.row is None:
        job.succeed(write.answer)
        return None
    if write.row.id != job.match_id or any(event.match_id != job.match_id for event in write.events):
        raise RowRefusedError
    return _Judged(job, Save(write.row, read, write.events), write)


def _deadline(_answer: None, deadline: datetime | None) -> Any:  # noqa: ANN401  an `Insert` asks for nothing else
    return deadline


class Writer:
    """Lets many jobs share a transaction; one writer a process, on one event loop.

    A batch takes what waits, one job a match: it reads the rows, judges each, and saves those that are
    still as they were read. A lost race is judged again on the newer row. A batch that fails is tried
    again job by job, so that only the culprit fails. Judges run on the event loop: they take less than a
    hop to a thread and back would.

    A job waits `patience` seconds for a database that is away. Where the connection ends while a batch is
    being saved, nobody knows what became of it: the database is asked, and a job that is not found there
    has lost its race.
    """

    def __init__(
        self,
        session: Session,
        *,
        on_commit: OnCommit = unheard,
        clock: Callable[[], float] = perf_counter,
        patience: float = 0,
    ) -> None:
        self._session = session
        self._on_commit = on_commit
        self._clock = clock
        self._patience = patience
        self._lines: OrderedDict[UUID, deque[_Job]] = OrderedDict()
        self._waiting = 0
        self._running: asyncio.Task[None] | None = None
        self._draining = False

    @overload
    async def submit(self, asked: Change[T]) -> T: ...
    @overload
    async def submit(self, asked: Insert) -> datetime | None: ...
    async def submit(self, asked: Change[Any] | Insert) -> Any:
        """Play a job and return its answer once that is committed; that of an `Insert` is its deadline.

        Raise what its judge raises; `MatchMissingError`; `BusyError`, `DrainingError` and the errors of
        a `Session`. A caller who is cancelled may still have been played.
        """
        if self._draining:
            raise DrainingError
        if self._waiting >= WAITING:
            raise BusyError
        until = self._clock() + self._patience
        job = _Job(asked, asyncio.get_running_loop().create_future(), until)
        self._lines.setdefault(job.match_id, deque()).append(job)
        self._waiting += 1
        self._start()
        return await job.answer

    async def close(self) -> None:
        """Finish the batch that is being played; whoever waits behind it gets `DrainingError`.

        A batch that is not finished after `CLOSING_SECONDS` is `DatabaseUnavailableError` to its callers.
        """
        self._draining = True
        for line in self._lines.values():
            for job in line:
                job.fail(DrainingError())
        self._lines.clear()
        self._waiting = 0
        if self._running is not None:
            running, _ = self._running, await asyncio.wait([self._running], timeout=CLOSING_SECONDS)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    def _start(self) -> None:
        if self._running is None and self._lines:
            self._running = asyncio.create_task(self._run(), name="writer")

    async def _run(self) -> None:
        """Play batches until nothing waits."""
        while self._lines:
            batch = self._take()
            try:
                await self._play(batch)
            except asyncio.CancelledError:
                for job in batch:
                    job.fail(DatabaseUnavailableError())
                raise
        self._running = None

    def _take(self) -> list[_Job]:
        """Take the first job of each line; a line that goes on moves behind the others."""
        batch: list[_Job] = []
        for match_id in list(self._lines)[:BATCH]:
            line = self._lines[match_id]
            batch.append(line.popleft())
            if line:
                self._lines.move_to_end(match_id)
            else:
                del self._lines[match_id]
        self._waiting -= len(batch)
        return [job for job in batch if not job.answer.done()]

    def _put_back(self, jobs: Sequence[_Job]) -> None:
        """Put jobs at the front of their lines, and their lines before the others."""
        for job in reversed(jobs):
            if self._draining:
                job.fail(DrainingError())
                continue
            self._lines.setdefault(job.match_id, deque()).appendleft(job)
            self._lines.move_to_end(job.match_id, last=False)
            self._waiting += 1

    async def _play(self, batch: Sequence[_Job]) -> None:
        """Play a batch; whatever goes wrong reaches callers and never stops the writer."""
        try:
            await self._attempt(batch)
        except (BusyError, DatabaseUnavailableError) as error:
            _log.warning("batch_failed", jobs=len(batch), error=type(error).__name__)
            for job in batch:
                job.fail(type(error)())
        except Exception as error:  # noqa: BLE001  it is raised again at the one whose job it was
            if len(batch) == 1:
                batch[0].fail(error)
                return
            _log.warning("batch_split", jobs=len(batch), error=type(error).__name__)
            for job in batch:
                if not job.answer.done():
                    await self._play([job])

    async def _attempt(self, batch: Sequence[_Job]) -> None:
        """Read, judge, save, answer."""
        ids = [job.match_id for job in batch if isinstance(job.asked, Change)]
        rows = {row.id: row for row in await self._patiently(batch, self._session.read, ids)} if ids else {}
        judged = self._judge(batch, rows)
        if not judged:
            return
        won = await self._save(judged)
        for one in judged:
            if one.job.match_id in won:
                one.job.succeed(one.answer(won[one.job.match_id]))
                self._tell(one.save.row)
            else:
                self._lost(one.job)

    async def _save(self, judged: Sequence[_Judged]) -> Mapping[UUID, datetime | None]:
        """Return the matches that were saved, with deadlines; if the database does not tell, it is asked."""
        saves = [one.save for one in judged]
        try:
            return await self._session.save(saves)
        except DatabaseUnavailableError:
            jobs = [one.job for one in judged]
            if not self._may_wait(jobs):
                raise
            _log.warning("batch_unknown", jobs=len(jobs))
            await asyncio.sleep(PAUSE_SECONDS)
            found = await self._patiently(jobs, partial(landed, self._session), saves)
            for job in jobs:
                job.unsaved = job.match_id not in found
            return found

    async def _patiently(self, jobs: Sequence[_Job], ask: Callable[[A], Awaitable[R]], about: A) -> R:
        """Ask the database, and again while it is away and these jobs may wait."""
        while True:
            try:
                return await ask(about)
            except DatabaseUnavailableError:
                if not self._may_wait(jobs):
                    raise
            await asyncio.sleep(PAUSE_SECONDS)

    def _may_wait(self, jobs: Sequence[_Job]) -> bool:
        """Say whether somebody still has patience; a writer that is closing has none."""
        return not self._draining and self._clock() < max(job.until for job in jobs)

    def _judge(self, batch: Sequence[_Job], rows: Mapping[UUID, StoredMatch]) -> list[_Judged]:
        """Return the jobs that want to be saved; the others have their answers or go back."""
        judged: list[_Judged] = []
        end = self._clock() + JUDGING_SECONDS
        for number, job in enumerate(batch):
            if number and self._clock() > end:
                self._put_back(batch[number:])
                break
            try:
                one = _judged(job, rows)
            except Exception as error:  # noqa: BLE001  a refusal is for its caller, whatever it is
                job.fail(error)
                continue
            if one is not None:
                judged.append(one)
        return judged

    def _lost(self, job: _Job) -> None:
        """Let a job that lost its race try again, but not for ever.

        One that the database failed to save, as on a full disk, has lost none: it tries while it may wait.
        """
        if job.unsaved:
            job.unsaved = False
            asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._return, job)
            return
        job.losses += 1
        if job.losses < TRIES:
            aside = (job.losses - 1) * STEP_ASIDE_SECONDS
            asyncio.get_running_loop().call_later(aside, self._return, job)
        else:
            job.fail(BusyError())

    def _return(self, job: _Job) -> None:
        """Let a job that stepped aside wait in its line again."""
        self._put_back([job])
        self._start()

    def _tell(self, row: StoredMatch) -> None:
        """Tell of a commit; a listener's fault is not the writer's."""
        try:
            self._on_commit(row.id, row.version)
        except Exception as error:  # noqa: BLE001  the row is committed whatever a listener makes of it
            _log.error("on_commit_failed", error=type(error).__name__)
