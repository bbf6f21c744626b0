"""What a hand is worth: arrangements, throws, and melds that somebody states."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct

from engine.actions import Meld
from engine.cards import Card, CardSet
from engine.deadwood import Arrangement, solver_for
from engine.melds import is_meld
from engine.rules import RuleSet


class Throw(Struct, frozen=True):
    """What throwing one card leaves."""

    card: Card
    left: Arrangement
    may_knock: bool


class SolvedHand(Struct, frozen=True):
    """A hand with its best arrangement, as many further ones as were asked for, and its throws.

    A hand of a card more than is dealt has throws; `may_knock` and `gin` then say whether one of them
    allows it (R4.4), else whether the hand as it is would.
    """

    cards: CardSet
    best: Arrangement
    may_knock: bool
    gin: bool
    big_gin: bool
    arrangements: tuple[Arrangement, ...]
    throws: tuple[Throw, ...]


class Wanted(Struct, frozen=True):
    """What is asked of each hand: by which rules, for how many seats and with which knock limit.

    `arrangements` is how many of the best arrangements to list.
    """

    rules: RuleSet
    seats: int
    limit: int
    arrangements: int

    def has_throws(self, hand: CardSet) -> bool:
        """Return whether a hand has more cards than a seat is dealt."""
        return hand.bit_count() > self.rules.hand_size_for(self.seats)


def solve(wanted: Wanted, hands: Sequence[CardSet]) -> Iterator[SolvedHand]:
    """Solve each hand when it is asked for."""
    return (_solve(wanted, hand) for hand in hands)


def work_of(wanted: Wanted, hands: Sequence[CardSet]) -> int:
    """Return how many arrangements `solve` looks for."""
    each = 1 + wanted.arrangements
    return sum(each + (hand.bit_count() if wanted.has_throws(hand) else 0) for hand in hands)


def _solve(wanted: Wanted, hand: CardSet) -> SolvedHand:
    rules, limit = wanted.rules, wanted.limit
    solver = solver_for(rules)
    best = solver.arrange(hand)
    throws: tuple[Throw, ...] = ()
    least = best.deadwood
    if wanted.has_throws(hand):
        throws = tuple(
            Throw(card, solver.arrange(hand ^ 1 << card), deadwood <= limit)
            for card, deadwood in solver.throws(hand).items()
        )
        least = min(throw.left.deadwood for throw in throws)
    return SolvedHand(
        cards=hand,
        best=best,
        may_knock=least <= limit,
        gin=least == 0,
        big_gin=rules.big_gin and bool(throws) and best.deadwood == 0,
        arrangements=solver.arrangements(hand, wanted.arrangements) if wanted.arrangements else (),
        throws=throws,
    )


class MeldFault(StrEnum):
    """What is wrong with a stated meld."""

    NOT_IN_HAND = "not-in-hand"
    NOT_A_MELD = "not-a-meld"
    OVERLAP = "overlap"


class Checked(Struct, frozen=True):
    """Melds held against a hand; `deadwood` is None where they are not valid."""

    faults: tuple[tuple[int, MeldFault], ...]
    deadwood: int | None
    optimal_deadwood: int


def check(rules: RuleSet, hand: CardSet, melds: Sequence[Meld]) -> Checked:
    """Hold melds against a hand: each a meld of cards held, no card in two."""
    solver = solver_for(rules)
    faults = tuple(faults_of(rules, hand, melds))
    left = None if faults else solver.points(hand & ~sum(melds))
    return Checked(faults, left, solver.deadwood(hand))


def faults_of(rules: RuleSet, hand: CardSet, melds: Sequence[Meld]) -> Iterator[tuple[int, MeldFault]]:
    """Return what is wrong with each meld, by its number."""
    used = 0
    for number, meld in enumerate(melds):
        if meld & ~hand:
            yield number, MeldFault.NOT_IN_HAND
        if not is_meld(meld, rules.ace):
            yield number, MeldFault.NOT_A_MELD
        if meld & used:
            yield number, MeldFault.OVERLAP
        used |= meld
