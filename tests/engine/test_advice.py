"""Advice names every action on offer once, the best first, and hidden cards do not change it."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings

import engine
from engine.actions import Discard, DrawStock, Knock, Move, Pass
from engine.advice import advise
from engine.position import view_of
from engine.state import Match
from engine.view import View
from tests.engine.seen import twin
from tests.engine.tables import TABLES, table_of
from tests.engine.test_position import backwards, told
from tests.playbook import CLASSIC, LOOSE, MELDED, deal, in_turn, knock, play
from tests.sizes import size
from tests.strategies import Game, games


def states(name: str) -> Iterator[Match]:
    for number in range(size(1, 4)):
        steps = TABLES[name].steps(number)
        yield from (step.before for step in steps[number :: max(1, len(steps) // size(4, 40))])


def on_offer(view: View) -> Iterator[Move]:
    for offer in view.actions:
        for card in offer.cards or (None,):
            action = offer.action() if card is None else offer.action(card)
            assert isinstance(action, Move)
            yield action


@pytest.mark.parametrize("name", TABLES)
def test_every_action_on_offer_is_ranked_once(name: str) -> None:
    for match in states(name):
        view = engine.view(match, in_turn(match))
        advice = advise(view)
        assert sorted(map(repr, on_offer(view))) == sorted(repr(each.action) for each in advice)
        values = [each.value for each in advice]
        assert values == sorted(values, reverse=True)
        assert values == [round(value, 2) for value in values]
        engine.decide(match, in_turn(match), advice[0].action)


@pytest.mark.parametrize("name", TABLES)
def test_hidden_cards_do_not_change_it(name: str) -> None:
    dice = random.Random(name)
    for match in states(name):
        seat = in_turn(match)
        view = engine.view(match, seat)
        given = advise(view)
        assert advise(engine.view(twin(match, seat, dice), seat)) == given
        assert advise(view_of(told(view))) == given
        assert advise(view_of(told(view), backwards)) == given


def test_nobody_is_advised_out_of_turn() -> None:
    match = play(deal(CLASSIC, f"{MELDED} KS", LOOSE, "KD", "TH"), Pass(), Pass(), DrawStock())
    assert advise(engine.view(match, 1)) == ()
    assert advise(engine.view(match, None)) == ()


def test_gin_is_the_best() -> None:
    match = play(deal(CLASSIC, f"{MELDED} KS", LOOSE, "KD", "TH"), Pass(), Pass(), DrawStock())
    best, *others = advise(engine.view(match, 0))
    assert best.action == knock("KS")
    assert {type(each.action) for each in others} == {Knock, Discard}


def test_advice_shows_no_card() -> None:
    match = play(deal(CLASSIC, f"{MELDED} KS", LOOSE, "KD", "TH"), Pass(), Pass(), DrawStock())
    assert repr(advise(engine.view(match, 0))[0]) == "Advice(Knock)"


@settings(max_examples=size(15, 300), deadline=None, derandomize=True)
@given(game=games())
def test_with_any_knobs_every_action_is_ranked_once(game: Game) -> None:
    steps = table_of(game).steps(game.number)
    for step in steps[:: max(1, len(steps) // 5)]:
        view = engine.view(step.before, in_turn(step.before))
        assert sorted(map(repr, on_offer(view))) == sorted(repr(each.action) for each in advise(view))
