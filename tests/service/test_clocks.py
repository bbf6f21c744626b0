"""Clocks: who has until when, and what happens to a move that comes too late."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import pytest

from engine.actions import TimeOut
from service.matches.table import action_bytes
from tests.playbook import COMPANIES
from tests.service.games import NAMES
from tests.service.hours import run_out
from tests.service.players import audit
from tests.service.table_talk import (
    BOT,
    PUBLIC,
    SELVES,
    Answer,
    Chance,
    House,
    Party,
    code_of,
    house,
    ok,
)

pytestmark = pytest.mark.anyio

OPEN: Final = {"kind": "open"}
MINUTE: Final = {"turn_seconds": 60}
STRICT: Final = {"turn_seconds": 60, "on_timeout": "forfeit"}
AT_ANAS: Final[dict[str, Any]] = {"first_dealer": 1, "clock": MINUTE}
"""Ana in seat 0 is asked first whether she wants the upcard."""
PASS: Final = {"type": "pass"}


def until(view: dict[str, Any]) -> datetime:
    deadline = datetime.fromisoformat(view["deadline"])
    assert deadline.tzinfo is not None
    return deadline


def types(step: dict[str, Any]) -> list[str]:
    return [event["type"] for event in step["events"]]


async def test_a_view_tells_the_clock_and_until_when_the_seat_in_turn_has(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS, visibility="link")
        view = await party[0].seen()
        assert view["clock"] == {"turn_seconds": 60, "on_timeout": "play"}
        (row,) = await table.session.read([UUID(party.id)])
        assert row.overtime is not None
        assert -60 <= row.overtime < 0
        public = ok(await table.stranger(party.id).match())
        for other in (await party[1].seen(), public, party.created["match"]):
            assert (other["clock"], other["deadline"]) == (view["clock"], view["deadline"])
        listed = await table.create(**PUBLIC)
        (item,) = ok(await table.call("GET", "/matches"))["items"]
        assert item["deadline"] == (await listed[0].seen())["deadline"]


async def test_every_move_gives_the_next_wait_its_own_deadline(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS)
        await run_out(table.session, 0.5 - 60)  # half a minute later, as it were
        before = until(await party[0].seen())
        for action in (PASS, PASS, {"type": "draw_stock"}):
            view = ok(await party.play(action), 201)["view"]
            assert view["deadline"] == (await party[0].seen())["deadline"]
            assert until(view) > before
            before = until(view)
            await run_out(table.session, 0.5 - 60)
            before = min(before, until(await party[0].seen()))


async def test_nobody_is_waited_for_before_the_deal_or_after_the_end_or_without_a_clock(
    database_url: str,
) -> None:
    async with house(database_url) as table:
        waiting = await table.create(SELVES[0], OPEN, clock=MINUTE)
        assert (await waiting[0].seen())["deadline"] is None
        await waiting.join("Ben")
        assert (await waiting[0].seen())["deadline"] is not None
        ok(await waiting[0].act({"type": "resign"}, await waiting.version()), 201)
        assert (await waiting[0].seen())["deadline"] is None
        free = await table.create()
        view = await free[0].seen()
        assert (view["clock"], view["deadline"]) == (None, None)
        bots = ok(await table.call("POST", "/matches", json={"seats": [BOT, BOT], "clock": MINUTE}), 201)
        assert (bots["match"]["status"], bots["match"]["deadline"]) == ("finished", None)


async def test_a_token_that_is_replaced_gives_no_time(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS)
        deadline = (await party[1].seen())["deadline"]
        ok(await party[0].rotate())
        assert (await party[1].seen())["deadline"] == deadline


async def test_a_tag_is_another_when_the_deadline_has_moved(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS)
        tag = (await party[0].view()).headers["etag"]
        assert (await party[0].view(headers={"If-None-Match": tag})).status_code == 304
        await run_out(table.session)
        assert (await party[0].view(headers={"If-None-Match": tag})).status_code == 200


@pytest.mark.parametrize("by_intent", [True, False])
async def test_a_late_move_is_refused_and_the_house_has_acted(database_url: str, *, by_intent: bool) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS)
        version = await party.version()
        intent = await party[0].intent({"type": "take_upcard"}, version)
        await run_out(table.session)
        passed = until(await party[0].seen())

        async def move() -> Answer:
            if by_intent:
                return await party[0].confirm(intent)
            return await party[0].act({"type": "take_upcard"}, version)

        late = await move()
        assert code_of(late) == (409, "turn-timed-out")
        assert late.json()["current_version"] == version + 1
        view = await party[1].seen()
        assert (view["version"], view["turn"]) == (version + 1, 1)
        assert until(view) > passed
        assert code_of(await move()) == (409, "intent-stale" if by_intent else "version-conflict")
        log = ok(await party[1].events())["items"]
        assert [(event["type"], event["seat"], event["version"]) for event in log[-2:]] == [
            ("turn_timed_out", 0, version + 1),
            ("upcard_passed", 0, version + 1),
        ]
        assert log[-2]["in_a_row"] == 1
        await audit(table, party.id)


async def test_what_the_house_played_is_nobodys_move_played_before(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS)
        version = await party.version()
        intent = await party[0].intent(PASS, version)
        await run_out(table.session)
        ok(await party[1].claim(), 201)
        assert code_of(await party[0].act(PASS, version)) == (409, "version-conflict")
        assert code_of(await party[0].confirm(intent)) == (409, "intent-stale")


async def test_a_move_that_came_in_time_and_waited_is_played(database_url: str) -> None:
    chance = Chance()
    async with house(database_url, chance) as table:
        party = await table.create(**AT_ANAS)
        submit = table.store.__class__.submit

        async def held(self: Any, change: Any) -> Any:  # noqa: ANN401  as it is given
            chance.seconds += 10
            await run_out(table.session, 9.5)
            return await submit(self, change)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table.store.__class__, "submit", held)
            played = await party[0].act(PASS, await party.version())
        assert types(ok(played, 201)["move"]) == ["upcard_passed"]


async def test_a_body_arrives_with_its_last_byte(database_url: str) -> None:
    chance = Chance()
    async with house(database_url, chance) as table:
        party = await table.create(**AT_ANAS)
        version = await party.version()
        body = b'{"action": {"type": "pass"}, "expected_version": %d}' % version

        async def trickled() -> AsyncIterator[bytes]:
            for byte in body[:-1]:
                yield bytes((byte,))
            chance.seconds += 10
            await run_out(table.session, 5)
            yield body[-1:]

        late = await party[0].of_seat(
            "POST", "moves", content=trickled(), headers={"Content-Type": "application/json"}
        )
        assert code_of(late) == (409, "turn-timed-out")


async def test_reading_plays_nothing(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS, visibility="link")
        version = await party.version()
        await run_out(table.session)
        for person in (*party.people.values(), table.stranger(party.id)):
            assert ok(await person.match())["version"] == version
        for person in party.people.values():
            assert (await person.seen())["version"] == version
            ok(await person.events())
        ok(await party[0].propose(PASS, version), 201)
        assert await party.version() == version


async def test_the_seat_that_is_not_in_turn_has_no_clock(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS)
        await run_out(table.session)
        view = ok(await party[1].act({"type": "resign"}, await party.version()), 201)["view"]
        assert view["result"] == {"reason": "resigned", "winner": 0, "totals": None}


async def test_a_claim_is_any_seats_and_is_told_what_the_house_did(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS)
        version = await party.version()
        early = await party[1].claim()
        assert code_of(early) == (409, "deadline-not-reached")
        assert early.json()["deadline"] == (await party[0].seen())["deadline"]
        await run_out(table.session)
        told = ok(await party[1].claim(), 201)
        assert types(told["move"]) == ["turn_timed_out", "upcard_passed"]
        assert (told["move"]["version"], told["view"]["version"]) == (version + 1, version + 1)
        assert told["view"]["deadline"] == (await party[0].seen())["deadline"]
        assert code_of(await party[1].claim()) == (409, "deadline-not-reached")
        await run_out(table.session)
        own = ok(await party[1].claim(), 201)
        assert own["move"]["events"][0]["seat"] == 1


async def test_a_claim_where_nobody_is_waited_for_names_no_deadline(database_url: str) -> None:
    async with house(database_url) as table:
        for party in (await table.create(), await table.create(SELVES[0], OPEN, clock=MINUTE)):
            answer = await party[0].claim()
            assert code_of(answer) == (409, "deadline-not-reached")
            assert "deadline" not in answer.json()


async def test_a_claim_at_the_deadline_leaves_a_moment_to_moves_on_their_way(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.matches.house.GRACE_SECONDS", 0.1)
    async with house(database_url) as table:
        party = await table.create(**AT_ANAS)
        await run_out(table.session, 0)
        assert types(ok(await party[1].claim(), 201)["move"]) == ["turn_timed_out", "upcard_passed"]


async def test_bots_answer_the_house_as_they_answer_a_move(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], BOT, ruleset="simple", clock=MINUTE, first_dealer=1)
        await run_out(table.session)
        ok(await party[0].claim(), 201)
        await run_out(table.session)
        told = ok(await party[0].claim(), 201)
        assert types(told["move"]) == ["turn_timed_out", "discarded"]
        assert {reply["seat"] for reply in told["replies"]} == {1}
        assert (told["view"]["turn"], told["view"]["status"]) == (0, "playing")
        assert told["view"]["deadline"] is not None
        await audit(table, party.id)


async def test_the_third_time_in_a_row_loses_the_match(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], BOT, ruleset="simple", clock=MINUTE, first_dealer=1)
        for _ in range(2):
            await run_out(table.session)
            ok(await party[0].claim(), 201)
        ok(await party[0].act({"type": "draw_stock"}, await party.version()), 201)
        for number in (1, 2, 3):
            await run_out(table.session)
            told = ok(await party[0].claim(), 201)
            assert told["move"]["events"][0]["in_a_row"] == number
        assert types(told["move"]) == [
            "turn_timed_out",
            "forfeited",
            "deal_unfinished",
            "match_finished",
        ]
        assert told["view"]["result"] == {"reason": "forfeited", "winner": 1, "totals": None}
        assert told["view"]["deadline"] is None
        await audit(table, party.id)


async def test_a_strict_clock_forfeits_at_once(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(first_dealer=1, clock=STRICT)
        await run_out(table.session)
        assert code_of(await party[0].act(PASS, await party.version())) == (409, "turn-timed-out")
        view = await party[1].seen()
        assert view["result"] == {"reason": "forfeited", "winner": 1, "totals": None}
        assert code_of(await party[0].act(PASS, view["version"])) == (409, "match-finished")


@pytest.mark.parametrize(("preset", "seats"), COMPANIES)
async def test_a_match_to_which_nobody_comes_is_ended_by_the_house(
    sqlite_url: str, preset: str, seats: int
) -> None:
    async with house(sqlite_url) as table:
        selves = [{"kind": "self", "name": name} for name in NAMES[:seats]]
        party = await table.create(*selves, ruleset=preset, clock=MINUTE)
        for _ in range(3 * seats):
            await run_out(table.session)
            if (await party[0].seen())["status"] == "playing":
                ok(await party[0].claim(), 201)
        view = await party[0].seen()
        assert view["result"]["reason"] == "forfeited"
        await audit(table, party.id)


async def test_the_log_keeps_that_the_house_acted(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(first_dealer=1, clock=STRICT)
        await run_out(table.session)
        ok(await party[1].claim(), 201)
        clock = (await table.table(party.id)).snapshot.clock
        assert clock is not None
        first = next(event for event in await table.log_of(party.id) if event.type == "turn_timed_out")
        assert (first.action, first.nonce) == (action_bytes(TimeOut(clock.on_timeout)), None)


async def aborted(table: House) -> Party:
    party = await table.create(SELVES[0], OPEN, OPEN, ruleset="penalty", **PUBLIC)
    await party.join("Ben")
    view = ok(await party[1].abort())
    assert view["result"] == {"reason": "aborted", "winner": None, "totals": None}
    assert (view["status"], view["phase"], view["deal_count"]) == ("finished", "finished", 0)
    return party


async def test_a_match_is_aborted_before_its_deal_by_a_seat_of_it(database_url: str) -> None:
    async with house(database_url) as table:
        party = await aborted(table)
        log = ok(await party[0].events())["items"]
        assert [(event["type"], event["seat"]) for event in log[-2:]] == [
            ("aborted", 1),
            ("match_finished", None),
        ]
        by_code = await table.call("POST", "/joins", json={"code": party.code})
        assert code_of(by_code) == (404, "not-found")
        by_id = await table.call("POST", "/joins", json={"match_id": party.id})
        assert code_of(by_id) == (409, "match-finished")
        assert code_of(await party[0].abort()) == (409, "match-finished")
        await audit(table, party.id)


async def test_after_the_deal_a_match_is_not_aborted(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create()
        assert code_of(await party[0].abort()) == (409, "match-started")
        assert (await party[0].seen())["status"] == "playing"
