"""The least deadwood of a hand, and the arrangements that reach it (R1.5)."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Final, TypeAlias

from msgspec import Struct

from engine.actions import Meld
from engine.cards import Card, CardSet, cards_of, points_of
from engine.melds import EVERY_RANK, RUNS, SUIT_SIZE, Ranks
from engine.rules import Ace, RuleSet

BySuit: TypeAlias = tuple[Ranks, Ranks, Ranks, Ranks]
"""A hand suit by suit: S H D C."""

Split: TypeAlias = tuple[Ranks, ...]
"""Runs of one suit that share no card, by first card."""

_LONGEST_NEEDED: Final = 5
"""Every longer run is made of shorter ones with the same cards."""

_SUIT_STARTS: Final = range(0, 52, SUIT_SIZE)

_NO_CARD: Final = 1_000
"""More than any deadwood: what throwing a card leaves of a suit that has none."""


class Arrangement(Struct, frozen=True):
    """A hand laid out: its melds by first card, the cards in no meld and their points (R1.5)."""

    melds: tuple[Meld, ...]
    unmatched: CardSet
    deadwood: int

    def __repr__(self) -> str:
        """Show no card."""
        return f"Arrangement(deadwood={self.deadwood})"


def order(melds: Sequence[Meld]) -> tuple[int, list[tuple[Card, ...]]]:
    """Return what R1.5 compares where deadwood is equal: fewest melds first, then the smallest list."""
    return len(melds), [cards_of(meld) for meld in melds]


class _Tables(Struct, frozen=True):
    """What the cards of one suit come to, by `Ranks`: without sets, the suits do not meet."""

    points: tuple[int, ...]
    left: tuple[int, ...]
    """The least points that runs of this suit leave."""
    saved: tuple[int, ...]
    """How much less is left if the best card of the suit is thrown; 0 where every throw breaks a run."""
    in_runs: tuple[Ranks, ...]
    """The cards that are in any run at all."""


class Solver:
    """Exact answers about hands of any size under one ace rule; `solver_for` keeps one of each."""

    deadwood: Callable[[CardSet], int]
    """Return the least deadwood of a hand over all arrangements (R1.5)."""

    def __init__(self, ace: Ace, ace_points: int) -> None:
        self._tables = _tabulate(ace, ace_points)
        self._splits = _splitter(ace, self._tables)
        self.deadwood = _deadwood(self._tables)
        self._best_throw = _best_throw(self._tables)

    def points(self, cards: CardSet) -> int:
        """Return the sum of the card values (R1.2)."""
        spades, hearts, diamonds, clubs = _by_suit(cards)
        points = self._tables.points
        return points[spades] + points[hearts] + points[diamonds] + points[clubs]

    def throws(self, hand: CardSet) -> dict[Card, int]:
        """Return the deadwood left after throwing each card, in ascending order of cards (R4.4)."""
        suits = _by_suit(hand)
        sets = _ranks_in_sets(*suits)
        left, in_runs = self._tables.left, self._tables.in_runs
        if sets and any(sets & in_runs[ranks] for ranks in suits):
            return {card: self.deadwood(hand ^ 1 << card) for card in cards_of(hand)}
        throws: dict[Card, int] = {}
        total = sum([left[ranks & ~sets] for ranks in suits])
        for start, held in zip(_SUIT_STARTS, suits, strict=True):
            in_no_set = held & ~sets
            elsewhere = total - left[in_no_set]
            waiting = held
            while waiting:
                card = waiting & -waiting
                waiting ^= card
                throws[start + card.bit_length() - 1] = (
                    self.deadwood(hand ^ card << start) if card & sets else elsewhere + left[in_no_set ^ card]
                )
        return throws

    def best_throw(self, hand: CardSet) -> int:
        """Return the least deadwood that throwing a card can leave: the least of `throws`, much faster."""
        least = self._best_throw(hand)
        if least == 0 and hand.bit_count() % 3 == 0:
            # All may be in melds of three: then every throw breaks one, which no suit's table says.
            return min(self.throws(hand).values())
        return least

    def arrange(self, hand: CardSet) -> Arrangement:
        """Return the arrangement that R1.5 prefers."""
        # With the same sets, the best split of each suit gives the best arrangement: melds are
        # compared in the order of their first cards, and other suits' melds stand in the same places.
        melds = min(
            (
                _merge(hand, suits, [self._splits(ranks)[0] for ranks in suits])
                for suits in self._optima(hand)
            ),
            key=order,
        )
        return self._arrangement(hand, melds)

    def arrangements(self, hand: CardSet, most: int | None = None) -> tuple[Arrangement, ...]:
        """Return the arrangements of least deadwood in R1.5's order; no more than `most`, if it is given."""
        optimal = sorted(self._optimal_melds(hand), key=order)[:most]
        return tuple(self._arrangement(hand, melds) for melds in optimal)

    def count(self, hand: CardSet) -> int:
        """Return how many arrangements reach the least deadwood."""
        return sum(1 for _ in self._optimal_melds(hand))

    def _arrangement(self, hand: CardSet, melds: tuple[Meld, ...]) -> Arrangement:
        unmatched = hand & ~sum(melds)
        return Arrangement(melds, unmatched, self.points(unmatched))

    def _optimal_melds(self, hand: CardSet) -> Iterator[tuple[Meld, ...]]:
        for suits in self._optima(hand):
            for splits in product(*map(self._splits, suits)):
                yield _merge(hand, suits, splits)

    def _optima(self, hand: CardSet) -> list[BySuit]:
        """Return what each choice of sets that may be best leaves to runs."""
        suits = _by_suit(hand)
        ranks = _ranks_in_sets(*suits)
        if not ranks:
            return [suits]
        layouts = _layouts(suits, ranks, self._tables.in_runs)
        left = self._tables.left
        totals = [sum(left[ranks] for ranks in layout) for layout in layouts]
        least = min(totals)
        return [layout for layout, total in zip(layouts, totals, strict=True) if total == least]


def solver_for(rules: RuleSet) -> Solver:
    """Return the solver of these rules; its tables are built on first use."""
    return _solver(rules.ace, rules.ace_points)


@cache
def _solver(ace: Ace, ace_points: int) -> Solver:
    return Solver(ace, ace_points)


def _tabulate(ace: Ace, ace_points: int) -> _Tables:
    values = [points_of(rank, ace_points) for rank in range(SUIT_SIZE)]
    short = _by_first_rank(run for run in RUNS[ace] if run.bit_count() <= _LONGEST_NEEDED)
    points, left, after, in_runs = [0], [0], [_NO_CARD], [0]
    for ranks in range(1, EVERY_RANK + 1):
        first = ranks & -ranks
        others = ranks ^ first
        value = values[first.bit_length() - 1]
        least = value + left[others]
        least_after = min(left[others], value + after[others])
        touched = in_runs[others]
        for run in short[first.bit_length() - 1]:
            if ranks & run == run:
                least = min(least, left[ranks ^ run])
                least_after = min(least_after, after[ranks ^ run])
                touched |= run
        points.append(value + points[others])
        left.append(least)
        after.append(least_after)
        in_runs.append(touched)
    saved = (max(0, least - least_after) for least, least_after in zip(left, after, strict=True))
    return _Tables(tuple(points), tuple(left), tuple(saved), tuple(in_runs))


def _by_first_rank(runs: Iterator[Ranks]) -> tuple[tuple[Ranks, ...], ...]:
    found: list[list[Ranks]] = [[] for _ in range(SUIT_SIZE)]
    for run in runs:
        found[(run & -run).bit_length() - 1].append(run)
    return tuple(map(tuple, found))


def _deadwood(tables: _Tables) -> Callable[[CardSet], int]:
    left, in_runs = tables.left, tables.in_runs

    # Everything asks for this number, so it is a closure over its tables with `_by_suit` and
    # `_ranks_in_sets` written out: half the time of the plain form.
    def deadwood(hand: CardSet) -> int:
        spades = hand & EVERY_RANK
        hearts = hand >> 13 & EVERY_RANK
        diamonds = hand >> 26 & EVERY_RANK
        clubs = hand >> 39
        ranks = (spades & hearts & (diamonds | clubs)) | (diamonds & clubs & (spades | hearts))
        if not ranks:
            return left[spades] + left[hearts] + left[diamonds] + left[clubs]
        if not ranks & (in_runs[spades] | in_runs[hearts] | in_runs[diamonds] | in_runs[clubs]):
            others = ~ranks
            return (
                left[spades & others] + left[hearts & others] + left[diamonds & others] + left[clubs & others]
            )
        layouts = _layouts((spades, hearts, diamonds, clubs), ranks, in_runs)
        return min([left[s] + left[h] + left[d] + left[c] for s, h, d, c in layouts])

    return deadwood


def _best_throw(tables: _Tables) -> Callable[[CardSet], int]:
    """Return the least deadwood after a throw, taking it that there is a throw that breaks no meld."""
    left, saved, in_runs = tables.left, tables.saved, tables.in_runs

    def left_after(spades: Ranks, hearts: Ranks, diamonds: Ranks, clubs: Ranks) -> int:
        most = max(saved[spades], saved[hearts], saved[diamonds], saved[clubs])
        return left[spades] + left[hearts] + left[diamonds] + left[clubs] - most

    def best_throw(hand: CardSet) -> int:
        spades = hand & EVERY_RANK
        hearts = hand >> 13 & EVERY_RANK
        diamonds = hand >> 26 & EVERY_RANK
        clubs = hand >> 39
        ranks = (spades & hearts & (diamonds | clubs)) | (diamonds & clubs & (spades | hearts))
        if not ranks:
            return left_after(spades, hearts, diamonds, clubs)
        if ranks & (in_runs[spades] | in_runs[hearts] | in_runs[diamonds] | in_runs[clubs]):
            layouts = _layouts((spades, hearts, diamonds, clubs), ranks, in_runs)
            return min([left_after(*layout) for layout in layouts])
        others = ~ranks
        return left_after(spades & others, hearts & others, diamonds & others, clubs & others)

    return best_throw


def _by_suit(hand: CardSet) -> BySuit:
    return hand & EVERY_RANK, hand >> 13 & EVERY_RANK, hand >> 26 & EVERY_RANK, hand >> 39


def _ranks_in_sets(spades: Ranks, hearts: Ranks, diamonds: Ranks, clubs: Ranks) -> Ranks:
    """Return the ranks held three or four times."""
    return (spades & hearts & (diamonds | clubs)) | (diamonds & clubs & (spades | hearts))


def _layouts(suits: BySuit, ranks: Ranks, in_runs: tuple[Ranks, ...]) -> list[BySuit]:
    """Return what each sensible choice of sets among `ranks` leaves to runs.

    A set none of whose cards is in a run is always taken. Any other is left, taken whole or, where
    all four cards are held, taken less one.
    """
    spades, hearts, diamonds, clubs = suits
    contested = ranks & (in_runs[spades] | in_runs[hearts] | in_runs[diamonds] | in_runs[clubs])
    others = ~(ranks ^ contested)
    layouts = [(spades & others, hearts & others, diamonds & others, clubs & others)]
    fours = spades & hearts & diamonds & clubs
    while contested:
        rank = contested & -contested
        contested ^= rank
        others = ~rank
        whole = [(s & others, h & others, d & others, c & others) for s, h, d, c in layouts]
        layouts += whole
        if rank & fours:
            for s, h, d, c in whole:
                layouts += (s | rank, h, d, c), (s, h | rank, d, c), (s, h, d | rank, c), (s, h, d, c | rank)
    return layouts


def _splitter(ace: Ace, tables: _Tables) -> Callable[[Ranks], tuple[Split, ...]]:
    points, left, in_runs = tables.points, tables.left, tables.in_runs
    runs = _by_first_rank(iter(RUNS[ace]))

    @cache
    def splits(ranks: Ranks) -> tuple[Split, ...]:
        """Return the ways to split one suit into runs that leave the least points, best first (R1.5)."""
        if not in_runs[ranks]:
            return ((),)
        first = ranks & -ranks
        found: list[Split] = []
        if left[ranks] == points[first] + left[ranks ^ first]:
            found += splits(ranks ^ first)
        for run in runs[first.bit_length() - 1]:
            if ranks & run == run and left[ranks] == left[ranks ^ run]:
                found += [(run, *others) for others in splits(ranks ^ run)]
        return tuple(sorted(found, key=order))

    return splits


def _merge(hand: CardSet, suits: BySuit, splits: Sequence[Split]) -> tuple[Meld, ...]:
    """Return the runs of each suit and the sets of the cards that were not left to runs, by first card."""
    spades, hearts, diamonds, clubs = suits
    in_sets = hand ^ (spades | hearts << 13 | diamonds << 26 | clubs << 39)
    melds = [run << start for start, runs in zip(_SUIT_STARTS, splits, strict=True) for run in runs]
    by_rank: dict[int, Meld] = {}
    for card in cards_of(in_sets):
        by_rank[card % SUIT_SIZE] = by_rank.get(card % SUIT_SIZE, 0) | 1 << card
    return tuple(sorted((*melds, *by_rank.values()), key=lambda meld: meld & -meld))
