"""Cards as small integers and sets of cards as 52-bit integers; text exists at the edges only."""

from collections.abc import Iterable
from enum import IntEnum
from typing import Final, TypeAlias

Card: TypeAlias = int
"""0–51: 13 × suit + rank, suits in the order S H D C, the ace first (R1.5)."""

CardSet: TypeAlias = int
"""A set of cards: bit ``n`` stands for card ``n``."""

DECK_SIZE: Final = 52
RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
CODES: Final[tuple[str, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The code of each card, by card number (R1.1)."""

_NUMBERS: Final[dict[str, Card]] = {code: number for number, code in enumerate(CODES)}


class Rank(IntEnum):
    """The thirteen ranks in the order of the deck."""

    ACE = 0
    TWO = 1
    THREE = 2
    FOUR = 3
    FIVE = 4
    SIX = 5
    SEVEN = 6
    EIGHT = 7
    NINE = 8
    TEN = 9
    JACK = 10
    QUEEN = 11
    KING = 12


class UnknownCardError(ValueError):
    """A text that is none of the 52 codes (R1.1); ``code`` is that text."""

    def __init__(self, code: str) -> None:
        super().__init__(f"{code!r} is not a card")
        self.code = code


def parse(code: str) -> Card:
    """Return the card of a two-character code; raise `UnknownCardError` for anything else (R1.1)."""
    try:
        return _NUMBERS[code]
    except KeyError:
        raise UnknownCardError(code) from None


def parse_all(codes: str) -> tuple[Card, ...]:
    """Return the cards of codes divided by blanks, in the order given."""
    return tuple(parse(code) for code in codes.split())


def set_of(cards: Iterable[Card]) -> CardSet:
    """Return the set that holds these cards."""
    held = 0
    for card in cards:
        held |= 1 << card
    return held


def cards_of(held: CardSet) -> tuple[Card, ...]:
    """Return the cards of a set in ascending order of card number (R1.5)."""
    cards: list[Card] = []
    while held:
        lowest = held & -held
        cards.append(lowest.bit_length() - 1)
        held ^= lowest
    return tuple(cards)


def rank_of(card: Card) -> Rank:
    """Return the rank of a card."""
    return Rank(card % 13)


def suit_of(card: Card) -> int:
    """Return the suit of a card: 0–3 for S H D C."""
    return card // 13


def points_of(card: Card, ace_points: int) -> int:
    """Return what an unmatched card costs: a court card 10, an ace `ace_points`, else its number (R1.2)."""
    rank = rank_of(card)
    return ace_points if rank is Rank.ACE else min(rank + 1, 10)


def text(cards: Iterable[Card]) -> str:
    """Return codes divided by blanks, for messages of tests and tools."""
    return " ".join(CODES[card] for card in cards)
