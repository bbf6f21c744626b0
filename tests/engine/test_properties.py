"""R10, line by line, over whole matches that are played by chance."""

from collections import Counter
from itertools import chain, pairwise
from typing import Final

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

import engine
from engine.actions import Discard, Knock, Move, Resign, Seat
from engine.cards import DECK_SIZE, cards_of
from engine.events import Act, Knocked
from engine.rules import RuleSet
from engine.state import Deal, DealResult, DealRow, Match, MatchEnd, Phase
from tests.engine.tables import ENDLESS, TABLES, Table
from tests.playbook import ACTIONS, Habits, Step, offered, running
from tests.sizes import size
from tests.strategies import played_rules

MATCHES: Final = size(2, 60)
SPACE_EVERY: Final = size(5, 2)
"""Of so many steps the whole action space is asked for at one."""

encoded: Final = msgspec.json.Encoder().encode


class Season(Struct, frozen=True):
    """Some matches of one table, from the number `first` on, step by step."""

    table: Table
    matches: tuple[tuple[Step, ...], ...]
    first: int = 0

    @property
    def opened(self) -> list[Match]:
        """The matches, just dealt."""
        return [self.table.opened(self.first + number) for number in range(len(self.matches))]

    @property
    def steps(self) -> list[Step]:
        return list(chain.from_iterable(self.matches))

    @property
    def running(self) -> list[tuple[Match, Deal]]:
        """Every state in which a deal is played."""
        states = [*self.opened, *(step.match for step in self.steps)]
        return [(match, match.deal) for match in states if match.deal is not None]


@pytest.fixture(scope="module", params=TABLES)
def season(request: pytest.FixtureRequest) -> Season:
    table = TABLES[request.param]
    return Season(table, tuple(tuple(table.steps(number)) for number in range(MATCHES)))


def test_every_card_is_in_one_place(season: Season) -> None:
    for _, deal in season.running:
        held = [card for hand in deal.hands for card in cards_of(hand)]
        assert sorted([*held, *deal.stock, *deal.discard_pile]) == list(range(DECK_SIZE))


def test_laid_cards_are_those_of_the_seat_that_laid_them(season: Season) -> None:
    for _, deal in season.running:
        if deal.spread is not None:
            spread = deal.spread
            assert sum(spread.melds) + spread.unmatched == deal.hands[spread.seat]


def test_hands_have_the_right_size(season: Season) -> None:
    for match, deal in season.running:
        dealt = match.rules.hand_size_for(len(deal.hands))
        for seat, hand in enumerate(deal.hands):
            took = deal.phase is Phase.DISCARD and seat == deal.turn
            big_gin = deal.spread is not None and seat == deal.spread.seat and hand.bit_count() > dealt
            assert hand.bit_count() == dealt + (took or big_gin)
            if big_gin:
                assert deal.spread is not None
                assert deal.spread.unmatched == 0


def test_only_the_seat_in_turn_has_listed_actions(season: Season) -> None:
    for match, deal in season.running:
        for seat in range(len(match.seats)):
            assert bool(engine.legal_actions(match, seat)) == (seat == deal.turn)
    for steps in season.matches:
        assert [engine.legal_actions(steps[-1].match, seat) for seat in (0, 1)] == [(), ()]


def test_what_is_listed_is_accepted_and_what_is_accepted_is_listed(season: Season) -> None:
    for match, _ in season.running[::SPACE_EVERY]:
        for seat in range(len(match.seats)):
            listed = {move for move in ACTIONS if is_listed(match, seat, move)}
            assert {move for move in ACTIONS if is_accepted(match, seat, move)} == listed


def test_gin_is_listed_where_it_would_be_gin(season: Season) -> None:
    for match, deal in season.running[::SPACE_EVERY]:
        for offer in engine.legal_actions(match, deal.turn):
            if offer.action is Knock:
                gin = [card for card in offer.cards if knocked_deadwood(match, Knock(card)) == 0]
                assert list(offer.gin) == gin


def test_a_refused_action_changes_nothing(season: Season) -> None:
    for match, _ in season.running[:: SPACE_EVERY * 5]:
        before = encoded(match)
        for move in ACTIONS:
            is_accepted(match, 0, move)
            is_accepted(match, 1, move)
        assert encoded(match) == before


def test_a_step_is_one_act_and_its_consequences(season: Season) -> None:
    for step in season.steps:
        first, *others = step.events
        assert isinstance(first, Act)
        assert not any(isinstance(event, Act) for event in others)


def test_a_step_adds_one_to_the_version(season: Season) -> None:
    for steps in season.matches:
        assert [step.match.version for step in steps] == list(range(2, len(steps) + 2))


def test_the_history_rebuilds_the_state(season: Season) -> None:
    for opened, steps in zip(season.opened, season.matches, strict=True):
        rebuilt = opened
        for step in steps:
            for event in step.events:
                rebuilt = engine.evolve(rebuilt, event)
            assert rebuilt == step.match


def test_the_same_seed_and_actions_give_the_same_match(season: Season) -> None:
    for opened, steps in zip(season.opened, season.matches, strict=True):
        match = opened
        for step in steps:
            match = engine.apply(match, step.seat, step.action).match
        assert encoded(match) == encoded(steps[-1].match)


def test_running_scores_are_the_sum_of_deal_points_and_boxes_where_they_run(season: Season) -> None:
    rules = season.table.rules
    box = rules.box_bonus if rules.boxes_in_running_score else 0
    for step in season.steps:
        for seat, score in enumerate(step.match.scores):
            assert score == sum(row.points + box for row in step.match.deals if row.winner == seat)


def test_deals_are_counted_from_one_and_the_deal_passes_on_after_a_score(season: Season) -> None:
    for steps in season.matches:
        rows = steps[-1].match.deals
        assert [row.deal for row in rows] == list(range(1, len(rows) + 1))
        for row, following in pairwise(rows):
            same = row.result is DealResult.VOID
            assert following.dealer == (row.dealer if same else 1 - row.dealer)


def test_a_finished_deal_shows_every_hand_laid_out(season: Season) -> None:
    for row in rows_of(season):
        if row.result is DealResult.UNFINISHED:
            assert row.hands == ()
            continue
        assert [shown.seat for shown in row.hands] == [0, 1]
        for shown in row.hands:
            laid = [1 << layoff.card for layoff in shown.layoffs]
            assert sum((*shown.melds, *laid, shown.unmatched)) == shown.cards
            assert not shown.layoffs or shown.seat != row.knocker


def test_a_row_has_the_winner_and_the_points_its_result_says(season: Season) -> None:
    for row in rows_of(season):
        match row.result:
            case DealResult.VOID | DealResult.UNFINISHED:
                assert (row.knocker, row.winner, row.points) == (None, None, 0)
            case DealResult.TIE:
                assert row.knocker is not None
                assert (row.winner, row.points) == (None, 0)
            case DealResult.UNDERCUT:
                assert row.knocker is not None
                assert row.winner == 1 - row.knocker
                assert row.points >= season.table.rules.undercut_bonus
            case DealResult.KNOCK:
                assert row.winner == row.knocker
                assert row.points > 0
            case DealResult.GIN:
                assert row.winner == row.knocker
                assert row.points >= season.table.rules.gin_bonus
            case DealResult.BIG_GIN:
                assert row.winner == row.knocker
                assert row.points >= season.table.rules.big_gin_bonus


def test_a_match_ends_once_and_for_its_reason(season: Season) -> None:
    rules = season.table.rules
    for steps in season.matches:
        match = steps[-1].match
        assert match.result is not None
        assert [step.match.result for step in steps[:-1]] == [None] * (len(steps) - 1)
        winner, scores = match.result.winner, match.scores
        match match.result.reason:
            case MatchEnd.TARGET:
                assert rules.target is not None
                assert winner is not None
                assert scores[winner] >= rules.target > scores[1 - winner]
            case MatchEnd.DEALS:
                assert sum(row.result is not DealResult.VOID for row in match.deals) == rules.deals
                assert winner == leader(scores)
            case MatchEnd.RESIGNED:
                assert isinstance(steps[-1].action, Resign)
                assert (winner, match.result.totals) == (1 - steps[-1].seat, None)
            case MatchEnd.DEAL_LIMIT:
                assert len(match.deals) == 200
                assert winner == leader(scores)


PROMISES: Final = (
    test_every_card_is_in_one_place,
    test_laid_cards_are_those_of_the_seat_that_laid_them,
    test_hands_have_the_right_size,
    test_only_the_seat_in_turn_has_listed_actions,
    test_a_step_is_one_act_and_its_consequences,
    test_the_history_rebuilds_the_state,
    test_running_scores_are_the_sum_of_deal_points_and_boxes_where_they_run,
    test_deals_are_counted_from_one_and_the_deal_passes_on_after_a_score,
    test_a_finished_deal_shows_every_hand_laid_out,
    test_a_row_has_the_winner_and_the_points_its_result_says,
    test_a_match_ends_once_and_for_its_reason,
)


@settings(max_examples=size(25, 1000), deadline=None, derandomize=True)
@given(rules=played_rules(), number=st.integers(0, 999))
def test_any_knobs_played_now_keep_the_promises(rules: RuleSet, number: int) -> None:
    table = Table(rules, (Habits(ends=0.6), Habits(care=0.6)))
    season = Season(table, (tuple(table.steps(number)),), first=number)
    for promise in PROMISES:
        promise(season)


def test_everything_that_can_happen_happened() -> None:
    happened: Counter[object] = Counter()
    played = [(table, number) for table in TABLES.values() for number in range(MATCHES * 3)]
    for table, number in [*played, (ENDLESS, 0)]:
        *_, last = table.steps(number)
        assert last.match.result is not None
        happened.update([last.match.result.reason, *(row.result for row in last.match.deals)])
        happened.update("layoff" for row in last.match.deals for shown in row.hands if shown.layoffs)
        happened.update("doubled" for row in last.match.deals if row.multiplier == 2)
    assert {each for each in (*DealResult, *MatchEnd, "layoff", "doubled") if not happened[each]} == set()


def is_listed(match: Match, seat: Seat, move: Move) -> bool:
    offer = offered(match, seat).get(type(move))
    if offer is None:
        return False
    return move.card in offer.cards if isinstance(move, Discard | Knock) else True


def is_accepted(match: Match, seat: Seat, move: Move) -> bool:
    try:
        engine.decide(match, seat, move)
    except engine.Refusal:
        return False
    return True


def knocked_deadwood(match: Match, move: Knock) -> int:
    knocked, *_ = engine.decide(match, running(match).turn, move)
    assert isinstance(knocked, Knocked)
    return knocked.deadwood


def rows_of(season: Season) -> list[DealRow]:
    return [row for steps in season.matches for row in steps[-1].match.deals]


def leader(scores: tuple[int, ...]) -> Seat | None:
    return None if scores[0] == scores[1] else scores.index(max(scores))
