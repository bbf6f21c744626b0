"""Analysis over HTTP: every rule vector that a request can state, and what a request may get wrong."""

from typing import Any

import pytest

from engine.presets import PRESETS, Preset
from tests.calling import Caller
from tests.engine.vectors import Vector, vectors

TEN = ["8S", "8D", "8H", "2C", "3C", "4C", "JH", "QH", "KH", "5D"]
OTHER_TEN = ["8C", "AS", "AD", "AH", "9S", "9D", "9H", "QS", "TD", "6C"]


def ask(call: Caller, path: str, **body: Any) -> Any:  # noqa: ANN401  any JSON value
    answer = call("POST", f"/v1/{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(call: Caller, path: str, **body: Any) -> dict[str, Any]:  # noqa: ANN401  any JSON value
    answer = call("POST", f"/v1/{path}", json=body)
    assert answer.status_code == 422, answer.text
    told: dict[str, Any] = answer.json()
    return told


def melds(text: str) -> list[list[str]]:
    return [meld.split() for meld in text.split("|") if meld.strip()]


def laid(text: str) -> list[dict[str, Any]]:
    pairs = (word.split(">") for word in text.split())
    return [{"card": card, "meld": int(meld)} for card, meld in pairs]


def rules_of(vector: Vector) -> dict[str, Any]:
    given = vector.input
    named = {
        knob: given[knob] for knob in ("ace", "ace_points", "layoff_chain", "knock_limit") if knob in given
    }
    return {"overrides": {**given.get("rules", {}), **named}}


@vectors("meld")
def test_a_hand(vector: Vector, call: Caller) -> None:
    hand = vector.input["hand"].split()
    (solved,) = ask(call, "melds", hands=[hand], arrangements=20, **rules_of(vector))["results"]
    assert solved["deadwood"] == vector.expect["deadwood"]
    assert len(solved["arrangements"]) == min(vector.expect["optimal_count"], 20)
    assert solved["arrangements"][0]["melds"] == solved["melds"]
    if vector.expect["optimal_count"] == 1:
        one = [sorted(meld) for meld in melds(vector.expect["one_optimal"])]
        assert sorted(one) == sorted(sorted(meld) for meld in solved["melds"])


@vectors("is_meld")
def test_a_meld(vector: Vector, call: Caller) -> None:
    cards = vector.input["cards"].split()
    rules = {"overrides": {"ace": vector.input["ace"]}}
    checked = ask(call, "melds/check", cards=cards, melds=[cards], **rules)
    assert checked["valid"] is vector.expect["valid"]
    if vector.expect["valid"]:
        assert (checked["faults"], checked["deadwood"]) == ([], 0)
    else:
        assert checked["faults"] == [{"meld": 0, "code": "not-a-meld"}]
        assert checked["deadwood"] is None


@vectors("eleven")
def test_eleven_cards(vector: Vector, call: Caller) -> None:
    given, expect = vector.input, vector.expect
    rules = {"overrides": {"knock_limit": given["knock_limit"], "big_gin": True}}
    (solved,) = ask(call, "melds", hands=[given["hand"].split()], **rules)["results"]
    # The card just taken may not be thrown (R3.2); analysis is not told which one that is.
    throws = [throw for throw in solved["throws"] if throw["card"] != given["taken_from_discard"]]
    assert {it["card"] for it in throws if it["may_knock"]} == set(expect["knock_discards"].split())
    assert {it["card"] for it in throws if it["gin"]} == set(expect["gin_discards"].split())
    assert solved["big_gin"] is expect["big_gin"]
    assert solved["may_knock"] is any(throw["may_knock"] for throw in solved["throws"])


@vectors("layoff")
def test_a_knock_with_a_declared_spread(vector: Vector, call: Caller) -> None:
    given, expect = vector.input, vector.expect
    body = {
        "knocker": {"cards": given["knocker"].split(), "melds": melds(given["knocker_melds"])},
        "defenders": [{"cards": given["defender"].split()}],
        **rules_of(vector),
    }
    if expect["winner"] == "illegal":
        assert refused(call, "scores", **body)["code"] == "spread-above-limit"
        return
    score = ask(call, "scores", **body)
    assert [hand["deadwood"] for hand in score["hands"]] == [
        expect["knocker_deadwood"],
        expect["defender_final"],
    ]
    winner = {"knocker": 0, "defender": 1, None: None}[expect["winner"]]
    assert score["winner"] == winner
    assert max(score["points"]) == sum(part["amount"] for part in score["breakdown"]) == expect["points"]


@vectors("spread")
def test_the_spread_that_leaves_the_defender_most(vector: Vector, call: Caller) -> None:
    given, expect = vector.input, vector.expect
    knocker, defender = ({"cards": given[who].split()} for who in ("knocker", "defender"))
    score = ask(call, "scores", knocker=knocker, defenders=[defender])
    assert score["hands"][1]["deadwood"] == expect["defender_final"]
    assert score["points"] == [expect["points"], 0]
    chosen = sorted(sorted(meld) for meld in melds(expect["chosen"]))
    assert sorted(sorted(meld) for meld in score["hands"][0]["melds"]) == chosen


@vectors("layoff_legal")
def test_single_layoffs(vector: Vector, call: Caller) -> None:
    given = vector.input
    before = laid(given["laid"])
    hand = [card for card in given["defender"].split() if card not in {it["card"] for it in before}]
    answer = ask(
        call,
        "layoffs",
        spread=melds(given["knocker_melds"]),
        cards=hand,
        laid=before,
        overrides={**rules_of(vector)["overrides"], "layoff_on_gin": True},  # some spreads are whole hands
    )
    assert {it["card"] for it in answer["legal"]} == set(vector.expect["legal"].split())


@vectors("multi")
def test_three_seats_with_penalties(vector: Vector, call: Caller) -> None:
    given, expect = vector.input, vector.expect
    order = [(given["knocker"] + step) % len(given["hands"]) for step in range(len(given["hands"]))]
    knocker, *others = (given["hands"][seat].split() for seat in order)
    score = ask(
        call,
        "scores",
        ruleset="penalty",
        knocker={"cards": knocker, "melds": melds(given["knocker_melds"])},
        defenders=[{"cards": cards} for cards in others],
    )
    assert [hand["deadwood"] for hand in score["hands"]] == [expect["final_deadwoods"][it] for it in order]
    assert score["penalties"] == [expect["penalties"][seat] for seat in order]
    assert score["winner"] == order.index(expect["winner"])


@vectors("match")
def test_match_totals(vector: Vector, call: Caller) -> None:
    totals = ask(call, "match-totals", **_match(vector))
    expect = vector.expect
    assert (totals["winner"], totals["running"]) == (expect["winner"], expect["running"])
    assert (totals["totals"], totals["columns"]) == (expect["totals"], None)


@vectors("hollywood")
def test_columns(vector: Vector, call: Caller) -> None:
    columns = ask(call, "match-totals", **_match(vector, columns=3))["columns"]
    assert [column["points"] for column in columns] == vector.expect["columns"]
    assert [column["closed_by"] for column in columns] == vector.expect["closed"]


def _match(vector: Vector, **overrides: Any) -> dict[str, Any]:  # noqa: ANN401  any knob
    given = vector.input
    knobs = {
        "target": given.get("target", 100),
        "game_bonus": given.get("game_bonus", 100),
        "box_bonus": given.get("box", 25),
        "boxes_in_running_score": given.get("boxes_running", False),
        "match_winner": given.get("match_winner", "first_to_target"),
        "shutout": given.get("shutout", "none").replace("flat:100", "flat_100"),
    }
    deals = [{"winner": winner, "points": points} for winner, points in given["hands"]]
    return {"deals": deals, "overrides": knobs | overrides}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_every_preset_is_analysed(preset: Preset, call: Caller) -> None:
    size = preset.rules.hand_size_for(2)
    (solved,) = ask(call, "melds", hands=[TEN[:size]], ruleset=preset.id, upcard="6H")["results"]
    assert solved["throws"] == []
    turn_of_one = {"hands": [[*TEN[:size], "2S"]], "upcard": "6H"}
    (turn,) = ask(call, "melds", **turn_of_one, ruleset=preset.name)["results"]
    assert [throw["card"] for throw in turn["throws"]] == turn["cards"]


def test_stated_parts_are_kept(call: Caller) -> None:
    declared = ask(
        call,
        "scores",
        ruleset="declared",
        knocker={"cards": TEN, "melds": [["8S", "8D", "8H"], ["2C", "3C", "4C"], ["JH", "QH", "KH"]]},
        defenders=[{"cards": OTHER_TEN, "layoffs": []}],
    )
    assert declared["hands"][1]["layoffs"] == []  # R5.2: an empty list means none
    assert (declared["result"], declared["points"]) == ("knock", [29, 0])


def test_big_gin_is_declared_with_a_card_more(call: Caller) -> None:
    eleven = [*TEN[:9], "5C", "TH"]
    body = {"knocker": {"cards": eleven}, "defenders": [{"cards": OTHER_TEN}]}
    assert refused(call, "scores", **body)["code"] == "spread-above-limit"
    score = ask(call, "scores", **body, overrides={"big_gin": True})
    assert score["result"] == "big_gin"
    assert score["breakdown"][0] == {"hand": 0, "code": "big_gin_bonus", "amount": 31}


@pytest.mark.parametrize(("seats", "size"), [(2, 10), (3, 7), (4, 7)])
def test_a_hand_has_throws_by_the_number_of_seats(seats: int, size: int, call: Caller) -> None:
    rules = {"ruleset": "penalty", "seats": seats}
    dealt, drawn = ask(call, "melds", **rules, hands=[TEN[:size], [*TEN[:size], "AC"]])["results"]
    assert (len(dealt["throws"]), len(drawn["throws"])) == (0, size + 1)
    one = call("GET", f"/v1/melds?ruleset=penalty&seats={seats}&cards={','.join([*TEN[:size], 'AC'])}")
    assert one.json() == drawn


def test_oklahoma_takes_its_limit_from_the_upcard(call: Caller) -> None:
    body = {"ruleset": "oklahoma", "knocker": {"cards": TEN}, "defenders": [{"cards": OTHER_TEN}]}
    assert ask(call, "scores", **body, upcard="7D")["result"] == "knock"
    told = refused(call, "scores", **body, upcard="3D")
    assert (told["code"], told["deadwood"], told["knock_limit"]) == ("spread-above-limit", 5, 3)


@pytest.mark.parametrize(
    ("deals", "rules", "wrong"),
    [
        ([{"winner": 0, "points": 100}, {"winner": 0, "points": 1}], {}, 2),
        ([{"winner": 2, "points": 10}], {}, 1),
        ([{"winner": 0}], {}, 1),
        ([{"winner": 0, "points": 5}, {"penalties": [0, 5]}], {}, 2),
        (
            [{"penalties": [0, 5]}, {"penalties": [0, 5, 5]}],
            {"ruleset": "penalty", "overrides": {"deals": 2}},
            1,
        ),
        ([{"penalties": [0, 5]}] * 2, {"ruleset": "penalty"}, 2),
    ],
)
def test_deals_that_make_no_match(
    deals: list[dict[str, Any]], rules: dict[str, Any], wrong: int, call: Caller
) -> None:
    told = refused(call, "match-totals", deals=deals, **rules)
    assert (told["code"], told["deal"]) == ("deals-impossible", wrong)


@vectors("prize")
def test_a_prize_is_divided(vector: Vector, call: Caller) -> None:
    assert ask(call, "prize-splits", **vector.input) == vector.expect


PRIZES: list[tuple[int, list[int], int, list[int]]] = [
    (10_000, [0, 0], 0, [7_500, 2_500]),
    (10_000, [0, 0], 1, [2_500, 7_500]),
    (10_000, [7, 17, 57, 107], 0, [9_334, 666, 0, 0]),
    (1, [0, 0, 0, 0], 2, [0, 0, 1, 0]),
    (0, [3, 1], 1, [0, 0]),
    (1_000_000_000_000, [0, 49], 0, [995_000_000_000, 5_000_000_000]),
]


@pytest.mark.parametrize(("fund", "penalties", "winner", "payout"), PRIZES)
def test_a_prize_is_divided_to_the_cent(
    fund: int, penalties: list[int], winner: int, payout: list[int], call: Caller
) -> None:
    told = ask(call, "prize-splits", fund_cents=fund, penalties=penalties, winner=winner)
    assert told["payout"] == payout
    assert sum(payout) == fund


@pytest.mark.parametrize(("penalties", "winner"), [([0, 10], 1), ([5, 4, 9], 0), ([1, 1], 2)])
def test_who_cannot_have_won_gets_no_prize(penalties: list[int], winner: int, call: Caller) -> None:
    told = refused(call, "prize-splits", fund_cents=100, penalties=penalties, winner=winner)
    assert told["code"] == "winner-impossible"


@pytest.mark.parametrize(
    ("school", "total"),
    [
        ("none", 70 + 50 + 40),
        ("double_game_bonus", 70 + 100 + 40),
        ("flat_100", 70 + 50 + 40 + 100),
        ("double_hand_points", 140 + 50 + 40),
        ("double_points_and_bonus", 240 + 40),
        ("double_all", 320),
    ],
)
def test_a_shutout_by_every_school(school: str, total: int, call: Caller) -> None:
    deals = [{"winner": 1, "points": points} for points in (30, 40)]
    knobs = {"target": 60, "game_bonus": 50, "box_bonus": 20, "shutout": school}
    totals = ask(call, "match-totals", deals=deals, overrides=knobs)
    assert (totals["winner"], totals["totals"]) == (1, [0, total])
    answered = [{"winner": 0, "points": 5}, *deals]
    totals = ask(call, "match-totals", deals=answered, overrides=knobs)
    assert totals["totals"] == [5 + 20, 70 + 50 + 40]


def test_three_defenders_lay_off_in_turn(call: Caller) -> None:
    body: dict[str, Any] = {
        "ruleset": "penalty",
        "knocker": {"cards": ["7H", "8H", "9H", "QS", "QD", "QC", "2D"]},
        "defenders": [
            {"cards": cards.split()}
            for cards in ("6H 3S 4S 5S KS 9C JD", "5H QH AC AD AS 8C 8D", "4H TH JH TC TD 2C 3C")
        ],
    }
    for chain, laid in (("original_only", [["6H"], ["QH"], []]), ("any", [["6H"], ["5H", "QH"], ["4H"]])):
        score = ask(call, "scores", **body, overrides={"layoff_chain": chain})
        assert [[it["card"] for it in hand["layoffs"]] for hand in score["hands"][1:]] == laid
        left = [hand["deadwood"] for hand in score["hands"]]
        assert score["penalties"] == [deadwood - left[0] for deadwood in left]
        assert (score["result"], score["winner"], score["points"]) == ("knock", 0, [0] * 4)


def test_the_lowest_of_several_undercutters_wins_and_the_knocker_pays_more(call: Caller) -> None:
    score = ask(
        call,
        "scores",
        ruleset="penalty",
        knocker={"cards": ["7H", "8H", "9H", "QS", "QD", "QC", "9D"]},
        defenders=[
            {"cards": ["3S", "4S", "5S", "AC", "2C", "3C", "4D"]},
            {"cards": ["AS", "AD", "AH", "6S", "6D", "6C", "2D"]},
        ],
    )
    assert [hand["deadwood"] for hand in score["hands"]] == [9, 4, 2]
    assert (score["result"], score["winner"]) == ("undercut", 2)
    assert score["penalties"] == [9 - 2 + 25, 4 - 2, 0]


def test_spades_double_and_the_parts_add_up(call: Caller) -> None:
    body = {"knocker": {"cards": TEN}, "defenders": [{"cards": OTHER_TEN}]}
    rules = {"overrides": {"spade_doubles": True}}
    plain = ask(call, "scores", **body, **rules, upcard="6H")
    doubled = ask(call, "scores", **body, **rules, upcard="6S")
    assert doubled["points"] == [2 * points for points in plain["points"]]
    assert doubled["breakdown"][-1] == {
        "hand": 0,
        "code": "spade_doubles",
        "amount": plain["points"][0],
    }


def test_fewest_penalties_win(call: Caller) -> None:
    deals = [{"penalties": [0, 12, 30]}, {"penalties": [20, 0, 3]}]
    rules = {"ruleset": "penalty", "overrides": {"deals": 2}}
    totals = ask(call, "match-totals", deals=deals, **rules)
    assert (totals["winner"], totals["running"], totals["totals"]) == (1, [20, 12, 33], [20, 12, 33])


def test_a_hand_in_an_address_can_be_kept(call: Caller) -> None:
    pinned = call("GET", "/v1/melds?cards=AS,2S,3S&ruleset=classic@1")
    assert pinned.json()["melds"] == [["AS", "2S", "3S"]]
    assert pinned.headers["cache-control"] == "public, max-age=31536000, immutable"
    latest = call("GET", "/v1/melds?cards=AS,2S,3S")
    assert latest.headers["cache-control"] == "public, max-age=86400"
    assert latest.headers["etag"] == pinned.headers["etag"]


def test_the_rules_of_a_request_are_judged_for_its_seats(call: Caller) -> None:
    three = {"knocker": {"cards": TEN[:7]}, "defenders": [{"cards": OTHER_TEN[:7]}] * 2}
    told = refused(call, "scores", **three)
    assert (told["code"], told["knob"]) == ("ruleset-refused", "scoring")
    told = refused(call, "match-totals", deals=[], overrides={"columns": 3, "deals": 5})
    assert (told["code"], told["knob"]) == ("ruleset-refused", "columns")


def test_two_hundred_hands_are_work_enough(call: Caller) -> None:
    hands = [[*TEN, "2S"]] * 200
    assert len(ask(call, "melds", hands=hands)["results"]) == 200
    answer = call("POST", "/v1/melds", json={"hands": hands, "arrangements": 2})
    assert (answer.status_code, answer.json()["code"]) == (413, "too-much-work")
