"""How likely a throw is to complete a meld of the seat to which it is offered."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import Final, TypeAlias

from engine.actions import Seat
from engine.cards import DECK_SIZE, Card, cards_of
from engine.melds import RUNS, SMALLEST_MELD, SUIT_SIZE
from engine.rules import Ace
from engine.view import View

Pairs: TypeAlias = tuple[tuple[Card, Card], ...]

_SUIT_STARTS: Final = range(0, DECK_SIZE, SUIT_SIZE)


def danger(held: Sequence[float], card: Card, ace: Ace) -> float:
    """Return the chance, 0–1, that a hand believed to be `held` melds this card with two of its own.

    `held` has a chance for each of the 52 cards. The pairs are taken as independent of each other.
    """
    harmless = 1.0
    for first, second in melding_pairs(ace)[card]:
        harmless *= 1.0 - held[first] * held[second]
    return 1.0 - harmless


def next_seat(view: View) -> Seat:
    """Return the seat to which a throw of the seat in turn is offered."""
    assert view.table is not None  # noqa: S101  somebody is in turn
    return (view.table.turn + 1) % (len(view.opponents) + 1)


@cache
def melding_pairs(ace: Ace) -> tuple[Pairs, ...]:
    """Return for each card the pairs of others that make a meld of three with it (R1.3, R1.4)."""
    return tuple(tuple(_pairs(card, ace)) for card in range(DECK_SIZE))


def _pairs(card: Card, ace: Ace) -> Iterator[tuple[Card, Card]]:
    rank = card % SUIT_SIZE
    yield from combinations((start + rank for start in _SUIT_STARTS if start + rank != card), 2)
    for run in sorted(run for run in RUNS[ace] if run.bit_count() == SMALLEST_MELD and run >> rank & 1):
        first, second = cards_of(run & ~(1 << rank))
        yield card - rank + first, card - rank + second
