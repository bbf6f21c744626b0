"""Fitting a net to the points that deals brought, and writing it down in whole numbers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from training.nets import Net

Singles: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = dict[str, Singles]
"""One perceptron: ``w`` (units × features), ``b``, ``v`` and ``c``, in points of 25 and features of 1."""

NETS: Final = 3
_POINTS: Final = 25.0
_TOLD: Final = np.float32(1 / 1024)
_BATCH: Final = 2048
_DECAYS: Final = (np.float32(0.9), np.float32(0.999))
_TINY: Final = np.float32(1e-8)


def begin(units: int, features: int, dice: np.random.Generator) -> list[Weights]:
    """Return nets that know one thing: less deadwood is better."""
    nets = []
    for _ in range(NETS):
        w = dice.normal(0, features**-0.5, (units, features)).astype(np.float32)
        net = {
            "w": w,
            "b": np.zeros(units, dtype=np.float32),
            "v": dice.normal(0, 0.02, units).astype(np.float32),
            "c": np.zeros(1, dtype=np.float32),
        }
        net["w"][0] = 0
        net["w"][0, 0] = -1
        net["b"][0] = 4
        net["v"][0] = 0.5
        nets.append(net)
    nets[2]["c"][0] = 0.3
    return nets


def fit(
    net: Weights, told: Singles, points: Singles, epochs: int, rate: float, dice: np.random.Generator
) -> float:
    """Fit a perceptron by Adam, its rate falling to a tenth; no samples change nothing.

    Return the root of the mean square of its errors in the last epoch, in points.
    """
    first = {key: np.zeros_like(value) for key, value in net.items()}
    second = {key: np.zeros_like(value) for key, value in net.items()}
    steps, loss = 0, 0.0
    batch = min(_BATCH, len(told))
    if not batch:
        return 0.0
    planned = epochs * (len(told) // batch)
    for _ in range(epochs):
        order = dice.permutation(len(told))
        loss = 0.0
        for start in range(0, len(order) - batch + 1, batch):
            chosen = order[start : start + batch]
            x = told[chosen] * _TOLD
            y = points[chosen] / np.float32(_POINTS)
            z = x @ net["w"].T + net["b"]
            h = np.maximum(z, 0)
            error = h @ net["v"] + net["c"] - y
            loss += float(error @ error)
            grad = error * np.float32(2 / batch)
            back = np.outer(grad, net["v"]) * (z > 0)
            steps += 1
            now = np.float32(rate * (1 - 0.9 * steps / planned))
            gradients = {"w": back.T @ x, "b": back.sum(0), "v": h.T @ grad, "c": grad.sum(keepdims=True)}
            for key, gradient in gradients.items():
                first[key] += (1 - _DECAYS[0]) * (gradient - first[key])
                second[key] += (1 - _DECAYS[1]) * (gradient * gradient - second[key])
                one = first[key] / (1 - _DECAYS[0] ** steps)
                two = second[key] / (1 - _DECAYS[1] ** steps)
                net[key] -= (now * one / (np.sqrt(two) + _TINY)).astype(np.float32)
    return float(_POINTS * (loss / (len(told) // batch * batch)) ** 0.5)


def whole(nets: list[Weights]) -> Net:
    """Return nets as the whole numbers that are played with: weights by 2^16, offsets by 2^26."""
    return (
        np.stack([np.rint(net["w"].astype(np.float64) * 2**16) for net in nets]),
        np.stack([np.rint(net["b"].astype(np.float64) * 2**26) for net in nets]),
        np.stack([np.rint(net["v"].astype(np.float64) * _POINTS * 2**16) for net in nets]),
        np.array([np.rint(float(net["c"][0]) * _POINTS * 2**26) for net in nets]),
    )


def mean(nets: Sequence[Net]) -> Net:
    """Return the net whose numbers are the means of those of several, rounded: steadier than the last."""
    summed = [np.rint(np.mean([net[part] for net in nets], axis=0)) for part in range(4)]
    return summed[0], summed[1], summed[2], summed[3]


def write(net: Net, path: Path) -> None:
    """Write a net as JSON: for A, S and K the rows of hidden units and that of the value, offsets first."""
    weights, offsets, values, offset = net
    rows = {
        name: {
            "hidden": [
                [int(offsets[which, unit]), *map(int, weights[which, unit])]
                for unit in range(weights.shape[1])
            ],
            "value": [int(offset[which]), *map(int, values[which])],
        }
        for which, name in enumerate(("await", "stock", "knock"))
    }
    path.write_text(json.dumps(rows, separators=(",", ":")) + "\n", encoding="utf-8")


def read(path: Path) -> Net:
    """Return a net that `write` wrote."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    each = [rows[name] for name in ("await", "stock", "knock")]
    hidden = np.array([net["hidden"] for net in each], dtype=np.float64)
    value = np.array([net["value"] for net in each], dtype=np.float64)
    return (
        np.ascontiguousarray(hidden[:, :, 1:]),
        np.ascontiguousarray(hidden[:, :, 0]),
        np.ascontiguousarray(value[:, 1:]),
        np.ascontiguousarray(value[:, 0]),
    )


def widened(net: Net, units: int, features: int, dice: np.random.Generator) -> list[Weights]:
    """Return nets that go on from a smaller one, with more hidden units and more features."""
    weights, offsets, values, offset = net
    few, less = weights.shape[1:]
    nets = []
    for which in range(NETS):
        w = dice.normal(0, features**-0.5, (units, features))
        w[:few] = dice.normal(0, 0.02, (few, features))
        w[:few, :less] = weights[which] / 2**16
        b = np.zeros(units)
        b[:few] = offsets[which] / 2**26
        v = dice.normal(0, 0.01, units)
        v[:few] = values[which] / 2**16 / _POINTS
        c = np.array([offset[which] / 2**26 / _POINTS])
        nets.append({key: each.astype(np.float32) for key, each in zip("wbvc", (w, b, v, c), strict=True)})
    return nets
