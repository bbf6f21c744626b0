"""Dividing a prize by penalties (R7.5): a pure function, in whole cents."""

from typing import Final

from engine.actions import Seat
from engine.state import PerSeat

_SHARED_PERCENT: Final = 25
"""What of the fund the losers divide at most; the winner has the rest."""
_CLOSE: Final = 50
"""A loser whose penalties exceed the winner's by so much or more gets nothing."""


def prize_split(fund_cents: int, penalties: PerSeat[int], winner: Seat) -> PerSeat[int]:
    """Return what each seat gets of the fund, in cents; the amounts add up to it.

    The closer a loser came to the winner, the more of an equal part of the quarter it gets, rounded
    down. `winner` is one of the seats, and none has fewer penalties.
    """
    losers = len(penalties) - 1
    shares = [
        _share(fund_cents, losers, theirs - penalties[winner]) if seat != winner else 0
        for seat, theirs in enumerate(penalties)
    ]
    shares[winner] = fund_cents - sum(shares)
    return tuple(shares)


def _share(fund_cents: int, losers: int, gap: int) -> int:
    left = max(0, _CLOSE - gap)
    return fund_cents * _SHARED_PERCENT * left // (100 * losers * _CLOSE)
