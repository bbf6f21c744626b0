"""Rules of R2–R7 as a client meets them: what the views, events and refusals of each one say."""

from typing import Any

import pytest

from engine.cards import CODES
from tests.playbook import LOOSE, MELDED, deck_for, deck_of
from tests.service.table_talk import SELVES, House, Party, code_of, codes, house, ok

pytestmark = pytest.mark.anyio

DRAW = {"type": "draw_stock"}
TAKE = {"type": "draw_discard"}
PASS = {"type": "pass"}
READY = f"{MELDED} 9D"
"""A hand that may knock with any card but a ten in place of the nine."""
REST = [card for card in CODES if card not in f"{READY} {LOOSE}".split()]
FOUR = [*SELVES, {"kind": "self", "name": "Cleo"}, {"kind": "self", "name": "Dan"}]


def throw(card: str) -> dict[str, str]:
    return {"type": "discard", "card": card}


def knock(card: str) -> dict[str, str]:
    return {"type": "knock", "card": card}


def dealt(*decks: tuple[int, ...]) -> dict[str, Any]:
    return {"shuffle": {"mode": "decks", "decks": [codes(deck) for deck in decks]}, "visibility": "link"}


async def told(party: Party, kind: str) -> list[dict[str, Any]]:
    """The last event of a type, as each seat and at last everybody else is told of it."""
    copies = [ok(await party[seat].events())["items"] for seat in party.people]
    copies.append(ok(await party.house.stranger(party.id).public_events(params={"limit": 1000}))["items"])
    return [[event for event in events if event["type"] == kind][-1] for events in copies]


async def crowded(table: House, second: str, stock_end: str, **overrides: object) -> Party:
    """Four hands of ten leave eleven cards in the stock: one draw brings it to its floor of ten."""
    first, fourth = " ".join(REST[:10]), " ".join(REST[10:20])
    third = LOOSE if second != LOOSE else READY
    deck = deck_for((first, second, third, fourth), REST[20], REST[21])
    knobs = {"hand_size": 10, "stock_floor": 10, "stock_end": stock_end, **overrides}
    return await table.create(*FOUR, ruleset="penalty", overrides=knobs, first_dealer=3, **dealt(deck))


async def test_the_last_discard_may_be_for_a_knock_only(database_url: str) -> None:
    async with house(database_url) as table:
        party = await crowded(table, READY, "last_discard_knock_only")
        await party.play(DRAW, throw(REST[21]))
        views = [await party[seat].seen() for seat in range(4)]
        assert {view["phase"] for view in views} == {"last_discard"}
        assert [view["turn"] for view in views] == [1] * 4
        assert [view["actions"] for view in views] == [
            [],
            [{"type": "draw_discard"}, {"type": "pass"}],
            [],
            [],
        ]
        await party.play(TAKE)
        view = await party[1].seen()
        assert [offer["type"] for offer in view["actions"]] == ["knock"]
        refused = await party[1].act(throw("9D"), view["version"])
        assert code_of(refused) == (409, "must-knock")
        ok(await party[1].act(knock("9D"), view["version"]), 201)
        row = (await party[1].seen())["last_deal"]
        assert (row["knocker"], row["hands"][1]["unmatched"]) == (1, [REST[21]])


async def test_the_last_discard_is_left_where_no_knock_is_possible(database_url: str) -> None:
    async with house(database_url) as table:
        party = await crowded(table, LOOSE, "last_discard_knock_only")
        await party.play(DRAW, throw(REST[21]))
        view = await party[1].seen()
        assert view["actions"] == [{"type": "pass"}]
        assert code_of(await party[1].act(TAKE, view["version"])) == (409, "no-knock-possible")
        proposed = ok(await party[1].propose(PASS, view["version"]), 201)
        assert (proposed["preview"]["ends_deal"], proposed["preview"]["reveals"]) == ("void", ["own_hand"])
        ok(await party[1].confirm(proposed["intent"]), 201)
        for event in await told(party, "discard_passed"):
            assert event.keys() == {"type", "seq", "version", "at", "seat"}
            assert event["seat"] == 1
        for event in await told(party, "deal_voided"):
            assert event["row"]["result"] == "void"
            assert [hand["seat"] for hand in event["row"]["hands"]] == [0, 1, 2, 3]


async def test_a_playable_last_discard_asks_the_next_seat_again(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await crowded(table, LOOSE, "last_discard_playable")
        await party.play(DRAW, throw(REST[21]), TAKE, throw("KC"))
        view = await party[2].seen()
        assert (view["phase"], view["turn"], view["discard_pile"][-1]) == ("last_discard", 2, "KC")


async def test_the_draw_to_the_floor_may_end_the_deal(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await crowded(table, LOOSE, "dead_on_draw")
        proposed = ok(await party[0].propose(DRAW, 1), 201)
        assert proposed["preview"]["ends_deal"] == "void"
        ok(await party[0].confirm(proposed["intent"]), 201)
        row = (await party[2].seen())["last_deal"]
        assert (row["result"], len(row["hands"][0]["cards"])) == ("void", 11)
        drawn = [event["card"] for event in await told(party, "stock_drawn")]
        assert drawn == [REST[21], None, None, None, None]


async def test_a_reshuffle_tells_everybody_the_same(database_url: str) -> None:
    async with house(database_url) as table:
        party = await crowded(table, LOOSE, "reshuffle")
        await party.play(DRAW, throw(REST[21]))
        for event in await told(party, "stock_reshuffled"):
            assert (event["stock_count"], event["top"], event["seat"]) == (11, REST[21], None)
            assert event.keys() == {"type", "seq", "version", "at", "seat", "stock_count", "top"}
        for seat in range(4):
            view = await party[seat].seen()
            assert (view["stock_count"], view["discard_pile"]) == (11, [REST[21]])
            assert view["upcard"] == REST[20]


async def test_eleven_cards_and_no_upcard(database_url: str) -> None:
    async with house(database_url) as table:
        rules = {"upcard_offer": "eleven"}
        party = await table.create(overrides=rules, first_dealer=1, **dealt(deck_of(READY, LOOSE, "KD")))
        for seat, count in ((0, 11), (1, 10)):
            view = await party[seat].seen()
            assert (view["upcard"], view["discard_pile"], view["stock_count"]) == (None, [], 31)
            assert (view["phase"], view["turn"], len(view["hand"])) == ("discard", 0, count)
            assert view["opponents"][0]["hand_count"] == 21 - count
        match = ok(await table.stranger(party.id).match())
        assert (match["upcard"], [hand["hand_count"] for hand in match["hands"]]) == (None, [11, 10])
        for event in await told(party, "deal_started"):
            assert (event["upcard"], event["stock_count"]) == (None, 31)
        assert (await party[0].seen())["actions"][1]["type"] == "knock"
        await party.play(knock("KD"))
        assert (await party[1].seen())["last_deal"]["upcard"] is None


@pytest.mark.parametrize(
    ("rules", "upcard", "limit"),
    [({}, "7C", 7), ({}, "QC", 10), ({}, "AC", 1), ({"oklahoma_ace": "gin_only"}, "AC", 0)],
)
async def test_oklahoma_shows_the_limit_of_the_deal(
    sqlite_url: str, rules: dict[str, str], upcard: str, limit: int
) -> None:
    async with house(sqlite_url) as table:
        deck = deck_of(READY, LOOSE, upcard)
        party = await table.create(ruleset="oklahoma", overrides=rules, **dealt(deck))
        views = [await party[0].seen(), await party[1].seen(), ok(await table.stranger(party.id).match())]
        assert [view["knock_limit"] for view in views] == [limit] * 3
        assert [event["knock_limit"] for event in await told(party, "deal_started")] == [limit] * 3


@pytest.mark.parametrize("big_gin", [False, True])
async def test_a_first_turn_may_be_too_early_to_knock(*, sqlite_url: str, big_gin: bool) -> None:
    async with house(sqlite_url) as table:
        rules = {"first_turn_knock": "forbidden", "big_gin": big_gin}
        deck = deck_of(f"{MELDED} 6H", LOOSE, "5H", "TC")
        party = await table.create(overrides=rules, first_dealer=1, **dealt(deck))
        await party.play({"type": "take_upcard"})
        view = await party[0].seen()
        assert [offer["type"] for offer in view["actions"]] == ["discard"]
        for action in (knock("AS"), {"type": "big_gin"}):
            code = "big-gin-not-played" if action["type"] == "big_gin" and not big_gin else "first-turn-knock"
            assert code_of(await party[0].act(action, view["version"])) == (409, code)


async def test_the_card_just_taken_may_be_thrown_by_a_knob(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        for allowed in (False, True):
            rules = {"allow_discard_taken": allowed}
            party = await table.create(overrides=rules, first_dealer=1, **dealt(deck_of(READY, LOOSE, "KD")))
            await party.play({"type": "take_upcard"})
            view = await party[0].seen()
            assert ("KD" in view["actions"][0]["cards"]) is allowed
            answer = await party[0].act(throw("KD"), view["version"])
            assert answer.status_code == (201 if allowed else 409)


async def test_columns_are_shown_as_they_fill(database_url: str) -> None:
    async with house(database_url) as table:
        decks = [deck_of(READY, LOOSE, "KD", "QC"), deck_of(LOOSE, READY, "KD", "QC")] * 4
        party = await table.create(
            ruleset="hollywood", overrides={"target": 100}, first_dealer=1, **dealt(*decks)
        )
        assert (await party[0].seen())["columns"] == [{"points": [0, 0], "closed_by": None}] * 3
        entered = []
        while (view := await party[0].seen())["status"] == "playing":
            before = (PASS, PASS) if view["turn"] == 0 else ({"type": "take_upcard"}, throw("KC"))
            await party.play(*before, DRAW, knock("QC"))
            for event in await told(party, "deal_scored"):
                assert event["columns"] == (await party[0].seen())["columns"]
            entered.append([column["points"][0] for column in event["columns"]])
        assert entered[:3] == [[61, 0, 0], [122, 61, 0], [122, 122, 61]]
        shown = ok(await table.stranger(party.id).match())
        assert [column["closed_by"] for column in shown["columns"]] == [0, 0, 0]
        assert shown["result"]["reason"] == "target"
        # Each column: 122 points twice for a shutout, the game's 100 and a box of 25 a deal.
        assert shown["result"]["totals"] == [3 * (2 * 122 + 100 + 2 * 25), 0]
