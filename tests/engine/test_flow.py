"""The course of a deal: the offer of the upcard, turns, and the table that is drawn in docs/flow.md."""

from typing import Final

from engine.actions import (
    Action,
    Discard,
    DrawDiscard,
    DrawStock,
    Move,
    Pass,
    Resign,
    TakeUpcard,
    TimeOut,
)
from engine.flow import FLOW
from engine.rules import RuleSet, StockEnd, UpcardOffer
from engine.state import DealResult, Match, Phase
from tests.engine import diagram
from tests.engine.tables import TABLES
from tests.engine.vectors import Vector, vectors
from tests.playbook import (
    CLASSIC,
    LOOSE,
    SIMPLE,
    card,
    deal,
    in_turn,
    last_deal,
    offered,
    play,
    running,
    throw,
    with_stock,
)
from tests.sizes import size

FIRST: Final = "KS QH JD TC 8S 7H 6D 4S 3H 2D"


def rules_of(vector: Vector) -> RuleSet:
    given = vector.input
    return RuleSet(
        upcard_offer=UpcardOffer(given.get("offer", "standard")),
        stock_floor=given.get("floor", 2),
        stock_end=StockEnd(given.get("stock_end", "dead_after_discard")),
        allow_discard_taken=given.get("allow_discard_taken", False),
    )


def move_of(step: str, match: Match) -> Move:
    offers = offered(match)
    if step == "discard:other":
        return Discard(max(card for card in offers[Discard].cards if not was_taken(match, card)))
    take = TakeUpcard() if TakeUpcard in offers else DrawDiscard()
    moves: dict[str, Move] = {"pass": Pass(), "draw_stock": DrawStock(), "take_discard": take}
    return moves[step]


def was_taken(match: Match, card: int) -> bool:
    taken = running(match).taken
    return taken is not None and taken.card == card


def listed(match: Match) -> set[str]:
    """Return what the seat in turn may do, in the words of the vectors."""
    names = {Pass: "pass", TakeUpcard: "take_discard", DrawStock: "draw_stock", DrawDiscard: "take_discard"}
    if running(match).phase is Phase.LAST_DISCARD:
        names[Pass] = "decline"
    offers = offered(match)
    thrown = offers[Discard].cards if Discard in offers else ()
    return {
        *(name for action, name in names.items() if action in offers),
        *("discard:drawn" if was_taken(match, card) else "discard:other" for card in thrown),
    }


@vectors("flow")
def test_vector(vector: Vector) -> None:
    match = deal(rules_of(vector), FIRST, LOOSE, "5C")
    if "stock" in vector.input:
        match = with_stock(match, vector.input["stock"])
    for step in vector.input["steps"]:
        match = play(match, move_of(step, match))
    if vector.expect.get("phase") == "void":
        assert (match.deal_count, last_deal(match).result) == (1, DealResult.VOID)
    else:
        assert in_turn(match) == vector.expect["turn"]
        assert listed(match) == set(vector.expect["legal"])


def test_each_seat_is_offered_the_upcard_once() -> None:
    match = deal(CLASSIC, FIRST, LOOSE, "5C", dealer_seat=0)
    assert in_turn(match) == 1
    assert set(offered(match)) == {TakeUpcard, Pass}
    match = play(match, Pass())
    assert in_turn(match) == 0
    assert set(offered(match)) == {TakeUpcard, Pass}


def test_whoever_takes_the_upcard_throws_another_card() -> None:
    match = play(deal(CLASSIC, FIRST, LOOSE, "5C"), Pass(), TakeUpcard())
    assert running(match).discard_pile == ()
    assert card("5C") not in offered(match)[Discard].cards
    match = play(match, throw("KC"))
    assert (in_turn(match), running(match).discard_pile) == (0, (card("KC"),))
    assert set(offered(match)) == {DrawStock, DrawDiscard}


def test_after_all_passed_the_first_draw_is_from_the_stock_and_only_the_first() -> None:
    match = play(deal(CLASSIC, FIRST, LOOSE, "5C"), Pass(), Pass())
    assert set(offered(match)) == {DrawStock}
    match = play(match, DrawStock(), throw("KS"))
    assert in_turn(match) == 1
    assert set(offered(match)) == {DrawStock, DrawDiscard}


def test_without_an_offer_the_first_seat_takes_from_either_pile_at_once() -> None:
    match = deal(SIMPLE, FIRST, LOOSE, "5C")
    assert (in_turn(match), running(match).phase) == (0, Phase.DRAW)
    match = play(match, DrawDiscard())
    assert card("5C") not in offered(match)[Discard].cards


def test_a_taken_discard_may_be_thrown_on_a_later_turn() -> None:
    match = play(
        deal(CLASSIC, FIRST, LOOSE, "5C", stock="5H"),
        *(TakeUpcard(), throw("KS"), DrawStock(), throw("KC"), DrawStock()),
    )
    assert card("5C") in offered(match)[Discard].cards


def test_every_step_follows_the_table_and_every_arrow_is_taken() -> None:
    taken: set[tuple[Phase, type[Action], Phase | None]] = set()
    for table in TABLES.values():
        for number in range(size(3, 10)):
            for step in table.steps(number):
                if not isinstance(step.action, Resign | TimeOut):
                    ended = step.match.deal_count > step.before.deal_count
                    phase = None if ended else running(step.match).phase
                    taken.add((running(step.before).phase, type(step.action), phase))
    drawn = {
        (phase, action, target)
        for phase, actions in FLOW.items()
        for action, targets in actions.items()
        for target in targets
    }
    assert taken == drawn


def test_the_drawing_is_the_tables() -> None:
    assert diagram.PAGE.read_text(encoding="utf-8") == diagram.page()
