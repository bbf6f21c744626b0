"""Declared melds: stated ones are kept, omitted ones are filled in, layoffs go in order (R5.2)."""

from typing import Final

import pytest

import engine
from engine.actions import BigGin, DrawStock, Knock, LayOff, Pass
from engine.events import BigGinDeclared, DealScored, Knocked, LaidOff
from engine.redact import SeenLaidOff
from engine.rules import LayoffChain, Melds, RuleSet
from engine.state import DealResult, HandShown, Match, Phase
from tests.playbook import (
    CLASSIC,
    DECLARED,
    LOOSE,
    MELDED,
    card,
    deal,
    hand,
    in_turn,
    knock,
    last_deal,
    last_events,
    layoffs,
    play,
    running,
)

GIN: Final = f"{MELDED} TH"
KNOCKER: Final = f"{MELDED} 4H"
LOW_RUN, HIGH_RUN, HEARTS = "AS 2S 3S", "4S 5S 6S", "7H 8H 9H"
DEFENDER: Final = "TH JH QH 7S 7D 7C 8C 9C KC QD"
"""Own melds: 7S 7D 7C or 7C 8C 9C, and TH JH QH; on the spread fit TH JH QH and 7S."""
COURT: Final = "JH QH KH 7S 7D 7C 8C 9C KC QD"
"""After own melds JH QH KH and 7C 8C 9C, 34 points are left."""
TO_DRAW: Final = (Pass(), Pass(), DrawStock())


def dealt(rules: RuleSet = DECLARED, knocker: str = KNOCKER, defender: str = LOOSE) -> Match:
    """Return a match in which seat 0 has drawn the 8D and may throw it."""
    return play(deal(rules, knocker, defender, "5C", "8D"), *TO_DRAW)


def knocked(*melds: str, defender: str = DEFENDER, rules: RuleSet = DECLARED) -> Match:
    return play(dealt(rules, defender=defender), knock("8D", *(melds or (HIGH_RUN, LOW_RUN, HEARTS))))


def completed(match: Match, action: Knock | BigGin | LayOff) -> object:
    return engine.complete(engine.view(match, in_turn(match)), action)


def shown(match: Match, seat: int) -> HandShown:
    return last_deal(match).hands[seat]


def test_omitted_melds_are_filled_in_as_r1_5_prefers() -> None:
    match = dealt()
    action = completed(match, knock("8D"))
    assert action == knock("8D", "AS 2S 3S 4S 5S 6S", HEARTS)
    (event,) = last_events(match, knock("8D"))
    assert event == Knocked(
        0, card("8D"), (hand(f"{LOW_RUN} {HIGH_RUN}"), hand(HEARTS)), hand("4H"), 4, gin=False
    )


def test_stated_melds_are_kept_with_their_numbers() -> None:
    match = knocked(HIGH_RUN, LOW_RUN, HEARTS)
    spread = running(match).spread
    assert spread is not None
    assert spread.melds == (hand(HIGH_RUN), hand(LOW_RUN), hand(HEARTS))
    assert completed(dealt(), knock("8D", HEARTS, LOW_RUN, HIGH_RUN)) == knock(
        "8D", HEARTS, LOW_RUN, HIGH_RUN
    )


def test_meld_numbers_stay_while_the_defender_lays_off() -> None:
    match = play(knocked(HIGH_RUN, LOW_RUN, HEARTS), LayOff((), layoffs(("7S", 0), ("TH", 2))))
    assert shown(match, 0).melds == (hand(HIGH_RUN), hand(LOW_RUN), hand(HEARTS))
    assert shown(match, 1).layoffs == layoffs(("7S", 0), ("TH", 2))


def test_a_worse_arrangement_within_the_limit_is_scored_as_stated() -> None:
    match = play(dealt(), knock("8D", HIGH_RUN, HEARTS))
    spread = running(match).spread
    assert spread is not None
    assert (spread.unmatched, spread.deadwood) == (hand(f"{LOW_RUN} 4H"), 10)
    assert last_deal(play(match, LayOff())).points == 70 - 10


def test_a_gin_hand_declared_with_deadwood_is_an_ordinary_knock() -> None:
    match = play(dealt(knocker=GIN), knock("8D", f"{LOW_RUN} {HIGH_RUN}", HEARTS))
    assert running(match).phase is Phase.LAYOFF
    row = last_deal(play(match, LayOff()))
    assert (row.result, row.hands[0].deadwood, row.points) == (DealResult.KNOCK, 10, 60)


def test_gin_is_scored_at_once_with_the_defenders_best() -> None:
    knocked, scored, _ = last_events(dealt(knocker=GIN, defender=COURT), knock("8D"))
    assert isinstance(knocked, Knocked)
    assert isinstance(scored, DealScored)
    assert knocked.gin
    assert scored.row.hands[1].layoffs == ()
    assert (scored.row.result, scored.row.points) == (DealResult.GIN, 25 + 14 + 20)


def test_where_gin_may_be_laid_off_on_the_defender_answers_it() -> None:
    rules = RuleSet(melds=Melds.DECLARED, layoff_on_gin=True, big_gin=True)
    match = play(dealt(rules, GIN, COURT), knock("8D"))
    assert (running(match).phase, in_turn(match)) == (Phase.LAYOFF, 1)
    row = last_deal(play(match, LayOff((), layoffs(("JH", 1), ("QH", 1), ("KH", 1)))))
    assert (row.result, row.points) == (DealResult.GIN, 25 + 7 * 3 + 8 + 9 + 20)


def test_big_gin_is_declared_with_its_melds() -> None:
    rules = RuleSet(melds=Melds.DECLARED, layoff_on_gin=True, big_gin=True)
    match = play(deal(rules, GIN, LOOSE, "5C", "6H"), *TO_DRAW)
    assert completed(match, BigGin()) == BigGin((hand(f"{LOW_RUN} {HIGH_RUN}"), hand(f"6H {HEARTS} TH")))
    stated = BigGin((hand(f"6H {HEARTS} TH"), hand(HIGH_RUN), hand(LOW_RUN)))
    (event,) = last_events(match, stated)
    assert event == BigGinDeclared(0, stated.melds)
    match = play(match, stated, LayOff())
    assert (last_deal(match).result, shown(match, 0).melds) == (DealResult.BIG_GIN, stated.melds)
    assert shown(match, 1).layoffs == layoffs(
        ("JH", 0),
    )


def test_without_layoffs_a_knock_is_scored_at_once() -> None:
    rules = RuleSet(melds=Melds.DECLARED, layoff=False)
    match = knocked(HIGH_RUN, HEARTS, LOW_RUN, rules=rules)
    assert shown(match, 0).melds == (hand(HIGH_RUN), hand(HEARTS), hand(LOW_RUN))
    assert shown(match, 1).layoffs == ()


def test_an_answer_left_open_is_the_best_of_melds_and_layoffs_together() -> None:
    match = knocked(HIGH_RUN, LOW_RUN, HEARTS)
    filled = completed(match, LayOff())
    assert filled == LayOff((hand("TH JH QH"), hand("7C 8C 9C")), layoffs(("7S", 0)))
    assert shown(play(match, LayOff()), 1).deadwood == 7 + 20


def test_stated_layoffs_are_kept_and_the_melds_chosen_for_the_rest() -> None:
    match = knocked(HIGH_RUN, LOW_RUN, HEARTS)
    filled = completed(match, LayOff(layoffs=layoffs(("7S", 0))))
    assert filled == LayOff((hand("TH JH QH"), hand("7C 8C 9C")), layoffs(("7S", 0)))


def test_stated_melds_are_kept_and_the_layoffs_chosen_for_the_rest() -> None:
    match = knocked(HIGH_RUN, LOW_RUN, HEARTS)
    filled = completed(match, LayOff((hand("7S 7D 7C"),)))
    assert filled == LayOff((hand("7S 7D 7C"),), layoffs(("TH", 2), ("JH", 2), ("QH", 2)))


def test_no_layoffs_are_none_and_no_melds_are_none() -> None:
    match = knocked()
    assert shown(play(match, LayOff(layoffs=())), 1).layoffs == ()
    row = last_deal(play(match, LayOff((), ())))
    assert (row.hands[1].melds, row.hands[1].layoffs) == ((), ())
    assert row.hands[1].deadwood == 10 * 4 + 10 + 7 * 3 + 8 + 9


def test_layoffs_apply_in_the_order_given() -> None:
    match = knocked(HIGH_RUN, LOW_RUN, HEARTS)
    assert shown(play(match, LayOff((), layoffs(("TH", 2), ("JH", 2)))), 1).layoffs == layoffs(
        ("TH", 2), ("JH", 2)
    )
    with pytest.raises(engine.Refusal, match="layoff-does-not-fit"):
        play(match, LayOff((), layoffs(("JH", 2), ("TH", 2))))


def test_under_original_only_a_laid_card_is_no_new_end() -> None:
    rules = RuleSet(melds=Melds.DECLARED, layoff_chain=LayoffChain.ORIGINAL_ONLY)
    match = knocked(HIGH_RUN, LOW_RUN, HEARTS, rules=rules)
    with pytest.raises(engine.Refusal, match="layoff-does-not-fit"):
        play(match, LayOff((), layoffs(("TH", 2), ("JH", 2))))


def test_what_the_defender_states_is_scored_as_stated() -> None:
    match = play(knocked(HIGH_RUN, LOW_RUN, HEARTS), LayOff((hand("7C 8C 9C"),), layoffs(("TH", 2))))
    row = last_deal(match)
    assert row.hands[1].melds == (hand("7C 8C 9C"),)
    assert row.hands[1].deadwood == 10 + 10 + 7 + 7 + 10 + 10
    assert (row.result, row.points) == (DealResult.KNOCK, 50)


def test_the_rest_of_the_defenders_hand_comes_with_the_score() -> None:
    answered, scored, _ = last_events(knocked(), LayOff())
    assert isinstance(answered, LaidOff)
    assert isinstance(scored, DealScored)
    assert engine.redact(answered, 0) == SeenLaidOff(1, answered.layoffs)
    assert scored.row.hands[1].unmatched == answered.unmatched


def test_automatic_melds_take_no_statement() -> None:
    assert completed(dealt(CLASSIC), knock("8D")) == knock("8D")
