"""A history beside the expert's play: what counts as a decision, what it cost, and how near a seat came."""

from itertools import chain
from typing import Final

import pytest
from msgspec.structs import replace

import engine
from engine.actions import BigGin, Discard, DrawStock, Knock, LayOff, Move, Pass, Resign, TakeUpcard, TimeOut
from engine.bots.expert import values
from engine.events import AnyEvent
from engine.known import known
from engine.review import Decision, accuracy, decisions
from engine.state import Match
from tests.engine.tables import TABLES
from tests.playbook import (
    CLASSIC,
    DECLARED,
    LOOSE,
    MELDED,
    Step,
    deal,
    hand,
    in_turn,
    knock,
    layoffs,
    running,
    throw,
)
from tests.sizes import size

History = list[tuple[AnyEvent, ...]]

LONG: Final = {"knocker zero", "four lay off on gin"}
"""Tables whose matches are longer than the others'."""


def history(match: Match, *moves: Move) -> History:
    """The steps of a match that was just dealt, and of these moves of the seats then in turn."""
    opening = engine.start_match(match.rules, match.seats, match.shuffle, match.first_dealer)
    steps = [opening.events]
    match = opening.match
    for move in moves:
        played = engine.apply(match, in_turn(match), move)
        steps.append(played.events)
        match = played.match
    return steps


def decided(steps: History, deal: int | None = None) -> list[Decision]:
    return [decision for decision in decisions(steps, deal) if decision is not None]


def of_table(name: str) -> tuple[History, tuple[Step, ...]]:
    steps = TABLES[name].steps(0)
    return [TABLES[name].opening(0).events, *(step.events for step in steps)], steps


@pytest.mark.parametrize("name", sorted(TABLES.keys() - LONG) if size(0, 1) else sorted(TABLES)[::4])
def test_every_choice_of_a_match_is_a_decision(name: str) -> None:
    played, steps = of_table(name)
    found = {decision.version: decision for decision in decided(played)}
    for step in steps:
        decision = found.pop(step.match.version, None)
        view = engine.view(step.before, running(step.before).turn)
        alone = len(view.actions) == 1 and len(view.actions[0].cards) < 2
        if isinstance(step.action, Resign | TimeOut) or (alone and not isinstance(step.action, LayOff)):
            assert decision is None
            continue
        assert decision is not None
        assert (decision.seat, decision.deal) == (step.seat, running(step.before).number)
        assert type(decision.action) is type(step.action)
        assert decision.best == values(view)[0].action
        assert decision.difference >= 0
        seen = known(step.before, step.seat)
        for action in (decision.action, decision.best):
            if isinstance(action, Discard | Knock):
                assert seen >> action.card & 1
    assert found == {}


def test_one_deal_alone_may_be_looked_at() -> None:
    played, _ = of_table("classic of 2")
    whole = decided(played)
    deals = max(decision.deal for decision in whole)
    assert deals > 1
    assert list(chain.from_iterable(decided(played, deal) for deal in range(1, deals + 1))) == whole


GIN: Final = deal(CLASSIC, f"{MELDED} KS", LOOSE, "KD", "TH")


def test_the_experts_choice_costs_nothing() -> None:
    found = decided(history(GIN, Pass(), Pass(), DrawStock(), knock("KS")))
    assert (found[-1].best, found[-1].difference, found[-1].missed_knock) == (knock("KS"), 0.0, False)


def test_a_throw_where_the_deal_could_be_won_is_a_missed_knock() -> None:
    found = decided(history(GIN, Pass(), Pass(), DrawStock(), throw("8H")))
    assert (found[-1].action, found[-1].best) == (throw("8H"), knock("KS"))
    assert found[-1].missed_knock
    assert found[-1].difference > 0


def test_what_can_only_be_done_is_no_decision() -> None:
    found = decided(history(GIN, Pass(), Pass(), DrawStock()))
    assert [(decision.seat, type(decision.action)) for decision in found] == [(0, Pass), (1, Pass)]


def test_to_give_up_is_no_decision() -> None:
    assert [decision.version for decision in decided(history(GIN, Pass(), Resign()))] == [2]


KNOCKED: Final = (
    deal(DECLARED, f"{MELDED} KS", "TH JH QD JD 8C 7D 6C 4D 3C 2H", "KD", "AC"),
    *(Pass(), Pass(), DrawStock(), knock("KS")),
)


@pytest.mark.parametrize(
    ("answer", "lost"),
    [
        (LayOff(), 0),
        (LayOff(None, layoffs(("TH", 1), ("JH", 1))), 0),
        (LayOff(None, layoffs(("TH", 1))), 10),
        (LayOff((), ()), 20),
    ],
)
def test_an_answer_costs_the_deadwood_that_it_leaves(answer: LayOff, lost: int) -> None:
    assert decided(history(*KNOCKED, answer))[-1].difference == lost


@pytest.mark.parametrize("factor", [1, 2])
@pytest.mark.parametrize(
    ("held", "lost"),
    [("TD JD QD 4D 4C 4H 8C 8D 8S TH", 8 + 25 + 2), ("TD JD QD 4D 4C 4H 8C TC KC TH", 10)],
)
def test_an_answer_costs_an_undercut_that_it_forgoes_and_as_often_as_the_deal_counts(
    held: str, lost: int, factor: int
) -> None:
    rules = replace(DECLARED, spade_doubles=factor == 2)
    match = deal(rules, f"{MELDED} KH", held, "KS", "2C")
    drawn = (Pass(), Pass(), DrawStock(), knock("KH"))
    assert decided(history(match, *drawn, LayOff(None, ())))[-1].difference == lost * factor
    assert decided(history(match, *drawn, LayOff()))[-1].difference == 0


def test_melds_left_unsaid_cost_their_deadwood_and_the_bonus() -> None:
    match = deal(DECLARED, f"{MELDED} TH", "KC QD JS TS 8C 7D 6C 4D 3C 2H", "KD", "AD")
    drawn = (Pass(), Pass(), DrawStock())
    gin = decided(history(match, *drawn, knock("AD")))[-1]
    stated = decided(history(match, *drawn, knock("AD", "2S 3S 4S 5S 6S", "7H 8H 9H TH")))[-1]
    assert gin.difference == 0
    assert stated.action == Knock(gin.action.card, (hand("2S 3S 4S 5S 6S"), hand("7H 8H 9H TH")))  # type: ignore[union-attr]  # a knock
    assert stated.difference == 1 + 25


def test_accuracy_is_the_mean_of_what_each_decision_counts() -> None:
    def decision(difference: float) -> Decision:
        return Decision(0, 2, 1, TakeUpcard(), BigGin(), difference, missed_knock=False)

    assert accuracy([]) is None
    assert accuracy([decision(0.0)]) == 100.0
    assert accuracy([decision(5.0)]) == 50.0
    assert accuracy([decision(0.0), decision(5.0), decision(15.0)]) == 58.3


def test_a_decision_shows_no_card() -> None:
    found = decided(history(GIN, Pass(), Pass(), DrawStock(), knock("KS")))
    assert repr(found[-1]) == "Decision(0, version=5, difference=0.0)"
