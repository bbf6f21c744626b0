from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.prizes import prize_split
from tests.engine.vectors import Vector, vectors


@vectors("prize")
def test_prize_vector(vector: Vector) -> None:
    given = vector.input
    split = prize_split(given["fund_cents"], tuple(given["penalties"]), given["winner"])
    assert split == tuple(vector.expect["payout"])


@pytest.mark.parametrize(
    ("fund", "penalties", "winner", "split"),
    [
        (10_000, (0, 0), 0, (7500, 2500)),               # level: the whole quarter goes to the loser
        (10_000, (0, 49), 0, (9950, 50)),
        (10_000, (7, 57), 0, (10_000, 0)),               # the gap counts, not the penalties
        (10_000, (20, 0, 60), 1, (750, 9250, 0)),        # each loser has a share of his own
        (10_000, (0, 0, 0, 0), 2, (833, 833, 7501, 833)),  # rounded down; the winner gets the rest
        (1, (0, 0), 0, (1, 0)),
        (0, (0, 5), 0, (0, 0)),
        (10**15 + 3, (0, 1), 0, (755 * 10**12 + 3, 245 * 10**12)),  # exact, in whole cents
    ],
)  # fmt: skip
def test_what_each_seat_gets(
    fund: int, penalties: tuple[int, ...], winner: int, split: tuple[int, ...]
) -> None:
    assert prize_split(fund, penalties, winner) == split


@given(fund=st.integers(0, 10**9), penalties=st.lists(st.integers(0, 200), min_size=2, max_size=4))
def test_the_winner_gets_three_quarters_at_least_and_nothing_is_lost(fund: int, penalties: list[int]) -> None:
    winner = penalties.index(min(penalties))
    split = prize_split(fund, tuple(penalties), winner)
    assert sum(split) == fund
    assert min(split) >= 0
    assert 4 * split[winner] >= 3 * fund
    losers = sorted((theirs, split[seat]) for seat, theirs in enumerate(penalties) if seat != winner)
    assert all(nearer >= further for (_, nearer), (_, further) in pairwise(losers))
