"""Slow and plain answers to what the solver answers fast: every arrangement is looked at.

Cards are (suit, rank) pairs and melds are tuples of them. Nothing here is shared with the engine.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

Pair: TypeAlias = tuple[int, int]
"""A card as (suit, rank), both from 0; pairs sort as R1.5 numbers cards."""

Group: TypeAlias = tuple[Pair, ...]
"""A meld, its cards in ascending order."""


class Optimum(NamedTuple):
    deadwood: int
    arrangements: list[tuple[Group, ...]]
    """All that reach it, in R1.5's order."""


def value(card: Pair, ace_points: int) -> int:
    return ace_points if card[1] == 0 else min(10, card[1] + 1)


def is_meld(cards: Sequence[Pair], ace: str) -> bool:
    if len(cards) < 3:
        return False
    ranks = sorted(rank for _, rank in cards)
    if len({rank for _, rank in cards}) == 1:
        return True
    return len({suit for suit, _ in cards}) == 1 and any(
        ranks == sorted(rank % 13 for rank in range(low, low + len(ranks)))
        for low in _starts(ace, len(ranks))
    )


def _starts(ace: str, length: int) -> range:
    """Return the ranks at which a run of this length may begin; rank 13 is the ace above the king."""
    highest = {"low": 12, "high": 13, "both": 13, "corner": 12 + length}[ace]
    return range(1 if ace == "high" else 0, min(highest + 1 - length, 12) + 1)


def melds_in(hand: Sequence[Pair], ace: str) -> list[Group]:
    found: list[Group] = []
    for rank in range(13):
        same = [card for card in hand if card[1] == rank]
        found += [group for many in (3, 4) for group in combinations(sorted(same), many)]
    for suit in range(4):
        held = sorted(card for card in hand if card[0] == suit)
        windows = {
            tuple(sorted((suit, rank % 13) for rank in range(low, low + length)))
            for length in range(3, len(held) + 1)
            for low in _starts(ace, length)
        }
        found += [window for window in windows if set(window) <= set(held)]
    return found


def arrangements(hand: Sequence[Pair], ace: str) -> Iterator[tuple[Group, ...]]:
    """Yield every way to put cards of the hand into melds, each once, melds by first card."""
    melds = sorted(melds_in(hand, ace))

    def further(begin: int, taken: frozenset[Pair]) -> Iterator[tuple[Group, ...]]:
        yield ()
        for index in range(begin, len(melds)):
            if taken.isdisjoint(melds[index]):
                for others in further(index + 1, taken.union(melds[index])):
                    yield (melds[index], *others)

    return further(0, frozenset())


def optimum(hand: Sequence[Pair], ace: str, ace_points: int) -> Optimum:
    total = sum(value(card, ace_points) for card in hand)
    best = total
    found: list[tuple[Group, ...]] = []
    for arrangement in arrangements(hand, ace):
        left = total - sum(value(card, ace_points) for meld in arrangement for card in meld)
        if left < best:
            best, found = left, []
        if left == best:
            found.append(arrangement)
    return Optimum(best, sorted(found, key=lambda melds: (len(melds), melds)))


def layings(
    spread: Sequence[Group], hand: Sequence[Pair], ace: str, *, chained: bool
) -> set[frozenset[tuple[Pair, int]]]:
    """Return every set of (card, meld number) that can be laid off one card at a time."""
    seen: set[frozenset[tuple[Pair, int]]] = {frozenset()}
    waiting = list(seen)
    while waiting:
        laid = waiting.pop()
        used = {card for card, _ in laid}
        for card in set(hand) - used:
            for number, meld in enumerate(spread):
                grown = [*meld, *(other for other, where in laid if where == number), card]
                fits = is_meld(grown, ace) and (chained or is_meld([*meld, card], ace))
                if fits and (more := laid | {(card, number)}) not in seen:
                    seen.add(more)
                    waiting.append(more)
    return seen


def defence(
    spread: Sequence[Group], hand: Sequence[Pair], ace: str, ace_points: int, *, chained: bool
) -> tuple[int, int, tuple[int, tuple[Group, ...]], list[tuple[Pair, int]]]:
    """Return the best of all defences as R5.3 ranks them: deadwood, layoffs, melds, which layoffs."""
    found = []
    known: dict[frozenset[Pair], Optimum] = {}
    for laid in layings(spread, hand, ace, chained=chained):
        kept = frozenset(hand) - {card for card, _ in laid}
        if kept not in known:
            known[kept] = optimum(sorted(kept), ace, ace_points)
        best = known[kept]
        melds = best.arrangements[0]
        found.append((best.deadwood, len(laid), (len(melds), melds), sorted(laid)))
    return min(found)
