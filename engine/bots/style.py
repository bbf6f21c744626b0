"""How an opponent of this match ends deals: some knock as soon as they may, and are to be met otherwise."""

from typing import Final

from engine.state import Tally

_KNOCK: Final = 2
_GIN: Final = -5
_NEITHER: Final = -1
"""What a deal says for a hasty player, in halves of its log-odds against a waiting one.

The hasty knock in two deals of three and have gin in one of sixty; the others in one of four each.
"""

HASTY_FROM: Final = 4
"""From so much evidence on, an opponent is met as a hasty one."""


def evidence(deals: int, knocks: int, gins: int) -> int:
    """Return how much so many deals, ended by a seat in so many knocks and gins, say that it is hasty."""
    return _KNOCK * knocks + _GIN * gins + _NEITHER * (deals - knocks - gins)


def is_hasty(deals: int, tally: Tally) -> bool:
    """Tell whether a seat knocks as soon as it may, by the finished deals of this match and its tally."""
    return evidence(deals, tally.knocks, tally.gins) >= HASTY_FROM
