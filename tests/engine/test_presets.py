from typing import Any

import pytest

from engine.presets import LENGTHS, PRESETS, Preset, find, refused_knob, resolve
from engine.rules import (
    KnockLimitSource,
    MatchWinner,
    RuleSet,
    Scoring,
    UpcardOffer,
)

PENALTY: dict[str, Any] = {"scoring": Scoring.PENALTY, "deals": 1}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_a_preset_goes_together_with_every_number_of_seats_it_allows(preset: Preset) -> None:
    for seats in range(preset.least_seats, preset.most_seats + 1):
        assert refused_knob(preset.rules, seats) is None
    assert sum(getattr(preset.rules, knob) is not None for knob in LENGTHS) == 1


def test_there_are_the_ten_presets_of_r8() -> None:
    assert [preset.id for preset in PRESETS] == [
        "classic@1",
        "declared@1",
        "simple@1",
        "straight@1",
        "penalty@1",
        "oklahoma@1",
        "hollywood@1",
        "traditional@1",
        "openspiel@1",
        "eaai@1",
    ]


def test_a_name_is_its_latest_version() -> None:
    assert find("classic") is find("classic@1") is PRESETS[0]
    assert find("classic@2") is None
    assert find("Classic") is None


def test_a_preset_tells_how_it_differs_from_classic() -> None:
    assert PRESETS[0].differs() == {}
    assert {preset.name: preset.differs() for preset in PRESETS}["straight"] == {
        "knock_limit": 0,
        "big_gin": True,
        "box_bonus": 25,
    }


@pytest.mark.parametrize("length", LENGTHS)
def test_overriding_one_length_clears_the_others(length: str) -> None:
    rules = resolve(PRESETS[0], {length: 7})
    assert {knob: getattr(rules, knob) for knob in LENGTHS} == dict.fromkeys(LENGTHS) | {length: 7}


@pytest.mark.parametrize(
    ("overrides", "seats", "knob"),
    [
        ({}, 3, "scoring"),
        ({"penalty_limit": 100}, 2, "penalty_limit"),
        ({"scoring": Scoring.PENALTY}, 2, "target"),
        (PENALTY | {"box_bonus": 25}, 2, "box_bonus"),
        (PENALTY | {"boxes_in_running_score": True}, 2, "boxes_in_running_score"),
        (PENALTY | {"columns": 3}, 2, "columns"),
        (PENALTY | {"spade_doubles": True}, 3, "spade_doubles"),
        (PENALTY | {"match_winner": MatchWinner.FIRST_TO_TARGET}, 2, "match_winner"),
        (
            {"upcard_offer": UpcardOffer.ELEVEN, "knock_limit_source": KnockLimitSource.UPCARD},
            2,
            "knock_limit_source",
        ),
        ({"upcard_offer": UpcardOffer.ELEVEN, "spade_doubles": True}, 2, "spade_doubles"),
        ({"columns": 3, "deals": 3}, 2, "columns"),
        ({"target": 100, "deals": 3}, 2, "deals"),
    ],
)
def test_r9_names_the_knob_it_refuses(overrides: dict[str, Any], seats: int, knob: str) -> None:
    refused = refused_knob(resolve(PRESETS[0], overrides), seats, overrides)
    assert refused is not None
    assert refused.knob == knob


def test_no_hand_is_too_large_for_the_deck() -> None:
    # R9: seats × hand_size + 1 + stock_floor stays below 52 at the ends of the ranges.
    assert 4 * 10 + 1 + 10 < 52


def test_the_default_rule_set_is_classic() -> None:
    assert PRESETS[0].rules == RuleSet()
