"""Level ``club``: the Simple player of the EAAI-2021 gin rummy challenge, written to its description.

It takes a face-up card only into a meld, throws one of the cards that leave the least deadwood, knocks
as soon as it may and defends with its best melds.
"""

import hashlib
from typing import Final

from engine.actions import BigGin, Discard, DrawDiscard, DrawStock, Knock, LayOff, Move, Pass, TakeUpcard
from engine.cards import CODES, Card, CardSet, cards_of, rank_of, suit_of
from engine.legal import Offer
from engine.melds import is_meld
from engine.rules import Ace, StockEnd
from engine.state import Phase
from engine.view import View

_RANKS: Final = 13
_MELD_SIZE: Final = 3


def choose(view: View, seed: bytes) -> Move:
    """Return the action this player takes in a view in which its seat is in turn."""
    offers = {offer.action: offer for offer in view.actions}
    match view.phase:
        case Phase.UPCARD_OFFER:
            return TakeUpcard() if _wants_face_up(view) else Pass()
        case Phase.DRAW:
            return DrawDiscard() if DrawDiscard in offers and _wants_face_up(view) else DrawStock()
        case Phase.DISCARD:
            if BigGin in offers:
                return BigGin()
            if Knock in offers:
                return Knock(_least_deadwood(view, seed, offers[Knock]))
            return Discard(_least_deadwood(view, seed, offers[Discard]))
        case Phase.LAST_DISCARD:
            return DrawDiscard() if DrawDiscard in offers and _wants_last(view) else Pass()
        case Phase.LAYOFF:
            return LayOff()
        case Phase.WAITING | Phase.FINISHED:
            raise ValueError("nobody is in turn")


def _wants_face_up(view: View) -> bool:
    table = view.table
    return table is not None and _makes_meld(view.hand, table.discard_pile[-1], view.rules.ace)


def _wants_last(view: View) -> bool:
    # Where it may be taken for a knock only, it is worth taking: that is what the offer says.
    return view.rules.stock_end is StockEnd.LAST_DISCARD_KNOCK_ONLY or _wants_face_up(view)


def _makes_meld(hand: CardSet, card: Card, ace: Ace) -> bool:
    rank, suit = rank_of(card), suit_of(card)
    held = hand | 1 << card
    if sum(held >> (_RANKS * other + rank) & 1 for other in range(4)) >= _MELD_SIZE:
        return True
    for first in range(rank - 2, rank + 1):
        run = 0
        for step in range(_MELD_SIZE):
            run |= 1 << _RANKS * suit + (first + step) % _RANKS
        if run & held == run and is_meld(run, ace):
            return True
    return False


def _least_deadwood(view: View, seed: bytes, offer: Offer) -> Card:
    left = view.deadwood_after
    least = min(left[card] for card in offer.cards)
    equal = [card for card in offer.cards if left[card] == least]
    return min(equal, key=lambda card: (_noise(view, seed, card), card))


def _noise(view: View, seed: bytes, card: Card) -> bytes:
    held = " ".join(CODES[each] for each in cards_of(view.hand))
    return hashlib.sha256(b"%b %d %b %b" % (seed, view.version, held.encode(), CODES[card].encode())).digest()
