"""One interface for every level: an action from a view, deterministic in the view and the bot's seed."""

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Final

from engine.actions import Move
from engine.bots import expert, patient, simple
from engine.view import View


class Level(StrEnum):
    """How well a bot plays, from the weakest to the strongest."""

    BEGINNER = "beginner"
    CASUAL = "casual"
    CLUB = "club"
    STRONG = "strong"
    EXPERT = "expert"


LEVELS: Final[dict[Level, Callable[[View, bytes], Move]]] = {
    Level.BEGINNER: partial(simple.choose, astray=60),
    Level.CASUAL: partial(simple.choose, astray=25),
    Level.CLUB: simple.choose,
    Level.STRONG: patient.choose,
    Level.EXPERT: expert.choose,
}


def choose(view: View, level: Level, seed: bytes) -> Move:
    """Return the action that a bot of this level plays in a view in which its seat is in turn."""
    return LEVELS[level](view, seed)
