"""Cards as clients write them: one enum of 52 codes, shared by every operation."""

from collections.abc import Iterable
from typing import Annotated, Final, Literal, TypeAlias, cast

from msgspec import Meta

from engine.actions import Meld
from engine.cards import CODES, Card, CardSet, cards_of, parse
from service.http.problems import Code, Problem

CardCode: TypeAlias = Literal[
    "AS", "2S", "3S", "4S", "5S", "6S", "7S", "8S", "9S", "TS", "JS", "QS", "KS",
    "AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "TH", "JH", "QH", "KH",
    "AD", "2D", "3D", "4D", "5D", "6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD",
    "AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC", "JC", "QC", "KC",
]  # fmt: skip
"""A rank (A 2–9 T J Q K) and a suit (S H D C)."""

HandIn: TypeAlias = Annotated[list[CardCode], Meta(min_length=1, max_length=11)]
"""One to eleven cards."""

MeldIn: TypeAlias = Annotated[list[CardCode], Meta(min_length=1, max_length=11)]
"""The cards of one meld, as a client states it: it may be none."""

MeldsIn: TypeAlias = Annotated[list[MeldIn], Meta(max_length=4)]
"""Melds in the order in which they are numbered, from 0."""

_CODES: Final = cast("tuple[CardCode, ...]", CODES)


def code_of(card: Card) -> CardCode:
    """Return the code of a card."""
    return _CODES[card]


def codes_of(cards: CardSet) -> list[CardCode]:
    """Return the codes of a set of cards in the order of R1.5."""
    return [_CODES[card] for card in cards_of(cards)]


def codes_of_melds(melds: Iterable[Meld]) -> list[list[CardCode]]:
    """Return the codes of each meld."""
    return [codes_of(meld) for meld in melds]


def distinct(codes: Iterable[CardCode], held: CardSet = 0) -> CardSet:
    """Return the cards as a set; raise `Problem` where one is given twice, or is among `held` already."""
    cards = 0
    for code in codes:
        bit = 1 << parse(code)
        if bit & (cards | held):
            raise Problem(Code.DUPLICATE_CARDS, card=code)
        cards |= bit
    return cards
