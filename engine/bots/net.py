"""The expert's three nets: whole numbers in, whole numbers out, so that no machine rounds differently."""

import hashlib
import json
from functools import cache
from importlib.resources import files
from operator import mul
from typing import Final, TypeAlias

from msgspec import Struct

from engine.bots.features import Told

Row: TypeAlias = tuple[int, ...]

POINT: Final = 1 << 26
"""One point of a deal, as the nets count it."""

_SHIFT: Final = 16


class Perceptron(Struct, frozen=True):
    """A layer of hidden units and one value; every row begins with its offset.

    Weights are in units of 2^-16, what is told in units of 2^-10, offsets and the value in 2^-26.
    """

    hidden: tuple[Row, ...]
    value: Row

    def worth(self, told: Told) -> int:
        """Return the expected points of the deal, own less the other seat's, in units of 2^-26."""
        told = (1, *told)
        units = [max(0, sum(map(mul, row, told))) >> _SHIFT for row in self.hidden]
        return sum(map(mul, self.value, (1, *units)))


class Nets(Struct, frozen=True):
    """What ends of a turn are worth: throwing a card and going on, drawing from the stock, knocking."""

    awaiting: Perceptron
    stock: Perceptron
    knock: Perceptron


@cache
def nets(name: str) -> Nets:
    """Return the nets of a file beside this one, which is read once."""
    return decode(files("engine.bots").joinpath(f"{name}.json").read_text(encoding="utf-8"))


@cache
def digest_of_nets() -> str:
    """Return a short digest of the files beside this one: another judgement comes with another digest."""
    found = sorted(
        (file.name, file.read_bytes()) for file in files("engine.bots").iterdir() if _is_net(file.name)
    )
    return hashlib.sha256(b"".join(name.encode() + content for name, content in found)).hexdigest()[:12]


def _is_net(name: str) -> bool:
    return name.endswith(".json")


def decode(text: str) -> Nets:
    """Return the nets of a text that the training wrote."""
    rows = json.loads(text)
    return Nets(*(_perceptron(rows[net]) for net in ("await", "stock", "knock")))


def _perceptron(rows: dict[str, list[list[int]]]) -> Perceptron:
    return Perceptron(tuple(map(tuple, rows["hidden"])), tuple(rows["value"]))  # type: ignore[arg-type]
