import itertools
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from msgspec.structs import replace

from service.db.errors import RowRefusedError
from service.db.rows import Change, StoredEvent, StoredMatch
from service.db.statements import EVENT_FIELDS, MATCH_FIELDS
from service.db.urls import DatabaseUrlError, session_on
from service.matches.store import Store
from tests.service.steps import START, Stale, event, new_match, step, step_from

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    store = Store(session_on(database_url))
    async with store.opened():
        yield store


async def keep(store: Store, row: StoredMatch, events: int = 1) -> StoredMatch:
    await store.insert(row, [event(row, seq) for seq in range(1, events + 1)])
    return row


def test_rows_have_the_columns_in_their_order() -> None:
    assert StoredMatch.__struct_fields__ == (*MATCH_FIELDS, "overtime")
    assert StoredEvent.__struct_fields__ == EVENT_FIELDS


async def test_a_match_comes_back_as_it_was_saved(store: Store) -> None:
    row = replace(
        new_match(),
        status="finished",
        visibility="link",
        generations="3,0",
        snapshot=bytes(range(256)),
        join_digest=b"\x00\xff",
        updated_at=START + timedelta(days=9999, microseconds=1),
        finished_at=START - timedelta(days=30_000, microseconds=1),
    )
    await keep(store, row)
    assert await store.load(row.id) == row


async def test_a_match_that_is_not_there_is_none(store: Store) -> None:
    assert await store.load(uuid4()) is None
    assert await store.find_by_code([b"unknown"]) is None
    assert await store.events(uuid4(), 0, 10) == []


async def test_an_event_comes_back_as_it_was_saved(store: Store) -> None:
    row = new_match()
    first = replace(event(row, 1), seat=None, action=None, nonce=None, body=b"")
    second = replace(
        event(row, 2), seat=1, action=b"\x00", nonce=b"\xff", at=START + timedelta(microseconds=7)
    )
    await store.insert(row, [first, second])
    assert await store.events(row.id, 0, 10) == [first, second]


async def test_events_come_by_pages(store: Store) -> None:
    row = await keep(store, new_match(), events=5)
    await keep(store, new_match(), events=5)
    pages = [await store.events(row.id, after, 2) for after in (0, 2, 4, 5)]
    assert [[one.seq for one in page] for page in pages] == [[1, 2], [3, 4], [5], []]


async def test_a_step_is_found_by_its_version(store: Store) -> None:
    row = new_match()
    versions = [row, *(replace(row, version=version) for version in (2, 3, 4))]
    seqs = itertools.count(1)
    await store.insert(row, [event(one, next(seqs)) for one in versions for _ in range(2)])
    assert [one.seq for one in await store.step(row.id, 1)] == [1, 2]
    assert [one.seq for one in await store.step(row.id, 3)] == [5, 6]
    assert await store.step(row.id, 5) == []
    assert [one.seq for one in await store.steps(row.id, 1, 3)] == [3, 4, 5, 6]
    assert [one.seq for one in await store.steps(row.id, 3, 9)] == [7, 8]


async def test_a_match_is_found_by_any_digest_of_its_code(store: Store) -> None:
    row = await keep(store, replace(new_match(), join_digest=b"new secret"))
    await keep(store, new_match())
    assert await store.find_by_code([b"old secret", b"new secret"]) == row
    assert await store.find_by_code([b"old secret"]) is None


async def test_a_code_belongs_to_one_match(store: Store) -> None:
    await keep(store, replace(new_match(), join_digest=b"code"))
    with pytest.raises(RowRefusedError):
        await keep(store, replace(new_match(), join_digest=b"code"))


async def test_the_store_plays_jobs(store: Store) -> None:
    row = await keep(store, new_match())
    assert await store.submit(Change(row.id, step)) == 2
    with pytest.raises(Stale):
        await store.submit(Change(row.id, step_from(1)))
    moved = await store.load(row.id)
    assert moved is not None
    assert (moved.version, moved.snapshot, moved.created_at) == (2, b"at 2", START)


async def listed(
    store: Store,
    *,
    status: str | None = None,
    ruleset: str | None = None,
    cursor: UUID | None = None,
    limit: int = 10,
) -> list[UUID]:
    rows = await store.list_public(status=status, ruleset=ruleset, cursor=cursor, limit=limit)
    return [row.id for row in rows]


async def test_public_matches_are_listed_newest_first(store: Store) -> None:
    public = replace(new_match(), visibility="public")
    rows = [
        replace(public, id=new_match().id, status=status)
        for status in ("open", "playing", "open", "finished")
    ]
    rows.append(replace(public, id=new_match().id, status="open", ruleset="simple@1"))
    for row in (*rows, new_match(), replace(new_match(), visibility="link")):
        await keep(store, row)
    first, playing, second, finished, simple = (row.id for row in rows)
    assert await listed(store) == [simple, finished, second, playing, first]
    assert await listed(store, status="open") == [simple, second, first]
    assert await listed(store, ruleset="classic@1") == [finished, second, playing, first]
    assert await listed(store, status="open", ruleset="classic@1") == [second, first]
    assert await listed(store, limit=2) == [simple, finished]
    assert await listed(store, cursor=finished, limit=2) == [second, playing]
    assert await listed(store, status="open", cursor=second) == [first]


@pytest.mark.parametrize(
    "url",
    [
        "ginrummy.db",
        "sqlite://",
        "sqlite:///",
        "sqlite+aiosqlite:///ginrummy.db",
        "postgresql+asyncpg://user:secret@localhost/ginrummy",
        "mysql://user:secret@localhost/ginrummy",
    ],
)
def test_an_address_with_a_driver_or_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(DatabaseUrlError) as refused:
        session_on(url)
    assert "secret" not in str(refused.value)
