"""This version beside the next one, on one database, while replicas are exchanged.

Cases of later versions belong here; what the next version does differently is in `next_version`.
"""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import httpx
import pytest
from msgspec import Struct, msgpack

from service.contract import example_service
from service.db.codec import FORMAT
from service.db.session import Session
from service.http.endpoints import endpoints
from service.http.problems import Code
from service.matches.store import Store
from tests.replicas.streams import Message, messages
from tests.service import next_version
from tests.service.databases import Server as PostgreSQL
from tests.service.hours import run_out
from tests.service.listening import PATIENCE
from tests.service.next_version import written
from tests.service.serving import Server, serving
from tests.service.steps import opened
from tests.service.table_talk import PUBLIC, SELVES, Answer, House, Party, code_of, ok

pytestmark = pytest.mark.anyio

OUTDATED: Final = (503, "replica-outdated")
OPEN: Final = {"kind": "open"}
DRAW: Final = {"type": "draw_stock"}
RESIGN: Final = {"type": "resign"}
EXPECTED: Final = {"request", "time_out_failed"}
"""What a server may log here: no request and no stream fails in an unexpected way."""


class Servers(Struct, frozen=True):
    """A server of this version and one of the next."""

    url: str
    this: Server
    next: Server


class Door(House):
    """One of them, over its socket."""

    def __init__(self, session: Session, client: httpx.AsyncClient) -> None:
        self.session = session
        self.store = Store(session)
        self.client = self._client = client


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def servers(
    request: pytest.FixtureRequest,
    postgresql_server: PostgreSQL,
    migrated_file: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Servers]:
    with ExitStack() as stack:
        if request.param == "postgresql":
            url = stack.enter_context(postgresql_server.migrated())
        else:
            folder = tmp_path_factory.mktemp("versions")
            url = f"sqlite:///{shutil.copy(migrated_file, folder / 'ginrummy.db')}"
        settings = {"GINRUMMY_POLL_MILLISECONDS": "20"}

        def start(program: str) -> Server:
            return stack.enter_context(serving(url, program=program, settings=settings))

        with ThreadPoolExecutor(2) as pool:
            this, following = pool.map(start, ("service.cli", next_version.__name__))
        yield Servers(url, this, following)
    for server in (this, following):
        logged = [json.loads(line) for line in server.rest.result().splitlines()]
        assert {line["event"] for line in logged} <= EXPECTED, logged


@pytest.fixture
async def doors(servers: Servers) -> AsyncIterator[tuple[Door, Door]]:
    async with (
        opened(servers.url) as session,
        httpx.AsyncClient(base_url=servers.this.base, timeout=PATIENCE) as this,
        httpx.AsyncClient(base_url=servers.next.base, timeout=PATIENCE) as following,
    ):
        yield Door(session, this), Door(session, following)


async def format_of(party: Party) -> int:
    return int(msgpack.decode((await party.house.row(party.id)).snapshot)["format"])


async def begun(door: Door, **body: object) -> Party:
    """A match that this version made, and in which seat 0 has to draw: the next has another event for it."""
    party = await door.create(*SELVES, ruleset="simple", first_dealer=1, **body)
    assert await format_of(party) == FORMAT
    return party


async def drawn_by(party: Party, following: Door) -> None:
    """Let the next version play the first step."""
    ok(await party[0].at(following).act(DRAW, 1), 201)
    assert await format_of(party) == next_version.FORMAT


def operations(party: Party, waiting: Party) -> dict[str, Callable[[], Awaitable[Answer]]]:
    """Every operation that reads a match: one that is played, and one that waits for a player."""
    ana = party[0]
    return {
        "listMatches": lambda: ana.call("GET", "/matches", token=None),
        "getMatch": ana.match,
        "joinMatch": lambda: ana.call("POST", "/joins", json={"code": waiting.code}),
        "rotateToken": ana.rotate,
        "getView": ana.view,
        "proposeMove": lambda: ana.propose(RESIGN, 2),
        "playMove": lambda: ana.act(RESIGN, 2),
        "claimTimeout": ana.claim,
        "abortMatch": waiting[0].abort,
        "listEvents": ana.public_events,
        "listSeatEvents": lambda: ana.events(limit=1),
        "streamEvents": lambda: ana.call("GET", f"/matches/{party.id}/events/stream"),
        "streamSeatEvents": lambda: ana.of_seat("GET", "events/stream"),
        "getAdvice": lambda: ana.of_seat("GET", "advice"),
        "getReview": lambda: ana.call("GET", f"/matches/{party.id}/review"),
    }


async def test_a_match_of_the_next_version_is_refused_and_left_as_it_is(doors: tuple[Door, Door]) -> None:
    this, following = doors
    party = await begun(this, **PUBLIC)
    intent = await party[0].at(following).intent(DRAW, 1)
    ok(await party[0].at(following).confirm(intent), 201)
    waiting = await following.create(SELVES[0], OPEN, **PUBLIC)
    waiting_here = Party(this, waiting.created)
    rows = [await this.row(one.id) for one in (party, waiting)]
    asked = operations(party, waiting_here) | {
        "joinMatch by id": lambda: this.call("POST", "/joins", json={"match_id": waiting.id}),
        "playMove by intent": lambda: party[0].confirm(intent),
    }
    for name, ask in asked.items():
        answer = await ask()
        assert code_of(answer) == OUTDATED, name
        assert answer.headers["retry-after"] == "1"
    assert [await this.row(one.id) for one in (party, waiting)] == rows
    ok(await party[0].at(following).confirm(intent), 200)
    ok(await waiting[0].at(following).abort())
    ok(await party[0].at(following).act(RESIGN, 2), 201)


async def test_every_operation_that_reads_a_match_is_asked(doors: tuple[Door, Door]) -> None:
    party = await begun(doors[0])
    with example_service() as service:
        reading = {
            one.operation_id for one in endpoints(service.application) if Code.REPLICA_OUTDATED in one.codes
        }
    assert operations(party, party).keys() == reading


async def test_a_match_that_only_this_version_has_written_goes_on_at_both(doors: tuple[Door, Door]) -> None:
    this, following = doors
    party = await begun(this)
    for version in (1, 2, 3):
        for person in party.people.values():
            assert await person.seen() == await person.at(following).seen()
            here, there = [ok(await one.events())["items"] for one in (person, person.at(following))]
            assert here == there
        person = await party.in_turn()
        view = await person.seen()
        action = DRAW if version != 2 else {"type": "discard", "card": view["taken"]["card"]}
        intent = await person.at(following).intent(action, version)
        ok(await person.confirm(intent), 201)
        assert await format_of(party) == FORMAT


async def test_the_next_version_takes_a_match_over_and_loses_nothing_of_it(doors: tuple[Door, Door]) -> None:
    this, following = doors
    party = await begun(this, metadata={"table": "7"})
    before = ok(await party[0].events())["items"]
    ok(await party[0].act(DRAW, 1), 201)
    view = await party[0].seen()
    intent = await party[0].intent({"type": "discard", "card": view["taken"]["card"]}, 2)
    ok(await party[0].at(following).confirm(intent), 201)
    for version in (3, 4):
        person = party[1].at(following)
        view = await person.seen()
        action = DRAW if version == 3 else {"type": "discard", "card": view["taken"]["card"]}
        assert code_of(await person.at(this).act(action, version)) == OUTDATED
        ok(await person.act(action, version), 201)
    row = await this.row(party.id)
    assert (row.version, written(row.snapshot)) == (5, 4)  # it was renewed before its first step there
    log = ok(await party[0].at(following).events())["items"]
    assert log[: len(before)] == before
    assert [event["version"] for event in log][-4:] == [2, 3, 4, 5]


async def test_only_the_next_version_acts_for_a_seat_of_its_match(doors: tuple[Door, Door]) -> None:
    this, following = doors
    theirs, ours = [await begun(this, clock={"turn_seconds": 60}) for _ in range(2)]
    await drawn_by(theirs, following)
    await run_out(this.session)
    async with asyncio.timeout(PATIENCE):
        while await theirs.version() == 2 or await ours.version() == 1:  # noqa: ASYNC110  nothing tells of it
            await asyncio.sleep(0.02)
    row = await this.row(theirs.id)
    assert (row.version, written(row.snapshot)) == (3, 3)


async def test_a_stream_of_this_version_says_goodbye_and_goes_on_at_the_next(
    doors: tuple[Door, Door],
) -> None:
    this, following = doors
    party = await begun(this)
    log = ok(await party[0].events())["items"]
    path = f"/v1/matches/{party.id}/seats/0/events/stream"
    headers = {"Authorization": f"Bearer {party[0].token}", "Last-Event-ID": str(len(log) - 1)}
    heard: list[Message] = []
    async with (
        asyncio.timeout(PATIENCE),
        this.client.stream("GET", path, headers=headers) as answer,
    ):
        async for message in messages(answer):
            heard.append(message)
            if message.id == len(log):
                await drawn_by(party, following)
    assert [one.id for one in heard if one.id is not None] == [len(log)]
    assert (heard[-1].event, heard[-1].data) == ("bye", {"reason": "draining"})
    headers |= {"Last-Event-ID": str(len(log))}
    async with (
        asyncio.timeout(PATIENCE),
        following.client.stream("GET", path, headers=headers) as answer,
    ):
        first = await anext(messages(answer))
    assert (first.id, first.data["type"]) == (len(log) + 1, "stock_drawn")
