"""Three and four seats over HTTP: who sees what of whom, who wins, and what bots reply."""

from typing import Any

import pytest

from engine.cards import CODES
from service.matches.play import PAGE
from tests.playbook import deck_for
from tests.service.games import NAMES
from tests.service.players import audit
from tests.service.table_talk import BOT, SELVES, House, Party, code_of, codes, house, ok

pytestmark = pytest.mark.anyio

KNOCKER = "7H 8H 9H QS QD QC 2D"
FIRST = "6H TH 3S 4S 5S KS 9C"
SECOND = "5H QH AC AD AS 8C 8D"
DECK = codes(deck_for((KNOCKER, FIRST, SECOND), "JC", "KC"))
THREE = [{"kind": "self", "name": name} for name in NAMES[:3]]
DECLARED: dict[str, Any] = {
    "ruleset": "penalty",
    "overrides": {"melds": "declared", "layoff_chain": "any", "deals": 2},
    "shuffle": {"mode": "decks", "decks": [DECK]},
    "first_dealer": 2,
    "visibility": "link",
}
DRAW = {"type": "draw_stock"}
KNOCK = {"type": "knock", "card": "KC"}
SPREAD = {
    "seat": 0,
    "melds": [["QS", "QD", "QC"], ["7H", "8H", "9H"]],
    "unmatched": ["2D"],
    "deadwood": 2,
    "layoffs": [],
}


async def everybody(party: Party) -> list[dict[str, Any]]:
    """The view of each seat, and last the public part."""
    views = [await party[seat].seen() for seat in party.people]
    return [*views, ok(await party.house.stranger(party.id).match())]


def known_of(seen: dict[str, Any]) -> dict[int, list[str]]:
    """The cards that somebody knows of each other seat's hand."""
    others = seen["opponents"] if "opponents" in seen else seen["hands"]
    return {other["seat"]: other["known_cards"] for other in others}


def in_order(cards: str) -> list[str]:
    return sorted(cards.split(), key=CODES.index)


async def knocked(table: House) -> Party:
    party = await table.create(*THREE, **DECLARED)
    await party.play(DRAW, KNOCK)
    return party


async def test_three_seats_see_each_other(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(*THREE, **DECLARED)
        for seat, seen in enumerate(await everybody(party)):
            assert known_of(seen) == {other: [] for other in range(3) if other != seat}
            assert (seen["turn"], seen["dealer"], seen["scores"]) == (0, 2, [0, 0, 0])
            assert seen["stock_count"] == 52 - 3 * 7 - 1
        for seat, dealt in enumerate((KNOCKER, FIRST, SECOND)):
            view = await party[seat].seen()
            assert view["hand"] == in_order(dealt)
            assert [each["hand_count"] for each in view["opponents"]] == [7, 7]
            assert [each["name"] for each in view["opponents"]] == [
                name for name in NAMES[:3] if name != NAMES[seat]
            ]


async def test_after_a_knock_everybody_sees_the_knocker_and_nobody_a_defender(database_url: str) -> None:
    async with house(database_url) as table:
        party = await knocked(table)
        for seat, seen in enumerate(await everybody(party)):
            assert (seen["phase"], seen["turn"], seen["spread"]) == ("layoff", 1, SPREAD)
            hands = {0: in_order(KNOCKER), 1: [], 2: []}
            assert known_of(seen) == {other: cards for other, cards in hands.items() if other != seat}
            if "actions" in seen:
                assert seen["actions"] == ([{"type": "lay_off"}] if seat == 1 else [])
        version = await party.version()
        for seat in (0, 2):
            assert code_of(await party[seat].act({"type": "lay_off"}, version)) == (409, "not-your-turn")
        laid = {"type": "lay_off", "layoffs": [{"card": "5H", "meld": 1}]}
        assert code_of(await party[1].act(laid, version)) == (409, "card-not-in-hand")


async def test_what_a_defender_lays_off_is_public_and_the_rest_of_his_hand_is_not(database_url: str) -> None:
    async with house(database_url) as table:
        party = await knocked(table)
        answer = {
            "type": "lay_off",
            "melds": [["3S", "4S", "5S"]],
            "layoffs": [{"card": "6H", "meld": 1}],
        }
        proposed = ok(await party[1].propose(answer, 3), 201)
        assert proposed["preview"]["ends_deal"] == "layoff"
        assert proposed["preview"]["warnings"] == ["better_melds_exist"]
        ok(await party[1].confirm(proposed["intent"]), 201)
        for seat, seen in enumerate(await everybody(party)):
            assert (seen["phase"], seen["turn"]) == ("layoff", 2)
            assert seen["spread"] == SPREAD | {"layoffs": [{"seat": 1, "card": "6H", "meld": 1}]}
            hands = {0: in_order(KNOCKER), 1: ["6H"], 2: []}
            assert known_of(seen) == {other: cards for other, cards in hands.items() if other != seat}
        copies = [ok(await party[seat].events())["items"][-1] for seat in range(3)]
        copies.append(ok(await table.stranger(party.id).public_events())["items"][-1])
        assert [copy["type"] for copy in copies] == ["laid_off"] * 4
        assert [copy["layoffs"] for copy in copies] == [[{"card": "6H", "meld": 1}]] * 4
        assert all(copy.keys() == {"type", "seq", "version", "at", "seat", "layoffs"} for copy in copies)


async def test_the_last_defender_builds_on_what_was_laid_and_the_deal_is_scored(database_url: str) -> None:
    async with house(database_url) as table:
        party = await knocked(table)
        await party.play({"type": "lay_off", "melds": [], "layoffs": [{"card": "6H", "meld": 1}]})
        proposed = ok(await party[2].propose({"type": "lay_off"}, 4), 201)
        assert proposed["action"] == {
            "type": "lay_off",
            "melds": [["AS", "AD", "AC"]],
            "layoffs": [{"card": "5H", "meld": 1}, {"card": "QH", "meld": 0}],
        }
        assert proposed["preview"]["ends_deal"] == "scored"
        told = ok(await party[2].confirm(proposed["intent"]), 201)
        assert [event["type"] for event in told["move"]["events"]] == [
            "laid_off",
            "deal_scored",
            "deal_started",
        ]
        row = told["view"]["last_deal"]
        # 3S 4S 5S TH KS 9C are left to the first defender, who stated no meld; 8C 8D to the second.
        assert [hand["deadwood"] for hand in row["hands"]] == [2, 41, 16]
        assert (row["result"], row["winner"], row["points"]) == ("knock", 0, 0)
        assert row["penalties"] == told["view"]["scores"] == [0, 39, 14]
        for seen in await everybody(party):
            assert (seen["last_deal"], seen["deal_count"], seen["deal"], seen["dealer"]) == (row, 1, 2, 0)


async def test_whoever_resigns_is_last_and_the_fewest_penalties_of_the_others_win(database_url: str) -> None:
    async with house(database_url) as table:
        party = await knocked(table)
        await party.play({"type": "lay_off", "melds": []}, {"type": "lay_off"})
        told = ok(await party[0].act({"type": "resign"}, await party.version()), 201)
        assert told["view"]["result"] == {"reason": "resigned", "winner": 2, "totals": None}
        for seen in await everybody(party):
            assert seen["result"] == told["view"]["result"]
            assert (seen["deal_count"], seen["last_deal"]["result"]) == (2, "unfinished")
            assert seen["last_deal"]["hands"] == []
        await audit(table, party.id)


async def test_among_equals_the_first_after_the_first_dealer_wins(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        for resigner, winner in ((0, 1), (1, 0), (2, 0)):
            party = await table.create(*THREE, **DECLARED)
            told = ok(await party[resigner].act({"type": "resign"}, 1), 201)
            assert told["view"]["result"]["winner"] == winner


async def test_seats_of_three_are_taken_one_by_one(database_url: str) -> None:
    async with house(database_url) as table:
        open_seat = {"kind": "open"}
        party = await table.create(SELVES[0], open_seat, open_seat, ruleset="penalty")
        await party.join("Ben")
        assert (await party[0].seen())["status"] == "open"
        await party.join("Cleo")
        view = await party[2].seen()
        assert (view["status"], view["version"], len(view["hand"])) == ("playing", 3, 7)
        joined = await table.call("POST", "/joins", json={"code": party.code})
        assert code_of(joined) == (404, "not-found")


async def test_three_bots_reply_in_turn(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], BOT, BOT, BOT, ruleset="penalty", first_dealer=3)
        ok(await party[0].act(DRAW, 1), 201)
        thrown = {"type": "discard", "card": (await party[0].seen())["hand"][-1]}
        told = ok(await party[0].act(thrown, 2), 201)
        assert [reply["seat"] for reply in told["replies"]] == [1, 1, 2, 2, 3, 3]
        assert told["view"]["turn"] == 0
        assert ok(await party[0].act(thrown, 2)) == told


ENDLESS: dict[str, Any] = {
    "hand_size": 10,
    "stock_floor": 10,
    "stock_end": "dead_after_discard",
    "knock_limit": 0,
    "deals": 2,
}
"""Four hands of ten leave eleven cards: the first throw without gin makes the deal void."""


async def test_bots_that_void_deal_after_deal_are_told_again_to_the_last(database_url: str) -> None:
    gin = "AS 2S 3S 4S 5S 6S 7H 8H 9H TH"
    others = [card for card in CODES if card not in gin.split()]
    hands = (gin, *(" ".join(others[start:30:3]) for start in range(3)))
    deck = codes(deck_for(hands, others[30], others[31]))
    async with house(database_url) as table:
        party = await table.create(
            SELVES[0],
            BOT,
            BOT,
            BOT,
            ruleset="penalty",
            overrides=ENDLESS,
            shuffle={"mode": "decks", "decks": [deck]},
            first_dealer=3,
        )
        ok(await party[0].act(DRAW, 1), 201)
        knock = {"type": "knock", "card": others[31]}
        told = ok(await party[0].act(knock, 2), 201)
        # The next dealer is seat 0: it does not come to act while a bot draws and makes the deal void.
        assert len(told["replies"]) > 2 * PAGE
        again = ok(await party[0].act(knock, 2))
        assert again == told
