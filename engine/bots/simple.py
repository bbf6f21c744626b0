"""The Simple player of the EAAI-2021 gin rummy challenge, written to its description, and weaker ones.

It takes a face-up card only into a meld, throws one of the cards that leave the least deadwood, knocks
as soon as it may and defends with its best melds. A weaker one now and then throws any card that is in
no meld. None takes back a card that it threw.
"""

from engine.actions import BigGin, Discard, DrawDiscard, DrawStock, Knock, LayOff, Move, Pass, TakeUpcard
from engine.bots.noise import happens, noise
from engine.bots.taking import gins_with, is_own_throw, melds_with
from engine.cards import Card
from engine.legal import Offer
from engine.rules import StockEnd
from engine.state import Phase
from engine.view import View


def choose(view: View, seed: bytes, astray: int = 0) -> Move:
    """Return the action this player takes in a view in which its seat is in turn.

    In `astray` of 100 turns that end in a throw it is any card of no meld.
    """
    offers = {offer.action: offer for offer in view.actions}
    match view.phase:
        case Phase.UPCARD_OFFER:
            return TakeUpcard() if melds_with(view) else Pass()
        case Phase.DRAW:
            return DrawDiscard() if DrawDiscard in offers and _wants(view) else DrawStock()
        case Phase.DISCARD:
            if BigGin in offers:
                return BigGin()
            if Knock in offers:
                return Knock(_least_deadwood(view, seed, offers[Knock]))
            if happens(view, seed, astray):
                return Discard(_any_unmatched(view, seed, offers[Discard]))
            return Discard(_least_deadwood(view, seed, offers[Discard]))
        case Phase.LAST_DISCARD:
            return DrawDiscard() if DrawDiscard in offers and _wants_last(view) else Pass()
        case Phase.LAYOFF:
            return LayOff()
        case Phase.WAITING | Phase.FINISHED:
            raise ValueError("nobody is in turn")


def _wants(view: View) -> bool:
    return gins_with(view) if is_own_throw(view) else melds_with(view)


def _wants_last(view: View) -> bool:
    # Where it may be taken for a knock only, it is worth taking: that is what the offer says.
    return view.rules.stock_end is StockEnd.LAST_DISCARD_KNOCK_ONLY or _wants(view)


def _least_deadwood(view: View, seed: bytes, offer: Offer) -> Card:
    left = view.deadwood_after
    least = min(left[card] for card in offer.cards)
    equal = [card for card in offer.cards if left[card] == least]
    return min(equal, key=lambda card: (noise(view, seed, card), card))


def _any_unmatched(view: View, seed: bytes, offer: Offer) -> Card:
    assert view.arrangement is not None  # noqa: S101  who throws holds cards
    unmatched = [card for card in offer.cards if view.arrangement.unmatched >> card & 1]
    return min(unmatched or offer.cards, key=lambda card: (noise(view, seed, card), card))
