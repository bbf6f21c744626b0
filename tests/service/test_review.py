"""Reviews over HTTP: of every preset, for every audience, and of nothing that was not known then."""

import json
from collections.abc import AsyncIterator
from itertools import chain, groupby
from typing import Any

import pytest

from engine import known
from engine.cards import CODES
from engine.evolve import evolve
from engine.state import Match
from service.coaching import coach
from service.db.codec import decode_event
from service.http.release import VERSION
from tests.service.games import PRESET_GAMES
from tests.service.knowledge import CARD, codes_in
from tests.service.table_talk import BOT, SELVES, Answer, House, Party, code_of, house, ok
from tests.service.test_leaks import shortened
from tests.sizes import SOAK

pytestmark = pytest.mark.anyio

EXPERT = {"kind": "bot", "level": "expert"}
SHUFFLES = (
    {"mode": "server"},
    {"mode": "seed", "seed": "reviewed"},
    {"mode": "decks", "decks": [list(CODES[::-1])]},
)


@pytest.fixture
async def table(sqlite_url: str) -> AsyncIterator[House]:
    async with house(sqlite_url) as opened:
        yield opened


async def review(party: Party, seat: int | None = None, **parts: Any) -> Answer:  # noqa: ANN401  as httpx takes
    """Ask as a seat, or as somebody without one."""
    caller = party.house.stranger(party.id) if seat is None else party[seat]
    return await caller.call("GET", f"/matches/{party.id}/review", **parts)


async def given_up(table: House, moves: int = 6, **body: object) -> Party:
    """A match whose seats follow the first action on offer and then give up."""
    party = await table.create(*SELVES, first_dealer=1, **body)
    for _ in range(moves):
        person = await party.in_turn()
        view = await person.seen()
        offer = view["actions"][0]
        action = {"type": offer["type"]} | ({"card": offer["cards"][0]} if "cards" in offer else {})
        ok(await person.act(action, view["version"]), 201)
    ok(await party[0].act({"type": "resign"}, await party.version()), 201)
    return party


async def matches_of(party: Party) -> dict[int, Match]:
    """The match as it was at each version."""
    match: Match | None = None
    found: dict[int, Match] = {}
    for version, step in groupby(await party.house.log_of(party.id), lambda row: row.version):
        for row in step:
            match = evolve(match, decode_event(row.body))
        assert match is not None
        found[version] = match
    return found


def decisions(answer: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(
        chain.from_iterable(seat["decisions"] or () for seat in answer["seats"]), key=lambda it: it["version"]
    )


@pytest.mark.parametrize("game", PRESET_GAMES)
async def test_a_finished_match_of_every_preset_is_reviewed(table: House, game: str) -> None:
    played = PRESET_GAMES[game]
    body = shortened(played)
    bots = [BOT, {"kind": "bot", "level": "beginner"}, BOT, BOT][: played.seats]
    party = await table.create(*bots, **body, visibility="link")
    told = ok(await review(party, params={} if SOAK else {"deal": 1}))
    before = await matches_of(party)
    assert told["version"] == await party.version()
    assert told["deals"] == list(range(1, len(told["deals"]) + 1))
    assert len(told["seats"]) == played.seats
    for seat in told["seats"]:
        assert 0 <= seat["accuracy"] <= 100
        assert seat["count"] == len(seat["decisions"]) > 0
        lost = sorted((it["difference"] for it in seat["decisions"] if it["difference"]), reverse=True)
        assert [it["difference"] for it in seat["worst"]] == lost[:3]
        assert all(it in seat["decisions"] for it in (*seat["worst"], *seat["missed_knocks"]))
        assert all(it["best"]["type"] in {"knock", "big_gin"} for it in seat["missed_knocks"])
        for it in seat["decisions"]:
            then = before[it["version"] - 1]
            assert set(CARD.findall(json.dumps(it))) <= codes_in(known(then, seat["seat"]))


async def test_the_expert_agrees_with_itself(table: House) -> None:
    party = await table.create(EXPERT, EXPERT, overrides={"deals": 1}, visibility="link")
    told = ok(await review(party))
    assert [seat["accuracy"] for seat in told["seats"]] == [100.0, 100.0]
    assert all(seat["worst"] == seat["missed_knocks"] == [] for seat in told["seats"])


@pytest.mark.parametrize("shuffle", SHUFFLES, ids=lambda shuffle: shuffle["mode"])
async def test_who_sees_what_of_it(table: House, shuffle: dict[str, Any]) -> None:
    party = await given_up(table, shuffle=shuffle, visibility="link")
    server = shuffle["mode"] == "server"
    for caller in (0, 1, None):
        answer = await review(party, caller)
        for seat in ok(answer)["seats"]:
            shown = server or seat["seat"] == caller
            assert all((seat[name] is not None) == shown for name in seat.keys() - {"seat"})
        audience = "all" if server else "public" if caller is None else caller
        tag = answer.headers["etag"]
        assert tag.startswith(f'"{party.id}.{await party.version()}.{audience}.')
        assert tag.endswith(f'.{VERSION}"')
        assert answer.headers["cache-control"] == "private, no-cache"
        again = {"If-None-Match": answer.headers["etag"]}
        assert (await review(party, caller, headers=again)).status_code == 304


async def test_a_seat_is_told_nothing_that_it_did_not_know_then(table: House) -> None:
    party = await given_up(table, moves=14, shuffle=SHUFFLES[1])
    before = await matches_of(party)
    for seat in (0, 1):
        told = ok(await review(party, seat))
        assert decisions(told)
        for it in decisions(told):
            cards = set(CARD.findall(json.dumps(it)))
            assert cards <= codes_in(known(before[it["version"] - 1], seat))


async def test_a_private_match_is_reviewed_by_its_seats_alone(table: House) -> None:
    party = await given_up(table)
    other = await given_up(table)
    assert code_of(await review(party)) == (404, "not-found")
    assert code_of(await review(party, 0, token=other[0].token)) == (404, "not-found")
    assert code_of(await review(party, 0, token="gst_" + "A" * 40)) == (401, "unauthenticated")
    assert ok(await review(party, 1))["seats"][0]["decisions"]


async def test_a_token_of_another_match_is_no_seat_of_this(table: House) -> None:
    party = await given_up(table, shuffle=SHUFFLES[1], visibility="link")
    other = await given_up(table)
    told = ok(await review(party, 0, token=other[0].token))
    assert [seat["decisions"] for seat in told["seats"]] == [None, None]


async def test_it_waits_for_the_end(table: House) -> None:
    party = await table.create(*SELVES, {"kind": "open"}, ruleset="penalty")
    assert code_of(await review(party, 0)) == (409, "match-not-finished")
    await party.join("Cleo")
    assert code_of(await review(party, 2)) == (409, "match-not-finished")


async def test_deal_by_deal_it_is_the_whole(table: House) -> None:
    party = await table.create(BOT, BOT, overrides={"deals": 2}, visibility="link")
    whole = ok(await review(party))
    parts = [ok(await review(party, params={"deal": deal})) for deal in whole["deals"]]
    assert [part["deal"] for part in parts] == whole["deals"]
    assert list(chain.from_iterable(map(decisions, parts))) == decisions(whole)
    assert code_of(await review(party, params={"deal": len(parts) + 1})) == (404, "not-found")


async def test_a_resignation_is_no_decision(table: House) -> None:
    party = await given_up(table, moves=4)
    told = ok(await review(party, 0))
    assert {it["action"]["type"] for it in decisions(told)} <= {"take_upcard", "draw_stock", "discard"}
    assert max(it["version"] for it in decisions(told)) < told["version"]


async def test_a_match_that_is_too_long_is_reviewed_by_deals(
    table: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    party = await table.create(BOT, BOT, overrides={"deals": 1}, visibility="link")
    monkeypatch.setattr(coach, "MOST_STEPS", await party.version() - 1)
    assert code_of(await review(party)) == (413, "too-much-work")
    assert decisions(ok(await review(party, params={"deal": 1})))
