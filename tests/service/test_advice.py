"""Advice over HTTP: in a match, out of one, and to whom it is refused."""

import json
import random
import re
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from engine.actions import Pass
from engine.grounds import Ground
from service.coaching.sentences import TEXTS
from service.coaching.wire.position import PositionIn
from service.http.texts import LANGUAGES, messages_of
from tests.service.games import GAMES, PRESET_GAMES
from tests.service.players import choose
from tests.service.serving import CHECKOUT
from tests.service.table_talk import SELVES, Answer, House, Party, Person, code_of, house, ok
from tests.sizes import size

pytestmark = pytest.mark.anyio

SEEDED: Final = {"mode": "seed", "seed": "advised"}
SHOWN: Final = str.maketrans("♠♥♦♣", "SHDC")
FURTHER: Final = ("eleven", "declared of 3", "knock only", "playable", "reshuffled")


@pytest.fixture
async def table(sqlite_url: str) -> AsyncIterator[House]:
    async with house(sqlite_url) as opened:
        yield opened


async def advice(person: Person, **parts: Any) -> Answer:  # noqa: ANN401  whatever httpx takes
    return await person.of_seat("GET", "advice", **parts)


async def begun(table: House, **body: object) -> Party:
    """A classic match in which seat 0 is offered the upcard."""
    return await table.create(*SELVES, shuffle=SEEDED, first_dealer=1, **body)


def offers(view: dict[str, Any]) -> list[tuple[str, str | None]]:
    return [(it["type"], card) for it in view["actions"] for card in it.get("cards", (None,))]


def position(view: dict[str, Any], game: dict[str, Any]) -> dict[str, Any]:
    """What a view has of a position, with the rules: as a client would copy it."""
    return {name: view[name] for name in PositionIn.__struct_fields__ if name in view} | game


async def test_the_position_on_the_page_is_answered_as_it_says(table: House) -> None:
    page = (CHECKOUT / "docs" / "advice.md").read_text(encoding="utf-8")
    asked = re.findall(r"-d '(\{.+?\})'", page, re.DOTALL)[0]
    told = re.findall(r"```json\n(.+), \"items\"", page)[0]
    answer = ok(await table.call("POST", "/advice", json=json.loads(asked)))
    assert {name: answer[name] for name in ("level", "best")} == json.loads(told + "}")


@pytest.mark.parametrize("game", [*PRESET_GAMES, *FURTHER])
async def test_a_view_told_elsewhere_is_advised_like_its_seat(table: House, game: str) -> None:
    """The seat's advice is that of a position, which knows no hidden card at all."""
    dice = random.Random(game)
    party = await table.create(*GAMES[game].selves(), **GAMES[game].body, shuffle=SEEDED)
    for number in range(size(60, 10_000)):
        view = await party[0].seen()
        if view["status"] == "finished":
            break
        person = party[view["turn"]]
        view = await person.seen()
        if number % size(8, 1) == 0 or view["phase"] in {"layoff", "last_discard"}:
            told = ok(await advice(person))
            body = position(view, GAMES[game].body)
            assert (
                ok(await table.call("POST", "/advice", json=body)).items()
                == {name: told[name] for name in ("level", "best", "items")}.items()
            )
            assert sorted(offers(view), key=repr) == sorted(
                ((it["action"]["type"], it["action"].get("card")) for it in told["items"]), key=repr
            )
            assert (told["best"], told["version"]) == (told["items"][0]["action"], view["version"])
        ok(await person.act(choose(view, dice, GAMES[game].care), view["version"]), 201)


async def test_a_match_can_be_played_by_advice_alone(table: House) -> None:
    party = await begun(table, overrides={"deals": 1})
    while True:
        person = await party.in_turn()
        told = ok(await advice(person))
        proposed = await person.of_seat(
            "POST", "intents", json={"action": told["best"], "expected_version": told["version"]}
        )
        played = ok(await person.confirm(ok(proposed, 201)["intent"]), 201)
        if played["view"]["status"] == "finished":
            break
    assert played["view"]["last_deal"]["result"] in {"knock", "gin", "undercut", "void"}


async def test_who_is_not_advised(table: House) -> None:
    party = await begun(table)
    assert code_of(await advice(party[1])) == (409, "not-your-turn")
    assert code_of(await advice(party[0], token=None)) == (401, "unauthenticated")
    assert code_of(await advice(party[0], seat=1)) == (403, "forbidden")
    silent = await begun(table, hints=False)
    assert code_of(await advice(silent[0])) == (409, "hints-not-allowed")
    waiting = await table.create(SELVES[0], {"kind": "open"})
    assert code_of(await advice(waiting[0])) == (409, "match-not-started")
    ok(await party[0].act({"type": "resign"}, await party.version()), 201)
    assert code_of(await advice(party[0])) == (409, "match-finished")


async def test_it_is_told_in_the_callers_language_and_not_told_twice(table: House) -> None:
    party = await begun(table)
    texts, tags = {}, {}
    for language in LANGUAGES:
        answer = await advice(party[0], headers={"Accept-Language": language})
        assert answer.headers["content-language"] == language
        assert answer.headers["cache-control"] == "private, no-cache"
        assert answer.headers["vary"] == "Authorization, Accept, Accept-Language"
        texts[language] = [reason["text"] for it in ok(answer)["items"] for reason in it["reasons"]]
        tags[language] = answer.headers["etag"]
        again = {"Accept-Language": language, "If-None-Match": tags[language]}
        unchanged = await advice(party[0], headers=again)
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert unchanged.headers["content-language"] == language
    assert len(set(map(tuple, texts.values()))) == len(set(tags.values())) == len(LANGUAGES)
    elsewhere = {"Accept-Language": "ru", "If-None-Match": tags["en"]}
    assert (await advice(party[0], headers=elsewhere)).status_code == 200
    await party.play(Pass(), Pass())
    assert (await advice(party[0], headers={"If-None-Match": tags["en"]})).status_code == 200


async def test_the_text_says_what_the_figures_say(table: House) -> None:
    party = await begun(table)
    for _ in range(8):
        person = await party.in_turn()
        told = ok(await advice(person))
        for reason in (reason for it in told["items"] for reason in it["reasons"]):
            said = reason["text"].replace("10", "T").translate(SHOWN)
            assert re.findall(r"\b[A2-9TJQK][SHDC]\b", said) == reason.get("cards", [])
            if "chance" in reason:
                assert f"{round(100 * reason['chance'])}%" in reason["text"].replace("\u00a0", "")
        await person.of_seat(
            "POST", "moves", json={"action": told["best"], "expected_version": told["version"]}
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_ground_has_its_words(language: str) -> None:
    messages = messages_of(language, (TEXTS / f"{language}.ftl").read_text(encoding="utf-8"))  # type: ignore[arg-type]  # one of them
    assert all(messages.has_message(f"reason-{ground}") for ground in Ground)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_position_is_advised_in_the_callers_language(table: House, language: str) -> None:
    party = await begun(table)
    body = position(await party[0].seen(), {})
    answer = await table.call("POST", "/advice", json=body, headers={"Accept-Language": language})
    assert answer.headers["content-language"] == language
    assert answer.headers["vary"] == "Accept-Language"
    assert answer.headers["cache-control"] == "no-store"


async def test_a_card_in_two_places_is_named(table: House) -> None:
    party = await begun(table)
    view = await party[0].seen()
    body = position(view, {}) | {"opponents": [{"seat": 1, "known_cards": view["hand"][:1]}]}
    refused = await table.call("POST", "/advice", json=body)
    assert code_of(refused) == (422, "duplicate-cards")
    assert refused.json()["card"] == view["hand"][0]
