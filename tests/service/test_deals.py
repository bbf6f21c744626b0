"""Finished deals: who may read them, how long they may be kept, and that the log has them all."""

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from service.db.codec import decode_event
from service.matches.wire.deals import deal_to_wire
from tests.playbook import rows_of
from tests.service.players import audit, play_out
from tests.service.table_talk import (
    PUBLIC,
    SELVES,
    Answer,
    House,
    Party,
    Person,
    code_of,
    house,
    ok,
)
from tests.sizes import size

pytestmark = pytest.mark.anyio

SHORT: Mapping[str, Any] = {"overrides": {"hand_size": 4, "deals": 5}}
SEED: Mapping[str, Any] = {"shuffle": {"mode": "seed", "seed": "any text"}}
YEAR = "max-age=31536000, immutable"


async def deal_of(person: Person, number: object, **parts: Any) -> Answer:  # noqa: ANN401  as httpx takes them
    return await person.call("GET", f"/matches/{person.match_id}/deals/{number}", **parts)


async def page_of(person: Person, **params: int) -> Answer:
    return await person.call("GET", f"/matches/{person.match_id}/deals", params=params)


@asynccontextmanager
async def finished(url: str, **body: Any) -> AsyncIterator[tuple[House, Party]]:  # noqa: ANN401  likewise
    """A match of five deals, played out."""
    async with house(url) as host:
        party = await host.create(*SELVES, **{**SHORT, "visibility": "link"} | body)
        await play_out(party, random.Random(5))
        yield host, party


async def begun(host: House, deals: int, **body: Any) -> Party:  # noqa: ANN401  likewise
    """A match of which so many deals are finished, and one is played."""
    party = await host.create(*SELVES, **{**SHORT, "visibility": "link"} | body)
    dice = random.Random(7)
    await play_out(party, dice, until=lambda view: view["deal_count"] == deals)
    return party


async def test_every_finished_deal_is_in_the_log_and_is_read_alone_and_in_pages(database_url: str) -> None:
    async with finished(database_url) as (host, party):
        await audit(host, party.id)
        logged = rows_of(decode_event(event.body) for event in await host.log_of(party.id))
        rows = [msgspec.json.decode(msgspec.json.encode(deal_to_wire(row))) for row in logged]
        assert len(rows) >= 5
        for person in (party[0], party[1], host.stranger(party.id)):
            assert await person.deals() == rows
            assert [ok(await deal_of(person, number))["deal"] for number in (1, 3)] == [1, 3]
            for number, row in enumerate(rows, 1):
                assert ok(await deal_of(person, number)) == row
        seen = await party[0].seen()
        assert (seen["deal_count"], seen["last_deal"]) == (len(rows), rows[-1])
        for limit in (1, 2, 3, 200):
            for cursor in range(len(rows) + 2):
                page = ok(await page_of(party[0], cursor=cursor, limit=limit))
                assert page["items"] == rows[cursor : cursor + limit]
                more = cursor + limit < len(rows)
                assert page["next_cursor"] == (cursor + limit if more else None)


async def test_a_deal_that_is_not_finished_is_not_there(database_url: str) -> None:
    async with house(database_url) as host:
        party = await begun(host, 1)
        for number in (2, 3, 200):
            assert code_of(await deal_of(party[0], number)) == (404, "not-found")
        for odd in (0, 201, "01", "-1", "x", "1_0", "٢"):
            assert code_of(await deal_of(party[0], odd)) == (404, "not-found")
        assert ok(await page_of(party[0], cursor=1)) == {"items": [], "next_cursor": None}
        waiting = await host.create(SELVES[0], {"kind": "open"})
        assert await waiting[0].deals() == []
        assert code_of(await deal_of(waiting[0], 1)) == (404, "not-found")


async def test_deals_are_as_private_as_their_match(database_url: str) -> None:
    async with house(database_url) as host:
        party = await begun(host, 2, visibility="private")
        stranger = host.stranger(party.id)
        elsewhere = host.stranger(party.id, (await host.create())[0].token)
        for ask in (lambda person: deal_of(person, 1), page_of):
            ok(await ask(party[0]))
            assert code_of(await ask(stranger)) == (404, "not-found")
            assert code_of(await ask(elsewhere)) == (404, "not-found")
            assert code_of(await ask(host.stranger(party.id, "gst_bad"))) == (401, "unauthenticated")
        old = host.stranger(party.id, party[0].token)
        ok(await party[0].rotate())
        for ask in (lambda person: deal_of(person, 1), page_of):
            assert code_of(await ask(old)) == (401, "unauthenticated")


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ({"visibility": "private"}, f"private, {YEAR}"),
        ({"visibility": "link"}, f"private, {YEAR}"),
        ({**PUBLIC}, f"public, {YEAR}"),
        ({**SEED}, "private, no-cache"),
        ({**SEED, "visibility": "private"}, "private, no-cache"),
    ],
)
async def test_what_cannot_change_may_be_kept_where_the_server_shuffled(
    sqlite_url: str, body: dict[str, Any], kept: str
) -> None:
    async with house(sqlite_url) as host:
        party = await begun(host, 3, **body)
        answers = [
            (kept, await deal_of(party[0], 1)),
            (kept, await deal_of(party[0], 3)),
            (kept, await page_of(party[0], limit=2)),
            (kept, await page_of(party[0], cursor=1, limit=1)),
            # One deal more would change these.
            ("private, no-cache", await page_of(party[0])),
            ("private, no-cache", await page_of(party[0], cursor=3)),
        ]
        for expected, answer in answers:
            assert ok(answer)
            assert answer.headers["cache-control"] == expected
            assert answer.headers["vary"] == "Authorization"
        assert len({answer.headers["etag"] for _, answer in answers}) == len(answers)


async def test_a_kept_answer_is_not_sent_again(sqlite_url: str) -> None:
    async with house(sqlite_url) as host:
        party = await begun(host, 2)
        for path in ("deals/1", "deals", "deals?limit=1"):
            asked = f"/matches/{party.id}/{path}"
            first = await party[0].call("GET", asked)
            again = await party[0].call("GET", asked, headers={"If-None-Match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            for name in ("etag", "cache-control", "vary"):
                assert again.headers[name] == first.headers[name]
            head = await party[0].call("HEAD", asked)
            assert (head.status_code, head.headers["etag"], head.content) == (200, first.headers["etag"], b"")
        whole = await page_of(party[0])
        await play_out(party, random.Random(1), until=lambda view: view["deal_count"] == 3)
        later = await page_of(party[0])
        assert later.headers["etag"] != whole.headers["etag"]
        assert len(ok(later)["items"]) == 3


async def test_a_finished_match_has_its_last_page(sqlite_url: str) -> None:
    async with finished(sqlite_url) as (_, party):
        assert (await page_of(party[0])).headers["cache-control"] == f"private, {YEAR}"


async def test_a_deal_cut_off_shows_its_hands_where_the_server_shuffled(database_url: str) -> None:
    async with house(database_url) as host:
        for body, shown in ({}, True), (SEED, False):
            party = await begun(host, 1, **body)
            held = [(await party[seat].seen())["hand"] for seat in (0, 1)]
            told = ok(await party[1].act({"type": "resign"}, await party.version()), 201)
            [resigned, cut_off, over] = told["move"]["events"]
            assert [event["type"] for event in (resigned, cut_off, over)] == [
                "resigned",
                "deal_unfinished",
                "match_finished",
            ]
            row = cut_off["row"]
            assert (row["deal"], row["result"], row["points"], row["parts"]) == (2, "unfinished", 0, [])
            assert [hand["cards"] for hand in row["hands"]] == (held if shown else [])
            for person in (party[0], party[1], host.stranger(party.id)):
                assert ok(await deal_of(person, 2)) == row
                assert (await person.deals())[1] == row
                assert ok(await person.match())["last_deal"] == row
                events = ok(await person.public_events(params={"limit": 1000}))["items"]
                assert next(event for event in events if event["type"] == "deal_unfinished") == cut_off
            await audit(host, party.id)


async def test_parts_add_up_to_points_and_penalties(sqlite_url: str) -> None:
    games = [
        ("straight", {"hand_size": 3, "target": 30}, 2),
        ("classic", {"hand_size": 4, "spade_doubles": True, "box_bonus": 7, "big_gin": True}, 2),
        ("penalty", {"hand_size": 7, "deals": size(6, 20)}, 3),
        ("openspiel", {"hand_size": 4, "deals": size(10, 40)}, 2),
    ]
    codes = set()
    async with house(sqlite_url) as host:
        for ruleset, overrides, seats in games:
            selves = [{"kind": "self"}] * seats
            party = await host.create(*selves, ruleset=ruleset, overrides=overrides)
            await play_out(party, random.Random(f"{ruleset} 4"))
            box = ok(await party[0].match())["knobs"]["box_bonus"]
            for row in await party[0].deals():
                got = [0] * seats
                for part in row["parts"]:
                    codes.add(part["code"])
                    if part["code"] == "box_bonus":
                        assert (part["seat"], part["amount"]) == (row["winner"], box)
                    else:
                        got[part["seat"]] += part["amount"]
                points = [row["points"] if seat == row["winner"] else 0 for seat in range(seats)]
                assert got == (row["penalties"] or points)
                boxed = [part for part in row["parts"] if part["code"] == "box_bonus"]
                assert len(boxed) == (row["winner"] is not None and box > 0)
    assert codes >= {"deadwood_difference", "gin_bonus", "undercut_bonus", "spade_doubles", "box_bonus"}


async def test_tallies_count_what_everybody_saw(sqlite_url: str) -> None:
    async with finished(sqlite_url) as (host, party):
        rows = await party[0].deals()
        for shown in (
            await party[0].seen(),
            await party[1].seen(),
            ok(await host.stranger(party.id).match()),
        ):
            for seat, tally in enumerate(shown["tallies"]):
                own = [row for row in rows if row["knocker"] == seat]
                knocks = [row for row in own if row["result"] in {"knock", "undercut", "tie"}]
                assert tally == {
                    "seat": seat,
                    "deals": len(rows),
                    "won": sum(row["winner"] == seat for row in rows),
                    "knocks": len(knocks),
                    "gins": len(own) - len(knocks),
                    "knock_deadwood": sum(row["hands"][seat]["deadwood"] for row in knocks),
                }
