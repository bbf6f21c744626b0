"""``gin-shuffle-1``: every order of cards as a pure function of a seed, checkable in any language."""

import hashlib
import hmac
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final, TypeVar

from msgspec import Struct

from engine.cards import DECK_SIZE, Card

ALGORITHM: Final = "gin-shuffle-1"
SEED_SIZE: Final = 32

_WORDS: Final = 1 << 32

T = TypeVar("T")


class ShuffleMode(StrEnum):
    """Where the order of the cards comes from."""

    SERVER = "server"
    SEED = "seed"
    DECKS = "decks"


class Shuffle(Struct, frozen=True):
    """The secret that orders every deck of a match: 32 bytes, and the decks that were given.

    A given deck lists its 52 cards in the order in which they leave it; deal n uses the n-th, and
    deals after the last given one are shuffled by the seed.
    """

    mode: ShuffleMode
    server_seed: bytes
    decks: tuple[tuple[Card, ...], ...] = ()

    def __repr__(self) -> str:
        """Show no seed and no card."""
        return f"Shuffle({self.mode})"


def seed_of_text(text: str) -> bytes:
    """Return the server seed that a text stands for: SHA-256("gin-seed-1" ‖ text in UTF-8)."""
    return hashlib.sha256(b"gin-seed-1" + text.encode()).digest()


def commitment(match_id: bytes, server_seed: bytes) -> bytes:
    """Return what is published before the first card: SHA-256("gin-shuffle-1" ‖ match id ‖ seed).

    `match_id` is the UUID's 16 bytes.
    """
    return hashlib.sha256(ALGORITHM.encode() + match_id + server_seed).digest()


def deck(shuffle: Shuffle, deal: int) -> tuple[Card, ...]:
    """Return the 52 cards of deal `deal` (from 1, void ones count), in the order they leave the deck."""
    if deal <= len(shuffle.decks):
        return shuffle.decks[deal - 1]
    return shuffled(range(DECK_SIZE), shuffle.server_seed, f"deal:{deal}")


def first_dealer(shuffle: Shuffle, seats: int) -> int:
    """Return the seat that deals first where none was named (R2.2)."""
    return _Stream(_key(shuffle.server_seed, "dealer")).index_below(seats)


def shuffled(items: Iterable[T], server_seed: bytes, label: str) -> tuple[T, ...]:
    """Return the items in the order of the stream named by `label`."""
    order = list(items)
    stream = _Stream(_key(server_seed, label))
    for last in range(len(order) - 1, 0, -1):
        other = stream.index_below(last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def _key(server_seed: bytes, label: str) -> bytes:
    return hmac.digest(server_seed, label.encode(), "sha256")


class _Stream:
    """32-bit words from HMAC-SHA256 in counter mode, each block read as eight big-endian words."""

    def __init__(self, key: bytes) -> None:
        self._words = self._generate(key)

    def index_below(self, bound: int) -> int:
        """Return an index in 0 … bound − 1, every one as likely as the others."""
        fair = _WORDS - _WORDS % bound
        while (word := next(self._words)) >= fair:
            pass
        return word % bound

    @staticmethod
    def _generate(key: bytes) -> Iterator[int]:
        counter = 0
        while True:
            block = hmac.digest(key, counter.to_bytes(4), "sha256")
            for at in range(0, len(block), 4):
                yield int.from_bytes(block[at : at + 4])
            counter += 1
