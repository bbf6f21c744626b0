"""What goes on while something else is replaced: tokens, secrets, the shape of a snapshot."""

import asyncio
import io
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import httpx
import msgspec
import pytest
from msgspec.structs import replace

import engine
from engine.actions import Move
from engine.bots import replies
from engine.state import Match
from service.contract import client_of
from service.db.codec import FORMAT, decode_beside
from service.db.rows import StoredMatch
from service.main import service_on
from service.settings import Settings
from tests.playbook import Habits, choose, in_turn
from tests.service.guests import OPEN
from tests.service.serving import serving
from tests.service.settled import put, settled
from tests.service.steps import opened
from tests.service.table_talk import (
    BOT,
    PUBLIC,
    SELVES,
    Answer,
    Chance,
    House,
    Party,
    Person,
    but_for_the_instance,
    code_of,
    house,
    ok,
)
from tests.sizes import size

pytestmark = pytest.mark.anyio

OLD: Final = "old:a master secret that has served for its year"
NEW: Final = "new:a master secret that nobody has seen before"


def test_a_rotated_token_is_worthless_at_once_on_every_server(database_url: str) -> None:
    with (
        serving(database_url) as one,
        serving(database_url) as other,
        httpx.Client(base_url=one.base) as here,
        httpx.Client(base_url=other.base) as there,
    ):
        created = here.post("/v1/matches", json={"seats": SELVES, "first_dealer": 1}).json()
        seat = f"/v1/matches/{created['match']['id']}/seats/0"
        tokens = [created["seats"][0]["token"]]
        move = {"action": {"type": "pass"}, "expected_version": 1}

        def ask(client: httpx.Client, token: str, method: str, what: str, body: object = None) -> Answer:
            headers = {"Authorization": f"Bearer {token}"}
            return client.request(method, f"{seat}/{what}", headers=headers, json=body)

        intents = [ask(there, tokens[0], "POST", "intents", move).json()["intent"]]
        for client, elsewhere in [(here, there), (there, here)] * 2:
            tokens.append(ok(ask(client, tokens[-1], "POST", "token"))["token"])
            for token in tokens[:-1]:
                for asked in (
                    ("GET", "view"),
                    ("GET", "events"),
                    ("POST", "intents", move),
                    ("POST", "moves", move),
                    ("POST", "moves", {"intent": intents[0]}),
                    ("POST", "token"),
                ):
                    assert code_of(ask(elsewhere, token, *asked)) == (401, "unauthenticated")
            assert ok(ask(elsewhere, tokens[-1], "GET", "view"))["version"] == 1
            stale = ask(elsewhere, tokens[-1], "POST", "moves", {"intent": intents[-1]})
            assert code_of(stale) == (409, "intent-invalid")
            intents.append(ask(client, tokens[-1], "POST", "intents", move).json()["intent"])
        ok(ask(here, tokens[-1], "POST", "moves", {"intent": intents[-1]}), 201)


@asynccontextmanager
async def with_secrets(url: str, *secrets: str) -> AsyncIterator[House]:
    """The service as its settings make it: the first of these secrets signs."""
    service = service_on(Settings(database_url=url, secrets=",".join(secrets)))
    async with opened(url) as session, service.application.lifespan(), client_of(service) as client:
        yield House(service, session, client, Chance(), io.BytesIO())


def answered(match: Match, move: Move, bot_seeds: tuple[bytes, ...]) -> Match:
    """The match after a move and what bots of these seeds reply."""
    after = engine.apply(match, in_turn(match), move).match
    for _, reply in replies(after, bot_seeds):
        after = reply.match
    return after


async def play_on(person: Person, bot_seeds: tuple[bytes, ...], dice: random.Random) -> None:
    """Play some moves against a bot, who answers as the one of these seeds."""
    for _ in range(8):
        before = await settled(person.house.store, person.match_id)
        move = choose(before.match, dice, Habits(ends=0))
        ok(await person.act(move, before.match.version), 201)
        after = await settled(person.house.store, person.match_id)
        assert after.match == answered(before.match, move, bot_seeds)
        assert after.snapshot.bot_seeds == bot_seeds


async def test_secrets_roll_over_while_matches_are_played(database_url: str) -> None:
    dice = random.Random(1)
    async with with_secrets(database_url, OLD) as before:
        played = await before.create(SELVES[0], BOT)
        bot_seeds = (await before.table(played.id)).snapshot.bot_seeds
        await play_on(played[0], bot_seeds, dice)
        tables = [await before.create(SELVES[0], OPEN, first_dealer=1) for _ in range(2)]
        quiet = await before.create(first_dealer=1)
        intent = await quiet[0].intent({"type": "pass"}, 1)

    async with with_secrets(database_url, OLD, NEW) as late, with_secrets(database_url, NEW, OLD) as early:
        # While one replica still signs with the old secret and another with the new one, each reads both.
        for replica in (late, early):
            await quiet[0].at(replica).seen()
            await play_on(played[0].at(replica), bot_seeds, dice)
        ok(await quiet[0].at(early).confirm(intent), 201)
        ok(await quiet[0].at(late).confirm(intent), 200)
        joined = ok(await early.call("POST", "/joins", json={"code": tables[0].code}), 201)
        ben = Person(early, tables[0].id, joined["seat"], joined["token"])
        await tables[0][0].at(late).seen()
        ok(await tables[0][0].at(late).act({"type": "pass"}, 2), 201)
        by_the_old = await ben.at(late).intent({"type": "pass"}, 3)
        by_the_new = await ben.at(early).intent({"type": "pass"}, 3)
        renewed = ok(await played[0].at(early).rotate())["token"]

    async with with_secrets(database_url, NEW) as after:
        for lost in (quiet[0], quiet[1], tables[0][0], played[0]):
            assert code_of(await lost.at(after).view()) == (401, "unauthenticated")
            assert code_of(await lost.at(after).confirm(intent)) == (401, "unauthenticated")
        dead = await after.call("POST", "/joins", json={"code": tables[1].code})
        assert code_of(dead) == (404, "not-found")
        assert code_of(await ben.at(after).confirm(by_the_old)) == (409, "intent-invalid")
        ok(await ben.at(after).confirm(by_the_new), 201)
        await play_on(Person(after, played.id, 0, renewed), bot_seeds, dice)


def aged(row: StoredMatch) -> StoredMatch:
    """A row as it was written when a snapshot's match had another shape."""
    kept = msgspec.structs.asdict(decode_beside(row.snapshot))
    old = {**kept, "format": FORMAT - 1, "match": ["another", "shape"]}
    return replace(row, snapshot=msgspec.msgpack.encode(old))


def format_of(row: StoredMatch) -> int:
    return int(msgspec.msgpack.decode(row.snapshot)["format"])


async def age(party: Party) -> StoredMatch:
    """Write a match in the old shape, and return what was there."""
    row = await party.house.row(party.id)
    await put(party.house.store, aged(row))
    return row


@asynccontextmanager
async def replicas(url: str) -> AsyncIterator[tuple[House, House]]:
    chance = Chance()
    async with house(url, chance) as one, house(url, chance) as other:
        yield one, other


async def against_a_bot(host: House) -> Party:
    """A match between a caller and a bot, some moves old."""
    created = await host.create(SELVES[0], BOT, ruleset="declared", metadata={"table": "7"}, **PUBLIC)
    bot_seeds = (await host.table(created.id)).snapshot.bot_seeds
    await play_on(created[0], bot_seeds, random.Random(2))
    return created


async def test_what_is_read_of_a_match_in_an_old_format_is_the_same(database_url: str) -> None:
    async with house(database_url) as host:
        party = await against_a_bot(host)
        ana = party[0]

        async def everything() -> list[object]:
            answers = [
                await ana.view(),
                await ana.match(),
                await ana.events(),
                await ana.public_events(),
                await ana.call("GET", "/matches", token=None),
                await ana.propose({"type": "big_gin"}, await party.version()),
            ]
            return [but_for_the_instance(answer) for answer in answers]

        before = await everything()
        row = await age(party)
        assert await everything() == before
        assert await host.row(party.id) == aged(row)


async def test_a_move_in_an_old_format_is_played_once_and_renews_it(database_url: str) -> None:
    dice = random.Random(3)
    async with replicas(database_url) as houses:
        party = await against_a_bot(houses[0])
        for _ in range(size(3, 30)):
            ana = party[0]
            before = await settled(houses[0].store, party.id)
            await age(party)
            intent = await ana.intent(choose(before.match, dice, Habits(ends=0)), before.match.version)
            answers = await asyncio.gather(*(ana.at(dice.choice(houses)).confirm(intent) for _ in range(20)))
            assert sorted(answer.status_code for answer in answers) == [200] * 19 + [201]
            after = await settled(houses[0].store, party.id)
            assert after.match.version > before.match.version
            assert format_of(after.row) == FORMAT
            assert decode_beside(after.row.snapshot) == decode_beside(before.row.snapshot)

            await age(party)
            again = await ana.confirm(intent)
            assert again.headers["move-replayed"] == "true"
            assert again.json() == answers[0].json()


async def test_a_seat_in_an_old_format_is_taken_once(database_url: str) -> None:
    async with replicas(database_url) as houses:
        party = await houses[0].create(SELVES[0], OPEN, metadata={"table": "7"})
        row = await age(party)
        answers = await asyncio.gather(
            *(houses[n % 2].call("POST", "/joins", json={"code": party.code}) for n in range(20))
        )
        assert sorted(answer.status_code for answer in answers) == [201] + [404] * 19
        [joined] = [answer.json() for answer in answers if answer.status_code == 201]
        guest = Person(houses[1], party.id, joined["seat"], joined["token"])
        assert len((await guest.seen())["hand"]) == 10
        after = await settled(houses[0].store, party.id)
        assert format_of(after.row) == FORMAT
        assert decode_beside(after.row.snapshot) == decode_beside(row.snapshot)


async def test_a_token_in_an_old_format_is_replaced(database_url: str) -> None:
    async with replicas(database_url) as houses:
        party = await against_a_bot(houses[0])
        await age(party)
        answers = await asyncio.gather(*(party[0].at(houses[n % 2]).rotate() for n in range(20)))
        assert sorted(answer.status_code for answer in answers) == [200] + [401] * 19
        [token] = [answer.json()["token"] for answer in answers if answer.status_code == 200]
        assert code_of(await party[0].view()) == (401, "unauthenticated")
        table = await settled(houses[0].store, party.id)
        await play_on(Person(houses[1], party.id, 0, token), table.snapshot.bot_seeds, random.Random(4))
