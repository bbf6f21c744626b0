"""The levels: they play every preset to its end, one above the other, and the same view has one choice."""

import os
import subprocess
import sys
from itertools import pairwise, product
from pathlib import Path
from typing import Final

import pytest

from benchmarks.arena import Duel, duel
from engine.bots import LEVELS, Level
from engine.events import DealScored
from engine.presets import PRESETS, Preset
from engine.rules import RuleSet
from engine.state import Status
from tests.engine.choices.record import FOLDER, page_of
from tests.playbook import CLASSIC, STRAIGHT, between_bots
from tests.sizes import size

LADDER: Final = tuple(Level)
MATCHES: Final = size(20, 200)
"""How many matches of each preset the bots play to the end."""
PAIRS_OF_LEVELS: Final = tuple(product(LADDER, LADDER))


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_bots_of_all_levels_play_matches_of_every_preset_to_the_end(preset: Preset) -> None:
    for number in range(MATCHES):
        seats = preset.least_seats + number % (preset.most_seats - preset.least_seats + 1)
        levels = PAIRS_OF_LEVELS[number * 7 % len(PAIRS_OF_LEVELS)]
        *_, last = between_bots(preset.rules, f"ladder {number}", seats, levels=levels)
        assert last.match.status is Status.FINISHED
        assert any(isinstance(event, DealScored) for event in last.events)


def between(rules: RuleSet, stronger: Level, weaker: Level) -> Duel:
    """Play the same matches between two levels each time, so that their result is a fact."""
    matches = size(24, 1000)
    return duel(rules, LEVELS[stronger], LEVELS[weaker], seed="ladder", matches=matches, processes=1)


@pytest.mark.parametrize(("weaker", "stronger"), list(pairwise(LADDER)))
def test_nothing_speaks_against_six_wins_of_ten_over_the_level_below(weaker: Level, stronger: Level) -> None:
    played = between(CLASSIC, stronger, weaker)
    assert played.rate + played.margin >= 60


@pytest.mark.parametrize("rules", [CLASSIC, STRAIGHT], ids=["classic", "straight"])
@pytest.mark.parametrize(("weaker", "stronger"), list(zip(LADDER, LADDER[2:], strict=False)))
def test_each_level_wins_more_than_it_loses_two_levels_down(
    rules: RuleSet, weaker: Level, stronger: Level
) -> None:
    assert between(rules, stronger, weaker).rate > 50


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_every_process_chooses_alike(tmp_path: Path, hash_seed: str) -> None:
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-m", "tests.engine.choices", str(tmp_path)]
    subprocess.run(command, env=environment, check=True)
    for level in Level:
        page = page_of(level)
        assert (tmp_path / page).read_text(encoding="utf-8") == (FOLDER / page).read_text(encoding="utf-8")
