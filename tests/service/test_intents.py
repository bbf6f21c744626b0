from typing import Any

import msgspec
import pytest

from service.http.keys import Keyring, MasterSecret, Purpose
from service.matches import intents
from tests.playbook import LOOSE, MELDED, deck_of
from tests.service.table_talk import (
    KEYRING,
    Chance,
    Party,
    Person,
    but_for_the_instance,
    code_of,
    codes,
    flipped,
    house,
    ok,
)

pytestmark = pytest.mark.anyio

DRAW = {"type": "draw_stock"}
PASS = {"type": "pass"}
DECKS = {"mode": "decks", "decks": [codes(deck_of(f"{MELDED} KS", LOOSE, "KD", "QC TD"))]}
FOREIGN = Keyring((MasterSecret("first", b"the secret of another deployment here"),))
SIMPLE: dict[str, Any] = {"ruleset": "simple", "first_dealer": 1}


async def test_an_intent_is_confirmed_as_it_was_shown(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**SIMPLE)
        proposed = ok(await party[0].propose(DRAW, 1), 201)
        assert proposed["action"] == DRAW
        assert proposed["version"] == 1
        assert proposed["expires_at"] == "2026-01-02T03:14:05Z"
        assert proposed["preview"]["reveals"] == ["stock_card"]
        assert proposed["preview"]["hand"] == (await party[0].seen())["hand"]
        assert (await table.row(party.id)).version == 1
        told = ok(await party[0].confirm(proposed["intent"]), 201)
        assert told["move"]["version"] == 2
        assert [event["type"] for event in told["move"]["events"]] == ["stock_drawn"]
        assert told["replies"] == []
        assert told["view"] == await party[0].seen()
        stored = (await table.log_of(party.id))[-1]
        assert stored.nonce is not None
        assert len(stored.nonce) == 16


@pytest.mark.parametrize("change", ["an unknown action", "a further member"])
async def test_an_intent_of_a_newer_version_is_left_to_a_newer_process(sqlite_url: str, change: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(**SIMPLE)
        own = intents.read(KEYRING, await party[0].intent(DRAW, 1))
        assert own is not None
        members = list(msgspec.structs.astuple(own))
        if change == "an unknown action":
            members[4] = {"type": "turn_card"}
        else:
            members.append("new")
        text = intents.PREFIX + KEYRING.seal(Purpose.INTENT, msgspec.msgpack.encode(members))
        assert code_of(await party[0].confirm(text)) == (503, "replica-outdated")
        assert (await table.row(party.id)).version == 1


async def test_an_intent_reserves_nothing_and_two_for_one_version_are_one_move(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(**SIMPLE)
        first, second = [await party[0].intent(DRAW, 1) for _ in range(2)]
        assert first != second
        ok(await party[0].confirm(second), 201)
        stale = await party[0].confirm(first)
        assert code_of(stale) == (409, "intent-stale")
        assert stale.json()["current_version"] == 2


async def test_confirming_twice_is_safe_for_ever(database_url: str) -> None:
    chance = Chance()
    async with house(database_url, chance) as table, house(database_url, chance) as replica:
        party = await table.create(**SIMPLE)
        intent = await party[0].intent(DRAW, 1)
        first = ok(await party[0].confirm(intent), 201)
        drawn = first["view"]["taken"]["card"]
        ok(await party[0].act({"type": "discard", "card": drawn}, 2), 201)
        ok(await party[1].act(DRAW, 3), 201)
        chance.later(601)
        for where in (table, replica):
            again = await party[0].at(where).confirm(intent)
            assert again.headers["move-replayed"] == "true"
            told = ok(again, 200)
            assert (told["move"], told["replies"]) == (first["move"], first["replies"])
            assert told["view"] == await party[0].seen()
            assert told["view"]["version"] == 4
        assert (await table.row(party.id)).version == 4


async def test_an_intent_that_expired_unplayed_is_gone(database_url: str) -> None:
    chance = Chance()
    async with house(database_url, chance, intent_seconds=30) as table:
        party = await table.create(**SIMPLE)
        intent = await party[0].intent(DRAW, 1)
        chance.later(29)
        later = await party[0].intent(DRAW, 1)
        chance.later(1)
        assert code_of(await party[0].confirm(intent)) == (410, "intent-expired")
        ok(await party[0].confirm(later), 201)
        assert code_of(await party[0].confirm(intent)) == (410, "intent-expired")
        chance.later(3600)
        assert (await party[0].confirm(later)).status_code == 200


async def test_a_stale_intent_is_not_moved_to_the_new_version(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(first_dealer=1)
        intent = await party[0].intent(PASS, 1)
        await party.play({"type": "take_upcard"})
        stale = await party[0].confirm(intent)
        assert code_of(stale) == (409, "intent-stale")
        assert stale.json()["current_version"] == 2
        early = await party[0].propose(PASS, 1)
        assert code_of(early) == (409, "version-conflict")
        assert early.json()["current_version"] == 2
        assert code_of(await party[0].propose(PASS, 3)) == (409, "version-conflict")


async def test_whatever_is_wrong_with_an_intent_the_answer_is_one(database_url: str) -> None:
    chance = Chance()
    async with (
        house(database_url, chance) as table,
        house(database_url, chance, keyring=FOREIGN) as elsewhere,
    ):
        party, other = await table.create(**SIMPLE), await table.create(**SIMPLE)
        foreign = await elsewhere.create(**SIMPLE)
        person = party[0]
        own = await person.intent(DRAW, 1)
        ok(await other[0].act(DRAW, 1), 201)
        thrown = {"type": "discard", "card": (await other[0].seen())["hand"][0]}
        ok(await other[0].act(thrown, 2), 201)
        wrong = [
            await other[1].intent(DRAW, 3),
            await foreign[0].intent(DRAW, 1),
            "gin_" + str(person.token).removeprefix("gst_"),
            "gin_A",
            "gin_" + "A" * 200,
            own[:-1],
            own + "A",
            *[f"gin_{changed}" for changed in flipped(own.removeprefix("gin_"))],
        ]
        answers = [await person.confirm(text) for text in wrong]
        ok(await person.confirm(own), 201)
        ok(await person.act({"type": "discard", "card": (await person.seen())["hand"][0]}, 2), 201)

        theirs = await party[1].intent(DRAW, 3)
        answers += [await person.confirm(theirs)]
        played = await party[1].confirm(theirs)
        assert played.status_code == 201
        answers += [await person.confirm(theirs)]

        old, renewed = own, Person(table, party.id, 0, ok(await person.rotate())["token"])
        answers += [await renewed.confirm(old)]
        assert code_of(answers[0]) == (409, "intent-invalid")
        assert len({str(but_for_the_instance(answer)) for answer in answers}) == 1
        assert (await table.row(party.id)).version == 4


async def test_a_replaced_token_is_told_so_whatever_the_intent(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(**SIMPLE)
        intents = [await party[0].intent(DRAW, 1), "gin_A"]
        ok(await party[0].rotate())
        for intent in intents:
            assert code_of(await party[0].confirm(intent)) == (401, "unauthenticated")


async def declared(table: Any, *stock: str) -> Party:  # noqa: ANN401  a House
    """A match with declared melds, whose seat 0 has drawn and may knock."""
    deck = codes(deck_of("AS 2S 3S 7H 7D 7C 9S TS JS KS", LOOSE_TOO, "KD", " ".join(stock)))
    party: Party = await table.create(
        ruleset="declared", shuffle={"mode": "decks", "decks": [deck]}, first_dealer=1, visibility="link"
    )
    await party.play(PASS, PASS, DRAW)
    return party


LOOSE_TOO = "QD JH 8C 4S 5C 6H QC 4D 3C 2H"


async def test_omitted_melds_are_filled_in_and_stand_in_the_preview(database_url: str) -> None:
    async with house(database_url) as table:
        party = await declared(table, "AH")
        person = party[0]
        proposed = ok(await person.propose({"type": "knock", "card": "KS"}, 4), 201)
        melds = [["AS", "2S", "3S"], ["9S", "TS", "JS"], ["7H", "7D", "7C"]]
        assert proposed["action"] == {"type": "knock", "card": "KS", "melds": melds}
        assert proposed["preview"]["arrangement"] == {"melds": melds, "unmatched": ["AH"], "deadwood": 1}
        assert proposed["preview"]["ends_deal"] == "layoff"
        assert proposed["preview"]["scoring"] == {
            "kind": "knock",
            "own_deadwood": 1,
            "bonus": 0,
            "undercut_bonus": 25,
            "undercut_if_at_most": 1,
            "multiplier": 1,
        }
        told = ok(await person.confirm(proposed["intent"]), 201)
        [knocked] = told["move"]["events"]
        assert (knocked["melds"], knocked["unmatched"], knocked["deadwood"]) == (melds, ["AH"], 1)
        assert told["view"]["phase"] == "layoff"
        assert told["view"]["spread"]["melds"] == melds

        laid = {"type": "lay_off", "layoffs": [{"card": "4S", "meld": 0}]}
        filled = ok(await party[1].propose(laid, 5), 201)
        assert filled["action"] == laid | {"melds": []}
        assert filled["preview"]["ends_deal"] == "scored"
        best = ok(await party[1].propose({"type": "lay_off"}, 5), 201)
        assert best["action"]["layoffs"] == [{"card": "4S", "meld": 0}]
        assert best["action"]["melds"] == []
        told = ok(await party[1].confirm(best["intent"]), 201)
        assert [event["type"] for event in told["move"]["events"]] == [
            "laid_off",
            "deal_scored",
            "deal_started",
        ]
        row = told["view"]["last_deal"]
        assert row["hands"][1]["layoffs"] == [{"card": "4S", "meld": 0}]
        assert row["hands"][0]["melds"] == melds


async def test_stated_melds_are_kept_as_they_are_stated(database_url: str) -> None:
    async with house(database_url) as table:
        party = await declared(table, "AH")
        stated = [["7H", "7D", "7C"], ["9S", "TS", "JS"], ["AS", "2S", "3S"]]
        action = {"type": "knock", "card": "KS", "melds": stated}
        proposed = ok(await party[0].propose(action, 4), 201)
        assert proposed["action"] == action
        assert ok(await party[0].confirm(proposed["intent"]), 201)["view"]["spread"]["melds"] == stated


async def test_what_the_rules_refuse_never_becomes_an_intent(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await declared(table, "AH")
        run = ["AS", "2S", "3S"]
        refusals: list[tuple[int, dict[str, Any], str, dict[str, Any]]] = [
            (1, DRAW, "not-your-turn", {}),
            (0, DRAW, "wrong-phase", {}),
            (0, {"type": "take_upcard"}, "wrong-phase", {}),
            (0, {"type": "discard", "card": "KD"}, "card-not-in-hand", {"card": "KD"}),
            (0, {"type": "discard", "card": "QD"}, "card-not-in-hand", {"card": "QD"}),
            (0, {"type": "knock", "card": "AS"}, "deadwood-above-limit", {"knock_limit": 10}),
            (0, {"type": "big_gin"}, "big-gin-not-played", {}),
            (0, {"type": "lay_off"}, "wrong-phase", {}),
            (0, {"type": "knock", "card": "KS", "melds": [["AS", "2S"]]}, "meld-invalid", {"meld": 0}),
            (0, {"type": "knock", "card": "KS", "melds": [run, run]}, "meld-overlap", {"meld": 1}),
            (0, {"type": "knock", "card": "KS", "melds": [["QD", "KD", "JD"]]}, "card-not-in-hand", {}),
            (0, {"type": "knock", "card": "KS", "melds": [run]}, "deadwood-above-limit", {"deadwood": 51}),
        ]
        for seat, action, code, facts in refusals:
            for asked in (party[seat].propose, party[seat].act):
                answer = await asked(action, 4)
                assert code_of(answer) == (409, code), action
                assert facts.items() <= answer.json().items()
        ok(await party[0].act({"type": "knock", "card": "KS"}, 4), 201)
        for action, code in (
            ({"type": "lay_off", "layoffs": [{"card": "5C", "meld": 0}]}, "layoff-does-not-fit"),
            ({"type": "lay_off", "layoffs": [{"card": "4S", "meld": 3}]}, "layoff-does-not-fit"),
            ({"type": "lay_off", "layoffs": [{"card": "KD", "meld": 0}]}, "card-not-in-hand"),
        ):
            for asked in (party[1].propose, party[1].act):
                assert code_of(await asked(action, 5)) == (409, code), action
        assert (await table.row(party.id)).version == 5
        ok(await party[1].act({"type": "resign"}, 5), 201)
        assert code_of(await party[0].propose(DRAW, 6)) == (409, "match-finished")


async def test_resigning_is_open_out_of_turn_and_is_an_intent_like_any(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(shuffle=DECKS, first_dealer=1)
        proposed = ok(await party[1].propose({"type": "resign"}, 1), 201)
        assert proposed["preview"]["ends_deal"] == "unfinished"
        told = ok(await party[1].confirm(proposed["intent"]), 201)
        assert told["view"]["status"] == "finished"
        assert told["view"]["result"] == {"reason": "resigned", "winner": 0, "totals": None}
        assert told["view"]["last_deal"]["result"] == "unfinished"
        assert told["view"]["last_deal"]["hands"] == []
        again = await party[1].confirm(proposed["intent"])
        assert again.status_code == 200
        assert again.json() == told
