"""How strong each level is and how long it thinks, as ``benchmarks/bots.py`` measured it."""

from functools import cache
from importlib.resources import files
from typing import Final

from msgspec import Struct, json

from engine.bots.choose import Level

FILE: Final = "measured.json"


class Rate(Struct, frozen=True):
    """The share of matches that a level won against another, in percent, and its 95 % interval."""

    percent: float
    low: float
    high: float
    matches: int


class Measured(Struct, frozen=True):
    """A level's figures: by rule set its rate against ``club``, and milliseconds of a decision."""

    level: Level
    against_club: dict[str, Rate]
    mean_ms: float
    p99_ms: float


class Measurement(Struct, frozen=True):
    """Every level's figures, weakest first, and the seed of the shuffles that were played."""

    seed: str
    levels: tuple[Measured, ...]


@cache
def measured() -> Measurement:
    """Return the figures that belong to this version of the bots."""
    return json.decode(files("engine.bots").joinpath(FILE).read_bytes(), type=Measurement)
