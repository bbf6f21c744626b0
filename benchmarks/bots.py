"""How well the bots play, against the panel and against each other, and how long they think.

    python benchmarks/bots.py [--matches 5000] [--seed text] [--processes 2] [--parts panel ladder] [--write]
    python benchmarks/bots.py --pair expert club [--ruleset straight] …

Matches are played over mirrored deals through the engine's views, as they are served; the time of a decision
is the processor's. It ends with status 1 where a figure is below what is promised. ``--write`` keeps the
levels' figures for ``GET /v1/bots``.
"""

import argparse
import sys
from pathlib import Path
from typing import Final

from msgspec import Struct, json

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.arena import Chooser, Duel, decisions, duel
from benchmarks.players import PANEL
from engine.bots import LEVELS, Level
from engine.bots.measured import FILE, Measured, Measurement, Rate
from engine.presets import PRESETS

RULES: Final = {preset.name: preset.rules for preset in PRESETS}
PLAYERS: Final[dict[str, Chooser]] = {level.value: player for level, player in LEVELS.items()} | PANEL
LADDER: Final = tuple(level.value for level in Level)
FIGURES: Final = Path(__file__).parents[1] / "engine" / "bots" / FILE

TIMED_MATCHES: Final = 40
"""How many matches are played against ``club`` to time a level's decisions."""


class Promise(Struct, frozen=True):
    """The least rate of the first player against the second, in percent, and the least of its lower bound."""

    ruleset: str
    first: str
    second: str
    rate: float
    low: float


PANEL_PROMISES: Final = (
    Promise("classic", "expert", "club", 75.0, 50.0),
    Promise("classic", "expert", "strong", 60.0, 50.0),
    Promise("classic", "expert", "greedy", 78.0, 50.0),
    *(Promise("classic", "expert", name, 0.0, 0.0) for name in PANEL if name != "greedy"),
)
LADDER_PROMISES: Final = tuple(
    Promise(ruleset, LADDER[place + apart], LADDER[place], rate, low)
    for ruleset, rate, low in (("classic", 60.0, 57.0), ("straight", 55.0, 50.0))
    for apart in (1, 2)
    for place in range(len(LADDER) - apart)
)
PROMISED: Final = {"panel": PANEL_PROMISES, "ladder": LADDER_PROMISES}
MEAN_MS: Final = 1.5
P99_MS: Final = 5.0


class Bench:
    """Plays what is asked for, once a pair, and prints it."""

    def __init__(self, seed: str, matches: int, processes: int) -> None:
        self.seed = seed
        self.matches = matches
        self.processes = processes
        self.kept: dict[tuple[str, str, str], Duel] = {}
        self.broken = 0

    def play(self, ruleset: str, first: str, second: str) -> Duel:
        """Return how the first player fares against the second under these rules."""
        asked = (ruleset, first, second)
        if asked not in self.kept:
            self.kept[asked] = duel(
                RULES[ruleset],
                PLAYERS[first],
                PLAYERS[second],
                seed=self.seed,
                matches=self.matches,
                processes=self.processes,
            )
        return self.kept[asked]

    def check(self, promise: Promise) -> None:
        """Print how the first player fares, and whether that is as promised."""
        played = self.play(promise.ruleset, promise.first, promise.second)
        # Nobody of the panel may be better with certainty, whatever else is promised.
        kept = (
            played.rate >= promise.rate
            and played.rate - played.margin >= promise.low
            and played.rate + played.margin >= 50
        )
        self.tell(f"{promise.ruleset:9} {promise.first:9} v {promise.second:9} {played}", kept=kept)

    def time(self, level: str) -> tuple[float, float]:
        """Print and return the mean and the 99th percentile of a decision, in ms of processor time."""
        seconds = sorted(
            decisions(RULES["classic"], PLAYERS[level], PLAYERS["club"], self.seed, TIMED_MATCHES)
        )
        mean = 1000 * sum(seconds) / len(seconds)
        p99 = 1000 * seconds[len(seconds) * 99 // 100]
        self.tell(
            f"{level:9} {mean:6.2f} ms a decision, p99 {p99:6.2f}", kept=mean <= MEAN_MS and p99 <= P99_MS
        )
        return mean, p99

    def tell(self, line: str, *, kept: bool) -> None:
        """Print a line, and remember if what it says was promised otherwise."""
        self.broken += not kept
        print(line if kept else f"{line}   BELOW THE PROMISE", flush=True)

    def measure(self) -> Measurement:
        """Return the figures of every level."""
        levels = []
        for level in Level:
            rates = {
                ruleset: rate_of(self.play(ruleset, level.value, "club"))
                for ruleset in ("classic", "straight")
            }
            mean, p99 = self.time(level.value)
            levels.append(Measured(level, rates, round(mean, 2), round(p99, 2)))
        return Measurement(self.seed, tuple(levels))


def rate_of(played: Duel) -> Rate:
    """Return a rate as it is told, to a tenth of a percent."""
    low, high = played.rate - played.margin, played.rate + played.margin
    return Rate(round(played.rate, 1), round(max(0.0, low), 1), round(min(100.0, high), 1), played.matches)


def main() -> None:
    """Play the panel and the ladder, or the one pair that is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=5000)
    parser.add_argument("--seed", default="panel")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--pair", nargs=2, choices=PLAYERS, metavar=("FIRST", "SECOND"))
    parser.add_argument("--ruleset", choices=RULES, default="classic")
    parser.add_argument("--parts", nargs="*", choices=PROMISED, default=list(PROMISED))
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    bench = Bench(asked.seed, asked.matches, asked.processes)
    if asked.pair:
        first, second = asked.pair
        print(f"{first} v {second}, {asked.ruleset}: {bench.play(asked.ruleset, first, second)}")
        sys.exit(0)
    for part in asked.parts:
        for promise in PROMISED[part]:
            bench.check(promise)
    figures = bench.measure()
    if asked.write:
        FIGURES.write_bytes(json.format(json.encode(figures), indent=2) + b"\n")
    sys.exit(bench.broken > 0)


if __name__ == "__main__":
    main()
