"""The list of the bots' levels: each with its words and its figures, as they were measured."""

from collections.abc import AsyncIterator

import pytest

from engine.bots import Level
from engine.bots.measured import measured
from service.http.texts import LANGUAGES
from tests.service.table_talk import SELVES, House, house, ok

pytestmark = pytest.mark.anyio


@pytest.fixture
async def table(sqlite_url: str) -> AsyncIterator[House]:
    async with house(sqlite_url) as opened:
        yield opened


async def test_every_level_is_listed_weakest_first(table: House) -> None:
    items = ok(await table.call("GET", "/bots"))["items"]
    assert [item["level"] for item in items] == list(Level)
    for item, figures in zip(items, measured().levels, strict=True):
        rates = {rate["ruleset"]: rate for rate in item["against_club"]}
        assert rates.keys() == (set() if item["level"] == "club" else {"classic", "straight"})
        for ruleset, rate in rates.items():
            assert 0 <= rate["low"] <= rate["percent"] <= rate["high"] <= 100
            assert rate["matches"] == figures.against_club[ruleset].matches
        assert 0 <= item["decision_ms"]["mean"] <= item["decision_ms"]["p99"]


async def test_the_strength_rises(table: House) -> None:
    items = ok(await table.call("GET", "/bots"))["items"]
    rates = {it["level"]: it["against_club"][0]["percent"] for it in items if it["against_club"]}
    assert rates["beginner"] < rates["casual"] < 50 < rates["strong"]
    assert rates["expert"] > 50


async def test_each_language_has_its_words_and_its_tag(table: House) -> None:
    told, tags = set(), set()
    for language in LANGUAGES:
        answer = await table.call("GET", "/bots", headers={"Accept-Language": language})
        assert answer.headers["content-language"] == language
        assert answer.headers["vary"] == "Accept-Language"
        assert answer.headers["cache-control"] == "public, max-age=86400"
        told |= {item["description"] for item in ok(answer)["items"]}
        tags.add(answer.headers["etag"])
    assert len(told) == len(LANGUAGES) * len(Level)
    assert len(tags) == len(LANGUAGES)


async def test_every_level_that_is_listed_takes_a_seat(table: House) -> None:
    for item in ok(await table.call("GET", "/bots"))["items"]:
        party = await table.create(SELVES[0], {"kind": "bot", "level": item["level"]})
        assert party.created["match"]["seats"][1]["level"] == item["level"]
