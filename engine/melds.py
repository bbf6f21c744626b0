"""Which cards make a meld, and which one card more a meld could take (R1.3, R1.4, R5.4)."""

from typing import Final, TypeAlias

from engine.actions import Meld
from engine.cards import CardSet
from engine.rules import Ace

Ranks: TypeAlias = int
"""The cards of one suit: bit ``n`` stands for rank ``n``, the ace being bit 0."""

SUIT_SIZE: Final = 13
EVERY_RANK: Final[Ranks] = (1 << SUIT_SIZE) - 1
SMALLEST_MELD: Final = 3

_UPWARDS: Final = tuple(range(SUIT_SIZE))
_LINES: Final[dict[Ace, tuple[int, ...]]] = {
    Ace.LOW: _UPWARDS,
    Ace.HIGH: (*_UPWARDS[1:], 0),
    Ace.BOTH: (*_UPWARDS, 0),
    Ace.CORNER: (*_UPWARDS, *_UPWARDS[:-1]),
}
"""The ranks in the order in which a run may pass through them (R1.4)."""

_ONE_RANK: Final[CardSet] = 1 | 1 << 13 | 1 << 26 | 1 << 39


def _runs(line: tuple[int, ...]) -> dict[Ranks, Ranks]:
    windows = {
        sum(1 << rank for rank in line[start:stop])
        for start in range(len(line))
        for stop in range(start + SMALLEST_MELD, min(start + SUIT_SIZE, len(line)) + 1)
    }
    return {
        run: sum(1 << rank for rank in _UPWARDS if not run >> rank & 1 and run | 1 << rank in windows)
        for run in windows
    }


RUNS: Final[dict[Ace, dict[Ranks, Ranks]]] = {ace: _runs(line) for ace, line in _LINES.items()}
"""For each ace rule every run within a suit, with the ranks that would make it one card longer.

A run is known by its cards: under ``corner`` it may go round, and the whole suit is one run.
"""


def is_meld(cards: CardSet, ace: Ace) -> bool:
    """Tell whether these cards, all of them, are one set or one run (R1.3, R1.4)."""
    return _is_set(cards) or _run(cards) in RUNS[ace]


def fitting(meld: Meld, ace: Ace) -> CardSet:
    """Return the cards of which any one would make this meld a longer meld (R5.4)."""
    if _is_set(meld):
        return _same_rank(meld) & ~meld
    return RUNS[ace][_run(meld)] << _suit_start(meld)


def _is_set(cards: CardSet) -> bool:
    return cards.bit_count() >= SMALLEST_MELD and not cards & ~_same_rank(cards)


def _same_rank(cards: CardSet) -> CardSet:
    """Return the four cards of the rank that the first of these cards has."""
    return _ONE_RANK << _first(cards) % SUIT_SIZE


def _run(cards: CardSet) -> Ranks:
    """Return these cards by rank, if they are of one suit; else something that is no run."""
    return cards >> _suit_start(cards) if cards else 0


def _suit_start(cards: CardSet) -> int:
    """Return the number of the ace in the suit of the first of these cards."""
    return _first(cards) // SUIT_SIZE * SUIT_SIZE


def _first(cards: CardSet) -> int:
    return (cards & -cards).bit_length() - 1
