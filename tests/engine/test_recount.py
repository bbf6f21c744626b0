"""What a match keeps of its finished deals, held against a count of all of them, deal by deal."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from engine.ending import standing_of
from engine.opening import first_dealer_of
from engine.presets import PRESETS
from engine.rules import RuleSet, Scoring, Shutout
from engine.state import DealResult, DealRow, Match, MatchEnd
from engine.totals import Scored, entered, first_standing, totals_of
from tests.engine import recount
from tests.playbook import COMPANIES, PLAYED, Habits, rows_of, started, steps
from tests.sizes import size

HASTY = Habits(gives_up=0.002)


def assert_counted(match: Match, rows: list[DealRow]) -> None:
    """The match keeps of these deals what a count of all of them gives."""
    rules, seats = match.rules, len(match.seats)
    scored = [row for row in rows if row.result not in {DealResult.VOID, DealResult.UNFINISHED}]
    assert match.deal_count == len(rows)
    assert match.last_deal == (rows[-1] if rows else None)
    assert match.scored_deals == len(scored)
    assert list(match.tallies) == recount.tallies_of(rows, seats)
    assert list(match.scores) == recount.scores_of(rules, rows, seats)
    if match.columns is not None:
        sheets = recount.sheets_of(rules, scored, seats)
        assert [
            (list(column.points), list(column.entries), column.closed_by) for column in match.columns
        ] == [
            ([sum(won) for won in sheet.entries], [len(won) for won in sheet.entries], sheet.closed_by)
            for sheet in sheets
        ]
    result = match.result
    if result is None:
        return
    if result.totals is not None:
        assert result.totals == recount.totals_of(rules, scored, seats)
    if rules.scoring is Scoring.PENALTY and result.reason in {MatchEnd.DEALS, MatchEnd.PENALTY_LIMIT}:
        assert result.winner == recount.fewest(match.scores, rows, range(seats))
    assert first_dealer_of(match) == rows[0].dealer


@pytest.mark.parametrize(("preset", "seats"), COMPANIES)
def test_a_match_keeps_what_a_count_of_its_deals_gives(preset: str, seats: int) -> None:
    for number in range(size(4, 60)):
        rules = PLAYED[preset]
        if rules.deals is not None:
            rules = replace(rules, deals=6)
        match = started(rules, f"recount {number}", seats=seats)
        rows: list[DealRow] = []
        assert_counted(match, rows)
        for step in steps(match, random.Random(number), (HASTY,) * seats):
            rows += rows_of(step.events)
            assert_counted(step.match, rows)


class Series(Struct, frozen=True):
    """Deals of a match as their scores tell of them."""

    rules: RuleSet
    seats: int
    first_dealer: int
    deals: tuple[Scored, ...]


@st.composite
def series(draw: st.DrawFn) -> Series:
    """Return a series in which few points and many deals make ties and shutouts likely."""
    preset = draw(st.sampled_from(PRESETS))
    seats = draw(st.integers(preset.least_seats, preset.most_seats))
    rules = replace(preset.rules, shutout=draw(st.sampled_from(Shutout)))
    few = st.integers(0, 3)
    if rules.scoring is Scoring.PENALTY:
        rules = replace(rules, shutout=Shutout.NONE, deals=draw(st.integers(1, 5)))
        deal = st.builds(Scored, st.integers(0, seats - 1), st.just(0), st.tuples(*[few] * seats).map(tuple))
    else:
        boxes = draw(st.booleans()) and rules.columns == 1
        rules = replace(rules, boxes_in_running_score=boxes)
        points = few.map(lambda tens: 25 * tens)
        won = st.builds(Scored, st.integers(0, 1), points)
        deal = st.one_of(
            won, st.builds(Scored, st.just(draw(st.integers(0, 1))), points), st.just(Scored(None))
        )
    deals = draw(st.lists(deal, max_size=30))
    return Series(rules, seats, draw(st.integers(0, seats - 1)), tuple(deals))


def as_rows(given: Series) -> Iterator[DealRow]:
    for number, deal in enumerate(given.deals, 1):
        yield DealRow(
            deal=number,
            dealer=given.first_dealer,
            upcard=None,
            knocker=None,
            result=DealResult.TIE if deal.winner is None else DealResult.KNOCK,
            winner=deal.winner,
            points=deal.points,
            penalties=deal.penalties,
            multiplier=1,
            hands=(),
        )


met: Counter[str] = Counter()


@settings(max_examples=size(300, 5_000), deadline=None)
@given(series())
@example(Series(PLAYED["penalty"], 3, 1, (Scored(1, 0, (2, 0, 0)),)))
@example(Series(PLAYED["hollywood"], 2, 0, (Scored(0, 100),) * 3))
def test_each_score_is_entered_as_a_count_of_all_of_them_says(given: Series) -> None:
    rules, rows = given.rules, list(as_rows(given))
    standing = first_standing(rules, given.seats)
    for counted, deal in enumerate(given.deals, 1):
        standing = entered(rules, standing, deal, counted)
        totals = totals_of(rules, standing, first_dealer=given.first_dealer)
        so_far = rows[:counted]
        assert list(totals.running) == recount.scores_of(rules, so_far, given.seats)
        if totals.over:
            assert totals.totals == recount.totals_of(rules, so_far, given.seats)
            _note(given, totals.running, so_far)
            if rules.scoring is Scoring.PENALTY:
                assert totals.winner == recount.fewest(totals.running, so_far, range(given.seats))
            return


def _note(given: Series, running: tuple[int, ...], rows: list[DealRow]) -> None:
    if given.rules.scoring is Scoring.PENALTY:
        met["equal penalties"] += running.count(min(running)) > 1
    elif given.rules.columns > 1:
        sheets = recount.sheets_of(given.rules, rows, 2)
        met["column shut out"] += any(not all(sheet.entries) for sheet in sheets)
    else:
        met["match shut out"] += 0 in running


def test_ties_and_shutouts_were_among_them() -> None:
    assert set(met) == {"equal penalties", "column shut out", "match shut out"}
    assert all(met.values())


def test_a_standing_is_made_of_what_a_match_keeps() -> None:
    match = started(PLAYED["hollywood"])
    assert standing_of(match) == first_standing(match.rules, 2)
