"""A deal between two seats as one array of integers, and what happens to it, compiled."""

from typing import Final

import numpy as np

from training.compiling import compiled
from training.hands import index
from training.tables import VALUE, Ints

HAND: Final = 0
"""Each of these is followed by the other seat's."""
KNOWN: Final = 2
"""Cards taken face up and still held."""
THROWN: Final = 4
DECLINED: Final = 6
THROWS: Final = 8
"""How many cards a seat threw, one thrown twice counting twice."""
THROWN_POINTS: Final = 10
LAST_THROWN: Final = 12
PILE: Final = 14
PILE_SIZE: Final = 15
DRAWN: Final = 16
"""How many cards have left the deck."""
TURNS: Final = 17
LIMIT: Final = 18
TOP: Final = 19
"""Where the discard pile begins: then its cards from the bottom up."""
SIZE: Final = TOP + 60

HAND_SIZE: Final = 10
DECK: Final = 52
NONE: Final = -1

_STEP: Final = 0x9E3779B97F4A7C15 - (1 << 64)


@compiled
def shuffled(deck: Ints, seed: int, match: int, number: int) -> None:
    """Write the deck of a deal: the same for the same three numbers."""
    state = np.array([seed * 1_000_003 + match * 257 + number], dtype=np.int64)
    for place in range(DECK):
        deck[place] = place
    for place in range(DECK - 1, 0, -1):
        other = below(state, place + 1)
        deck[place], deck[other] = deck[other], deck[place]


@compiled
def below(state: Ints, bound: int) -> int:
    """Return a number below `bound` and move the generator (splitmix64) on."""
    state[0] += _STEP
    mixed = np.uint64(state[0])
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return int(np.int64((mixed >> np.uint64(11)) % np.uint64(bound)))


@compiled
def begin(deal: Ints, deck: Ints, dealer: int, limit: int) -> None:
    """Deal ten cards each, the seat after the dealer first, and turn one up."""
    deal[:] = 0
    deal[LAST_THROWN] = deal[LAST_THROWN + 1] = NONE
    for place in range(2 * HAND_SIZE):
        deal[HAND + (dealer + 1 + place) % 2] |= 1 << deck[place]
    upcard = deck[2 * HAND_SIZE]
    deal[DRAWN] = 2 * HAND_SIZE + 1
    deal[LIMIT] = limit
    _lay(deal, upcard)


@compiled
def stock(deal: Ints) -> int:
    """Return how many cards the stock has."""
    return DECK - deal[DRAWN]


@compiled
def top(deal: Ints) -> int:
    """Return the top of the discard pile."""
    return deal[TOP + deal[PILE_SIZE] - 1]


@compiled
def take(deal: Ints, seat: int) -> int:
    """Take the top of the discard pile."""
    card = top(deal)
    bit = 1 << card
    deal[PILE_SIZE] -= 1
    deal[PILE] ^= bit
    deal[HAND + seat] |= bit
    deal[KNOWN + seat] |= bit
    return card


@compiled
def decline(deal: Ints, seat: int) -> None:
    """Leave the top of the discard pile."""
    deal[DECLINED + seat] |= 1 << top(deal)


@compiled
def draw(deal: Ints, seat: int, deck: Ints) -> None:
    """Take the top of the stock."""
    deal[HAND + seat] |= 1 << deck[deal[DRAWN]]
    deal[DRAWN] += 1


@compiled
def throw(deal: Ints, seat: int, card: int) -> None:
    """Throw a card; the turn is over."""
    gone = ~(1 << card)
    deal[HAND + seat] &= gone
    deal[KNOWN + seat] &= gone
    deal[THROWN + seat] |= ~gone
    deal[THROWS + seat] += 1
    deal[THROWN_POINTS + seat] += VALUE[card]
    deal[LAST_THROWN + seat] = card
    deal[TURNS] += 1
    _lay(deal, card)


@compiled
def _lay(deal: Ints, card: int) -> None:
    deal[TOP + deal[PILE_SIZE]] = card
    deal[PILE_SIZE] += 1
    deal[PILE] |= 1 << card


@compiled
def top_of(cards: int) -> int:
    """Return the card of a set of one."""
    return index(cards)
