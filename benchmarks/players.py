"""The panel: players against whom a bot is judged, each with a style of its own."""

from typing import Final

from benchmarks.arena import Chooser
from engine.actions import BigGin, Discard, DrawDiscard, DrawStock, Knock, LayOff, Move, Pass, TakeUpcard
from engine.bots.taking import gins_with, is_own_throw, least_after
from engine.cards import Card
from engine.deadwood import solver_for
from engine.state import Phase
from engine.view import View


def greedy(view: View, seed: bytes) -> Move:  # noqa: ARG001  every player has this shape
    """Leave the least deadwood after each throw, knock as soon as it may."""
    offers = {offer.action: offer for offer in view.actions}

    def least(cards: tuple[Card, ...]) -> Card:
        return min(cards, key=lambda card: (view.deadwood_after[card], card))

    match view.phase:
        case Phase.UPCARD_OFFER:
            return TakeUpcard() if _lowers(view) else Pass()
        case Phase.DRAW:
            return DrawDiscard() if DrawDiscard in offers and _lowers(view) else DrawStock()
        case Phase.DISCARD:
            if BigGin in offers:
                return BigGin()
            if Knock in offers:
                return Knock(least(offers[Knock].cards))
            return Discard(least(offers[Discard].cards))
        case Phase.LAST_DISCARD:
            return DrawDiscard() if DrawDiscard in offers else Pass()
        case _:
            return LayOff()


def _lowers(view: View) -> bool:
    if is_own_throw(view):
        return gins_with(view)
    return least_after(view) < solver_for(view.rules).deadwood(view.hand)


PANEL: Final[dict[str, Chooser]] = {"greedy": greedy}
"""Those of the panel that are no level."""
