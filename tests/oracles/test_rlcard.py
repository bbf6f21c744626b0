"""rlcard's meld routines on the same hands: they list every arrangement, where ours look at few."""

import random
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import Any, Final, TypeAlias

import pytest
from rlcard.games.gin_rummy.judge import get_going_out_cards
from rlcard.games.gin_rummy.utils import melding, utils

from engine.actions import Meld
from engine.cards import CardSet, cards_of, set_of, text
from engine.deadwood import solver_for
from engine.melds import is_meld
from engine.rules import Ace, RuleSet
from tests.engine.hands import loose, melded
from tests.engine.vectors import cards
from tests.oracles.tally import Tally
from tests.sizes import size

Deal: TypeAlias = Callable[[random.Random, int], CardSet]

Theirs: TypeAlias = Any
"""A card of rlcard's, which numbers cards as we do."""

CLASSIC: Final = solver_for(RuleSet())


def theirs(hand: CardSet) -> list[Theirs]:
    return [utils.card_from_card_id(card) for card in cards_of(hand)]


def ours(held: Iterable[Theirs]) -> CardSet:
    return set_of(map(utils.get_card_id, held))


def melds_of(cluster: Iterable[Iterable[Theirs]]) -> frozenset[Meld]:
    return frozenset(map(ours, cluster))


def gin_by_breaking_a_run(hand: CardSet, gin: CardSet) -> CardSet:
    """Return their gin throws that are none: of eleven melded cards they throw the first of a long meld.

    First in a set of Python's, that is: in a run of four it may be an inner card.
    """
    if CLASSIC.deadwood(hand):
        return 0
    return set_of(card for card in cards_of(gin) if CLASSIC.deadwood(hand ^ 1 << card))


@pytest.mark.parametrize("deal", [loose, melded])
def test_ten_cards_have_the_same_best_arrangements(deal: Deal, tally: Tally) -> None:
    dice = random.Random(f"ten {deal.__name__}")
    for _ in range(size(500, 5_000)):
        hand = deal(dice, 10)
        best = melding.get_best_meld_clusters(theirs(hand))
        optima = CLASSIC.arrangements(hand)
        # A hand without melds has no cluster there, and here one arrangement.
        assert {frozenset(it.melds) for it in optima} == set(map(melds_of, best or [[]])), text(
            cards_of(hand)
        )
        least = utils.get_deadwood_count(theirs(hand), best[0] if best else [])
        assert CLASSIC.deadwood(hand) == least, text(cards_of(hand))
        tally["several best arrangements" if len(best) > 1 else "one" if best else "no meld"] += 1
        tally["gin"] += least == 0


@pytest.mark.parametrize("deal", [loose, melded])
def test_ten_cards_have_the_same_melds(deal: Deal) -> None:
    dice = random.Random(f"melds {deal.__name__}")
    for _ in range(size(500, 5_000)):
        hand = deal(dice, 10)
        found = melds_of(melding.get_all_run_melds(theirs(hand)) + melding.get_all_set_melds(theirs(hand)))
        groups = (set_of(group) for count in range(3, 11) for group in combinations(cards_of(hand), count))
        assert found == {group for group in groups if is_meld(group, Ace.LOW)}, text(cards_of(hand))


@pytest.mark.parametrize("deal", [loose, melded])
def test_eleven_cards_may_knock_by_the_same_throws(deal: Deal, tally: Tally) -> None:
    dice = random.Random(f"eleven {deal.__name__}")
    for _ in range(size(500, 5_000)):
        hand, limit = deal(dice, 11), dice.randint(0, 10)
        knock, gin = map(ours, get_going_out_cards(theirs(hand), limit))
        wrong = gin_by_breaking_a_run(hand, gin)
        left = CLASSIC.throws(hand)
        # A throw that is gin is no knock there.
        assert gin & ~wrong == set_of(card for card in left if left[card] == 0), text(cards_of(hand))
        assert (knock | gin) & ~wrong == set_of(card for card in left if left[card] <= limit), text(
            cards_of(hand)
        )
        tally["gin" if gin else "knock" if knock else "neither"] += 1
        tally["quirk: gin_by_breaking_a_run"] += wrong != 0


def test_their_gin_may_break_a_run() -> None:
    hand = cards("3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
    _, gin = map(ours, get_going_out_cards(theirs(hand), 0))
    assert CLASSIC.deadwood(hand ^ cards("5C")) == 7
    assert gin_by_breaking_a_run(hand, gin) == cards("5C")
