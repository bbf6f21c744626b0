"""The arena in which bots are measured: mirrored deals, and an interval that takes a pair as one."""

import math
from typing import Final

import pytest

from benchmarks.arena import Duel, duel, pair
from benchmarks.bots import rate_of
from benchmarks.players import PANEL, greedy
from engine.bots import LEVELS, Level
from engine.rules import RuleSet

SHORT: Final = RuleSet(target=25)
CLUB: Final = LEVELS[Level.CLUB]


def test_a_player_without_dice_draws_with_itself() -> None:
    assert duel(SHORT, greedy, greedy, seed="mirror", matches=12, processes=1).pairs == (1.0,) * 6


def test_what_one_wins_over_mirrored_deals_the_other_loses() -> None:
    patient = LEVELS[Level.STRONG]
    won = [pair(SHORT, patient, greedy, f"pair {number}") for number in range(4)]
    lost = [pair(SHORT, greedy, patient, f"pair {number}") for number in range(4)]
    assert [one + other for one, other in zip(won, lost, strict=True)] == [2.0] * 4
    assert set(won) != {1.0}


def test_processes_and_their_number_change_nothing() -> None:
    one, two = (duel(SHORT, CLUB, greedy, seed="same", matches=24, processes=count) for count in (1, 2))
    assert one == two


def test_the_interval_takes_a_pair_as_one_observation() -> None:
    even = Duel((1.0,) * 50)
    assert (even.matches, even.rate, even.margin) == (100, 50.0, 0.0)
    apart = Duel((2.0, 0.0) * 50)
    assert apart.rate == 50.0
    assert apart.margin == pytest.approx(50 * 1.96 * math.sqrt(100 / 99 / 100))
    assert Duel((2.0,)).margin == 50.0


def test_a_rate_is_told_with_an_interval_within_all_and_nothing() -> None:
    told = rate_of(Duel((2.0,) * 9 + (1.0,)))
    assert (told.percent, told.high, told.matches) == (95.0, 100.0, 20)
    assert told.low < told.percent


@pytest.mark.parametrize("name", PANEL)
def test_the_panel_plays_matches_to_the_end(name: str) -> None:
    assert duel(SHORT, PANEL[name], CLUB, seed="panel", matches=4, processes=1).matches == 4
