import random

import pytest

from engine.cards import cards_of, set_of, text
from engine.deadwood import solver_for
from engine.layoffs import best_spread, defend
from engine.rules import Ace, LayoffChain, RuleSet
from engine.scoring import score_deal
from tests.engine import exhaustive
from tests.engine.hands import groups, loose, melded, pairs
from tests.engine.vectors import Vector, cards, melds, rules_of, vectors
from tests.sizes import size

CLASSIC = RuleSet()


@vectors("spread")
def test_vector(vector: Vector) -> None:
    rules, expect = rules_of(vector), vector.expect
    knocker, defender = cards(vector.input["knocker"]), cards(vector.input["defender"])
    replies = {
        defend(rules, it.melds, (), defender).deadwood for it in solver_for(rules).arrangements(knocker)
    }
    spread = best_spread(rules, knocker, (defender,), laying_off=True)
    defence = defend(rules, spread.melds, (), defender)
    score = score_deal(
        rules, knocker=0, deadwoods=(spread.deadwood, defence.deadwood), big_gin=False, upcard=None
    )
    assert sorted(replies) == expect["possible_replies"]
    assert sorted(spread.melds) == sorted(melds(expect["chosen"]))
    assert spread.deadwood == expect["knocker_deadwood"]
    assert defence.deadwood == expect["defender_final"]
    assert (score.winner, score.points) == ({"knocker": 0}[expect["winner"]], expect["points"])


GRID = cards("5S 6S 7S 5C 6C 7C 5D 6D 7D AS")
SETS, RUNS = melds("5S 5D 5C | 6S 6D 6C | 7S 7D 7C"), melds("5S 6S 7S | 5D 6D 7D | 5C 6C 7C")


@pytest.mark.parametrize(
    ("defenders", "laying_off", "chosen"),
    [
        (("8S 4D KC QH",), True, SETS),
        (("5H 6H KC QH",), True, RUNS),
        (("5H 6H KC QH",), False, RUNS),
        (("KC QH",), True, RUNS),  # equal: 5S 6S 7S comes before 5S 5D 5C (R1.5)
        (("8S 4D KC QH",), False, RUNS),  # without layoffs the defender's cards do not matter
        (("4S 3H", "5H 6H 7H"), True, SETS),  # his own run is whole either way
        (("4S KH", "5H 6H QH"), True, RUNS),  # 4 against 11 laid off: the greatest sum decides
        (("8S KH", "9S 5H 6H"), True, SETS),  # R7.2: after 8S the second could lay 9S on a run
    ],
)
def test_which_spread_leaves_the_defenders_most(
    defenders: tuple[str, ...], chosen: tuple[int, ...], *, laying_off: bool
) -> None:
    spread = best_spread(CLASSIC, GRID, tuple(map(cards, defenders)), laying_off=laying_off)
    assert spread.melds == chosen


def test_no_deadwood_is_kept_back_to_block_a_layoff() -> None:
    spread = best_spread(CLASSIC, cards("2S 3S 4S 5S JD JH JC AH 3D 2H"), (cards("6S 7S"),), laying_off=True)
    assert spread.melds == melds("2S 3S 4S 5S | JH JD JC")  # R5.1; D33 declares it otherwise


def test_big_gin_lays_eleven_cards() -> None:
    spread = best_spread(
        RuleSet(layoff_on_gin=True),
        cards("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS"),
        (cards("QS KS"),),
        laying_off=True,
    )
    assert spread.deadwood == 0
    assert sum(spread.melds).bit_count() == 11


@pytest.mark.parametrize("ace", Ace)
@pytest.mark.parametrize("chain", LayoffChain)
def test_the_spread_agrees_with_an_exhaustive_search(ace: Ace, chain: LayoffChain) -> None:
    dice = random.Random(f"spread {ace} {chain}")
    rules = RuleSet(ace=ace, layoff_chain=chain)
    grids = 0
    while grids < size(8, 80):
        knocker = melded(dice, 10)
        optima = exhaustive.optimum(pairs(knocker), ace, 1)
        if len(optima.arrangements) == 1:
            continue
        grids += 1
        hand = set_of(dice.sample(cards_of(loose(dice, 52) & ~knocker), 8))
        left = [
            exhaustive.defence(spread, pairs(hand), ace, 1, chained=chain is LayoffChain.ANY)[0]
            for spread in optima.arrangements
        ]
        chosen = best_spread(rules, knocker, (hand,), laying_off=True)
        assert groups(chosen.melds) == optima.arrangements[left.index(max(left))], (
            f"{text(cards_of(knocker))} against {text(cards_of(hand))}"
        )
