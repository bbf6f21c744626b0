"""Make the expert's weights anew: ``python -m training expert``."""

import argparse
import time
from pathlib import Path
from typing import Final

import numpy as np

from training.league import SELF, Plan, against, train
from training.learning import begin, mean, read, widened, write
from training.nets import Net, empty

PLAIN: Final = Path("benchmarks/panel/plain.json")
PLANS: Final[dict[str, Plan]] = {
    "plain": Plan(
        shares={SELF: 0.43, "patient": 0.22, "simple": 0.2, "greedy": 0.15},
        rounds=17,
        deals=120_000,
        units=24,
        features=22,
        mean_of=1,
        keep=2,
        epochs=3,
        panel=("greedy", "simple", "patient"),
    ),
    "expert": Plan(
        shares={SELF: 0.32, "patient": 0.2, "simple": 0.2, "greedy": 0.08, "plain": 0.12, "switching": 0.08},
        rounds=30,
        deals=150_000,
        units=36,
        mean_of=1,
        trust=0.9,
    ),
    "hasty": Plan(
        shares={"simple": 0.65, "greedy": 0.35},
        rounds=9,
        deals=100_000,
        units=30,
        trust=0.9,
        keep=3,
        panel=("greedy", "simple"),
    ),
    "straight": Plan(
        shares={SELF: 0.5, "patient": 0.4, "simple": 0.1},
        rounds=9,
        deals=60_000,
        units=24,
        limit=0,
        trust=0.9,
        panel=("greedy", "simple", "patient"),
    ),
}


def main() -> None:
    """Train by a plan, writing the weights of each round and at the end the mean of the last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan", choices=PLANS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("training/out"))
    parser.add_argument("--pairs", type=int, default=1000, help="of matches against each of the panel")
    chosen = parser.parse_args()
    plan = PLANS[chosen.plan]
    dice = np.random.default_rng(chosen.seed + 1000)
    if chosen.plan == "plain":
        plain, nets = empty(), begin(plan.units, plan.features, dice)
    else:
        plain = read(PLAIN)
        nets = widened(plain, plan.units, plan.features, dice)
    chosen.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    last: list[Net] = []
    for done in train(plan, nets, plain, chosen.seed):
        last = [*last, done.net][-plan.mean_of :]
        write(done.net, chosen.out / f"{chosen.plan}-{done.number}.json")
        print(
            done.number,
            done.deals,
            *(f"{loss:.2f}" for loss in done.losses),
            f"{time.monotonic() - began:.0f} s",
            flush=True,
        )
        if done.number % 2 or done.number == plan.rounds - 1:
            for name in plan.panel:
                share, half = against(done.net, plain, name, plan.limit, chosen.pairs, 777)
                print(f"    {name} {100 * share:.1f} ± {100 * half:.1f} %", flush=True)
    write(mean(last), chosen.out / f"{chosen.plan}.json")


if __name__ == "__main__":
    main()
