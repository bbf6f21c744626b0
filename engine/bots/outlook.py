"""What the next draw promises a hand."""

from functools import cache
from typing import Final

from engine.cards import DECK_SIZE, CardSet, cards_of, points_of
from engine.deadwood import Solver
from engine.melds import EVERY_RANK, RUNS, SMALLEST_MELD, SUIT_SIZE, Ranks
from engine.rules import Ace, RuleSet

_SUIT_STARTS: Final = range(0, DECK_SIZE, SUIT_SIZE)


def after_draws(rules: RuleSet, solver: Solver, hand: CardSet, unseen: CardSet) -> list[int]:
    """Return, for each unseen card, the least deadwood a throw can leave if it is drawn; ascending.

    Only a card that makes a meld of three needs the solver: with any other, either it is thrown again,
    or it costs its points beside what the best throw of the hand leaves.
    """
    points = _points(rules.ace_points)
    melding = melding_with(hand, rules.ace) & unseen
    thrown_again, without = solver.deadwood(hand), solver.best_throw(hand)
    left = [solver.best_throw(hand | 1 << card) for card in cards_of(melding)]
    left += [min(thrown_again, without + points[card]) for card in cards_of(unseen ^ melding)]
    left.sort()
    return left


def melding_with(hand: CardSet, ace: Ace) -> CardSet:
    """Return the cards that make a meld of three with two cards of this hand (R1.3, R1.4)."""
    ends = _ends(ace)
    suits = [hand >> start & EVERY_RANK for start in _SUIT_STARTS]
    spades, hearts, diamonds, clubs = suits
    pairs = (
        spades & hearts
        | spades & diamonds
        | spades & clubs
        | hearts & diamonds
        | hearts & clubs
        | diamonds & clubs
    )
    cards = 0
    for start, ranks in zip(_SUIT_STARTS, suits, strict=True):
        cards |= ((pairs | ends[ranks]) & EVERY_RANK) << start
    return cards & ~hand


@cache
def _ends(ace: Ace) -> tuple[Ranks, ...]:
    """Return, for the cards of one suit, the ranks that make a run of three with two of them."""
    threes = [run for run in RUNS[ace] if run.bit_count() == SMALLEST_MELD]
    pairs: dict[Ranks, Ranks] = {}
    for run in threes:
        for rank in cards_of(run):
            pair = run ^ 1 << rank
            pairs[pair] = pairs.get(pair, 0) | 1 << rank
    ends = []
    for ranks in range(EVERY_RANK + 1):
        found = 0
        for pair, thirds in pairs.items():
            if ranks & pair == pair:
                found |= thirds
        ends.append(found)
    return tuple(ends)


@cache
def _points(ace_points: int) -> tuple[int, ...]:
    return tuple(points_of(card, ace_points) for card in range(DECK_SIZE))
