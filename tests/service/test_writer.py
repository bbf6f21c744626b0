import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace

from service.db import writer as writers
from service.db.errors import (
    BusyError,
    DatabaseUnavailableError,
    DrainingError,
    MatchMissingError,
    RowRefusedError,
)
from service.db.rows import Change, Save, StoredMatch, Write
from service.db.session import Session
from service.db.writer import BATCH, TRIES, WAITING, Writer
from service.matches.store import Store
from tests.service.steps import (
    Points,
    Stale,
    changes,
    created,
    event,
    insert_matches,
    new_match,
    opened,
    outcomes,
    step,
    step_from,
    versions,
)

pytestmark = pytest.mark.anyio


async def test_matches_that_wait_together_share_a_transaction(database_url: str) -> None:
    points = Points()
    async with opened(database_url, points) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, BATCH + 1)
        points.seen.clear()
        assert await outcomes(writer, changes(ids)) == [2] * (BATCH + 1)
        assert points.transactions() == 2
        assert await versions(session, ids) == [2] * (BATCH + 1)


async def test_a_writer_that_closes_does_not_wait_for_a_database_that_is_stuck(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writers, "CLOSING_SECONDS", 0.01)
    async with opened(sqlite_url) as session:

        async def stuck(_batch: object) -> None:
            await asyncio.Event().wait()

        writer = Writer(session)
        ids = await insert_matches(writer, 2)
        monkeypatch.setattr(session, "save", stuck)
        asked = asyncio.gather(*map(writer.submit, changes(ids)), return_exceptions=True)
        await asyncio.sleep(0.01)  # they are a batch, and wait
        await writer.close()
        assert [type(one) for one in await asked] == [DatabaseUnavailableError] * 2


async def test_a_match_moves_once_a_transaction_and_in_the_order_of_asking(database_url: str) -> None:
    points = Points()
    async with opened(database_url, points) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 2)
        points.seen.clear()
        jobs = changes([ids[0], ids[0], ids[1], ids[0]])
        assert await outcomes(writer, jobs) == [2, 3, 2, 4]
        assert points.transactions() == 3


async def test_a_refusal_is_for_its_own_caller(database_url: str) -> None:
    async with opened(database_url) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 3)
        jobs = [*changes(ids[:1]), *changes(ids[1:2], step_from(7)), *changes(ids[2:])]
        first, refused, last = await outcomes(writer, jobs)
        assert (first, last) == (2, 2)
        assert isinstance(refused, Stale)
        assert await versions(session, ids) == [2, 1, 2]


async def test_an_answer_without_a_row_writes_nothing(database_url: str) -> None:
    points = Points()
    async with opened(database_url, points) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 1)
        points.seen.clear()
        assert await writer.submit(Change(ids[0], lambda row: Write(row.version))) == 1
        assert points.seen == ["read"]


async def test_a_match_that_is_not_there_is_missing(database_url: str) -> None:
    async with opened(database_url) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 1)
        missing, played = await outcomes(writer, changes([uuid4(), ids[0]]))
        assert isinstance(missing, MatchMissingError)
        assert played == 2


def overtaken(
    session: Session, monkeypatch: pytest.MonkeyPatch, rival: Callable[[], Any], times: int
) -> None:
    """Let a rival write between what `session` reads and what it saves."""
    save, turns = session.save, itertools.count()

    async def after_the_rival(batch: Sequence[Save]) -> Mapping[UUID, datetime | None]:
        if next(turns) < times:
            await rival()
        return await save(batch)

    monkeypatch.setattr(session, "save", after_the_rival)


async def test_a_lost_race_is_judged_again_on_the_newer_row(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(database_url) as session, opened(database_url) as other:
        writer, rival = Writer(session), Writer(other)
        ids = await insert_matches(writer, 2)
        overtaken(session, monkeypatch, lambda: rival.submit(Change(ids[0], step)), 1)
        assert await outcomes(writer, changes(ids)) == [3, 2]
        assert await versions(session, ids) == [3, 2]


async def test_a_judge_that_names_its_version_refuses_after_a_lost_race(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(database_url) as session, opened(database_url) as other:
        writer, rival = Writer(session), Writer(other)
        ids = await insert_matches(writer, 1)
        overtaken(session, monkeypatch, lambda: rival.submit(Change(ids[0], step)), 1)
        with pytest.raises(Stale):
            await writer.submit(Change(ids[0], step_from(1)))


async def test_a_rotation_moves_no_version_and_still_wins_the_race(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rotate(row: StoredMatch) -> Write[None]:
        return Write(None, replace(row, generations="1,0"))

    seen = []

    def judge(row: StoredMatch) -> Write[int]:
        seen.append(row.generations)
        return step(row)

    async with opened(database_url) as session, opened(database_url) as other:
        writer, rival = Writer(session), Writer(other)
        ids = await insert_matches(writer, 1)
        overtaken(session, monkeypatch, lambda: rival.submit(Change(ids[0], rotate)), 1)
        assert await writer.submit(Change(ids[0], judge)) == 2
        assert seen == ["0,0", "1,0"]
        row = await Store(session).load(ids[0])
        assert row is not None
        assert (row.version, row.generations) == (2, "1,0")


async def test_who_is_always_overtaken_gives_up(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(database_url) as session, opened(database_url) as other:
        writer, rival = Writer(session), Writer(other)
        ids = await insert_matches(writer, 1)
        overtaken(session, monkeypatch, lambda: rival.submit(Change(ids[0], step)), TRIES)
        with pytest.raises(BusyError):
            await writer.submit(Change(ids[0], step))
        assert await versions(session, ids) == [TRIES + 1]


async def test_a_new_match_that_exists_is_refused_and_stays(database_url: str) -> None:
    async with opened(database_url) as session:
        writer = Writer(session)
        row = new_match()
        await writer.submit(created(row))
        with pytest.raises(RowRefusedError):
            await writer.submit(created(replace(row, snapshot=b"another")))
        assert await versions(session, [row.id]) == [1]


async def test_new_matches_and_moves_share_a_transaction(database_url: str) -> None:
    points = Points()
    async with opened(database_url, points) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 2)
        row = new_match()
        points.seen.clear()
        await asyncio.gather(*map(writer.submit, changes(ids)), writer.submit(created(row)))
        assert points.transactions() == 1
        assert await versions(session, [*ids, row.id]) == [2, 2, 1]


async def test_a_caller_who_left_while_waiting_is_not_played(database_url: str) -> None:
    async with opened(database_url) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 3)
        tasks = [asyncio.create_task(writer.submit(one)) for one in changes(ids)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        heard = await asyncio.gather(*tasks, return_exceptions=True)
        assert [heard[0], heard[2]] == [2, 2]
        assert isinstance(heard[1], asyncio.CancelledError)
        assert await versions(session, ids) == [2, 1, 2]


async def test_a_caller_who_leaves_while_played_takes_nobody_along(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(database_url) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 3)
        tasks: list[asyncio.Task[int]] = []

        async def leave() -> None:
            tasks[1].cancel()

        overtaken(session, monkeypatch, leave, 1)
        tasks += [asyncio.create_task(writer.submit(one)) for one in changes(ids)]
        heard = await asyncio.gather(*tasks, return_exceptions=True)
        assert [heard[0], heard[2]] == [2, 2]
        assert await versions(session, ids) == [2, 2, 2]


class Gate:
    """Holds a session's saves until it is opened."""

    def __init__(self, session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.open = asyncio.Event(), asyncio.Event()
        save = session.save

        async def held(batch: Sequence[Save]) -> Mapping[UUID, datetime | None]:
            self.reached.set()
            await self.open.wait()
            return await save(batch)

        monkeypatch.setattr(session, "save", held)


async def test_closing_finishes_what_is_committing_and_refuses_the_rest(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(database_url) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 2)
        gate = Gate(session, monkeypatch)
        playing = asyncio.create_task(writer.submit(Change(ids[0], step)))
        await gate.reached.wait()
        waiting = [asyncio.create_task(writer.submit(one)) for one in changes(ids)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(writer.close())
        heard = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(one, DrainingError) for one in heard)
        gate.open.set()
        assert await playing == 2
        await closing
        with pytest.raises(DrainingError):
            await writer.submit(Change(ids[0], step))
        assert await versions(session, ids) == [2, 1]


async def test_a_queue_that_is_too_long_takes_nothing_more(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(database_url) as session:
        writer = Writer(session)
        ids = await insert_matches(writer, 1)
        gate = Gate(session, monkeypatch)
        playing = asyncio.create_task(writer.submit(Change(ids[0], step)))
        await gate.reached.wait()
        waiting = [asyncio.create_task(writer.submit(Change(uuid4(), step_from(1)))) for _ in range(WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(BusyError):
            await writer.submit(Change(ids[0], step))
        gate.open.set()
        assert await playing == 2
        heard = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(one, MatchMissingError) for one in heard)
        assert await writer.submit(Change(ids[0], step)) == 3


async def test_a_batch_closes_when_judging_takes_long(database_url: str) -> None:
    points = Points()
    async with opened(database_url, points) as session:
        ticks = itertools.count()
        writer = Writer(session, clock=lambda: next(ticks) * 0.002)
        ids = await insert_matches(writer, 7)
        points.seen.clear()
        assert await outcomes(writer, changes(ids)) == [2] * 7
        assert points.transactions() == 3
        assert await versions(session, ids) == [2] * 7


async def test_every_commit_is_told_and_a_deaf_listener_harms_nobody(database_url: str) -> None:
    told: list[tuple[UUID, int]] = []

    def listen(match_id: UUID, version: int) -> None:
        told.append((match_id, version))
        raise ZeroDivisionError

    async with opened(database_url) as session:
        writer = Writer(session, on_commit=listen)
        ids = await insert_matches(writer, 2)
        assert await outcomes(writer, changes(ids)) == [2, 2]
        assert await outcomes(writer, changes(ids, step_from(9))) != [3, 3]
        assert told == [(ids[0], 1), (ids[1], 1), (ids[0], 2), (ids[1], 2)]


def test_rows_and_jobs_show_nothing_secret() -> None:
    row = replace(new_match(), snapshot=b"secret", join_digest=b"secret", generations="secret")
    one = replace(event(row, 1), action=b"secret", nonce=b"secret", body=b"secret")
    write = Write("secret", row, (one,))
    shown = repr([row, one, write, Change(row.id, step), created(row), Save(row, row, (one,))])
    assert "secret" not in shown
    assert str(row.id) in shown
