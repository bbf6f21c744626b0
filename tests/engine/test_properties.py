"""R10, line by line, over whole matches that are played by chance."""

from collections import Counter
from itertools import chain, pairwise
from typing import Final, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

import engine
from engine.actions import Discard, Knock, Move, Resign, Seat
from engine.cards import DECK_SIZE, cards_of
from engine.events import Act, AnyEvent, Knocked, SeatJoined
from engine.rules import MatchWinner, NextDealer, Scoring
from engine.state import Deal, DealResult, DealRow, Match, MatchEnd, Phase, put
from tests.engine.tables import ENDLESS, TABLES, Table
from tests.playbook import ACTIONS, Habits, Step, offered, running
from tests.sizes import size
from tests.strategies import Game, games

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
    return Season(table, tuple(table.steps(number) for number in range(MATCHES)))


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
            # A seat that is dealt eleven begins where others have taken a card (R2.4).
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
        last = steps[-1].match
        assert {engine.legal_actions(last, seat) for seat in range(len(last.seats))} == {()}


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
        for seat in range(len(match.seats)):
            for move in ACTIONS:
                is_accepted(match, seat, move)
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
        rows = step.match.deals
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
        rows = steps[-1].match.deals
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


def test_the_stock_is_above_its_floor_whenever_a_seat_draws(season: Season) -> None:
    for match, deal in season.running:
        if deal.phase in {Phase.DRAW, Phase.UPCARD_OFFER}:
            assert len(deal.stock) > match.rules.stock_floor
        if deal.phase is Phase.LAST_DISCARD:
            assert len(deal.stock) == match.rules.stock_floor


def test_a_reshuffle_leaves_the_throw_face_up_and_puts_the_other_discards_under_the_stock(
    season: Season,
) -> None:
    for step in season.steps:
        before, after = step.before.deal, step.match.deal
        if before is None or after is None or before.number != after.number:
            continue
        if after.reshuffles == before.reshuffles:
            continue
        count = len(before.stock)
        assert isinstance(step.action, Discard)
        assert count <= step.before.rules.stock_floor
        assert after.discard_pile == (step.action.card,)
        assert after.stock[:count] == before.stock
        assert sorted(after.stock[count:]) == sorted(before.discard_pile)


def test_a_finished_deal_shows_every_hand_laid_out(season: Season) -> None:
    for row in rows_of(season):
        if row.result is DealResult.UNFINISHED:
            assert row.hands == ()
            continue
        assert [shown.seat for shown in row.hands] == list(range(len(season.table.habits)))
        for shown in row.hands:
            laid = [1 << layoff.card for layoff in shown.layoffs]
            assert sum((*shown.melds, *laid, shown.unmatched)) == shown.cards
            assert not shown.layoffs or shown.seat != row.knocker


def test_a_row_has_the_winner_and_the_points_its_result_says(season: Season) -> None:
    rules = season.table.rules
    for row in rows_of(season):
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
    for row in rows_of(season):
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
                assert sum(row.result is not DealResult.VOID for row in match.deals) == rules.deals
            case MatchEnd.PENALTY_LIMIT:
                assert rules.penalty_limit is not None
                assert max(match.scores) >= rules.penalty_limit > max(steps[-1].before.scores)
            case MatchEnd.RESIGNED:
                assert isinstance(steps[-1].action, Resign)
                assert match.result.winner != steps[-1].seat
                assert match.result.totals is None
            case MatchEnd.DEAL_LIMIT:
                assert len(match.deals) == 200
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


PROMISES: Final = (
    test_every_card_is_in_one_place,
    test_laid_cards_are_those_of_the_seat_that_laid_them,
    test_hands_have_the_right_size,
    test_only_the_seat_in_turn_has_listed_actions,
    test_a_step_is_one_act_and_its_consequences,
    test_the_history_rebuilds_the_state,
    test_running_scores_are_the_sum_of_deal_points_and_boxes_where_they_run,
    test_columns_are_kept_where_they_are_played_and_close_at_the_target,
    test_deals_are_counted_from_one_and_dealt_by_whom_the_rule_says,
    test_the_stock_is_above_its_floor_whenever_a_seat_draws,
    test_a_reshuffle_leaves_the_throw_face_up_and_puts_the_other_discards_under_the_stock,
    test_a_finished_deal_shows_every_hand_laid_out,
    test_a_row_has_the_winner_and_the_points_its_result_says,
    test_penalties_are_the_differences_to_the_winner_and_what_the_rule_adds,
    test_a_match_ends_once_and_for_its_reason,
    test_the_winner_of_a_match_is_the_best_by_its_rules,
)
LEANINGS: Final = (Habits(ends=0.6), Habits(care=0.6), Habits(ends=0.2, states=0.8), Habits(ends=0.6))


@settings(max_examples=size(60, 2000), deadline=None, derandomize=True)
@given(game=games(), number=st.integers(0, 999))
def test_any_knobs_that_go_together_keep_the_promises(game: Game, number: int) -> None:
    table = Table(game.rules, LEANINGS[: game.seats])
    season = Season(table, (table.steps(number),), first=number)
    for promise in PROMISES:
        promise(season)
    state, _ = season.running[number % len(season.running)]
    for seat in range(game.seats):
        listed = {move for move in ACTIONS if is_listed(state, seat, move)}
        assert {move for move in ACTIONS if is_accepted(state, seat, move)} == listed


def test_everything_that_can_happen_happened() -> None:
    happened: Counter[object] = Counter()
    played = [(table, number) for table in TABLES.values() for number in range(MATCHES * 2)]
    for table, number in [*played, (ENDLESS, 0)]:
        happened.update(type(event) for event in table.opening(number).events)
        for step in table.steps(number):
            happened.update([running(step.before).phase, *map(type, step.events)])
        last = step.match
        assert last.result is not None
        happened.update([last.result.reason, *(row.result for row in last.deals)])
        happened.update("layoff" for row in last.deals for shown in row.hands if shown.layoffs)
        happened.update("doubled" for row in last.deals if row.multiplier == 2)
    never = {SeatJoined, Phase.WAITING, Phase.FINISHED}  # here every seat is filled, and somebody in turn
    everything = {*DealResult, *MatchEnd, *Phase, *get_args(AnyEvent), "layoff", "doubled"} - never
    assert {each for each in everything if not happened[each]} == set()


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
