"""Deadwood and shapes of a hand, compiled: the engine's solver in the same steps, for the low ace."""

from training.compiling import compiled
from training.tables import IN_RUNS, LEFT, SAVED, VALUE, Ints

EVERY = 0x1FFF
"""The thirteen ranks of one suit."""

_WAYS = 6
"""A rank held three or four times: left to runs, a whole set, or a set of four less one card."""


@compiled
def _in_sets(spades: int, hearts: int, diamonds: int, clubs: int) -> int:
    return (spades & hearts & (diamonds | clubs)) | (diamonds & clubs & (spades | hearts))


@compiled
def _least(hand: int, throwing: bool) -> int:
    s = hand & EVERY
    h = hand >> 13 & EVERY
    d = hand >> 26 & EVERY
    c = hand >> 39 & EVERY
    sets = _in_sets(s, h, d, c)
    contested = sets & (IN_RUNS[s] | IN_RUNS[h] | IN_RUNS[d] | IN_RUNS[c])
    free = ~(sets ^ contested)
    ways = 1
    rest = contested
    while rest:
        rest &= rest - 1
        ways *= _WAYS
    fours = s & h & d & c
    least = 1000
    for way in range(ways):
        a, b, e, f = s & free, h & free, d & free, c & free
        rest, code, possible = contested, way, True
        while rest:
            rank = rest & -rest
            rest ^= rank
            kind = code % _WAYS
            code //= _WAYS
            if kind > 1 and not fours & rank:
                possible = False
                break
            if kind:
                a, b, e, f = a & ~rank, b & ~rank, e & ~rank, f & ~rank
            if kind == 2:
                a |= rank
            elif kind == 3:
                b |= rank
            elif kind == 4:
                e |= rank
            elif kind == 5:
                f |= rank
        if not possible:
            continue
        left = LEFT[a] + LEFT[b] + LEFT[e] + LEFT[f]
        if throwing:
            left -= max(SAVED[a], SAVED[b], SAVED[e], SAVED[f])
        least = min(least, left)
    return least


@compiled
def deadwood(hand: int) -> int:
    """Return the least deadwood of a hand."""
    return _least(hand, False)


@compiled
def best_throw(hand: int) -> int:
    """Return the least deadwood that a throw from eleven cards can leave."""
    return _least(hand, True)


@compiled
def loose_cards(hand: int, points: int) -> int:
    """Return the cards that are unmatched in some arrangement of least deadwood, which is `points`."""
    loose = 0
    rest = hand
    while rest:
        bit = rest & -rest
        rest ^= bit
        if deadwood(hand ^ bit) == points - VALUE[index(bit)]:
            loose |= bit
    return loose


@compiled
def ones(cards: int) -> int:
    """Return how many cards a set has."""
    cards = cards - ((cards >> 1) & 0x5555555555555555)
    cards = (cards & 0x3333333333333333) + ((cards >> 2) & 0x3333333333333333)
    cards = (cards + (cards >> 4)) & 0x0F0F0F0F0F0F0F0F
    cards = cards + (cards >> 8)
    cards = cards + (cards >> 16)
    return (cards + (cards >> 32)) & 0x7F


@compiled
def index(bit: int) -> int:
    """Return the card of a set of one."""
    return ones(bit - 1)


@compiled
def completing(hand: int) -> int:
    """Return the cards that would make a meld with two cards of a hand."""
    s = hand & EVERY
    h = hand >> 13 & EVERY
    d = hand >> 26 & EVERY
    c = hand >> 39 & EVERY
    pairs = (s & h) | (s & d) | (s & c) | (h & d) | (h & c) | (d & c)
    cards = pairs | pairs << 13 | pairs << 26 | pairs << 39
    for start in (0, 13, 26, 39):
        ranks = hand >> start & EVERY
        up, down = ranks << 1, ranks >> 1
        runs = (up & ranks << 2) | (up & down) | (down & ranks >> 2)
        cards |= (runs & EVERY) << start
    return cards & ~hand


@compiled
def extending(melded: int) -> int:
    """Return the cards that three melded cards of their rank, or three in a row beside them, would take."""
    s = melded & EVERY
    h = melded >> 13 & EVERY
    d = melded >> 26 & EVERY
    c = melded >> 39 & EVERY
    sets = _in_sets(s, h, d, c)
    cards = sets | sets << 13 | sets << 26 | sets << 39
    for start in (0, 13, 26, 39):
        ranks = melded >> start & EVERY
        runs = (ranks << 1 & ranks << 2 & ranks << 3) | (ranks >> 1 & ranks >> 2 & ranks >> 3)
        cards |= (runs & EVERY) << start
    return cards & ~melded


@compiled
def partnered(cards: int, hand: int) -> int:
    """Return those of `cards` with another card of `hand` of their rank or within two of their suit."""
    found = 0
    s = hand & EVERY
    h = hand >> 13 & EVERY
    d = hand >> 26 & EVERY
    c = hand >> 39 & EVERY
    pairs = (s & h) | (s & d) | (s & c) | (h & d) | (h & c) | (d & c)
    for start in (0, 13, 26, 39):
        ranks = hand >> start & EVERY
        beside = (ranks << 1) | (ranks << 2) | (ranks >> 1) | (ranks >> 2) | pairs
        found |= (beside & EVERY) << start
    return found & cards


@compiled
def total(cards: int) -> int:
    """Return the sum of the card values."""
    points = 0
    while cards:
        bit = cards & -cards
        cards ^= bit
        points += VALUE[index(bit)]
    return points


@compiled
def first_card(cards: int) -> int:
    """Return the lowest card of a set that is not empty."""
    return index(cards & -cards)


@compiled
def throws(hand: int, left: Ints) -> int:
    """Write the deadwood that throwing each card of a hand leaves, by card; return the least."""
    least = 1000
    rest = hand
    while rest:
        bit = rest & -rest
        rest ^= bit
        card = index(bit)
        left[card] = deadwood(hand ^ bit)
        least = min(least, left[card])
    return least
