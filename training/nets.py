"""Three small nets in whole numbers, compiled: A for throwing, S for drawing, K for knocking."""

import math
from typing import Final, TypeAlias

import numpy as np

from engine.bots import style
from training.compiling import compiled, summing
from training.tables import Floats

AWAIT: Final = 0
STOCK: Final = 1
KNOCK: Final = 2

evidence = compiled(style.evidence)

SCALE: Final = 65536.0

Net: TypeAlias = tuple[Floats, Floats, Floats, Floats]
"""Weights and offsets of the hidden units, of the value; first of A, then of S, then of K.

A player that meets hasty players with other nets has three more of each, and last, beside the offsets of the
values, the evidence from which on it does. All are whole: weights in units of 2^-16, offsets of 2^-26.
"""


@summing
def value(net: Net, which: int, told: Floats) -> float:
    """Return the expected points of the deal in units of 2^-26: exact, as floats hold such whole numbers."""
    weights, offsets, weights_out, offset_out = net
    out = offset_out[which]
    for unit in range(weights.shape[1]):
        sum_ = 0.0
        for place in range(weights.shape[2]):
            sum_ += weights[which, unit, place] * told[place]
        sum_ += offsets[which, unit]
        if sum_ > 0:
            out += weights_out[which, unit] * math.floor(sum_ / SCALE)
    return out


def layered(usual: Net, hasty: Net, hasty_from: int) -> Net:
    """Return six nets: three to begin with, three that meet a hasty player from so much evidence on."""
    units = max(usual[0].shape[1], hasty[0].shape[1])
    weights, offsets, values = (
        np.zeros((6, units, usual[0].shape[2])),
        np.zeros((6, units)),
        np.zeros((6, units)),
    )
    for first, net in ((0, usual), (3, hasty)):
        few = net[0].shape[1]
        weights[first : first + 3, :few] = net[0]
        offsets[first : first + 3, :few] = net[1]
        values[first : first + 3, :few] = net[2]
    return weights, offsets, values, np.array([*usual[3], *hasty[3], hasty_from], dtype=np.float64)


@compiled
def side(net: Net, deals: int, knocks: int, gins: int) -> int:
    """Return where the nets begin that play against a seat with this history."""
    if len(net[3]) > 3 and evidence(deals, knocks, gins) >= net[3][6]:
        return 3
    return 0


def empty(units: int = 1, features: int = 1) -> Net:
    """Return a net that values nothing, for players that have none."""
    return (np.zeros((3, units, features)), np.zeros((3, units)), np.zeros((3, units)), np.zeros(3))
