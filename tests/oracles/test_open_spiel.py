import random
from collections.abc import Callable
from typing import Final, TypeAlias

import pytest
from msgspec.structs import replace

from engine.rules import KnockLimitSource, Melds, OklahomaAce, RuleSet, StockEnd, UndercutTie
from engine.state import DealResult
from tests.oracles import leanings, quirks
from tests.oracles.side_by_side import SideBySide
from tests.oracles.tally import Tally
from tests.playbook import PLAYED
from tests.sizes import size

Knobs: TypeAlias = Callable[[random.Random], RuleSet]

MUST_OCCUR: Final = (
    DealResult.KNOCK,
    DealResult.GIN,
    DealResult.UNDERCUT,
    DealResult.TIE,
    DealResult.VOID,
    "layoffs",
    "last discard taken",
    "knock at the wall",
)
CUT_SHORT: Final = (quirks.void_when_two_throw_back, quirks.void_after_fifty_takes)


def preset(_dice: random.Random) -> RuleSet:
    return PLAYED["openspiel"]


def other_knobs(dice: random.Random) -> RuleSet:
    """Return the preset with other knobs: those that both can play, and those that a quirk masks."""
    return replace(
        PLAYED["openspiel"],
        hand_size=dice.choice((None, None, None, 9, 8, 7, 5)),
        allow_discard_taken=dice.random() < 0.5,
        knock_limit=dice.choice((10, 10, 10, 7, 5, 3, 1, 0)),
        melds=dice.choice(tuple(Melds)),
        stock_end=dice.choice((StockEnd.LAST_DISCARD_KNOCK_ONLY, StockEnd.DEAD_AFTER_DISCARD)),
        gin_bonus=dice.choice((0, 20, 25)),
        undercut_bonus=dice.choice((0, 10, 25)),
        undercut_tie=dice.choice(tuple(UndercutTie)),
    )


def oklahoma(dice: random.Random) -> RuleSet:
    return replace(
        other_knobs(dice),
        knock_limit=10,
        knock_limit_source=KnockLimitSource.UPCARD,
        oklahoma_ace=OklahomaAce.GIN_ONLY,
        undercut_tie=UndercutTie.KNOCKER_ZERO,
    )


@pytest.mark.parametrize(
    ("knobs", "deals"),
    [(preset, size(300, 5_000)), (other_knobs, size(300, 2_500)), (oklahoma, size(300, 1_500))],
    ids=["preset", "other-knobs", "oklahoma"],
)
def test_deals_go_as_open_spiel_plays_them(knobs: Knobs, deals: int, tally: Tally) -> None:
    for number in range(deals):
        dice = random.Random(f"{knobs.__name__} {number}")
        try:
            SideBySide(knobs(dice), leanings.deck(dice), tally).play(dice)
        except AssertionError as difference:
            difference.add_note(f"deal {number}")
            raise
    short = sum(tally[f"quirk: {quirk.__name__}"] for quirk in CUT_SHORT)
    assert sum(tally[result] for result in DealResult) + short == deals
    assert [kind for kind in MUST_OCCUR if not tally[kind]] == []
