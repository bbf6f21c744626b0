"""What the house plays for a seat whose time is up: the safest legal move, by its view alone (R3.5)."""

from typing import Final

from engine.actions import BigGin, Discard, DrawStock, Knock, LayOff, Move, OnTimeout, Pass
from engine.cards import Card
from engine.legal import Offer
from engine.state import Phase
from engine.view import View

FORFEITED_AT: Final[dict[OnTimeout, int]] = {OnTimeout.PLAY: 3, OnTimeout.FORFEIT: 1}
"""The time-out in a row at which a seat loses the match."""


def safest(view: View) -> Move:
    """Return the move in a view in which its seat is in turn.

    It takes no face-up card, throws the card that leaves the least deadwood, knocks only where the turn
    must end so, and defends as well as it can.
    """
    match view.phase:
        case Phase.UPCARD_OFFER | Phase.LAST_DISCARD:
            return Pass()
        case Phase.DRAW:
            return DrawStock()
        case Phase.DISCARD:
            return _end_of_turn(view)
        case Phase.LAYOFF:
            return LayOff()
        case Phase.WAITING | Phase.FINISHED:
            raise ValueError("nobody is in turn")


def _end_of_turn(view: View) -> Move:
    offers = {offer.action: offer for offer in view.actions}
    if Discard in offers:
        return Discard(_cheapest(view, offers[Discard]))
    # R4.5: the seat took the last discard for a knock, gin or big gin before its time was up.
    return BigGin() if BigGin in offers else Knock(_cheapest(view, offers[Knock]))


def _cheapest(view: View, offer: Offer) -> Card:
    """Return the throw that leaves the least deadwood; of equals, that with the highest number (R1.5)."""
    return min(offer.cards, key=lambda card: (view.deadwood_after[card], -card))
