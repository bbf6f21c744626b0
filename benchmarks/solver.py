"""Microseconds a hand for the solver, beside open_spiel's own routine in the same run.

    python benchmarks/solver.py [hands]

Rounds of the candidates alternate, and medians are shown: a busy machine slows all of them alike.
Ends with an error where a promise is broken: 1 µs a hand, and faster than open_spiel.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

sys.path.insert(0, str(Path(__file__).parent.parent))

import pyspiel

from engine.cards import set_of
from engine.deadwood import solver_for
from engine.rules import Ace, RuleSet

ROUNDS: Final = 15
PROMISED_MICROSECONDS: Final = {"low": 1.0, "high": 3.0, "both": 3.0, "corner": 3.0}
"""The most that a hand's deadwood may take, by the ace rule; the figure holds on a machine left alone."""

SUITS_OF_OPEN_SPIEL: Final = (0, 3, 2, 1)
"""It orders suits S C D H."""

Task: TypeAlias = tuple[Callable[[Any], object], Sequence[Any]]


def medians(tasks: dict[str, Task]) -> dict[str, float]:
    """Return the median microseconds a call of each task, rounds interleaved."""
    times: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(ROUNDS):
        for name, (call, arguments) in tasks.items():
            started = time.perf_counter()
            for argument in arguments:
                call(argument)
            times[name].append((time.perf_counter() - started) / len(arguments) * 1e6)
    return {name: statistics.median(rounds) for name, rounds in times.items()}


def in_open_spiel(cards: Sequence[int]) -> list[int]:
    """Return the cards as open_spiel numbers them."""
    return [SUITS_OF_OPEN_SPIEL[card // 13] * 13 + card % 13 for card in cards]


def main() -> None:
    """Print the figures of all candidates."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    dice = random.Random("solver")
    dealt = {size: [dice.sample(range(52), size) for _ in range(count)] for size in (10, 11)}
    hands = {size: [set_of(cards) for cards in dealt[size]] for size in dealt}
    spiel = {size: [in_open_spiel(cards) for cards in dealt[size]] for size in dealt}
    classic = solver_for(RuleSet())
    theirs = pyspiel.gin_rummy.GinRummyUtils(13, 4, 10).min_deadwood

    for hand, cards in zip(hands[10], spiel[10], strict=True):
        if classic.deadwood(hand) != theirs(cards):
            sys.exit("the solver and open_spiel disagree on ten cards")
    for hand, cards in zip(hands[11], spiel[11], strict=True):
        if classic.best_throw(hand) != theirs(cards):
            sys.exit("the solver and open_spiel disagree on the best throw of eleven")

    tasks: dict[str, Task] = {
        "deadwood, 10 cards": (classic.deadwood, hands[10]),
        "deadwood, 11 cards": (classic.deadwood, hands[11]),
        "best_throw, 11 cards": (classic.best_throw, hands[11]),
        "throws, 11 cards": (classic.throws, hands[11]),
        "arrange, 10 cards": (classic.arrange, hands[10]),
        "open_spiel min_deadwood, 10 cards": (theirs, spiel[10]),
        "open_spiel min_deadwood, 11 cards": (theirs, spiel[11]),
    }
    promised = {"deadwood, 10 cards": Ace.LOW, "deadwood, 11 cards": Ace.LOW}
    for ace in (Ace.HIGH, Ace.BOTH, Ace.CORNER):
        name = f"deadwood, 11 cards, ace {ace}"
        promised[name] = ace
        tasks[name] = (solver_for(RuleSet(ace=ace)).deadwood, hands[11])

    found = medians(tasks)
    print(f"{count} random hands, median of {ROUNDS} rounds, µs a hand")
    for name, microseconds in found.items():
        print(f"{name:36} {microseconds:8.3f}")
    # Its routine, given eleven cards, throws the best one first: `best_throw` is the like of that.
    ratios = {
        ours: found[theirs_name] / found[ours]
        for ours, theirs_name in (
            ("deadwood, 10 cards", "open_spiel min_deadwood, 10 cards"),
            ("deadwood, 11 cards", "open_spiel min_deadwood, 11 cards"),
            ("best_throw, 11 cards", "open_spiel min_deadwood, 11 cards"),
        )
    }
    for name, ratio in ratios.items():
        print(f"{f'open_spiel ÷ {name}':36} {ratio:8.1f}")
    slow = [name for name, ace in promised.items() if found[name] > PROMISED_MICROSECONDS[ace]]
    if slow or min(ratios.values()) <= 1:
        sys.exit(f"slower than promised: {', '.join(slow) or 'than open_spiel'}")


if __name__ == "__main__":
    main()
