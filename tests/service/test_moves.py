import random
from typing import Any

import pytest

from engine.state import Status
from tests.service.games import GAMES
from tests.service.players import assert_ended, audit, play_out
from tests.service.table_talk import BOT, SELVES, Answer, code_of, house, ok
from tests.sizes import size

pytestmark = pytest.mark.anyio

DRAW = {"type": "draw_stock"}
SIMPLE: dict[str, Any] = {"ruleset": "simple", "first_dealer": 1}
ON_BOTH = ("classic", "declared", "hollywood", "penalty of 3")
"""Games that are played on either database; the rules do not know where a match is kept."""

OWN = {("deal_started", "hand"), ("stock_drawn", "card")}
"""The members of events that only the seat concerned sees."""


@pytest.mark.parametrize("game", GAMES)
async def test_callers_play_a_match_to_its_end(sqlite_url: str, game: str) -> None:
    await played_among_callers(sqlite_url, game)


@pytest.mark.parametrize("game", ON_BOTH)
async def test_callers_play_a_match_to_its_end_on_postgresql(postgresql_url: str, game: str) -> None:
    await played_among_callers(postgresql_url, game)


async def played_among_callers(url: str, name: str) -> None:
    game = GAMES[name]
    shown_by_events: set[str] = set()
    async with house(url) as table:
        for seed in range(size(1, 5)):
            party = await table.create(
                *game.selves()[:-1],
                {"kind": "open"},
                **game.body,
                visibility="link",
                shuffle={"mode": "seed", "seed": f"{name} {seed}"},
            )
            await party.join("Eva")
            answers = await play_out(party, random.Random(seed), care=game.care)
            match = await audit(table, party.id)
            assert match.status is Status.FINISHED
            everybody = [ok(await party[seat].events())["items"] for seat in range(game.seats)]
            public = ok(await table.stranger(party.id).public_events(params={"limit": 1000}))["items"]
            same_but_for_what_is_hidden(everybody, public)
            shown_by_events |= {event["type"] for event in public}
            told = {event["seq"]: event for answer in answers for event in answer.json()["move"]["events"]}
            for seat, events in enumerate(everybody):
                for event in events:
                    assert (
                        event["seat"] != seat or event["type"] == "seat_joined" or told[event["seq"]] == event
                    )
            views = [await party[seat].seen() for seat in range(game.seats)]
            shown = ok(await table.stranger(party.id).match())
            for view in views:
                for part in ("result", "deal_count", "last_deal", "tallies", "scores", "columns"):
                    assert view[part] == shown[part]
            assert shown["result"] == public[-1]["result"]
            assert_ended(game, shown, await table.stranger(party.id).deals())
    assert game.shows <= shown_by_events


def same_but_for_what_is_hidden(everybody: list[list[dict[str, Any]]], public: list[dict[str, Any]]) -> None:
    for seen, *copies in zip(public, *everybody, strict=True):
        assert all(copy.keys() == seen.keys() for copy in copies)
        for name, value in seen.items():
            told = [copy[name] for copy in copies]
            if (seen["type"], name) not in OWN:
                assert told == [value] * len(copies)
                continue
            assert value is None
            if name == "hand":
                assert len(set().union(*told)) == sum(map(len, told))
            else:
                assert [seat for seat, card in enumerate(told) if card is not None] == [seen["seat"]]


@pytest.mark.parametrize("game", GAMES)
async def test_a_caller_plays_a_match_against_bots(sqlite_url: str, game: str) -> None:
    await played_against_bots(sqlite_url, game)


@pytest.mark.parametrize("game", ON_BOTH)
async def test_a_caller_plays_a_match_against_bots_on_postgresql(postgresql_url: str, game: str) -> None:
    await played_against_bots(postgresql_url, game)


async def played_against_bots(url: str, name: str) -> None:
    game = GAMES[name]
    bots = [BOT] * (game.seats - 1)
    async with house(url) as table:
        for seed in range(size(1, 5)):
            own = seed % game.seats
            party = await table.create(
                *bots[:own],
                SELVES[0],
                *bots[own:],
                **game.body,
                shuffle={"mode": "seed", "seed": f"{name} {seed}"},
            )
            person = party[own]
            before = ok(await person.events())["items"]
            answers = await play_out(party, random.Random(seed), care=game.care)
            assert (await audit(table, party.id)).status is Status.FINISHED
            heard = before + [event for answer in answers for event in events_of(answer)]
            assert heard == ok(await person.events())["items"]
            for answer in answers:
                told = answer.json()
                steps = [told["move"], *told["replies"]]
                first = told["move"]["version"]
                assert [step["version"] for step in steps] == list(range(first, first + len(steps)))
                assert own not in {reply["seat"] for reply in told["replies"]}
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
