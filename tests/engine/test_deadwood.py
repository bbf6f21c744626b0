import random
from collections.abc import Callable
from typing import TypeAlias

import pytest

from engine.cards import CardSet, cards_of, parse, text
from engine.deadwood import Arrangement, order, solver_for
from engine.melds import is_meld
from engine.rules import Ace, RuleSet
from engine.scoring import knock_limit
from tests.engine import exhaustive
from tests.engine.hands import ACE_POINTS, groups, loose, melded, pairs
from tests.engine.vectors import Vector, cards, melds, rules_of, vectors
from tests.sizes import size

Deal: TypeAlias = Callable[[random.Random, int], CardSet]

CLASSIC = solver_for(RuleSet())


@vectors("meld")
def test_hand_vector(vector: Vector) -> None:
    solver = solver_for(rules_of(vector))
    hand = cards(vector.input["hand"])
    optima = solver.arrangements(hand, most=20)
    assert solver.deadwood(hand) == vector.expect["deadwood"]
    assert solver.count(hand) == len(optima) == vector.expect["optimal_count"]
    assert sorted(melds(vector.expect["one_optimal"])) in [sorted(optimum.melds) for optimum in optima]


@vectors("eleven")
def test_throw_vector(vector: Vector) -> None:
    rules = rules_of(vector)
    hand = cards(vector.input["hand"])
    taken = vector.input["taken_from_discard"]
    throws = solver_for(rules).throws(hand)
    if taken is not None:  # R3.2
        del throws[parse(taken)]
    limit = knock_limit(rules, None)
    assert {card for card, left in throws.items() if left <= limit} == set(
        cards_of(cards(vector.expect["knock_discards"]))
    )
    assert {card for card, left in throws.items() if left == 0} == set(
        cards_of(cards(vector.expect["gin_discards"]))
    )
    assert (solver_for(rules).deadwood(hand) == 0) is vector.expect["big_gin"]


@pytest.mark.parametrize(
    ("hand", "deadwood"),
    [
        ("AS AC AD AH 2S 3S", 0),  # R1.3: a card sits in one meld only
        ("AS AC AD 2S 3S", 2),
        ("KD", 10),
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS", 0),
        ("AS 2S 8S 2H 8H AD 2D 8D AC 2C 3C", 2),  # R4.4: less its dearest card 1, yet there is gin
        ("", 0),
    ],
)
def test_deadwood(hand: str, deadwood: int) -> None:
    assert CLASSIC.deadwood(cards(hand)) == deadwood


def test_gin_is_found_where_the_best_layout_of_eleven_does_not_show_it() -> None:
    throws = CLASSIC.throws(cards("AS 2S 8S 2H 8H AD 2D 8D AC 2C 3C"))  # R4.4
    assert [card for card, left in throws.items() if left == 0] == [parse("3C")]


@pytest.mark.parametrize(
    ("hand", "first"),
    [
        ("AS 2S 3S AH 2H 3H AC 2C 3C KD", "AS 2S 3S | AH 2H 3H | AC 2C 3C"),  # R1.5: AS 2S … before AS AH …
        ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS", "AS 2S 3S 4S 5S 6S 7S 8S 9S TS"),  # fewest melds
        ("AS 2S 3S 3H 3D KS QS JS KH KD", "3S 3H 3D | JS QS KS"),
        ("7S 7H 7D 7C 8C 9C TC KD", "7S 7H 7D | 7C 8C 9C TC"),  # 7C may stay with the sevens: same deadwood
    ],
)
def test_what_is_preferred_among_equals(hand: str, first: str) -> None:
    assert CLASSIC.arrange(cards(hand)).melds == melds(first)


def test_the_worth_of_an_ace_decides_where_it_goes() -> None:
    hand = cards("AS KS QS 2H 3H")
    assert solver_for(RuleSet(ace=Ace.HIGH, ace_points=15)).deadwood(hand) == 5
    assert solver_for(RuleSet(ace=Ace.LOW, ace_points=15)).deadwood(hand) == 40


def test_points_are_the_cards_own() -> None:
    assert CLASSIC.points(cards("AS 2H TD JC QS KH")) == 43  # R1.2
    assert solver_for(RuleSet(ace_points=11)).points(cards("AS AH 9D")) == 31


def test_an_arrangement_is_printed_without_cards() -> None:
    assert repr(CLASSIC.arrange(cards("7S 7H 7D KC"))) == "Arrangement(deadwood=10)"


@pytest.mark.parametrize("ace", Ace)
@pytest.mark.parametrize("deal", [loose, melded])
def test_the_solver_agrees_with_an_exhaustive_one(ace: Ace, deal: Deal) -> None:
    dice = random.Random(f"{ace} {deal.__name__}")
    for _ in range(size(500, 5_000)):
        hand = deal(dice, max(dice.randint(1, 11), dice.randint(1, 11)))
        ace_points = dice.choice(ACE_POINTS)
        solver = solver_for(RuleSet(ace=ace, ace_points=ace_points))
        best = exhaustive.optimum(pairs(hand), ace, ace_points)
        shown = text(cards_of(hand))
        assert solver.deadwood(hand) == best.deadwood, shown
        assert [groups(it.melds) for it in solver.arrangements(hand)] == best.arrangements, shown
        assert groups(solver.arrange(hand).melds) == best.arrangements[0], shown
        assert solver.count(hand) == len(best.arrangements), shown


@pytest.mark.parametrize("ace", Ace)
@pytest.mark.parametrize("deal", [loose, melded])
def test_throws_agree_with_an_exhaustive_solver(ace: Ace, deal: Deal) -> None:
    dice = random.Random(f"throws {ace} {deal.__name__}")
    for _ in range(size(25, 250)):
        hand = deal(dice, 11)
        ace_points = dice.choice(ACE_POINTS)
        solver = solver_for(RuleSet(ace=ace, ace_points=ace_points))
        throws = solver.throws(hand)
        assert list(throws) == list(cards_of(hand))
        assert solver.best_throw(hand) == min(throws.values()), text(cards_of(hand))
        for card, left in throws.items():
            assert left == exhaustive.optimum(pairs(hand ^ 1 << card), ace, ace_points).deadwood, (
                text(cards_of(hand)),
                text([card]),
            )


@pytest.mark.parametrize("ace", Ace)
def test_the_best_throw_is_the_least_of_all_throws(ace: Ace) -> None:
    dice = random.Random(f"best throw {ace}")
    for _ in range(size(500, 5_000)):
        hand = melded(dice, dice.randint(1, 11))
        solver = solver_for(RuleSet(ace=ace, ace_points=dice.choice(ACE_POINTS)))
        assert solver.best_throw(hand) == min(solver.throws(hand).values()), text(cards_of(hand))


@pytest.mark.parametrize(
    ("hand", "left"),
    [
        ("AS 2S 3S 4S 7H 7D 7C 7S QH QD QC", 0),  # a four lends its fourth
        ("7H 7D 7C 7S QH QD QC QS AS 2S 3S", 0),
        ("AS 2S 3S", 3),  # nothing but melds of three: every throw breaks one
        ("AS AH AD 5C 6C 7C", 2),
        ("KS", 0),
    ],
)
def test_the_best_throw(hand: str, left: int) -> None:
    assert CLASSIC.best_throw(cards(hand)) == left


def test_arrangements_are_whole_disjoint_and_in_order() -> None:
    dice = random.Random("order")
    for _ in range(size(200, 2_000)):
        hand = melded(dice, 11)
        optima = CLASSIC.arrangements(hand)
        assert optima[0] == CLASSIC.arrange(hand)
        assert CLASSIC.arrangements(hand, 2) == optima[:2]
        assert [order(it.melds) for it in optima] == sorted(order(it.melds) for it in optima)
        for optimum in optima:
            _holds(hand, optimum)


def _holds(hand: int, arrangement: Arrangement) -> None:
    assert all(is_meld(meld, Ace.LOW) for meld in arrangement.melds)
    parts = [*arrangement.melds, arrangement.unmatched]
    assert sum(parts) == hand
    assert sum(part.bit_count() for part in parts) == hand.bit_count()
    assert CLASSIC.points(arrangement.unmatched) == arrangement.deadwood == CLASSIC.deadwood(hand)
