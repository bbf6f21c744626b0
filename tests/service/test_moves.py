import random
from typing import Any

import pytest

from engine.state import Status
from tests.service.players import audit, play_out
from tests.service.table_talk import BOT, SELVES, Answer, code_of, house, ok
from tests.sizes import size

pytestmark = pytest.mark.anyio

DRAW = {"type": "draw_stock"}
SIMPLE: dict[str, Any] = {"ruleset": "simple", "first_dealer": 1}
TARGETS = {"classic": 100, "declared": 100, "simple": 60, "straight": 25}
"""What a match is played to: gin alone takes many deals, and so does knocking down to the last card."""

OWN = {("deal_started", "hand"), ("stock_drawn", "card")}
"""The members of events that only the seat concerned sees."""


@pytest.mark.parametrize("preset", TARGETS)
async def test_two_callers_play_a_match_to_its_end(database_url: str, preset: str) -> None:
    async with house(database_url) as table:
        for seed in range(size(1, 10)):
            party = await table.create(
                SELVES[0],
                {"kind": "open"},
                ruleset=preset,
                overrides={"target": TARGETS[preset]},
                visibility="link",
                shuffle={"mode": "seed", "seed": f"{preset} {seed}"},
            )
            await party.join("Eva")
            answers = await play_out(party, random.Random(seed))
            match = await audit(table, party.id)
            assert match.status is Status.FINISHED
            own, other = [ok(await party[seat].events())["items"] for seat in (0, 1)]
            public = ok(await table.stranger(party.id).public_events(params={"limit": 1000}))["items"]
            same_but_for_what_is_hidden(own, other, public)
            told = {event["seq"]: event for answer in answers for event in answer.json()["move"]["events"]}
            for event in own:
                if event["seat"] == 0:
                    assert told[event["seq"]] == event
            first, second = [await party[seat].seen() for seat in (0, 1)]
            assert first["result"] == second["result"] == public[-1]["result"]
            assert first["deals"] == second["deals"]
            assert max(first["scores"]) >= TARGETS[preset]


def same_but_for_what_is_hidden(
    own: list[dict[str, Any]], other: list[dict[str, Any]], public: list[dict[str, Any]]
) -> None:
    assert len(own) == len(other) == len(public)
    for mine, theirs, seen in zip(own, other, public, strict=True):
        assert mine.keys() == theirs.keys() == seen.keys()
        for name, value in seen.items():
            if (seen["type"], name) not in OWN:
                assert mine[name] == theirs[name] == value
                continue
            assert value is None
            if name == "hand":
                assert not set(mine[name]) & set(theirs[name])
            else:
                assert [mine[name], theirs[name]].count(None) == 1
                assert (mine[name] is None) == (seen["seat"] == 1)


@pytest.mark.parametrize("preset", TARGETS)
async def test_a_caller_plays_a_match_against_the_bot(database_url: str, preset: str) -> None:
    async with house(database_url) as table:
        for seed in range(size(1, 10)):
            party = await table.create(
                *(SELVES[0], BOT)[:: 1 if seed % 2 else -1],
                ruleset=preset,
                overrides={"target": TARGETS[preset]},
                shuffle={"mode": "seed", "seed": f"{preset} {seed}"},
            )
            [person] = party.people.values()
            before = ok(await person.events())["items"]
            answers = await play_out(party, random.Random(seed))
            assert (await audit(table, party.id)).status is Status.FINISHED
            heard = before + [event for answer in answers for event in events_of(answer)]
            assert heard == ok(await person.events())["items"]
            for answer in answers:
                told = answer.json()
                steps = [told["move"], *told["replies"]]
                first = told["move"]["version"]
                assert [step["version"] for step in steps] == list(range(first, first + len(steps)))
                assert {reply["seat"] for reply in told["replies"]} <= {1 - int(person.seat or 0)}
                assert told["view"]["version"] == steps[-1]["version"]


def events_of(answer: Answer) -> list[dict[str, Any]]:
    told = answer.json()
    return [event for step in (told["move"], *told["replies"]) for event in step["events"]]


async def test_the_same_action_on_the_same_version_is_a_replay(database_url: str) -> None:
    async with house(database_url) as one, house(database_url) as other:
        party = await one.create(**SIMPLE)
        first = ok(await party[0].act(DRAW, 1), 201)
        again = await party[0].at(other).act(DRAW, 1)
        assert again.headers["move-replayed"] == "true"
        assert ok(again) == first
        thrown = {"type": "discard", "card": first["view"]["taken"]["card"]}
        moved = ok(await party[0].act(thrown, 2), 201)
        late = ok(await party[0].act(DRAW, 1))
        assert (late["move"], late["replies"]) == (first["move"], [])
        assert late["view"] == moved["view"]
        assert (await one.row(party.id)).version == 3


async def test_another_action_on_a_played_version_is_a_conflict(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**SIMPLE)
        view = ok(await party[0].act(DRAW, 1), 201)["view"]
        kept, thrown = view["hand"][0], view["hand"][1]
        ok(await party[0].act({"type": "discard", "card": thrown}, 2), 201)
        for person, action, version in (
            (party[0], {"type": "draw_discard"}, 1),
            (party[0], {"type": "discard", "card": kept}, 2),
            (party[0], {"type": "knock", "card": thrown}, 2),
            (party[1], {"type": "discard", "card": thrown}, 2),
            (party[1], DRAW, 1),
            (party[0], DRAW, 2),
            (party[1], DRAW, 4),
            (party[1], DRAW, 1_000_000),
        ):
            answer = await person.act(action, version)
            assert code_of(answer) == (409, "version-conflict")
            assert answer.json()["current_version"] == 3


async def test_an_intent_and_the_same_action_without_one_are_one_step(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**SIMPLE)
        intent = await party[0].intent(DRAW, 1)
        told = ok(await party[0].act(DRAW, 1), 201)
        assert code_of(await party[0].confirm(intent)) == (409, "intent-stale")
        thrown = {"type": "discard", "card": told["view"]["hand"][0]}
        intent = await party[0].intent(thrown, 2)
        told = ok(await party[0].confirm(intent), 201)
        assert ok(await party[0].act(thrown, 2))["move"] == told["move"]


async def test_a_replay_tells_the_replies_again(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], BOT, **SIMPLE)
        drawn = await party[0].act(DRAW, 1)
        assert "move-replayed" not in drawn.headers
        thrown = {"type": "discard", "card": drawn.json()["view"]["taken"]["card"]}
        told = ok(await party[0].act(thrown, 2), 201)
        assert [reply["version"] for reply in told["replies"]] == [4, 5]
        assert ok(await party[0].act(thrown, 2)) == told
        now = ok(await party[0].act(DRAW, 5), 201)
        late = ok(await party[0].act(thrown, 2))
        assert (late["move"], late["replies"], late["view"]) == (told["move"], told["replies"], now["view"])


async def test_a_step_that_the_house_played_never_matches(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], BOT, **SIMPLE)
        drawn = ok(await party[0].act(DRAW, 1), 201)
        thrown = {"type": "discard", "card": drawn["view"]["taken"]["card"]}
        told = ok(await party[0].act(thrown, 2), 201)
        assert [reply["seat"] for reply in told["replies"]] == [1, 1]
        for reply in told["replies"]:
            event = reply["events"][0]
            types = {"stock_drawn": "draw_stock", "discard_drawn": "draw_discard", "discarded": "discard"}
            action = {"type": types[event["type"]]}
            if event["type"] == "discarded":
                action["card"] = event["card"]
            answer = await party[0].act(action, reply["version"] - 1)
            assert code_of(answer) == (409, "version-conflict")
        stored = {event.version: event for event in await table.log_of(party.id)}
        assert [stored[version].nonce for version in (2, 3, 4, 5)] == [None] * 4
