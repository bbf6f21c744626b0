import asyncio
import random
import threading

import pytest

from engine import known
from engine.bots import Level, choose
from engine.state import Status
from engine.view import View
from service.matches.lobby import DEMONSTRATED_STEPS, DEMONSTRATIONS
from tests.service.games import GAMES, Game
from tests.service.players import assert_ended, audit, play_out
from tests.service.table_talk import BOT, SELVES, code_of, house, ok

pytestmark = pytest.mark.anyio

PATIENCE = 60


@pytest.mark.parametrize("game", GAMES)
async def test_a_match_of_bots_only_is_finished_when_it_is_created(database_url: str, game: str) -> None:
    played = GAMES[game]
    async with house(database_url) as table:
        party = await table.create(*[BOT] * played.seats, **played.body, visibility="public")
        assert (party.created["seats"], party.created["join"]) == ([], None)
        match = party.created["match"]
        assert (match["status"], match["phase"]) == ("finished", "finished")
        assert_ended(played, match, await table.stranger(party.id).deals())
        assert match["finished_at"] == match["created_at"]
        assert (await audit(table, party.id)).status is Status.FINISHED
        events = ok(await table.stranger(party.id).public_events(params={"limit": 1000}))["items"]
        assert [event["type"] for event in events[:3]] == ["match_created", "match_started", "deal_started"]
        assert match == ok(await table.stranger(party.id).match())


async def test_a_demonstration_is_played_beside_other_requests(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, answered = threading.Event(), threading.Event()

    def waiting(view: View, level: Level, seed: bytes) -> object:
        begun.set()
        assert answered.wait(PATIENCE), "nobody else was answered while the bots played"
        return choose(view, level, seed)

    monkeypatch.setattr("engine.bots.reply.choose", waiting)
    async with house(sqlite_url) as table:
        demonstration = asyncio.create_task(table.create(BOT, BOT))
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        party = await table.create()
        assert (await party[0].view()).status_code == 200
        assert not demonstration.done()
        answered.set()
        assert (await demonstration).created["match"]["status"] == "finished"


async def test_too_many_demonstrations_at_once_are_refused(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        asked = [
            table.call("POST", "/matches", json={"seats": [BOT, BOT], "overrides": {"target": 1}})
            for _ in range(DEMONSTRATIONS + 3)
        ]
        answers = await asyncio.gather(*asked)
        refused = [answer for answer in answers if answer.status_code != 201]
        assert len(refused) == 3
        for answer in refused:
            assert code_of(answer) == (503, "busy")
            assert answer.headers["retry-after"] == "1"
        await table.create(BOT, BOT, overrides={"target": 1})


async def test_a_demonstration_without_end_is_too_much_work_and_leaves_nothing(sqlite_url: str) -> None:
    endless = {"deals": 100, "knock_limit": 0, "max_turns": 500, "hand_size": 10, "stock_floor": 10}
    async with house(sqlite_url) as table:
        body = {"ruleset": "penalty", "overrides": endless, "seats": [BOT] * 4, "visibility": "public"}
        refused = await table.call("POST", "/matches", json=body)
        assert code_of(refused) == (413, "too-much-work")
        assert refused.json()["limit"] == DEMONSTRATED_STEPS
        assert ok(await table.call("GET", "/matches"))["items"] == []
        await table.create(BOT, BOT)


@pytest.mark.parametrize("level", Level)
async def test_a_match_is_played_out_against_every_level(database_url: str, level: Level) -> None:
    played = Game("classic", overrides={"target": 30})
    async with house(database_url) as table:
        bot = {"kind": "bot", "level": level}
        party = await table.create(SELVES[0], bot, **played.body, first_dealer=0)
        match = ok(await party[0].match())
        assert match["seats"][1] == {"seat": 1, "kind": "bot", "name": f"Bot ({level})", "level": level}
        await play_out(party, random.Random(level))
        assert_ended(played, ok(await party[0].match()), await party[0].deals())
        await audit(table, party.id)


@pytest.mark.parametrize("dealer", [0, 1])
async def test_a_bot_that_acts_first_has_acted(database_url: str, dealer: int) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], BOT, ruleset="simple", first_dealer=dealer)
        view = await party[0].seen()
        assert view["turn"] == 0
        assert view["version"] == (3 if dealer == 0 else 1)
        assert view["opponents"][0]["name"] == "Bot (club)"
        events = ok(await party[0].events())["items"]
        assert [event["seat"] for event in events if event["version"] > 1] == [1] * (view["version"] - 1)


async def test_a_bot_is_given_a_players_view_and_nothing_else(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[View] = []

    def watched(view: View, level: Level, seed: bytes) -> object:
        given.append(view)
        return choose(view, level, seed)

    monkeypatch.setattr("engine.bots.reply.choose", watched)
    async with house(sqlite_url) as table:
        party = await table.create(SELVES[0], BOT, ruleset="simple", first_dealer=0)
        match = (await table.table(party.id)).match
        assert match.deal is not None
        assert [view.seat for view in given] == [1, 1]
        assert given[1].hand & ~known(match, 1) == 0
        assert match.deal.hands[0] & given[0].hand == 0


async def test_two_bots_of_one_match_have_secrets_of_their_own(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        seeds = set()
        for shuffle in ({"mode": "server"}, {"mode": "seed", "seed": "x"}, {"mode": "server"}):
            party = await table.create(BOT, BOT, shuffle=shuffle, overrides={"target": 1})
            seeds |= set((await table.table(party.id)).snapshot.bot_seeds)
        assert len(seeds) == 6
        assert all(len(seed) == 32 for seed in seeds)
