"""One interface for every level: an action from a view, deterministic in the view and the bot's seed."""

from collections.abc import Callable
from enum import StrEnum
from typing import Final

from engine.actions import Move
from engine.bots import club
from engine.view import View


class Level(StrEnum):
    """How well a bot plays."""

    CLUB = "club"


LEVELS: Final[dict[Level, Callable[[View, bytes], Move]]] = {
    Level.CLUB: club.choose,
}


def choose(view: View, level: Level, seed: bytes) -> Move:
    """Return the action that a bot of this level plays in a view in which its seat is in turn."""
    return LEVELS[level](view, seed)
