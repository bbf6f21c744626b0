"""Knocks analysed one by one: nothing is laid off on gin, and the upcard is asked for where it matters."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from engine.cards import CODES
from engine.rules import RuleSet
from engine.state import DealResult, DealRow, HandShown
from service.http.cards import codes_of, codes_of_melds
from tests.calling import Caller
from tests.playbook import COMPANIES, PLAYED, Habits, rows_of, started, steps
from tests.service.test_analysis import OTHER_TEN, TEN, ask, laid, melds, refused
from tests.sizes import size

SPREAD = melds("AS 2S 3S | 7H 8H 9H TH | KD KC KS KH")
HAND = ["2C", "2H", "2D", "4S", "JH", "7C", "9D", "8D", "AC", "AH"]
ANSWERING = Habits(states=0)
"""Of a defender who leaves the choice of melds and layoffs to the rules."""
VARIANTS: list[dict[str, Any]] = [{}, {"layoff_on_gin": True, "big_gin": True}, {"knock_limit": 0}]


def test_nothing_is_laid_off_on_gin(call: Caller) -> None:
    score = ask(
        call,
        "scores",
        ruleset="straight",
        knocker={"cards": [card for meld in SPREAD for card in meld]},
        defenders=[{"cards": HAND}],
    )
    for rules in (
        {"ruleset": "straight"},
        {"overrides": {"big_gin": True}},
        {"ruleset": "penalty", "seats": 3, "overrides": {"hand_size": 10, "big_gin": True}},
    ):
        answer = ask(call, "layoffs", spread=SPREAD, cards=HAND, **rules)
        assert (answer["layoffs"], answer["legal"]) == ([], [])
        assert answer["deadwood"] == score["hands"][1]["deadwood"] == 40
        told = refused(call, "layoffs", spread=SPREAD, cards=HAND, laid=laid("4S>0"), **rules)
        assert told["code"] == "duplicate-cards"
        less = [card for card in HAND if card != "4S"]
        told = refused(call, "layoffs", spread=SPREAD, cards=less, laid=laid("4S>0"), **rules)
        assert told["code"] == "layoffs-impossible"
    allowed = {"overrides": {"layoff_on_gin": True}, "ruleset": "straight"}
    answer = ask(call, "layoffs", spread=SPREAD, cards=HAND, **allowed)
    assert [it["card"] for it in answer["layoffs"]] == ["4S", "JH"]


def test_the_size_of_a_whole_hand_depends_on_the_seats(call: Caller) -> None:
    seven = melds("7H 8H 9H TH | KD KC KS")
    for seats, legal in ((2, ["JH", "KH"]), (3, []), (4, [])):
        body = {"ruleset": "penalty", "spread": seven, "cards": ["JH", "KH", "2D"], "seats": seats}
        assert [it["card"] for it in ask(call, "layoffs", **body)["legal"]] == legal
    told = refused(call, "layoffs", spread=seven, cards=["JH"], seats=3)
    assert (told["code"], told["knob"]) == ("ruleset-refused", "scoring")


def test_where_only_gin_is_played_every_spread_is_gin(call: Caller) -> None:
    body = {"spread": melds("7H 8H 9H"), "cards": ["TH", "AS"]}
    assert ask(call, "layoffs", **body)["deadwood"] == 1
    assert ask(call, "layoffs", **body, ruleset="straight")["deadwood"] == 11


@pytest.mark.parametrize(
    ("spread", "rules"),
    [
        ("AS 2S 3S | 7H 8H 9H TH | KD KC KS KH", {}),
        ("AS 2S 3S 4S | 7H 8H 9H TH | KD KC KS KH", {"overrides": {"big_gin": True}}),
        ("AS 2S 3S | 7H 8H 9H TH | KD KC KS KH", {"ruleset": "penalty", "seats": 3}),
    ],
)
def test_a_spread_of_more_cards_than_a_hand_has_is_refused(
    spread: str, rules: dict[str, Any], call: Caller
) -> None:
    told = refused(call, "layoffs", spread=melds(spread), cards=["2C"], **rules)
    assert told["code"] == "hand-size-wrong"


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize(("name", "seats"), COMPANIES)
def test_layoffs_scores_and_the_played_deal_agree(
    name: str, seats: int, variant: dict[str, Any], call: Caller
) -> None:
    rules = replace(PLAYED[name], **variant)
    asked = {"ruleset": name, "overrides": variant}
    for row, defenders in knocks(rules, seats, size(4, 60)):
        assert row.knocker is not None
        knocker = row.hands[row.knocker]
        spread = codes_of_melds(knocker.melds)
        upcard = {} if row.upcard is None else {"upcard": CODES[row.upcard]}
        score = ask(
            call,
            "scores",
            knocker={"cards": codes_of(knocker.cards), "melds": spread},
            defenders=[{"cards": codes_of(shown.cards)} for shown in defenders],
            **asked,
            **upcard,
        )
        assert score["result"] == row.result
        assert [it["deadwood"] for it in score["hands"]] == [
            shown.deadwood for shown in (knocker, *defenders)
        ]
        order = [shown.seat for shown in (knocker, *defenders)]
        parts = [(order[part["hand"]], part["code"], part["amount"]) for part in score["breakdown"]]
        assert sorted(parts) == sorted((part.seat, part.code.value, part.amount) for part in row.parts)
        before: list[dict[str, Any]] = []
        for shown in defenders:
            answer = ask(
                call,
                "layoffs",
                spread=spread,
                laid=before,
                cards=codes_of(shown.cards),
                seats=seats,
                **asked,
            )
            assert answer["deadwood"] == shown.deadwood
            before += [{"card": CODES[each.card], "meld": each.meld} for each in shown.layoffs]


def knocks(rules: RuleSet, seats: int, count: int) -> Iterator[tuple[DealRow, list[HandShown]]]:
    """Yield deals that ended in a knock, each with the defenders' hands in the order of their turns."""
    chance = random.Random(f"{rules} {seats}")
    while True:
        match = started(rules, str(chance.random()), seats=seats)
        for row in rows_of(
            event for step in steps(match, chance, (ANSWERING,) * seats) for event in step.events
        ):
            if row.knocker is None or row.result in {DealResult.VOID, DealResult.UNFINISHED}:
                continue
            yield row, [row.hands[(row.knocker + step) % seats] for step in range(1, seats)]
            count -= 1
            if not count:
                return


BY_THE_UPCARD = [
    ({"ruleset": "oklahoma"}, "knock_limit_source"),
    ({"overrides": {"knock_limit_source": "upcard", "spade_doubles": True}}, "knock_limit_source"),
    ({"overrides": {"spade_doubles": True}}, "spade_doubles"),
]


@pytest.mark.parametrize(("rules", "knob"), BY_THE_UPCARD)
def test_a_score_that_depends_on_the_upcard_asks_for_it(
    rules: dict[str, Any], knob: str, call: Caller
) -> None:
    body = {"knocker": {"cards": TEN}, "defenders": [{"cards": OTHER_TEN}], **rules}
    told = refused(call, "scores", **body)
    assert (told["code"], told["knob"]) == ("upcard-required", knob)
    assert ask(call, "scores", **body, upcard="6H")["result"] == "knock"


@pytest.mark.parametrize(("rules", "knob"), BY_THE_UPCARD)
def test_a_hand_asks_for_the_upcard_where_the_knock_limit_depends_on_it(
    rules: dict[str, Any], knob: str, call: Caller
) -> None:
    body = {"hands": [TEN], **rules}
    if knob == "spade_doubles":  # it doubles points, of which a hand alone has none
        assert ask(call, "melds", **body)["results"][0]["may_knock"]
        return
    told = refused(call, "melds", **body)
    assert (told["code"], told["knob"]) == ("upcard-required", knob)
    for upcard, may_knock in (("6H", True), ("4H", False)):  # the hand has five points of deadwood
        assert ask(call, "melds", **body, upcard=upcard)["results"][0]["may_knock"] is may_knock


def test_a_hand_in_an_address_has_the_limit_of_its_upcard(call: Caller) -> None:
    path = f"/v1/melds?ruleset=oklahoma@1&cards={','.join(TEN)}"
    told = call("GET", path)
    assert (told.status_code, told.json()["code"]) == (422, "upcard-required")
    one, other = (call("GET", f"{path}&upcard={upcard}") for upcard in ("6H", "4H"))
    assert (one.json()["may_knock"], other.json()["may_knock"]) == (True, False)
    assert one.headers["etag"] != other.headers["etag"]


def test_where_no_card_is_turned_up_there_is_no_upcard(call: Caller) -> None:
    rules = {"overrides": {"upcard_offer": "eleven"}}
    body = {"knocker": {"cards": TEN}, "defenders": [{"cards": OTHER_TEN}], **rules}
    assert ask(call, "scores", **body)["result"] == "knock"
    for path, asked in (("scores", body), ("melds", {"hands": [TEN], **rules})):
        told = refused(call, path, **asked, upcard="6H")
        assert (told["code"], told["card"]) == ("upcard-impossible", "6H")


def test_the_upcard_may_be_in_any_hand(call: Caller) -> None:
    """R2.4, R3.1: whoever takes it may keep it to the end of the deal."""
    body = {"ruleset": "oklahoma", "knocker": {"cards": TEN}, "defenders": [{"cards": OTHER_TEN}]}
    for upcard in (TEN[0], OTHER_TEN[0]):
        assert ask(call, "scores", **body, upcard=upcard)["result"] == "knock"
    assert ask(call, "melds", ruleset="oklahoma", hands=[TEN], upcard=TEN[0])["results"][0]["may_knock"]


def test_what_is_stated_is_not_laid_off(call: Caller) -> None:
    own = ["4H", "5H", "6H"]
    free = ask(call, "layoffs", spread=[["7H", "8H", "9H"]], cards=own)
    assert {"card": "6H", "meld": 0} in free["legal"]
    stated = ask(call, "layoffs", spread=[["7H", "8H", "9H"]], cards=own, melds=[own])
    assert (stated["legal"], stated["layoffs"]) == ([], [])
