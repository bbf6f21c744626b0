import random
from typing import Any

import pytest

from tests.service.players import play_out
from tests.service.table_talk import BOT, SELVES, Answer, code_of, house, ok

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
    "deal_scored": {"row", "scores"},
    "deal_voided": {"row", "scores"},
    "match_finished": {"result", "server_seed"},
}


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
            assert page == {"items": [], "next_after": len(whole["items"])}
        default = ok(await table.stranger(party.id).public_events())
        assert len(default["items"]) == 100
        assert ok(await party[0].events(10_000_000)) == {"items": [], "next_after": 10_000_000}


async def test_an_event_has_its_envelope_and_the_members_of_its_type(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        seen: set[str] = set()
        for seed, (preset, target) in enumerate((("declared", 60), ("straight", 100))):
            party = await table.create(
                SELVES[0],
                {"kind": "open"},
                ruleset=preset,
                overrides={"target": target, "stock_floor": 10},
                shuffle={"mode": "seed", "seed": "a deal is voided"},
            )
            await party.join("Eva")
            await play_out(party, random.Random(seed), by_intent=0)
            for event in ok(await party[1].events())["items"]:
                members = event.keys() - {"seq", "version", "type", "at", "seat"}
                assert members == MEMBERS[event["type"]]
                assert event["at"] == "2026-01-02T03:04:05Z"
                seen.add(event["type"])
        assert seen == MEMBERS.keys()


async def test_pages_have_no_tag_and_are_kept_by_their_audience_only(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(visibility="public")
        answers: list[Answer] = [await party[0].events(), await table.stranger(party.id).public_events()]
        for answer in answers:
            assert answer.headers["cache-control"] == "private, no-cache"
            assert answer.headers["vary"] == "Authorization, Accept"
            assert "etag" not in answer.headers


async def test_a_page_that_cannot_be_is_refused(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(visibility="public")
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
