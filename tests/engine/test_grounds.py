"""Each ground of advice where it is given, with its figures, and where it is not."""

import random
from typing import Final

import pytest
from msgspec.structs import replace

import engine
from engine.actions import BigGin, DrawDiscard, DrawStock, LayOff, Move, Pass, TakeUpcard
from engine.bots.belief import unseen
from engine.bots.worlds import worlds
from engine.cards import CardSet
from engine.deadwood import solver_for
from engine.grounds import WORLDS, Because, Ground, Grounded
from engine.rules import FirstTurnKnock, RuleSet, StockEnd
from engine.state import Match
from engine.view import View
from tests.engine.seen import twin
from tests.engine.tables import TABLES
from tests.playbook import (
    CLASSIC,
    DECLARED,
    LOOSE,
    MELDED,
    STRAIGHT,
    card,
    deal,
    hand,
    in_turn,
    knock,
    play,
    running,
    throw,
    with_stock,
)
from tests.sizes import size

PAIR: Final = "7H 7D KS JC 9S 5C 3S AH QD TC"
"""A pair and two neighbours, with four outs: 7S 7C 9C QC."""
MELDED_TOO: Final = "TD JD QD 5H 5D 5C 4C 4H 4D"
OTHERS: Final = "4H 6D 8C 2S JH QS KD 3C 9H 5D"

OFFERED: Final = deal(CLASSIC, PAIR, OTHERS, "7C")
USELESS: Final = deal(CLASSIC, PAIR, OTHERS, "5S")
NEAR_KNOCK: Final = deal(CLASSIC, f"{MELDED} KS", LOOSE, "AC")
DRAWING: Final = play(USELESS, Pass(), Pass())
THROWING: Final = play(DRAWING, DrawStock())
KNOCKING: Final = play(deal(CLASSIC, f"{MELDED} KS", LOOSE, "KD", "AC"), Pass(), Pass(), DrawStock())
GIN: Final = play(deal(CLASSIC, f"{MELDED} KS", LOOSE, "KD", "TH"), Pass(), Pass(), DrawStock())
BIG: Final = play(
    deal(STRAIGHT, f"{MELDED} TH", "KC QD JS TS 8C 7D 6C 4D 3C 2H", "KD", "JH"), Pass(), Pass(), DrawStock()
)
ANSWERING: Final = play(
    deal(DECLARED, f"{MELDED} KS", "TH JH QD JD 8C 7D 6C 4D 3C 2H", "KD", "AC"),
    *(Pass(), Pass(), DrawStock(), knock("KS")),
)
UNDERCUTTING: Final = play(
    deal(DECLARED, f"{MELDED} KS", "TC JC QC 2D 3D 4D KH KD KC TH", "QD", "AC"),
    *(Pass(), Pass(), DrawStock(), knock("KS")),
)
LAST: Final = play(
    with_stock(
        play(
            deal(RuleSet(stock_end=StockEnd.LAST_DISCARD_PLAYABLE), PAIR, OTHERS, "5S", "8D"), Pass(), Pass()
        ),
        3,
    ),
    *(DrawStock(), throw("KS")),
)
DEAD_ON_DRAW: Final = play(deal(RuleSet(stock_end=StockEnd.DEAD_ON_DRAW), PAIR, OTHERS, "5S"), Pass(), Pass())
NOT_WITH_IT: Final = deal(
    RuleSet(first_turn_knock=FirstTurnKnock.NOT_WITH_UPCARD), f"{MELDED} KS", f"{MELDED_TOO} KC", "AC", "2H"
)
"""A knock in a seat's first turn, but not with the upcard (R4.1)."""
FIRST_TURN: Final = play(NOT_WITH_IT, Pass(), Pass(), DrawStock(), throw("2H"))
THROWN_BACK: Final = play(
    deal(
        RuleSet(allow_discard_taken=True),
        *("7H 7D KS JC 9S 6C 3S AH QS TC", "TD JD QD KD 5H 5D 5C 5S 3C 6H", "4S", "AC"),
    ),
    *(Pass(), Pass(), DrawStock(), throw("QS")),
)
"""A hand that may knock as it is, if the card taken is thrown back (R3.2)."""


def seen(match: Match) -> View:
    return engine.view(match, in_turn(match))


def grounds(match: Match, action: Move) -> tuple[Because, ...]:
    return Grounded(seen(match)).of(action)


def about(codes: str) -> CardSet:
    return hand(codes)


GIVEN: Final[list[tuple[Match, Move, Because]]] = [
    (DRAWING, DrawStock(), Because(Ground.ONLY_ACTION)),
    (ANSWERING, LayOff(), Because(Ground.ONLY_ACTION)),
    (BIG, BigGin(), Because(Ground.BIG_GIN, points=31)),
    (GIN, knock("KS"), Because(Ground.GIN, points=25)),
    (OFFERED, TakeUpcard(), Because(Ground.COMPLETES_MELD, cards=about("7H 7D 7C"))),
    (OFFERED, TakeUpcard(), Because(Ground.LOWERS_DEADWOOD, points=24)),
    (NEAR_KNOCK, TakeUpcard(), Because(Ground.ALLOWS_KNOCK, points=1)),
    (NEAR_KNOCK, TakeUpcard(), Because(Ground.LOWERS_DEADWOOD, points=9)),
    (USELESS, Pass(), Because(Ground.NO_USE, cards=about("5S"))),
    (DRAWING, DrawStock(), Because(Ground.NO_USE, cards=about("5S"))),
    (KNOCKING, knock("KS"), Because(Ground.KNOCKS_WITH, points=1)),
    (GIN, knock("TH"), Because(Ground.GIN_AVAILABLE)),
    (GIN, knock("TH"), Because(Ground.BREAKS_MELD, cards=about("7H 8H 9H TH"), points=10)),
    (THROWING, throw("KS"), Because(Ground.HIGH_DEADWOOD, cards=about("KS"), points=10)),
    (DRAWING, DrawStock(), Because(Ground.LIVE_OUTS, count=4)),
    (KNOCKING, throw("KS"), Because(Ground.KEEPS_WAITING_FOR_GIN, count=5)),
    (ANSWERING, LayOff(), Because(Ground.LAYS_OFF, cards=about("TH JH"), points=20)),
    (UNDERCUTTING, LayOff(), Because(Ground.UNDERCUTS, points=0)),
    (with_stock(DRAWING, 4), DrawStock(), Because(Ground.LAST_TURNS, count=2)),
    (with_stock(THROWING, 3), throw("KS"), Because(Ground.LAST_TURNS, count=1)),
    (with_stock(THROWING, 2), throw("KS"), Because(Ground.VOIDS_DEAL)),
    (LAST, Pass(), Because(Ground.VOIDS_DEAL)),
    (with_stock(DEAD_ON_DRAW, 3), DrawStock(), Because(Ground.VOIDS_DEAL)),
    (FIRST_TURN, DrawDiscard(), Because(Ground.ALLOWS_KNOCK, points=2)),
    (THROWN_BACK, DrawDiscard(), Because(Ground.ALLOWS_KNOCK, points=9)),
]


@pytest.mark.parametrize(("match", "action", "because"), GIVEN)
def test_a_ground_is_given_with_its_figures(match: Match, action: Move, because: Because) -> None:
    found = grounds(match, action)
    assert [each for each in found if each.ground is because.ground] == [because]


NOT_GIVEN: Final[list[tuple[Match, Move, set[Ground]]]] = [
    (OFFERED, Pass(), {Ground.NO_USE, Ground.ONLY_ACTION, Ground.LAST_TURNS, Ground.VOIDS_DEAL}),
    (USELESS, TakeUpcard(), {Ground.COMPLETES_MELD, Ground.GIN, Ground.ALLOWS_KNOCK}),
    (GIN, knock("KS"), {Ground.UNDERCUT_RISK, Ground.GIN_AVAILABLE, Ground.KNOCKS_WITH}),
    (KNOCKING, knock("KS"), {Ground.GIN, Ground.GIN_AVAILABLE, Ground.BREAKS_MELD}),
    (THROWING, throw("5C"), {Ground.HIGH_DEADWOOD, Ground.BREAKS_MELD, Ground.KEEPS_WAITING_FOR_GIN}),
    (ANSWERING, LayOff(), {Ground.UNDERCUTS}),
    (with_stock(DEAD_ON_DRAW, 3), DrawStock(), {Ground.LIVE_OUTS, Ground.LAST_TURNS}),
    (with_stock(DEAD_ON_DRAW, 4), DrawStock(), {Ground.VOIDS_DEAL}),
    (NOT_WITH_IT, TakeUpcard(), {Ground.ALLOWS_KNOCK}),
    (with_stock(THROWING, 2), throw("KS"), {Ground.OPPONENT_WANTS, Ground.SAFE, Ground.LIVE_OUTS}),
]


@pytest.mark.parametrize(("match", "action", "absent"), NOT_GIVEN)
def test_a_ground_is_not_given_where_it_does_not_hold(
    match: Match, action: Move, absent: set[Ground]
) -> None:
    assert {each.ground for each in grounds(match, action)} & absent == set()


def test_the_opponent_wants_what_goes_with_the_cards_it_took() -> None:
    view = seen(THROWING)
    knows = replace(view, opponents=(replace(view.opponents[0], known_cards=hand("8C 9C")),))
    assert Because(Ground.OPPONENT_WANTS, cards=hand("TC"), percent=100) in Grounded(knows).of(throw("TC"))


def test_a_card_whose_neighbours_lie_in_the_pile_is_safe() -> None:
    view = seen(THROWING)
    assert view.table is not None
    table = replace(view.table, discard_pile=(*view.table.discard_pile, card("KD"), card("KC"), card("QS")))
    found = Grounded(replace(view, table=table)).of(throw("KS"))
    assert Because(Ground.SAFE, cards=hand("KS"), percent=0) in found


def test_an_undercut_is_likelier_the_more_deadwood_is_left() -> None:
    def risk(codes: str) -> int | None:
        view = seen(play(deal(CLASSIC, codes, LOOSE, "KD", "QH"), Pass(), Pass(), DrawStock()))
        melded = replace(view.opponents[0], known_cards=hand("2D 3D 4D 5H 5D 5C JS JD JC"))
        found = Grounded(replace(view, opponents=(melded,))).of(knock("QH"))
        (because,) = (each for each in found if each.ground is Ground.UNDERCUT_RISK)
        return because.percent

    low, high = risk(f"{MELDED} AC"), risk(f"{MELDED} TC")
    assert low is not None
    assert 0 < low < 60
    assert high == 100


@pytest.mark.parametrize(("rules", "percent"), [(CLASSIC, 0), (DECLARED, 100)])
def test_no_undercut_is_feared_that_another_spread_denies(rules: RuleSet, percent: int) -> None:
    """R5.1: three runs would take 10S, 10H and 6D, and three sets take none of them."""
    match = deal(rules, "7S 8S 9S 7H 8H 9H 7D 8D 9D KS", "TS TH 6D JC QC KC 2S 2H 2D 3C", "KD", "4C")
    view = seen(play(match, Pass(), Pass(), DrawStock()))
    shown = replace(view, opponents=(replace(view.opponents[0], known_cards=running(match).hands[1]),))
    melds = solver_for(rules).arrange(view.hand & ~hand("KS")).melds
    assert melds == (hand("7S 8S 9S"), hand("7H 8H 9H"), hand("7D 8D 9D"))
    assert Because(Ground.UNDERCUT_RISK, percent=percent) in Grounded(shown).of(knock("KS"))


def test_every_ground_is_given_somewhere() -> None:
    given = {because.ground for _, _, because in GIVEN}
    assert given | {Ground.OPPONENT_WANTS, Ground.SAFE, Ground.UNDERCUT_RISK} == set(Ground)


@pytest.mark.parametrize("name", TABLES)
def test_every_action_on_offer_has_its_grounds_and_hidden_cards_do_not_change_them(name: str) -> None:
    dice = random.Random(name)
    steps = TABLES[name].steps(0)
    for step in steps[:: max(1, len(steps) // size(4, 100))]:
        view, other = seen(step.before), seen(twin(step.before, in_turn(step.before), dice))
        for offer in view.actions:
            for thrown in offer.cards[:3] or (None,):
                action = offer.action() if thrown is None else offer.action(thrown)
                assert isinstance(action, Move)
                assert Grounded(view).of(action) == Grounded(other).of(action)


def test_the_worlds_agree_with_what_is_known() -> None:
    for name in ("classic of 2", "penalty of 4"):
        for step in TABLES[name].steps(1)[::7]:
            view = seen(step.before)
            for hands in worlds(view, 5):
                placed = 0
                for opponent in view.opponents:
                    held = hands[opponent.seat]
                    assert held.bit_count() == opponent.hand_count
                    assert held & opponent.known_cards == opponent.known_cards
                    assert not held & ~opponent.known_cards & ~unseen(view)
                    assert not held & placed
                    placed |= held


def test_the_worlds_are_the_same_again() -> None:
    view = seen(KNOCKING)
    assert list(worlds(view, WORLDS)) == list(worlds(view, WORLDS))


def test_grounds_show_no_card() -> None:
    assert repr(grounds(OFFERED, TakeUpcard())[0]) == "Because(completes_meld)"
