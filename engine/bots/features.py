"""What the expert's nets are told of a position: whole numbers, from public facts and the own hand.

They are in units of 1/1024 and come from sums in a fixed order, so that every machine tells the same.
The training counts the same numbers in compiled code, and a test holds the two against each other.
"""

from math import floor, sqrt
from typing import Final, TypeAlias

from engine.actions import Seat
from engine.bots.belief import held_by, unseen
from engine.cards import DECK_SIZE, Card, CardSet, cards_of, points_of
from engine.deadwood import solver_for
from engine.view import Table, View

Told: TypeAlias = tuple[int, ...]

ONE: Final = 1024
"""The unit of what is told."""

_VALUE: Final = tuple(points_of(card, 1) for card in range(DECK_SIZE))
_VALUES: Final = range(1, 11)
_EVERY_RANK: Final = (1 << 13) - 1
_SUITS: Final = (0, 13, 26, 39)
_BEST: Final = 7
"""How many of the best next hands are looked at."""

_LONG: Final = 8
"""From so many deals on, a match is long."""

_USUAL: Final = 6
"""The deadwood of a knock, as far as the match has not shown another."""


class Outlook:
    """What a seat makes of the other hand, whatever it chooses itself: a game for two in points."""

    def __init__(self, view: View, table: Table) -> None:
        opponent = view.opponents[0]
        self.solver = solver_for(view.rules)
        self.chances = held_by(view, opponent.seat)
        self.unseen = unseen(view)
        self.known = opponent.known_cards
        self.limit = table.knock_limit
        self.stock = table.stock_count
        self._dangers: dict[Card, float] = {}
        self._weigh()
        self._public = _public(view, table, opponent.seat)

    def _weigh(self) -> None:
        """Count the unseen cards by value, and how likely each value is in the stock."""
        chances = self.chances
        self.weights = [0.0] * 11
        self.numbers = [0] * 11
        self.weight = 0.0
        for card in cards_of(self.unseen):
            weight = 1.0 - chances[card]
            self.weights[_VALUE[card]] += weight
            self.numbers[_VALUE[card]] += 1
            self.weight += weight
        others = 0.0
        for card in cards_of(self.unseen | self.known):
            others += chances[card] * _VALUE[card] * (1.0 - danger(chances, card))
        self.others_deadwood = others

    def danger(self, card: Card) -> float:
        """Return the chance that the other seat could meld this card."""
        if card not in self._dangers:
            self._dangers[card] = danger(self.chances, card)
        return self._dangers[card]

    def tell(self, hand: CardSet, points: int, card: Card | None) -> Told:
        """Return what is told of ten cards, whose deadwood is `points`, after throwing a card or none."""
        loose, dearest, fear = 0, 0, 0.0
        for each, left in self.solver.throws(hand).items():
            if left == points - _VALUE[each]:
                loose |= 1 << each
                dearest = max(dearest, _VALUE[each])
                fear += self.danger(each)
        seven, sums = self._after_a_draw(hand, points, dearest)
        weight = max(self.weight, 1e-9)
        gin = sums[1] / weight
        exposed = 0.0
        for each in cards_of(extending(hand & ~loose) & (self.unseen | self.known)):
            exposed += self.chances[each] * _VALUE[each]
        known, last, mean, thrown, *match = self._public
        told = (
            points / 30,
            loose.bit_count() / 5,
            seven / 140,
            sums[0] / weight / 30,
            5 * gin,
            sums[2] / weight,
            self.stock / 31,
            0.0 if card is None else self.danger(card),
            0.0 if card is None else _VALUE[card] / 10,
            known,
            last,
            mean,
            1.0 if points <= self.limit else 0.0,
            2 * sqrt(gin),
            exposed / 10,
            dearest / 10,
            fear,
            2 * (sums[3] / weight),
            partnered(loose, hand).bit_count() / 5,
            thrown,
            *match,
            self.others_deadwood / 50,
        )
        return tuple(floor(each * ONE + 0.5) for each in told)

    def _after_a_draw(
        self, hand: CardSet, points: int, dearest: int
    ) -> tuple[int, tuple[float, float, float, float]]:
        """Return the sum of the seven least deadwoods after one card more, and four sums over the draws.

        Weighted by the chance of the draw: the deadwood, gin, a knock, a meld.
        """
        weights, numbers = self.weights.copy(), self.numbers.copy()
        deadwood = gin = knock = meld = 0.0
        lefts: list[int] = []
        best_throw, chances, limit = self.solver.best_throw, self.chances, self.limit
        for card in cards_of(completing(hand) & self.unseen):
            left = best_throw(hand | 1 << card)
            chance = 1.0 - chances[card]
            weights[_VALUE[card]] -= chance
            numbers[_VALUE[card]] -= 1
            lefts.append(left)
            deadwood += left * chance
            meld += chance
            if left == 0:
                gin += chance
            if left <= limit:
                knock += chance
        for value in _VALUES:
            if numbers[value]:
                left = points - max(0, dearest - value)
                lefts += [left] * numbers[value]
                deadwood += left * weights[value]
                if left == 0:
                    gin += weights[value]
                if left <= limit:
                    knock += weights[value]
        lefts.sort()
        return sum(lefts[:_BEST]), (deadwood, gin, knock, meld)


def _public(view: View, table: Table, seat: Seat) -> tuple[float, ...]:
    """Return what is told of the other seat: its cards, its throws, and how it ended earlier deals."""
    thrown = table.seen[seat].thrown
    deals, tally = view.deal_count, view.tallies[seat]
    return (
        view.opponents[0].known_cards.bit_count() / 4,
        _VALUE[thrown[-1]] / 10 if thrown else 0.0,
        sum(_VALUE[card] for card in thrown) / len(thrown) / 10 if thrown else 0.0,
        len(thrown) / 10,
        (tally.knocks + 1) / (deals + 3),
        min(deals, _LONG) / _LONG,
        (tally.gins + 1) / (deals + 3),
        (tally.knock_deadwood + 2 * _USUAL) / (tally.knocks + 2) / 10,
    )


def danger(chances: list[float], card: Card) -> float:
    """Return the chance that a card would make a meld with two cards of a hand with these chances."""
    rank = card % 13
    a, b, c = (chances[(card + turn) % DECK_SIZE] for turn in _SUITS[1:])
    safe = (1.0 - a * b) * (1.0 - a * c) * (1.0 - b * c)
    if rank >= 2:  # noqa: PLR2004  two lower ranks
        safe *= 1.0 - chances[card - 2] * chances[card - 1]
    if 1 <= rank <= 11:  # noqa: PLR2004  one lower, one higher
        safe *= 1.0 - chances[card - 1] * chances[card + 1]
    if rank <= 10:  # noqa: PLR2004  two higher ranks
        safe *= 1.0 - chances[card + 1] * chances[card + 2]
    return 1.0 - safe


def completing(hand: CardSet) -> CardSet:
    """Return the cards that would make a meld with two cards of a hand, the ace being low."""
    s, h, d, c = (hand >> start & _EVERY_RANK for start in _SUITS)
    pairs = (s & h) | (d & c) | ((s | h) & (d | c))
    cards = pairs | pairs << 13 | pairs << 26 | pairs << 39
    for start, ranks in zip(_SUITS, (s, h, d, c), strict=True):
        up, down = ranks << 1, ranks >> 1
        cards |= ((up & ranks << 2 | up & down | down & ranks >> 2) & _EVERY_RANK) << start
    return cards & ~hand


def extending(melded: CardSet) -> CardSet:
    """Return the cards that three melded cards of their rank, or three in a row beside them, would take."""
    suits = [melded >> start & _EVERY_RANK for start in _SUITS]
    s, h, d, c = suits
    sets = (s & h & (d | c)) | (d & c & (s | h))
    cards = sets | sets << 13 | sets << 26 | sets << 39
    for start, ranks in zip(_SUITS, suits, strict=True):
        runs = ranks << 1 & ranks << 2 & ranks << 3 | ranks >> 1 & ranks >> 2 & ranks >> 3
        cards |= (runs & _EVERY_RANK) << start
    return cards & ~melded


def partnered(cards: CardSet, hand: CardSet) -> CardSet:
    """Return those of `cards` with another card of `hand` of their rank or within two of their suit."""
    suits = [hand >> start & _EVERY_RANK for start in _SUITS]
    s, h, d, c = suits
    pairs = (s & h) | (d & c) | ((s | h) & (d | c))
    found = 0
    for start, ranks in zip(_SUITS, suits, strict=True):
        beside = ranks << 1 | ranks << 2 | ranks >> 1 | ranks >> 2 | pairs
        found |= (beside & _EVERY_RANK) << start
    return found & cards
