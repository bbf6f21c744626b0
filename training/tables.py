"""The engine's tables of one suit and the neighbours of cards, as arrays for compiled code."""

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.bots.belief import LIKELIHOOD
from engine.cards import DECK_SIZE, points_of
from engine.deadwood import solver_for
from engine.melds import RUNS
from engine.rules import Ace, RuleSet

Ints: TypeAlias = NDArray[np.int64]
Shorts: TypeAlias = NDArray[np.int16]
Floats: TypeAlias = NDArray[np.float64]

_SUIT: Final = 1 << 13


def _suit_tables() -> tuple[Shorts, Shorts, Shorts]:
    """Return the points left by runs, what the best throw saves of them, and the cards in any run."""
    deadwood = solver_for(RuleSet()).deadwood
    left = np.array([deadwood(ranks) for ranks in range(_SUIT)], dtype=np.int16)
    saved = np.zeros(_SUIT, dtype=np.int16)
    in_runs = np.zeros(_SUIT, dtype=np.int16)
    short = [run for run in RUNS[Ace.LOW] if run.bit_count() == 3]
    for ranks in range(1, _SUIT):
        least = min(left[ranks ^ 1 << rank] for rank in range(13) if ranks >> rank & 1)
        saved[ranks] = max(0, left[ranks] - least)
        in_runs[ranks] = sum(1 << rank for rank in _touched(ranks, short))
    return left, saved, in_runs


def _touched(ranks: int, runs: list[int]) -> set[int]:
    return {rank for run in runs if run & ranks == run for rank in range(13) if run >> rank & 1}


def _melds() -> tuple[Ints, Ints]:
    """Return every meld by its lowest card: the melds, and where those of each card begin."""
    runs = [run << start for start in range(0, DECK_SIZE, 13) for run in RUNS[Ace.LOW]]
    sets = [
        sum(1 << 13 * suit + rank for suit in range(4) if suits >> suit & 1)
        for rank in range(13)
        for suits in range(16)
        if suits.bit_count() >= 3
    ]
    melds = sorted((*runs, *sets), key=lambda meld: ((meld & -meld), meld))
    first = [(meld & -meld).bit_length() - 1 for meld in melds]
    starts = [sum(card < lowest for card in first) for lowest in range(DECK_SIZE + 1)]
    return np.array(melds, dtype=np.int64), np.array(starts, dtype=np.int64)


LEFT, SAVED, IN_RUNS = _suit_tables()
MELDS, MELD_STARTS = _melds()
VALUE: Final[Ints] = np.array([points_of(card, 1) for card in range(DECK_SIZE)], dtype=np.int64)
CHANCE: Final[Floats] = np.array(LIKELIHOOD, dtype=np.float64)
"""The logistic table of `engine.bots.belief`, by hundredths."""
