"""Random hands that look like play: some loose, most half melded, and the passage to `exhaustive`."""

import random
from typing import Final, Literal

from engine.cards import CardSet, cards_of, set_of
from tests.engine.exhaustive import Group, Pair

ACE_POINTS: Final[tuple[Literal[1, 11, 15], ...]] = (1, 11, 15)


def loose(dice: random.Random, count: int) -> CardSet:
    return set_of(dice.sample(range(52), count))


def melded(dice: random.Random, count: int) -> CardSet:
    """Return a hand from few ranks or few suits, where sets and runs fight for cards."""
    if dice.random() < 0.7:
        low, width = dice.randrange(13), dice.choice((3, 3, 4))
        near = [suit * 13 + (low + step) % 13 for suit in range(4) for step in range(width)]
    else:
        near = [suit * 13 + rank for suit in dice.sample(range(4), dice.choice((1, 2))) for rank in range(13)]
    kept = dice.sample(near, dice.randint(count * 2 // 3, count))
    others = [card for card in range(52) if card not in kept]
    return set_of(kept + dice.sample(others, count - len(kept)))


def pairs(cards: CardSet) -> list[Pair]:
    return [divmod(card, 13) for card in cards_of(cards)]


def groups(melds: tuple[CardSet, ...]) -> tuple[Group, ...]:
    return tuple(tuple(pairs(meld)) for meld in melds)
