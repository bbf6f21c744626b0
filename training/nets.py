"""Three small nets in whole numbers, compiled: A for throwing, S for drawing, K for knocking."""

import math
from typing import Final, TypeAlias

import numpy as np

from training.compiling import summing
from training.tables import Floats

AWAIT: Final = 0
STOCK: Final = 1
KNOCK: Final = 2

SCALE: Final = 65536.0

Net: TypeAlias = tuple[Floats, Floats, Floats, Floats]
"""Weights and offsets of the hidden units, of the value; first of A, then of S, then of K.

All are whole: weights in units of 2^-16, offsets in units of 2^-26.
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


def empty(units: int = 1, features: int = 1) -> Net:
    """Return a net that values nothing, for players that have none."""
    return (np.zeros((3, units, features)), np.zeros((3, units)), np.zeros((3, units)), np.zeros(3))
