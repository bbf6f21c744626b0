"""What each level chooses in moments of every table, held still while the inside changes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import engine
from engine.actions import Discard, Knock, Move, wire_name
from engine.bots import Level, choose
from engine.cards import CODES
from tests.engine.tables import TABLES

FOLDER: Final = Path(__file__).parent
SEED: Final = b"a seed of recorded choices"
MOMENTS: Final = 8
"""How many moments of a table are asked about at most, from its beginning to its end."""


def page_of(level: Level) -> str:
    return f"{level}.txt"


def recorded(level: Level) -> str:
    """Return a level's choices, a line a table."""
    return "".join(f"{name}: {' '.join(_choices(name, level))}\n" for name in TABLES)


def _choices(name: str, level: Level) -> Iterator[str]:
    steps = [step for step in TABLES[name].steps(0) if step.before.deal is not None]
    for step in steps[:: 1 + len(steps) // MOMENTS]:
        match = step.before
        assert match.deal is not None
        yield _told(choose(engine.view(match, match.deal.turn), level, SEED))


def _told(action: Move) -> str:
    name = wire_name(type(action).__name__)
    return f"{name}:{CODES[action.card]}" if isinstance(action, Discard | Knock) else name
