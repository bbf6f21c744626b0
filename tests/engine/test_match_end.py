"""How a match of two ends: bonuses, boxes, shutouts, who has won, and Hollywood (R6.3–R6.6)."""

from typing import Final

import pytest
from msgspec.structs import replace

import engine
from engine.actions import Discard, DrawStock, Pass, Resign, Seat
from engine.events import DealScored
from engine.rules import MatchWinner, RuleSet, Shutout
from engine.state import Column, Match, MatchEnd, MatchResult, Status
from tests.playbook import (
    LOOSE,
    MELDED,
    PLAYED,
    deal,
    knock,
    last_deal,
    last_events,
    offered,
    play,
    running,
    with_earlier,
    with_stock,
)

KNOCKER: Final = f"{MELDED} 4H"
TO_KNOCK: Final = (Pass(), Pass(), DrawStock(), knock("8D"))
BOOKS: Final = RuleSet(game_bonus=100, box_bonus=25)
HOLLYWOOD: Final = PLAYED["hollywood"]
PLAIN: Final = RuleSet(columns=3)
"""Three columns without any bonus."""


def after(rules: RuleSet, *won: tuple[Seat, int], upcard: str = "5C") -> Match:
    """Return the match after these deals and a last one, in which seat 0 knocks for 66."""
    return play(with_earlier(deal(rules, KNOCKER, LOOSE, upcard, "8D"), *won), *TO_KNOCK)


@pytest.mark.parametrize(
    ("shutout", "total"),
    [  # 40 and 66 points, two boxes of 25, the game bonus of 100: R6.4
        (Shutout.NONE, 256),
        (Shutout.DOUBLE_GAME_BONUS, 356),
        (Shutout.FLAT_100, 356),
        (Shutout.DOUBLE_HAND_POINTS, 362),
        (Shutout.DOUBLE_POINTS_AND_BONUS, 462),
        (Shutout.DOUBLE_ALL, 512),
    ],
)
def test_a_shutout_by_every_school(shutout: Shutout, total: int) -> None:
    rules = replace(BOOKS, shutout=shutout)
    assert after(rules, (0, 40)).result == MatchResult(MatchEnd.TARGET, 0, (total, 0))
    assert after(rules, (0, 40), (1, 5)).result == MatchResult(MatchEnd.TARGET, 0, (256, 30))


def test_a_deal_won_for_nothing_does_not_save_from_the_shutout() -> None:
    rules = replace(BOOKS, shutout=Shutout.FLAT_100)
    assert after(rules, (0, 40), (1, 0)).result == MatchResult(MatchEnd.TARGET, 0, (356, 25))


def test_boxes_that_run_with_the_score_may_bring_the_target() -> None:
    running_boxes = RuleSet(target=100, box_bonus=10, boxes_in_running_score=True)
    match = after(running_boxes, (0, 14))
    assert (match.scores, match.result) == ((100, 0), MatchResult(MatchEnd.TARGET, 0, (100, 0)))
    match = after(replace(running_boxes, boxes_in_running_score=False), (0, 14))
    assert (match.scores, match.result) == ((80, 0), None)


def test_a_spade_doubles_the_deal_and_neither_boxes_nor_bonuses() -> None:
    match = after(replace(BOOKS, spade_doubles=True), upcard="QS")
    assert last_deal(match).points == 132
    assert match.result == MatchResult(MatchEnd.TARGET, 0, (132 + 100 + 25, 0))


@pytest.mark.parametrize(
    ("rules", "winner", "totals"),
    [  # seat 0 has reached 100 with two deals, seat 1 has 95 from three
        (RuleSet(box_bonus=25), 0, (150, 170)),
        (RuleSet(box_bonus=25, match_winner=MatchWinner.HIGHEST_TOTAL), 1, (150, 170)),
        (RuleSet(box_bonus=5, match_winner=MatchWinner.HIGHEST_TOTAL), 0, (110, 110)),  # level: the target
        (replace(BOOKS, match_winner=MatchWinner.HIGHEST_TOTAL), 0, (250, 170)),
    ],
)
def test_who_is_first_at_the_target_may_have_less(
    rules: RuleSet, winner: Seat, totals: tuple[int, int]
) -> None:
    match = after(rules, (0, 34), (1, 30), (1, 30), (1, 35))
    assert match.scores == (100, 95)
    assert match.result == MatchResult(MatchEnd.TARGET, winner, totals)


@pytest.mark.parametrize("school", MatchWinner)
def test_after_a_number_of_deals_the_running_score_decides(school: MatchWinner) -> None:
    rules = RuleSet(target=None, deals=5, box_bonus=25, match_winner=school)
    match = after(rules, (0, 34), (1, 30), (1, 30), (1, 35))
    assert match.result == MatchResult(MatchEnd.DEALS, 0, (150, 170))


@pytest.mark.parametrize("seat", [0, 1])
def test_who_resigns_gets_and_gives_no_bonus(seat: Seat) -> None:
    match = with_earlier(deal(replace(HOLLYWOOD, target=10), KNOCKER, LOOSE), (0, 30), (1, 31))
    ended = engine.apply(match, seat, Resign()).match
    assert ended.result == MatchResult(MatchEnd.RESIGNED, 1 - seat, None)


def columns(match: Match) -> list[tuple[tuple[int, ...], Seat | None]]:
    assert match.columns is not None
    return [(column.points, column.closed_by) for column in match.columns]


class TestHollywood:
    """R6.6: three columns, the first win goes into one, the second into two, every later one into three."""

    def test_three_columns_are_kept_from_the_first_card_on(self) -> None:
        empty = Column((0, 0), (0, 0), None)
        match = deal(HOLLYWOOD, KNOCKER, LOOSE)
        assert match.columns == (empty, empty, empty)
        for audience in (0, 1, None):
            assert engine.view(match, audience).columns == match.columns
        assert deal(BOOKS, KNOCKER, LOOSE).columns is None

    def test_a_seats_first_deals_open_one_column_after_the_other(self) -> None:
        assert columns(after(HOLLYWOOD)) == [((66, 0), None), ((0, 0), None), ((0, 0), None)]
        assert columns(after(HOLLYWOOD, (0, 20), (1, 9))) == [
            ((86, 9), None),
            ((66, 0), None),
            ((0, 0), None),
        ]
        match = after(HOLLYWOOD, (0, 20), (1, 9), (0, 3), (1, 7))
        assert columns(match) == [((89, 16), None), ((69, 7), None), ((66, 0), None)]
        assert match.scores == (89, 16)

    def test_the_score_tells_them_to_everybody(self) -> None:
        match = deal(HOLLYWOOD, KNOCKER, LOOSE, "5C", "8D")
        _, scored, _ = last_events(match, *TO_KNOCK)
        assert isinstance(scored, DealScored)
        assert scored.columns == play(match, *TO_KNOCK).columns
        assert engine.redact(scored, None) == scored

    def test_a_column_closes_at_the_target_and_the_match_goes_on(self) -> None:
        match = after(HOLLYWOOD, (0, 60))
        assert columns(match) == [((126, 0), 0), ((66, 0), None), ((0, 0), None)]
        assert (match.scores, match.status) == ((126, 0), Status.PLAYING)  # not R6.3
        match = after(HOLLYWOOD, (0, 60), (0, 45))
        assert columns(match) == [((105, 0), 0), ((111, 0), 0), ((66, 0), None)]

    def test_the_match_ends_when_all_are_closed_and_each_is_totalled(self) -> None:
        match = after(HOLLYWOOD, (0, 60), (0, 60), (0, 60))
        assert columns(match) == [((120, 0), 0), ((120, 0), 0), ((126, 0), 0)]
        shut_out = (2 * 120 + 100 + 2 * 25) * 2 + 2 * 126 + 100 + 2 * 25
        assert match.result == MatchResult(MatchEnd.TARGET, 0, (shut_out, 0))

    def test_a_seat_that_has_no_entry_in_a_column_is_shut_out_there(self) -> None:
        match = after(HOLLYWOOD, (1, 8), (0, 60), (0, 60), (0, 60))
        first, others = 120 + 100 + 2 * 25, 2 * 120 + 100 + 2 * 25
        assert match.result is not None
        assert match.result.totals == (first + others + 2 * 126 + 100 + 2 * 25, 8 + 25)

    def test_the_higher_sum_wins_though_others_closed_more_columns(self) -> None:
        match = after(PLAIN, (1, 10), (1, 70), (0, 90), (1, 30), (0, 90))
        assert columns(match) == [((90, 110), 1), ((0, 100), 1), ((156, 30), 0)]
        assert match.result == MatchResult(MatchEnd.TARGET, 0, (246, 240))

    def test_of_equal_sums_the_one_with_more_columns_wins(self) -> None:
        match = after(PLAIN, (1, 90), (0, 20), (1, 30), (1, 60), (0, 10), (0, 54))
        assert columns(match) == [((20, 120), 1), ((130, 90), 0), ((120, 60), 0)]
        assert match.result == MatchResult(MatchEnd.TARGET, 0, (270, 270))

    def test_a_void_deal_is_entered_nowhere(self) -> None:
        match = with_stock(after(HOLLYWOOD), 3)
        before = match.columns
        match = play(match, Pass(), Pass(), DrawStock())
        match = play(match, Discard(offered(match)[Discard].cards[0]))
        assert running(match).number == 3
        assert match.columns == before
