import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias
from uuid import UUID

import pytest
from msgspec.structs import replace

from engine.actions import Move
from engine.state import Match
from service.db import writer
from service.db.codec import decode_generations
from service.db.rows import StoredEvent, StoredMatch
from service.db.writer import BATCH, Writer
from service.matches.table import Table
from tests.playbook import ACTIONS, Habits, choose, in_turn, offered
from tests.service.settled import execute, put, rows_of, settled
from tests.service.table_talk import (
    BOT,
    PUBLIC,
    SELVES,
    Answer,
    Chance,
    House,
    Party,
    Person,
    code_of,
    house,
    ok,
)
from tests.sizes import SOAK, size

pytestmark = pytest.mark.anyio

Replicas: TypeAlias = tuple[House, House]
Spoil: TypeAlias = Callable[[StoredMatch, StoredEvent], tuple[StoredMatch, list[StoredEvent]]]

CALLERS: Final = 20
ROUNDS: Final = size(16, 500)
OPEN: Final = {"kind": "open"}
HABITS: Final = Habits()

KINDS: Final[tuple[dict[str, Any], ...]] = (
    {"ruleset": "classic", "seats": SELVES},
    {"ruleset": "declared", "seats": SELVES},
    {"ruleset": "straight", "seats": [SELVES[0], BOT]},
    {"ruleset": "declared", "seats": [BOT, SELVES[1]]},
)


@asynccontextmanager
async def replicas(url: str) -> AsyncIterator[Replicas]:
    """Two instances of the service on one database; names and chance come from one source."""
    chance = Chance()
    async with house(url, chance) as one, house(url, chance) as other:
        yield one, other


async def created(host: House, kind: dict[str, Any]) -> Party:
    return Party(host, ok(await host.call("POST", "/matches", json=kind), 201))


async def evening(host: House, rounds: int) -> AsyncIterator[tuple[Party, Table]]:
    """Tables at which somebody is in turn: each kind of match by turns, a new one for each that ends."""
    parties: dict[int, Party] = {}
    for number in range(rounds):
        kind = number % len(KINDS)
        table = await settled(host.store, parties[kind].id) if kind in parties else None
        if table is None or table.match.deal is None:
            parties[kind] = await created(host, KINDS[kind])
            table = await settled(host.store, parties[kind].id)
        yield parties[kind], table


def moves_of(match: Match, dice: random.Random) -> list[Move]:
    """Every action that is open to the seat in turn, in any order."""
    offers = offered(match)
    moves = [
        action
        for action in ACTIONS
        if type(action) in offers and getattr(action, "card", None) in (None, *offers[type(action)].cards)
    ]
    return dice.sample(moves, len(moves))


async def together(calls: Iterable[Awaitable[Answer]]) -> list[Answer]:
    return list(await asyncio.gather(*calls))


def statuses(answers: Iterable[Answer]) -> list[int]:
    return sorted(answer.status_code for answer in answers)


async def test_20_confirms_of_one_intent_play_it_once(database_url: str) -> None:
    dice = random.Random(1)
    async with replicas(database_url) as houses:
        async for party, table in evening(houses[0], ROUNDS):
            person = party[in_turn(table.match)]
            move = choose(table.match, dice, HABITS)
            intent = await person.at(dice.choice(houses)).intent(move, table.match.version)
            answers = await together(person.at(dice.choice(houses)).confirm(intent) for _ in range(CALLERS))
            assert statuses(answers) == [200] * (CALLERS - 1) + [201]
            [first] = [answer.json() for answer in answers if answer.status_code == 201]
            for answer in answers:
                assert answer.headers.get("move-replayed") == (None if answer.status_code == 201 else "true")
                assert answer.json() == first
            after = await settled(houses[0].store, party.id)
            assert after.match.version == table.match.version + 1 + len(first["replies"])
            assert after.match.version == first["view"]["version"]


async def rivals(
    person: Person, houses: Replicas, match: Match, moves: Sequence[Move], dice: random.Random
) -> list[Awaitable[Answer]]:
    """Calls to play on one version, each another action or another intent of one; most at random replicas."""
    proposed, direct = moves[: len(moves) // 2 + 1], moves[len(moves) // 2 + 1 :][: CALLERS // 2]
    intents = [
        await person.at(dice.choice(houses)).intent(move, match.version)
        for move in itertools.islice(itertools.cycle(proposed), CALLERS - len(direct))
    ]
    calls = [
        *(person.at(dice.choice(houses)).confirm(intent) for intent in intents),
        *(person.at(dice.choice(houses)).act(move, match.version) for move in direct),
    ]
    return dice.sample(calls, len(calls))


async def test_of_20_different_actions_on_one_version_one_is_played(database_url: str) -> None:
    dice = random.Random(2)
    async with replicas(database_url) as houses:
        async for party, table in evening(houses[0], ROUNDS):
            moves = moves_of(table.match, dice)
            person = party[in_turn(table.match)]
            answers = await together(await rivals(person, houses, table.match, moves, dice))
            assert statuses(answers) == [201] + [409] * (CALLERS - 1)
            [played] = [answer.json() for answer in answers if answer.status_code == 201]
            for answer in answers:
                if answer.status_code == 409:
                    assert code_of(answer)[1] in {"version-conflict", "intent-stale"}
                    assert answer.json()["current_version"] == played["view"]["version"]
            after = await settled(houses[0].store, party.id)
            assert after.match.version == played["view"]["version"]


async def test_actions_against_the_rules_never_win(database_url: str) -> None:
    dice = random.Random(3)
    async with replicas(database_url) as houses:
        async for party, table in evening(houses[0], size(4, 50)):
            legal = moves_of(table.match, dice)
            person = party[in_turn(table.match)]
            wrong = dice.sample([action for action in ACTIONS if action not in legal], CALLERS - 1)
            calls = [
                person.at(dice.choice(houses)).act(action, table.match.version)
                for action in (legal[0], *wrong)
            ]
            assert statuses(await together(calls)) == [201] + [409] * (CALLERS - 1)
            await settled(houses[0].store, party.id)


@pytest.mark.parametrize("seats", [(SELVES[0], OPEN), (OPEN, OPEN), (BOT, OPEN)])
async def test_20_who_want_the_last_seats_get_no_more_than_there_are(
    database_url: str, seats: Sequence[dict[str, str]]
) -> None:
    dice = random.Random(4)
    free = seats.count(OPEN)
    async with replicas(database_url) as houses:
        for _ in range(size(4, 100)):
            party = await created(houses[0], {"seats": seats, **PUBLIC})
            bodies: list[dict[str, str]] = [
                {**dice.choice([{"code": party.code}, {"match_id": party.id}]), "name": f"Guest {number}"}
                for number in range(CALLERS)
            ]
            answers = await together(dice.choice(houses).call("POST", "/joins", json=body) for body in bodies)
            names = [player.name for player in (await settled(houses[0].store, party.id)).match.seats]
            taken: list[int] = []
            for body, answer in zip(bodies, answers, strict=True):
                if answer.status_code != 201:
                    full = (404, "not-found") if "code" in body else (409, "match-full")
                    assert code_of(answer) == full
                    continue
                joined = answer.json()
                taken.append(joined["seat"])
                assert names[joined["seat"]] == body["name"]
                for replica in houses:
                    guest = Person(replica, party.id, joined["seat"], joined["token"])
                    assert len((await guest.seen())["hand"]) >= 10
            assert sorted(taken) == [number for number, seat in enumerate(seats) if seat is OPEN][:free]


async def after(seconds: float, call: Awaitable[Answer]) -> Answer:
    await asyncio.sleep(seconds)
    return await call


async def test_a_move_beside_a_rotation_is_played_before_it_or_not_at_all(database_url: str) -> None:
    dice = random.Random(5)
    async with replicas(database_url) as houses:
        async for party, table in evening(houses[0], ROUNDS // 2):
            match = table.match
            seat = in_turn(match)
            old = party[seat]
            calls = await rivals(old, houses, match, moves_of(match, dice), dice)
            start = dice.uniform(-0.005, 0.01)
            rotated, *answers = await together(
                (
                    old.at(dice.choice(houses)).rotate(),
                    *(after(start + dice.uniform(0, 0.005), call) for call in calls),
                )
            )
            heard = statuses(answers)
            now = await settled(houses[0].store, party.id)
            if 201 in heard:
                assert heard.count(201) == 1
                assert set(heard) <= {201, 401, 409}
                assert now.match.version > match.version
            else:
                assert set(heard) == {401}
                assert now.match == match
            assert now.generations[seat] == table.generations[seat] + 1
            new = party.people[seat] = Person(houses[0], party.id, seat, ok(rotated)["token"])
            for replica in houses:
                assert (await old.at(replica).view()).status_code == 401
                assert (await old.at(replica).act(ACTIONS[0], match.version)).status_code == 401
                assert (await new.at(replica).seen())["version"] == now.match.version


async def test_of_20_rotations_of_one_token_one_happens(database_url: str) -> None:
    dice = random.Random(6)
    async with replicas(database_url) as houses:
        party = await created(houses[0], KINDS[0])
        person = party[0]
        for number in range(size(5, 100)):
            answers = await together(person.at(dice.choice(houses)).rotate() for _ in range(CALLERS))
            assert statuses(answers) == [200] + [401] * (CALLERS - 1)
            [token] = [answer.json()["token"] for answer in answers if answer.status_code == 200]
            person = Person(houses[0], party.id, 0, token)
            row = (await settled(houses[0].store, party.id)).row
            assert decode_generations(row.generations) == (number + 1, 0)


def gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a writer wait until a whole batch has come, and judge it in one go."""
    start = Writer._start

    def patient(line: Writer) -> None:
        if line._waiting >= BATCH:
            start(line)

    monkeypatch.setattr(Writer, "_start", patient)
    monkeypatch.setattr(writer, "JUDGING_SECONDS", 60.0)


def with_a_stray(row: StoredMatch, last: StoredEvent) -> tuple[StoredMatch, list[StoredEvent]]:
    """An event stands where the next one belongs: the database refuses that one, and with it the batch."""
    return row, [replace(last, seq=last.seq + 1, type="stray")]


def cut_short(row: StoredMatch, _last: StoredEvent) -> tuple[StoredMatch, list[StoredEvent]]:
    """The snapshot cannot be read: the judge breaks."""
    return replace(row, snapshot=row.snapshot[:100]), []


@pytest.mark.parametrize("place", [0, BATCH - 1] if SOAK else [31])
@pytest.mark.parametrize(("spoil", "splits"), [(with_a_stray, True), (cut_short, False)])
async def test_a_bad_row_among_64_matches_stops_its_own_match_only(
    database_url: str, monkeypatch: pytest.MonkeyPatch, spoil: Spoil, place: int, *, splits: bool
) -> None:
    dice = random.Random(7)
    async with house(database_url) as replica:
        parties = [await created(replica, KINDS[number % len(KINDS)]) for number in range(BATCH)]
        before = [await settled(replica.store, party.id) for party in parties]
        moves = [choose(table.match, dice, HABITS) for table in before]
        people = [party[in_turn(table.match)] for party, table in zip(parties, before, strict=True)]
        bad = UUID(parties[place].id)
        sound, events = await rows_of(replica.store, bad)
        row, strays = spoil(sound, events[-1])
        await put(replica.store, row, *strays)
        stood = await rows_of(replica.store, bad)

        with monkeypatch.context() as patched:
            gathered(patched)
            answers = await together(
                person.act(move, table.match.version)
                for person, move, table in zip(people, moves, before, strict=True)
            )
        assert (b"batch_split" in replica.log.getvalue()) == splits
        refused = answers.pop(place)
        assert code_of(refused) == (500, "internal-error")
        assert statuses(answers) == [201] * (BATCH - 1)
        assert await rows_of(replica.store, bad) == stood

        await execute(database_url, "DELETE FROM events WHERE type = 'stray'")
        await put(replica.store, sound)
        ok(await people[place].act(moves[place], before[place].match.version), 201)
        for party, table in zip(parties, before, strict=True):
            assert (await settled(replica.store, party.id)).match.version > table.match.version
