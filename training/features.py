"""What a net is told of a hand, compiled: the same whole numbers as `engine.bots.features` tells."""

import math
from typing import Final

import numpy as np

from engine.bots.belief import BY_VALUE
from engine.bots.belief import DECLINED as DECLINED_SIGN
from engine.bots.belief import HELD as HELD_SIGN
from engine.bots.belief import THROWN as THROWN_SIGN
from training import deal as at
from training.compiling import compiled
from training.deal import stock
from training.hands import (
    best_throw,
    completing,
    extending,
    index,
    loose_cards,
    ones,
    partnered,
)
from training.tables import CHANCE, VALUE, Floats, Ints

COUNT: Final = 25
PLAIN: Final = 22
ONE: Final = 1024.0

FULL: Final = (1 << 52) - 1
_LIMIT: Final = 800
_BY_VALUE: Final = np.array(BY_VALUE, dtype=np.int64)

DANGER: Final = 52
"""In the array of chances: first those of being held, then the dangers, then sums over the unseen."""
IN_STOCK: Final = 104
ALL: Final = 104
WEIGHT: Final = 105
NUMBER: Final = 116
OTHERS_DEADWOOD: Final = 127
UNSEEN_WEIGHT: Final = 128
CHANCES: Final = 130

DEALS: Final = 0
KNOCKS: Final = 1
GINS: Final = 2
KNOCK_POINTS: Final = 3
HISTORY: Final = 4
"""What is kept of the other seat over a match."""


@compiled
def _sway(odds: Ints, signs: int, same: int, beside: int, near: int) -> None:
    while signs:
        bit = signs & -signs
        signs ^= bit
        card = index(bit)
        rank = card % 13
        for other in range(rank, 52, 13):
            if other != card:
                odds[other] += same
        if rank >= 1:
            odds[card - 1] += beside
        if rank <= 11:
            odds[card + 1] += beside
        if rank >= 2:
            odds[card - 2] += near
        if rank <= 10:
            odds[card + 2] += near


@compiled
def unseen(deal: Ints, seat: int) -> int:
    """Return the cards that a seat has not placed."""
    return FULL & ~(deal[at.HAND + seat] | deal[at.PILE] | deal[at.KNOWN + 1 - seat])


@compiled
def consider(deal: Ints, seat: int, taken: int, chances: Floats) -> None:
    """Write what does not depend on the seat's choice: beliefs, dangers and sums over the unseen.

    `taken` is the set of a card that it may take, or nothing.
    """
    other = 1 - seat
    cards = unseen(deal, seat)
    known = deal[at.KNOWN + other]
    hidden = at.HAND_SIZE - ones(known)
    count = ones(cards)
    odds = _BY_VALUE.copy()
    _sway(odds, known, HELD_SIGN[0], HELD_SIGN[1], HELD_SIGN[2])
    _sway(odds, deal[at.THROWN + other], THROWN_SIGN[0], THROWN_SIGN[1], THROWN_SIGN[2])
    _sway(odds, deal[at.DECLINED + other], DECLINED_SIGN[0], DECLINED_SIGN[1], DECLINED_SIGN[2])
    chances[:] = 0.0
    if hidden > 0:
        base = np.searchsorted(CHANCE, hidden / count) - _LIMIT
        sum_ = 0.0
        rest = cards
        while rest:
            bit = rest & -rest
            rest ^= bit
            card = index(bit)
            chances[card] = CHANCE[min(max(base + odds[card], -_LIMIT), _LIMIT) + _LIMIT]
            sum_ += chances[card]
        scale = hidden / sum_
        rest = cards
        while rest:
            bit = rest & -rest
            rest ^= bit
            card = index(bit)
            chances[card] = min(1.0, chances[card] * scale)
    rest = known
    while rest:
        bit = rest & -rest
        rest ^= bit
        chances[index(bit)] = 1.0
    others = 0.0
    rest = cards
    while rest:
        bit = rest & -rest
        rest ^= bit
        card = index(bit)
        weight = 1.0 - chances[card]
        chances[WEIGHT + VALUE[card]] += weight
        chances[NUMBER + VALUE[card]] += 1.0
        chances[UNSEEN_WEIGHT] += weight
    rest = cards | known
    while rest:
        bit = rest & -rest
        rest ^= bit
        card = index(bit)
        others += chances[card] * VALUE[card] * (1.0 - danger(chances, card))
    chances[OTHERS_DEADWOOD] = others
    rest = deal[at.HAND + seat] | taken
    while rest:
        bit = rest & -rest
        rest ^= bit
        card = index(bit)
        chances[DANGER + card] = danger(chances, card)


@compiled
def danger(chances: Floats, card: int) -> float:
    """Return the chance that a card would make a meld with two cards of the other hand."""
    rank = card % 13
    safe = 1.0
    a = chances[(card + 13) % 52]
    b = chances[(card + 26) % 52]
    c = chances[(card + 39) % 52]
    safe *= 1.0 - a * b
    safe *= 1.0 - a * c
    safe *= 1.0 - b * c
    if rank >= 2:
        safe *= 1.0 - chances[card - 2] * chances[card - 1]
    if 1 <= rank <= 11:
        safe *= 1.0 - chances[card - 1] * chances[card + 1]
    if rank <= 10:
        safe *= 1.0 - chances[card + 1] * chances[card + 2]
    return 1.0 - safe


@compiled
def best_seven(
    hand: int, points: int, dearest: int, cards: int, chances: Floats, limit: int, out: Floats
) -> int:
    """Return the sum of the seven least deadwoods after one more card, of `cards`, and the best throw.

    `out` gets, weighted by the chance of drawing it, the deadwood, whether it is gin, whether it is
    within the limit and whether it makes a meld: four sums.
    """
    counts = np.zeros(101, dtype=np.int64)
    weight = np.empty(11)
    number = np.empty(11)
    for value in range(1, 11):
        weight[value] = chances[WEIGHT + value]
        number[value] = chances[NUMBER + value]
    out[:4] = 0.0
    rest = completing(hand) & cards
    while rest:
        bit = rest & -rest
        rest ^= bit
        card = index(bit)
        left = best_throw(hand | bit)
        chance = 1.0 - chances[card]
        weight[VALUE[card]] -= chance
        number[VALUE[card]] -= 1.0
        counts[left] += 1
        out[0] += left * chance
        if left == 0:
            out[1] += chance
        if left <= limit:
            out[2] += chance
        out[3] += chance
    for value in range(1, 11):
        if number[value] > 0.5:
            left = points - max(0, dearest - value)
            counts[left] += int(number[value])
            out[0] += left * weight[value]
            if left == 0:
                out[1] += weight[value]
            if left <= limit:
                out[2] += weight[value]
    wanted, sum_ = 7, 0
    for left in range(101):
        if counts[left]:
            some = min(wanted, counts[left])
            sum_ += some * left
            wanted -= some
            if wanted == 0:
                break
    return sum_


@compiled
def tell(
    deal: Ints, seat: int, hand: int, points: int, card: int, chances: Floats, history: Ints, told: Floats
) -> None:
    """Write what a net is told of ten cards, whose deadwood is `points`, after throwing `card` (or none).

    Every number is whole, in units of 1/1024.
    """
    other = 1 - seat
    limit = deal[at.LIMIT]
    known = deal[at.KNOWN + other]
    cards = FULL & ~(deal[at.HAND + seat] | deal[at.PILE] | known)
    loose = loose_cards(hand, points)
    dearest, fear = 0, 0.0
    rest = loose
    while rest:
        bit = rest & -rest
        rest ^= bit
        dearest = max(dearest, VALUE[index(bit)])
        fear += chances[DANGER + index(bit)]
    sums = np.empty(4)
    seven = best_seven(hand, points, dearest, cards, chances, limit, sums)
    all_ = max(chances[UNSEEN_WEIGHT], 1e-9)
    gin = sums[1] / all_
    exposed = 0.0
    rest = extending(hand & ~loose) & (cards | known)
    while rest:
        bit = rest & -rest
        rest ^= bit
        exposed += chances[index(bit)] * VALUE[index(bit)]
    thrown = deal[at.THROWS + other]
    deals = history[DEALS]
    told[0] = points / 30
    told[1] = ones(loose) / 5
    told[2] = seven / 140
    told[3] = sums[0] / all_ / 30
    told[4] = 5 * gin
    told[5] = sums[2] / all_
    told[6] = stock(deal) / 31
    told[7] = chances[DANGER + card] if card >= 0 else 0.0
    told[8] = VALUE[card] / 10 if card >= 0 else 0.0
    told[9] = ones(known) / 4
    told[10] = VALUE[deal[at.LAST_THROWN + other]] / 10 if thrown else 0.0
    told[11] = deal[at.THROWN_POINTS + other] / thrown / 10 if thrown else 0.0
    told[12] = 1.0 if points <= limit else 0.0
    told[13] = 2 * math.sqrt(gin)
    told[14] = exposed / 10
    told[15] = dearest / 10
    told[16] = fear
    told[17] = 2 * (sums[3] / all_)
    told[18] = ones(partnered(loose, hand)) / 5
    told[19] = thrown / 10
    told[20] = (history[KNOCKS] + 1) / (deals + 3)
    told[21] = min(deals, 8) / 8
    told[22] = (history[GINS] + 1) / (deals + 3)
    told[23] = (history[KNOCK_POINTS] + 12) / (history[KNOCKS] + 2) / 10
    told[24] = chances[OTHERS_DEADWOOD] / 50
    for place in range(COUNT):
        told[place] = math.floor(told[place] * ONE + 0.5)
