"""The flow of a deal as a diagram, drawn from the engine's own table: ``python -m tests.engine.diagram``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from engine.actions import Action, wire_name
from engine.flow import FLOW
from engine.state import Phase

PAGE: Final = Path(__file__).parents[2] / "docs" / "flow.md"

_INTRODUCTION: Final = """\
# The course of a deal

Drawn by `make diagram` from `engine.flow.FLOW`, the table that the judge and the list of legal actions
read too. A state is a phase, an arrow an action of the seat in turn. Where an arrow leads to the end, the
deal is scored or void, and the next one is dealt in the same step unless the match is over (R2.5, R2.6).
`resign` is open in every phase and leads to the end of the match (R3.4).
"""


def page() -> str:
    """Return the whole page."""
    lines = "\n".join(f"    {line}" for line in _lines())
    return f"{_INTRODUCTION}\n```mermaid\nstateDiagram-v2\n{lines}\n```\n"


def _lines() -> Iterator[str]:
    yield f"[*] --> {Phase.UPCARD_OFFER}: dealt, upcard_offer = standard (R2.4)"
    yield f"[*] --> {Phase.DRAW}: dealt, upcard_offer = none (R2.4)"
    yield f"[*] --> {Phase.DISCARD}: dealt, upcard_offer = eleven (R2.4)"
    for phase, actions in FLOW.items():
        for action, targets in actions.items():
            for target in targets:
                yield f"{phase} --> {target or '[*]'}: {_name(action)}"


def _name(action: type[Action]) -> str:
    return wire_name(action.__name__)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
