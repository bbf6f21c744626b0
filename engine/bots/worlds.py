"""Hands that the other seats may hold, drawn by how likely each card is, always the same ones."""

from collections.abc import Iterator
from hashlib import shake_128
from typing import Final

from engine.actions import Seat
from engine.bots.belief import held_by, unseen
from engine.cards import Card, CardSet, cards_of
from engine.view import View

_SCALE: Final = 1 << 16
_WORD: Final = 4


def worlds(view: View, count: int) -> Iterator[dict[Seat, CardSet]]:
    """Yield what the other seats might hold, `count` times: as many cards as they do, with those known.

    The same view gives the same hands, on every machine; they depend on nothing but the own cards.
    """
    words = _words(view, count)
    weights = {opponent.seat: _weights(view, opponent.seat) for opponent in view.opponents}
    for _ in range(count):
        placed = 0
        hands: dict[Seat, CardSet] = {}
        for opponent in view.opponents:
            wanted = (opponent.hand_count or 0) - opponent.known_cards.bit_count()
            hidden = _drawn(weights[opponent.seat], placed, wanted, words)
            placed |= hidden
            hands[opponent.seat] = opponent.known_cards | hidden
        yield hands


def _weights(view: View, seat: Seat) -> list[tuple[Card, int]]:
    chances = held_by(view, seat)
    return [(card, 1 + int(chances[card] * _SCALE)) for card in cards_of(unseen(view))]


def _drawn(weights: list[tuple[Card, int]], placed: CardSet, wanted: int, words: Iterator[int]) -> CardSet:
    drawn = 0
    left = [(card, weight) for card, weight in weights if not placed >> card & 1]
    total = sum([weight for _, weight in left])
    for _ in range(wanted):
        at = next(words) % total
        for number, (card, weight) in enumerate(left):
            if at < weight:
                drawn |= 1 << card
                total -= weight
                del left[number]
                break
            at -= weight
    return drawn


def _words(view: View, count: int) -> Iterator[int]:
    needed = count * sum([opponent.hand_count or 0 for opponent in view.opponents])
    stream = shake_128(b"gin-worlds-1 %d" % view.hand).digest(needed * _WORD)
    return (int.from_bytes(stream[at : at + _WORD]) for at in range(0, len(stream), _WORD))
