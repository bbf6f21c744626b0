"""What the oracles saw, counted, and told at the end of the run."""

from collections import Counter
from typing import TypeAlias

import pytest

Tally: TypeAlias = Counter[str]
"""How often each kind of thing was seen."""

SEEN: pytest.StashKey[dict[str, Tally]] = pytest.StashKey()


def lines(seen: dict[str, Tally]) -> list[str]:
    """Return a line a kind, the commonest first, under the name of each comparison."""
    told: list[str] = []
    for name, tally in seen.items():
        told.append(name)
        told += [f"  {count:7} {kind}" for kind, count in tally.most_common()]
    return told
