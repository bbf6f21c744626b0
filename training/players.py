"""The players of the league, compiled: what each takes, throws and knocks with."""

from typing import Final

import numpy as np

from training import deal as at
from training.compiling import compiled
from training.deal import below, stock, top
from training.features import (
    CHANCES,
    COUNT,
    DANGER,
    DEALS,
    GINS,
    KNOCKS,
    best_seven,
    consider,
    tell,
    unseen,
)
from training.hands import best_throw, completing, deadwood, index, loose_cards, throws
from training.nets import AWAIT, KNOCK, STOCK, Net, side, value
from training.tables import VALUE, Floats, Ints

GREEDY: Final = 0
SIMPLE: Final = 1
PATIENT: Final = 2
NET: Final = 3
SWITCHING: Final = 4

KNOCKED: Final = 64
"""Added to the card that a knock throws."""

_PATIENCE: Final = 18.0
_FADING: Final = 0.9
_DANGER: Final = 20.0
_HASTY_TURNS: Final = 3
_WITHIN: Final = 7
_FLOOR: Final = 2


@compiled
def style(player: int, history: Ints) -> int:
    """Return how a player plays this deal: the switching one is patient with a frequent knocker."""
    if player != SWITCHING:
        return player
    deals = history[DEALS]
    return PATIENT if deals and history[KNOCKS] + 0.4 >= 0.4 * (deals + 1) else NET


@compiled
def _gins(deal: Ints, seat: int, card: int) -> bool:
    hand = deal[at.HAND + seat]
    bit = 1 << card
    rest = hand
    while rest:
        other = rest & -rest
        rest ^= other
        if deadwood(hand ^ other | bit) == 0:
            return True
    return False


@compiled
def wants(deal: Ints, seat: int, player: int, net: Net, history: Ints, told: Floats, explore: Ints) -> bool:
    """Return whether a player takes the top of the discard pile.

    `told` gets what the net is told of drawing instead. `explore` holds 1 and the state of a generator
    where the choice is to be a random one; the 1 is taken away then.
    """
    card = top(deal)
    hand = deal[at.HAND + seat]
    bit = 1 << card
    player = style(player, history)
    if player == NET:
        chances = np.empty(CHANCES)
        consider(deal, seat, bit, chances)
        tell(deal, seat, hand, deadwood(hand), -1, chances, history, told)
    if _gins(deal, seat, card):
        return True
    if deal[at.THROWN + seat] & bit:
        return False
    melds = completing(hand) & bit != 0
    if player == GREEDY:
        return best_throw(hand | bit) < deadwood(hand)
    if player == PATIENT and not melds:
        return False
    if player == PATIENT:
        return _promises(deal, seat, card)
    if player != NET:
        return melds
    if not melds:
        left = 1000
        rest = hand
        while rest:
            other = rest & -rest
            rest ^= other
            left = min(left, deadwood(hand ^ other | bit))
        if left >= deadwood(hand):
            return False
    if explore[0] == 1:
        explore[0] = 0
        return below(explore[1:], 2) == 1
    scratch = np.empty(COUNT)
    first = side(net, history[DEALS], history[KNOCKS], history[GINS])
    _, best = _best(deal, seat, hand | bit, card, net, history, chances, scratch)
    return best > value(net, first + STOCK, told)


@compiled
def _promises(deal: Ints, seat: int, card: int) -> bool:
    """Return whether the patient player is better off with a card that makes a meld than without."""
    hand = deal[at.HAND + seat]
    bit = 1 << card
    chances = np.empty(CHANCES)
    consider(deal, seat, bit, chances)
    cards = unseen(deal, seat)
    weight = _patience(deal, seat)
    now = _cost(hand, deadwood(hand), cards, chances, weight)
    rest = hand
    while rest:
        other = rest & -rest
        rest ^= other
        kept = hand ^ other | bit
        if _cost(kept, deadwood(kept), cards, chances, weight) < now:
            return True
    return False


@compiled
def _patience(deal: Ints, seat: int) -> float:
    return _PATIENCE * _FADING ** deal[at.THROWS + seat]


@compiled
def _cost(hand: int, points: int, cards: int, chances: Floats, weight: float) -> float:
    dearest = 0
    rest = loose_cards(hand, points)
    while rest:
        bit = rest & -rest
        rest ^= bit
        dearest = max(dearest, VALUE[index(bit)])
    return points + weight * best_seven(hand, points, dearest, cards, chances, 0, np.empty(4)) / 7


@compiled
def _best(
    deal: Ints, seat: int, hand: int, taken: int, net: Net, history: Ints, chances: Floats, told: Floats
) -> tuple[int, float]:
    """Return the action a net prefers with eleven cards, and its value; `taken` may not be thrown."""
    left = np.empty(52, dtype=np.int64)
    throws(hand, left)
    least = 1000
    rest = hand
    while rest:
        bit = rest & -rest
        rest ^= bit
        if index(bit) != taken:
            least = min(least, left[index(bit)])
    action, best = -1, -1e300
    first = side(net, history[DEALS], history[KNOCKS], history[GINS])
    scratch = np.empty(COUNT)
    last = stock(deal) <= _FLOOR
    rest = hand
    while rest:
        bit = rest & -rest
        rest ^= bit
        card = index(bit)
        if card == taken or left[card] > least + _WITHIN:
            continue
        tell(deal, seat, hand ^ bit, left[card], card, chances, history, scratch)
        if left[card] <= deal[at.LIMIT]:
            worth = value(net, first + KNOCK, scratch)
            if worth > best:
                action, best = card + KNOCKED, worth
                told[:] = scratch
        worth = 0.0 if last else value(net, first + AWAIT, scratch)
        if worth > best:
            action, best = card, worth
            told[:] = scratch
    return action, best


@compiled
def ends_turn(
    deal: Ints,
    seat: int,
    taken: int,
    player: int,
    net: Net,
    history: Ints,
    told: Floats,
    explore: Ints,
    dice: Ints,
) -> int:
    """Return the card that a player throws, with `KNOCKED` added where it knocks.

    `taken` is the card it took face up, or none; `told` gets what the net was told of the choice.
    """
    hand = deal[at.HAND + seat]
    limit = deal[at.LIMIT]
    left = np.empty(52, dtype=np.int64)
    throws(hand, left)
    least, count = 1000, 0
    rest = hand
    while rest:
        bit = rest & -rest
        rest ^= bit
        card = index(bit)
        if card == taken:
            continue
        if left[card] == 0:
            return card + KNOCKED
        if left[card] < least:
            least, count = left[card], 0
        count += left[card] == least
    player = style(player, history)
    if player == NET:
        chances = np.empty(CHANCES)
        consider(deal, seat, 0, chances)
        if explore[0] == 1:
            explore[0] = 0
            return _any(deal, seat, taken, left, least, chances, history, told, explore)
        return _best(deal, seat, hand, taken, net, history, chances, told)[0]
    if player == PATIENT and (deal[at.THROWS + seat] >= _HASTY_TURNS or least > limit):
        return _patiently(deal, seat, taken, left)
    chosen = below(dice, count) if player == SIMPLE else 0
    for card in range(52):
        if hand >> card & 1 and card != taken and left[card] == least:
            if chosen == 0:
                return card + KNOCKED * (least <= limit)
            chosen -= 1
    return -1


@compiled
def _any(
    deal: Ints,
    seat: int,
    taken: int,
    left: Ints,
    least: int,
    chances: Floats,
    history: Ints,
    told: Floats,
    explore: Ints,
) -> int:
    """Return an action at random among those a net would look at."""
    hand = deal[at.HAND + seat]
    options = np.empty(22, dtype=np.int64)
    count = 0
    for card in range(52):
        if hand >> card & 1 and card != taken and left[card] <= least + _WITHIN:
            options[count] = card
            count += 1
            if left[card] <= deal[at.LIMIT]:
                options[count] = card + KNOCKED
                count += 1
    action = options[below(explore[1:], count)]
    card = action % KNOCKED
    tell(deal, seat, hand ^ 1 << card, left[card], card, chances, history, told)
    return action


@compiled
def _patiently(deal: Ints, seat: int, taken: int, left: Ints) -> int:
    chances = np.empty(CHANCES)
    consider(deal, seat, 0, chances)
    cards = unseen(deal, seat)
    hand = deal[at.HAND + seat]
    action, best = -1, 1e300
    weight = _patience(deal, seat)
    for card in range(52):
        if hand >> card & 1 and card != taken:
            kept = hand ^ 1 << card
            cost = _cost(kept, left[card], cards, chances, weight) + _DANGER * chances[DANGER + card]
            if cost < best:
                action, best = card, cost
    return action
