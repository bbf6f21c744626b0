from collections.abc import Sequence
from typing import Literal

import pytest
from msgspec import Struct

from engine.rules import MatchWinner, RuleSet, Scoring, Shutout
from engine.state import Column
from engine.totals import Scored, entered, first_standing, totals_of
from tests.engine.vectors import Vector, vectors

GAME = RuleSet(game_bonus=100, box_bonus=25)


class Result(Struct):
    """Where a match stands after those of some deals, `counted`, that belong to it."""

    winner: int | None
    running: tuple[int, ...]
    boxes: tuple[int, ...]
    totals: tuple[int, ...] | None
    columns: tuple[Column, ...] | None
    over: bool
    counted: int


def counted(rules: RuleSet, seats: int, deals: Sequence[Scored], first_dealer: int = 0) -> Result:
    standing = first_standing(rules, seats)
    totals = totals_of(rules, standing, first_dealer=first_dealer)
    for number, deal in enumerate(deals, 1):
        if totals.over:
            break
        standing = entered(rules, standing, deal, number)
        totals = totals_of(rules, standing, first_dealer=first_dealer)
    return Result(
        totals.winner,
        totals.running,
        standing.boxes,
        totals.totals,
        standing.columns,
        totals.over,
        standing.deals,
    )


def match_totals(rules: RuleSet, seats: int, deals: Sequence[tuple[int | None, int]]) -> Result:
    return counted(rules, seats, [Scored(winner, points) for winner, points in deals])


def penalty_totals(
    rules: RuleSet, seats: int, deals: Sequence[tuple[int | None, tuple[int, ...]]], *, first_dealer: int
) -> Result:
    scored = [Scored(winner, penalties=penalties) for winner, penalties in deals]
    return counted(rules, seats, scored, first_dealer)


def rules_of(vector: Vector, columns: Literal[1, 3]) -> RuleSet:
    """Return the knobs of a match vector, whose defaults are not those of ``classic``."""
    given = vector.input
    shutout = given.get("shutout", "none").replace("flat:100", "flat_100")
    return RuleSet(
        target=given.get("target", 100),
        game_bonus=given.get("game_bonus", 100),
        box_bonus=given.get("box", 25),
        boxes_in_running_score=given.get("boxes_running", False),
        match_winner=MatchWinner(given.get("match_winner", "first_to_target")),
        shutout=Shutout(shutout),
        columns=columns,
    )


def deals_of(vector: Vector) -> list[tuple[int, int]]:
    return [(seat, points) for seat, points in vector.input["hands"]]


@vectors("match")
def test_match_vector(vector: Vector) -> None:
    result = match_totals(rules_of(vector, columns=1), 2, deals_of(vector))
    totals = vector.expect["totals"]
    assert result.winner == vector.expect["winner"]
    assert list(result.running) == vector.expect["running"]
    assert result.totals == (None if totals is None else tuple(totals))
    assert result.over is (totals is not None)


@vectors("hollywood")
def test_hollywood_vector(vector: Vector) -> None:
    result = match_totals(rules_of(vector, columns=3), 2, deals_of(vector))
    assert result.columns is not None
    assert [list(column.points) for column in result.columns] == vector.expect["columns"]
    assert [column.closed_by for column in result.columns] == vector.expect["closed"]
    assert not result.over


@pytest.mark.parametrize(
    ("shutout", "total"),
    [  # 115 points, 3 boxes of 25, game bonus 100: R6.4
        (Shutout.NONE, 290),
        (Shutout.DOUBLE_GAME_BONUS, 390),
        (Shutout.FLAT_100, 390),
        (Shutout.DOUBLE_HAND_POINTS, 405),
        (Shutout.DOUBLE_POINTS_AND_BONUS, 505),
        (Shutout.DOUBLE_ALL, 580),
    ],
)
def test_every_school_of_shutouts(shutout: Shutout, total: int) -> None:
    rules = RuleSet(game_bonus=100, box_bonus=25, shutout=shutout)
    assert match_totals(rules, 2, [(0, 30), (0, 45), (0, 40)]).totals == (total, 0)
    assert match_totals(rules, 2, [(1, 1), (0, 60), (0, 40)]).totals == (250, 26)  # no shutout


def test_the_target_ends_the_match_at_once() -> None:
    result = match_totals(RuleSet(), 2, [(0, 60), (1, 30), (0, 40), (1, 99)])
    assert (result.winner, result.running, result.counted) == (0, (100, 30), 3)  # R6.3


def test_boxes_may_run_with_the_score_and_count_once() -> None:
    rules = RuleSet(box_bonus=25, boxes_in_running_score=True)
    result = match_totals(rules, 2, [(0, 40), (1, 5), (0, 10)])
    assert (result.over, result.winner) == (True, 0)  # 40 + 10 and two boxes
    assert (result.running, result.boxes, result.totals) == ((100, 30), (2, 1), (100, 30))


def test_a_tie_counts_as_scored_but_gives_no_box() -> None:
    rules = RuleSet(target=None, deals=2, box_bonus=25)
    result = match_totals(rules, 2, [(0, 12), (None, 0)])
    assert (result.winner, result.boxes, result.totals) == (0, (1, 0), (37, 0))


@pytest.mark.parametrize(
    ("game_bonus", "school", "winner"),
    [
        (0, MatchWinner.FIRST_TO_TARGET, 0),
        (0, MatchWinner.HIGHEST_TOTAL, 1),  # 100 and two boxes against 95 and three: R6.5
        (100, MatchWinner.HIGHEST_TOTAL, 0),  # the bonus is his who reached the target
    ],
)
def test_the_first_to_the_target_may_have_less(game_bonus: int, school: MatchWinner, winner: int) -> None:
    rules = RuleSet(box_bonus=25, game_bonus=game_bonus, match_winner=school)
    deals = [(0, 60), (1, 30), (1, 30), (1, 35), (0, 40)]
    assert match_totals(rules, 2, deals).winner == winner


def test_equal_totals_go_to_who_reached_the_target() -> None:
    rules = RuleSet(box_bonus=5, match_winner=MatchWinner.HIGHEST_TOTAL)
    result = match_totals(rules, 2, [(0, 60), (1, 30), (1, 30), (1, 35), (0, 40)])
    assert (result.totals, result.winner) == ((110, 110), 0)


@pytest.mark.parametrize(
    ("deals", "winner", "over"),
    [
        ([(0, 30), (1, 31)], 1, True),
        ([(0, 30), (1, 30)], None, True),  # R6.5: equal, nobody
        ([(0, 30)], None, False),
    ],
)
def test_a_number_of_deals(deals: Sequence[tuple[int, int]], winner: int | None, *, over: bool) -> None:
    result = match_totals(RuleSet(target=None, deals=2), 2, deals)
    assert (result.winner, result.over, result.totals is not None) == (winner, over, over)


class TestHollywood:
    """R6.6: three matches at once, each begun one deal later."""

    rules = RuleSet(
        columns=3,
        game_bonus=100,
        box_bonus=25,
        shutout=Shutout.DOUBLE_HAND_POINTS,
        match_winner=MatchWinner.HIGHEST_TOTAL,
    )

    def test_a_shut_out_sheet(self) -> None:
        result = match_totals(self.rules, 2, [(0, 100), (0, 100), (0, 100)])
        assert result.columns is not None
        assert [column.closed_by for column in result.columns] == [0, 0, 0]
        assert (result.winner, result.totals) == (0, (3 * (200 + 100 + 25), 0))

    def test_the_sum_of_columns_wins(self) -> None:
        deals = [(0, 60), (1, 90), (1, 99), (0, 60), (1, 20), (0, 99)]
        result = match_totals(self.rules, 2, deals)
        assert result.columns is not None
        assert [(column.points, column.entries, column.closed_by) for column in result.columns] == [
            ((60, 189), (1, 2), 1),
            ((60, 119), (1, 2), 1),
            ((99, 20), (1, 1), None),
        ]
        assert (result.over, result.totals, result.winner) == (False, None, None)
        ended = match_totals(self.rules, 2, [*deals, (1, 1), (0, 1), (0, 50)])
        assert ended.columns is not None
        assert ended.columns[2].points == (100, 21)
        assert ended.totals == (60 + 25 + 60 + 25 + 100 + 100 + 50, 189 + 150 + 119 + 150 + 21 + 50)
        assert (ended.winner, ended.counted) == (1, 8)

    def test_equal_sums_go_to_who_won_more_columns(self) -> None:
        deals = [(1, 90), (0, 90), (1, 10), (0, 100), (1, 20), (0, 30), (1, 90)]
        result = match_totals(RuleSet(columns=3), 2, deals)
        assert (result.totals, result.winner) == ((220, 220), 1)

    def test_an_entry_without_points_saves_from_the_shutout(self) -> None:
        result = match_totals(self.rules, 2, [(1, 0), (0, 100), (0, 100), (0, 100)])
        assert result.totals == ((100 + 100 + 25) + 2 * (200 + 100 + 25), 25)

    def test_a_deal_without_points_is_an_entry(self) -> None:
        rules = RuleSet(columns=3, gin_bonus=0)
        result = match_totals(rules, 2, [(0, 0), (0, 10)])
        assert result.columns is not None
        assert [column.points for column in result.columns] == [(10, 0), (10, 0), (0, 0)]


class TestPenalties:
    """R7.3: fewest penalties win."""

    def test_one_deal(self) -> None:
        rules = RuleSet(scoring=Scoring.PENALTY, target=None, deals=1)
        result = penalty_totals(rules, 3, [(0, (0, 11, 8)), (1, (5, 0, 5))], first_dealer=0)
        assert (result.winner, result.running, result.over, result.counted) == (0, (0, 11, 8), True, 1)

    def test_a_limit(self) -> None:
        rules = RuleSet(scoring=Scoring.PENALTY, target=None, penalty_limit=50)
        deals = [(0, (0, 20, 10)), (0, (0, 29, 10))]
        assert not penalty_totals(rules, 3, deals, first_dealer=0).over
        result = penalty_totals(rules, 3, [*deals, (2, (30, 1, 0))], first_dealer=0)
        assert (result.over, result.running, result.winner) == (True, (30, 50, 20), 2)

    @pytest.mark.parametrize(
        ("deals", "first_dealer", "winner"),
        [
            ([(0, (0, 10, 40)), (1, (10, 0, 40))], 2, 1),  # the later winner of the two
            ([(1, (10, 0, 40)), (0, (0, 10, 40))], 2, 0),
            ([(1, (10, 0, 0)), (1, (5, 0, 0))], 1, 1),  # seat 2 comes after the dealer but won nothing
            ([(None, (10, 0, 0)), (None, (5, 0, 0))], 1, 2),  # winners unknown: the first after the dealer
        ],
    )
    def test_equal_penalties(
        self, deals: list[tuple[int | None, tuple[int, ...]]], first_dealer: int, winner: int
    ) -> None:
        rules = RuleSet(scoring=Scoring.PENALTY, target=None, deals=2)
        assert penalty_totals(rules, 3, deals, first_dealer=first_dealer).winner == winner


def test_no_box_runs_where_columns_are_kept() -> None:
    rules = RuleSet(columns=3, box_bonus=25, boxes_in_running_score=True)
    totals = match_totals(rules, 2, [(0, 24), (1, 10)])
    assert (totals.running, totals.boxes) == ((24, 10), (1, 1))
