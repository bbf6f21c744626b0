"""R10, line by line, over whole matches that are played by chance."""

from collections import Counter
from typing import Final, get_args

import msgspec
from hypothesis import given, settings

import engine
from engine.actions import Discard, Knock, Move, Seat, TimeOut
from engine.cards import DECK_SIZE, cards_of
from engine.events import Aborted, Act, AnyEvent, Knocked, Notice, SeatJoined, TurnTimedOut
from engine.state import DealResult, Match, MatchEnd, Phase
from tests.engine import test_outcomes
from tests.engine.seasons import MATCHES, Season
from tests.engine.tables import ENDLESS, TABLES, table_of
from tests.playbook import ACTIONS, offered, rows_of, running
from tests.sizes import size
from tests.strategies import Game, games

SPACE_EVERY: Final = size(5, 2)
"""Of so many steps the whole action space is asked for at one."""

encoded: Final = msgspec.json.Encoder().encode


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
        events = step.events[1:] if isinstance(step.action, TimeOut) else step.events
        first, *others = events
        assert isinstance(first, Act)
        assert not any(isinstance(event, Act | Notice) for event in others)


def test_a_time_out_is_noticed_before_what_the_house_does_and_counted_until_the_seat_acts(
    season: Season,
) -> None:
    for steps in season.matches:
        counts = [0] * len(steps[0].before.seats)
        for step in steps:
            timed_out = isinstance(step.action, TimeOut)
            counts[step.seat] = counts[step.seat] + 1 if timed_out else 0
            if timed_out:
                assert step.events[0] == TurnTimedOut(step.seat, counts[step.seat])
            assert step.match.timeouts == tuple(counts)
            assert not step.match.house_acts


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


PROMISES: Final = (
    test_every_card_is_in_one_place,
    test_laid_cards_are_those_of_the_seat_that_laid_them,
    test_hands_have_the_right_size,
    test_only_the_seat_in_turn_has_listed_actions,
    test_a_step_is_one_act_and_its_consequences,
    test_a_time_out_is_noticed_before_what_the_house_does_and_counted_until_the_seat_acts,
    test_the_history_rebuilds_the_state,
    test_outcomes.test_running_scores_are_the_sum_of_deal_points_and_boxes_where_they_run,
    test_outcomes.test_columns_are_kept_where_they_are_played_and_close_at_the_target,
    test_outcomes.test_deals_are_counted_from_one_and_dealt_by_whom_the_rule_says,
    test_the_stock_is_above_its_floor_whenever_a_seat_draws,
    test_a_reshuffle_leaves_the_throw_face_up_and_puts_the_other_discards_under_the_stock,
    test_outcomes.test_a_finished_deal_shows_every_hand_laid_out,
    test_outcomes.test_a_row_has_the_winner_and_the_points_its_result_says,
    test_outcomes.test_penalties_are_the_differences_to_the_winner_and_what_the_rule_adds,
    test_outcomes.test_a_match_ends_once_and_for_its_reason,
    test_outcomes.test_the_winner_of_a_match_is_the_best_by_its_rules,
)


@settings(max_examples=size(40, 2000), deadline=None, derandomize=True)
@given(game=games())
def test_any_knobs_that_go_together_keep_the_promises(game: Game) -> None:
    table = table_of(game)
    season = Season(table, (table.steps(game.number),), first=game.number)
    for promise in PROMISES:
        promise(season)
    state, _ = season.running[game.number % len(season.running)]
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
            rows = rows_of(step.events)
            happened.update(row.result for row in rows)
            happened.update("layoff" for row in rows for shown in row.hands if shown.layoffs)
            happened.update("doubled" for row in rows if row.multiplier == 2)
        assert step.match.result is not None
        happened[step.match.result.reason] += 1
    # Here every seat is filled, and somebody in turn.
    never = {SeatJoined, Aborted, MatchEnd.ABORTED, Phase.WAITING, Phase.FINISHED}
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
