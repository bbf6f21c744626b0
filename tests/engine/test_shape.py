"""Promises about the engine's types: frozen, told apart by their names, and silent about cards."""

import inspect
from importlib import import_module
from pkgutil import walk_packages
from typing import get_args

import msgspec
import pytest

import engine
from engine.actions import Abort, Action, DrawStock, Join, Move, Pass, Resign, TimeOut, wire_name
from engine.events import Act, AnyEvent, Consequence, Event, Notice
from engine.flow import FLOW
from engine.redact import Seen
from engine.state import Phase
from tests.engine.tables import TABLES
from tests.playbook import CLASSIC, LOOSE, MELDED, deal, knock, last_deal, play, running

MODULES = [import_module(found.name) for found in walk_packages(engine.__path__, "engine.")]
STRUCTS = {
    member.__qualname__: member
    for module in MODULES
    for _, member in inspect.getmembers(module, inspect.isclass)
    if issubclass(member, msgspec.Struct) and member.__module__.startswith("engine.")
}


def subclasses(base: type) -> set[type]:
    return {struct for struct in STRUCTS.values() if issubclass(struct, base) and struct is not base}


@pytest.mark.parametrize("name", STRUCTS)
def test_every_struct_is_frozen(name: str) -> None:
    assert STRUCTS[name].__struct_config__.frozen


def test_every_action_has_its_wire_name() -> None:
    assert subclasses(Action) == {*get_args(Move), Join, Abort, TimeOut}
    for action in subclasses(Action):
        assert issubclass(action, msgspec.Struct)
        assert action.__struct_config__.tag == wire_name(action.__name__)
    assert wire_name("DrawStock") == "draw_stock"


def test_every_event_is_a_notice_an_act_or_a_consequence() -> None:
    assert set(get_args(AnyEvent)) == (subclasses(Notice) | subclasses(Act) | subclasses(Consequence))


def test_every_event_has_a_copy_for_an_audience_under_its_own_name() -> None:
    def tags(kinds: object) -> set[object]:
        return {kind.__struct_config__.tag for kind in get_args(kinds)}

    assert tags(Seen) == tags(AnyEvent)
    assert {kind for kind in get_args(Seen) if not issubclass(kind, Event)} == set()


def test_the_table_names_every_phase_and_every_action_of_a_turn() -> None:
    assert set(FLOW) == set(Phase)
    assert {action for actions in FLOW.values() for action in actions} == set(get_args(Move)) - {Resign}


def test_what_holds_hidden_cards_does_not_print_them() -> None:
    match = play(deal(CLASSIC, f"{MELDED} 4H", LOOSE, "5C", "8D"), Pass(), Pass())
    drew = engine.apply(match, 0, DrawStock())
    assert repr(running(match)) == "Deal(1, draw, turn=0)"
    assert repr(running(match).seen) == "(Seen(0 thrown, 1 declined), Seen(0 thrown, 1 declined))"
    assert repr(match) == "Match(version=3, playing, Deal(1, draw, turn=0))"
    assert repr(drew) == (
        "Transition(match=Match(version=4, playing, Deal(1, discard, turn=0)), events=(StockDrawn,))"
    )
    assert repr(running(drew.match).taken) == "Taken(stock)"
    assert repr(match.shuffle) == "Shuffle(decks)"
    view = engine.view(drew.match, 0)
    assert repr(view) == "View(seat=0, version=4, discard)"
    assert repr(view.arrangement) == "Arrangement(deadwood=12)"
    assert repr(view.opponents) == "(Opponent(1),)"
    assert repr(view.actions) == "(Offer(Discard), Offer(Knock))"
    assert repr(last_deal(play(drew.match, knock("8D"))).hands[1]) == "HandShown(1, deadwood=70)"
    assert repr(engine.preview(view, knock("8D"))) == "Preview(scored)"


def test_no_event_prints_a_card() -> None:
    for table in (TABLES["declared of 2"], TABLES["given up"], TABLES["reshuffled"], TABLES["three declare"]):
        for event in table.opening(0).events:
            assert repr(event) == type(event).__name__
        for step in table.steps(0):
            for event in step.events:
                for copy in (
                    event,
                    engine.redact(event, 0),
                    engine.redact(event, 1),
                    engine.redact(event, None),
                ):
                    assert repr(copy) == type(copy).__name__
