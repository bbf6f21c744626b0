"""The league: rounds of matches against a mixture of players, each followed by a fit of the nets."""

from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
from msgspec import Struct

from training.features import COUNT
from training.learning import Singles, Weights, fit, whole
from training.matches import collect, play_pairs
from training.nets import Net
from training.players import GREEDY, NET, PATIENT, SIMPLE, SWITCHING

SELF: Final = "self"
KINDS: Final[Mapping[str, int]] = {
    "greedy": GREEDY,
    "simple": SIMPLE,
    "patient": PATIENT,
    "plain": NET,
    "switching": SWITCHING,
    SELF: NET,
}

_DEALS_A_MATCH: Final = 9
_SAMPLES_A_DEAL: Final = 30
_SPREAD_OVER: Final = 20
"""The choice of a deal that is made at random is one of so many."""


class Plan(Struct, frozen=True):
    """A course of training: whom it meets, how often, and how much it learns of each round."""

    shares: dict[str, float]
    """The share of each opponent in a round's matches, in the order in which they are met."""
    rounds: int
    deals: int
    """About how many a round."""
    units: int
    features: int = COUNT
    limit: int = 10
    trust: float = 1.0
    """How much of a choice's worth is counted by points alone, at each later choice."""
    keep: int = 3
    """The rounds whose samples are fitted together."""
    epochs: int = 2
    rate: float = 1e-3
    mean_of: int = 4
    """The last rounds whose mean is kept."""
    panel: tuple[str, ...] = ("greedy", "simple", "patient", "plain", "switching")
    """Whom it is measured against."""


class Round(Struct, frozen=True):
    """What a round came to."""

    number: int
    deals: int
    losses: tuple[float, ...]
    """The root of the mean square of each net's errors, in points."""
    net: Net


def train(plan: Plan, nets: list[Weights], plain: Net, seed: int) -> Iterator[Round]:
    """Play and fit round after round; `nets` are changed in place.

    The same plan, nets and seed give the same whole numbers wherever numpy sums alike.
    """
    dice = np.random.default_rng(seed)
    kept: list[tuple[Singles, Singles, Singles]] = []
    for number in range(plan.rounds):
        deals, samples = _play(plan, whole(nets), plain, seed * 100_000 + number * 50)
        kept = [*kept, samples][-plan.keep :]
        losses = []
        for which, net in enumerate(nets):
            told = np.concatenate([told[kinds == which] for told, kinds, _ in kept])
            points = np.concatenate([points[kinds == which] for _, kinds, points in kept])
            losses.append(fit(net, told[:, : plan.features], points, plan.epochs, plan.rate, dice))
        yield Round(number, deals, tuple(losses), whole(nets))


def _play(plan: Plan, net: Net, plain: Net, seed: int) -> tuple[int, tuple[Singles, Singles, Singles]]:
    room = plan.deals * _SAMPLES_A_DEAL
    told = np.empty((room, COUNT))
    which = np.empty(room, dtype=np.int64)
    points = np.empty(room)
    parts, deals = [], 0
    for place, (name, share) in enumerate(plan.shares.items()):
        mine = name == SELF
        count, played = collect(
            seed + place,
            int(plan.deals * share / _DEALS_A_MATCH),
            plan.limit,
            (NET, KINDS[name]),
            net,
            net if mine else plain,
            (True, mine),
            _SPREAD_OVER,
            plan.trust,
            told,
            which,
            points,
        )
        deals += played
        parts.append([each[:count].astype(np.float32) for each in (told, which, points)])
    joined = [np.concatenate(each) for each in zip(*parts, strict=True)]
    return deals, (joined[0], joined[1], joined[2])


def against(net: Net, plain: Net, name: str, limit: int, pairs: int, seed: int) -> tuple[float, float]:
    """Return the share of matches won, and half of its 95 % interval, over pairs of mirrored matches."""
    wins, tally = np.zeros(pairs, dtype=np.int64), np.zeros(8, dtype=np.int64)
    play_pairs(seed, 0, pairs, limit, (NET, KINDS[name]), net, plain, wins, tally)
    shares = wins / 2
    return float(shares.mean()), float(1.96 * shares.std() / pairs**0.5)
