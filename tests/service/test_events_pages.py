import random
from itertools import chain
from typing import Any

import pytest

from tests.service.games import GAMES
from tests.service.hours import run_out
from tests.service.players import play_out
from tests.service.table_talk import BOT, PUBLIC, SELVES, Answer, code_of, house, ok

pytestmark = pytest.mark.anyio

MEMBERS = {
    "match_created": {"seats"},
    "seat_joined": {"name"},
    "match_started": {"seats"},
    "deal_started": {"deal", "dealer", "turn", "upcard", "knock_limit", "stock_count", "hand"},
    "upcard_passed": set(),
    "upcard_taken": {"card"},
    "stock_drawn": {"card", "stock_count"},
    "discard_drawn": {"card"},
    "discarded": {"card"},
    "knocked": {"card", "melds", "unmatched", "deadwood", "gin"},
    "big_gin_declared": {"melds"},
    "laid_off": {"layoffs"},
    "discard_passed": set(),
    "stock_reshuffled": {"stock_count", "top"},
    "deal_scored": {"row", "scores", "columns"},
    "deal_voided": {"row", "scores"},
    "deal_unfinished": {"row", "scores"},
    "resigned": set(),
    "turn_timed_out": {"in_a_row"},
    "forfeited": set(),
    "aborted": set(),
    "match_finished": {"result", "server_seed"},
}
SHOWING = ("declared", "straight", "knock only", "reshuffled")
"""Games in which, played by these dice, every event happens that is no way out of a match."""


async def test_pages_join_into_the_whole_log(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], BOT, visibility="link", overrides={"target": 40})
        await play_out(party, random.Random(3), by_intent=0)
        whole = ok(await party[0].events())
        assert [event["seq"] for event in whole["items"]] == list(range(1, len(whole["items"]) + 1))
        assert whole["next_after"] == len(whole["items"])
        for limit in (1, 7, 100, 1000):
            joined: list[Any] = []
            after = 0
            while (page := ok(await party[0].events(after, limit)))["items"]:
                assert len(page["items"]) == min(limit, len(whole["items"]) - after)
                joined += page["items"]
                after = page["next_after"]
            assert joined == whole["items"]
            assert page == {"items": [], "next_after": len(whole["items"]), "reset": False}
        default = ok(await table.stranger(party.id).public_events())
        assert len(default["items"]) == 100


async def test_an_event_has_its_envelope_and_the_members_of_its_type(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        resigned = await table.create()
        ok(await resigned[1].act({"type": "resign"}, 1), 201)
        late = await table.create(clock={"turn_seconds": 60, "on_timeout": "forfeit"})
        await run_out(table.session)
        ok(await late[0].claim(), 201)
        waiting = await table.create(SELVES[0], {"kind": "open"})
        ok(await waiting[0].abort())
        logs = [ok(await party[0].events())["items"] for party in (resigned, late, waiting)]
        for name in SHOWING:
            game = GAMES[name]
            shuffle = {"mode": "seed", "seed": f"{name} 0"}
            party = await table.create(*game.selves()[1:], {"kind": "open"}, **game.body, shuffle=shuffle)
            await party.join("Eva")
            await play_out(party, random.Random(0), by_intent=0, care=game.care)
            logs.append(ok(await party[0].events())["items"])
        events = list(chain.from_iterable(logs))
        for event in events:
            members = event.keys() - {"seq", "version", "type", "at", "seat"}
            assert members == MEMBERS[event["type"]]
            assert event["at"] == "2026-01-02T03:04:05Z"
        assert {event["type"] for event in events} == MEMBERS.keys()


async def test_pages_have_no_tag_and_are_kept_by_their_audience_only(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(**PUBLIC)
        answers: list[Answer] = [await party[0].events(), await table.stranger(party.id).public_events()]
        for answer in answers:
            assert answer.headers["cache-control"] == "private, no-cache"
            assert answer.headers["vary"] == "Authorization, Accept"
            assert "etag" not in answer.headers


async def test_a_page_that_cannot_be_is_refused(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(**PUBLIC)
        for params in (
            {"limit": "0"},
            {"limit": "1001"},
            {"after": "-1"},
            {"after": "10000001"},
            {"after": "01"},
            {"after": "+1"},
            {"after": "1.0"},
            {"after": ""},
            {"before": "3"},
        ):
            for path in (f"/matches/{party.id}/events", f"/matches/{party.id}/seats/0/events"):
                answer = await table.call("GET", path, params=params, token=party[0].token)
                assert code_of(answer) == (400, "parameter-invalid"), params
