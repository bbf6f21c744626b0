"""Advice in words: a ground in a sentence of the caller's language, and what a bot's level is like."""

from pathlib import Path
from typing import Final

from engine.bots import Level
from engine.cards import CODES, CardSet, cards_of
from engine.grounds import Because
from service.http.texts import Language, bundles_in, told

TEXTS: Final = Path(__file__).parent / "texts"
"""One file of messages for each language."""

_SUITS: Final = str.maketrans("SHDC", "♠♥♦♣")


def sentence(because: Because, seats: int, language: Language) -> str:
    """Return a ground as a sentence about the action; `seats` is how many play.

    A message has one number: the chance of what has one, else the count of what has one, else the points.
    """
    number = next(
        (figure for figure in (because.percent, because.count, because.points) if figure is not None), 0
    )
    values: dict[str, int | str] = {"n": number, "cards": shown(because.cards), "seats": seats}
    return told(_BUNDLES[language], f"reason-{because.ground}", values)


def level_in_words(level: Level, language: Language) -> str:
    """Return what a bot of this level is like, in a sentence."""
    return told(_BUNDLES[language], f"level-{level}", {})


def shown(cards: CardSet) -> str:
    """Return cards as players write them: 9♠ 10♠ J♠."""
    return " ".join(CODES[card].replace("T", "10").translate(_SUITS) for card in cards_of(cards))


_BUNDLES: Final = bundles_in(TEXTS)
