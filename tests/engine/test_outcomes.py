"""What deals and matches come to, over whole matches that are played by chance (R2.3, R6, R7, R10)."""

from collections.abc import Sequence
from itertools import pairwise

from engine.actions import Resign, Seat, TimeOut
from engine.rules import MatchWinner, NextDealer, Scoring
from engine.state import DealResult, DealRow, MatchEnd, put
from tests.engine.seasons import Season
from tests.engine.tables import Table
from tests.playbook import Step, rows_of


def test_running_scores_are_the_sum_of_deal_points_and_boxes_where_they_run(season: Season) -> None:
    rules = season.table.rules
    # R6.6 stands in place of R6.3: where columns are kept, no box runs.
    box = rules.box_bonus if rules.boxes_in_running_score and rules.columns == 1 else 0
    for steps in season.matches:
        rows: list[DealRow] = []
        for step in steps:
            rows += rows_of(step.events)
            for seat, score in enumerate(step.match.scores):
                won = sum(row.points + box for row in rows if row.winner == seat)
                assert score == won + sum(row.penalties[seat] for row in rows if row.penalties is not None)


def test_columns_are_kept_where_they_are_played_and_close_at_the_target(season: Season) -> None:
    target = season.table.rules.target or 0
    for match, _ in season.running:
        assert (match.columns is not None) == (match.rules.columns > 1)
        for column in match.columns or ():
            closed = [seat for seat, points in enumerate(column.points) if points >= target]
            assert ([] if column.closed_by is None else [column.closed_by]) == closed


def test_deals_are_counted_from_one_and_dealt_by_whom_the_rule_says(season: Season) -> None:
    for steps in season.matches:
        rows = rows_in(steps)
        assert [row.deal for row in rows] == list(range(1, len(rows) + 1))
        for row, following in pairwise(rows):
            assert following.dealer in dealers_after(row, season.table)


def dealers_after(row: DealRow, table: Table) -> tuple[Seat, ...]:
    """Return who may deal next; which of several losers it is, is shown where that is told (R2.3)."""
    won = row.knocker if row.winner is None else row.winner
    if row.result is DealResult.VOID or won is None:
        return (row.dealer,)
    seats = range(len(table.habits))
    match table.rules.next_dealer:
        case NextDealer.ALTERNATE:
            return ((row.dealer + 1) % len(seats),)
        case NextDealer.WINNER:
            return (won,)
        case NextDealer.LOSER:
            return tuple(seat for seat in seats if seat != won)


def test_a_finished_deal_shows_every_hand_laid_out(season: Season) -> None:
    for row in rows_in(season.steps):
        if row.result is DealResult.UNFINISHED:
            assert row.hands == ()  # R3.4: these cards come from a text
            continue
        assert [shown.seat for shown in row.hands] == list(range(len(season.table.habits)))
        for shown in row.hands:
            laid = [1 << layoff.card for layoff in shown.layoffs]
            assert sum((*shown.melds, *laid, shown.unmatched)) == shown.cards
            assert not shown.layoffs or shown.seat != row.knocker


def test_a_row_has_the_winner_and_the_points_its_result_says(season: Season) -> None:
    rules = season.table.rules
    for row in rows_in(season.steps):
        penalties = rules.scoring is Scoring.PENALTY
        least = 0
        match row.result:
            case DealResult.VOID | DealResult.UNFINISHED:
                assert (row.knocker, row.winner, row.points, row.penalties) == (None, None, 0, None)
                continue
            case DealResult.TIE:
                assert row.knocker is not None
                assert (row.winner, row.points, row.penalties) == (None, 0, None)
                continue
            case DealResult.UNDERCUT:
                assert row.knocker is not None
                assert row.winner != row.knocker
                least = 0 if penalties else rules.undercut_bonus
            case DealResult.KNOCK:
                assert row.winner == row.knocker
                least = 0 if penalties else 1
            case DealResult.GIN:
                assert row.winner == row.knocker
                least = rules.gin_bonus
            case DealResult.BIG_GIN:
                assert row.winner == row.knocker
                least = rules.big_gin_bonus
        assert row.winner is not None
        assert (row.penalties is not None) == penalties
        if row.penalties is None:
            assert row.points >= least
        else:
            assert (row.points, row.penalties[row.winner]) == (0, 0)
            assert min(put(row.penalties, row.winner, least)) >= least


def test_penalties_are_the_differences_to_the_winner_and_what_the_rule_adds(season: Season) -> None:
    rules = season.table.rules
    for row in rows_in(season.steps):
        if row.penalties is None or row.winner is None:
            continue
        best = row.hands[row.winner].deadwood
        assert best == min(shown.deadwood for shown in row.hands)
        added = {DealResult.GIN: rules.gin_bonus, DealResult.BIG_GIN: rules.big_gin_bonus}.get(row.result, 0)
        for shown in row.hands:
            undercut = row.result is DealResult.UNDERCUT and shown.seat == row.knocker
            more = added + (rules.undercut_bonus if undercut else 0)
            lost = shown.deadwood - best + more
            assert row.penalties[shown.seat] == (0 if shown.seat == row.winner else lost)


def test_a_match_ends_once_and_for_its_reason(season: Season) -> None:
    rules = season.table.rules
    for steps in season.matches:
        match = steps[-1].match
        assert match.result is not None
        assert [step.match.result for step in steps[:-1]] == [None] * (len(steps) - 1)
        match match.result.reason:
            case MatchEnd.TARGET:
                assert rules.target is not None
                if match.columns is None:
                    reached = [score for score in match.scores if score >= rules.target]
                    assert reached == [max(match.scores)]
                else:
                    assert None not in [column.closed_by for column in match.columns]
                assert match.result.winner is not None
            case MatchEnd.DEALS:
                assert sum(row.result is not DealResult.VOID for row in rows_in(steps)) == rules.deals
            case MatchEnd.PENALTY_LIMIT:
                assert rules.penalty_limit is not None
                assert max(match.scores) >= rules.penalty_limit > max(steps[-1].before.scores)
            case MatchEnd.RESIGNED:
                assert isinstance(steps[-1].action, Resign)
                assert match.result.winner != steps[-1].seat
                assert match.result.totals is None
            case MatchEnd.FORFEITED:
                assert isinstance(steps[-1].action, TimeOut)
                assert match.result.winner != steps[-1].seat
                assert match.result.totals is None
            case MatchEnd.ABORTED:
                raise AssertionError("cards were dealt")
            case MatchEnd.DEAL_LIMIT:
                assert match.deal_count == 200
                assert match.result.totals is None


def test_the_winner_of_a_match_is_the_best_by_its_rules(season: Season) -> None:
    rules = season.table.rules
    for steps in season.matches:
        match = steps[-1].match
        assert match.result is not None
        totals, winner = match.result.totals, match.result.winner
        if totals is None:
            continue
        if rules.scoring is Scoring.PENALTY:
            assert totals == match.scores
            assert winner is not None
            assert totals[winner] == min(totals)
        elif match.columns is not None or (rules.target and rules.match_winner is MatchWinner.HIGHEST_TOTAL):
            assert winner is not None
            assert totals[winner] == max(totals)
        else:
            assert winner == leader(match.scores)


def rows_in(steps: Sequence[Step]) -> list[DealRow]:
    return [row for step in steps for row in rows_of(step.events)]


def leader(scores: tuple[int, ...]) -> Seat | None:
    return None if scores[0] == scores[1] else scores.index(max(scores))
