"""The panel: players against whom a bot is judged, each with a style of its own."""

from functools import cache
from pathlib import Path
from typing import Final

from benchmarks.arena import Chooser
from engine.actions import BigGin, Discard, DrawDiscard, DrawStock, Knock, LayOff, Move, Pass, TakeUpcard
from engine.bots import patient
from engine.bots.expert import choose_by
from engine.bots.net import Nets, decode
from engine.bots.taking import gins_with, is_own_throw, least_after
from engine.cards import Card
from engine.deadwood import solver_for
from engine.state import Phase
from engine.view import View

_OFTEN: Final = 0.4
"""The share of deals that a seat which often knocks ends without gin."""


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


def plain(view: View, seed: bytes) -> Move:  # noqa: ARG001  every player has this shape
    """Play by a small net that knows nothing of earlier deals but how often the other seat knocked."""
    return choose_by(view, _nets())


def switching(view: View, seed: bytes) -> Move:
    """Play by the same net, but wait against a seat that often knocks without gin."""
    knocks = view.tallies[view.opponents[0].seat].knocks
    often = view.deal_count and knocks + _OFTEN >= _OFTEN * (view.deal_count + 1)
    return patient.choose(view, seed) if often else plain(view, seed)


@cache
def _nets() -> Nets:
    return decode((Path(__file__).parent / "panel" / "plain.json").read_text(encoding="utf-8"))


def _lowers(view: View) -> bool:
    if is_own_throw(view):
        return gins_with(view)
    return least_after(view) < solver_for(view.rules).deadwood(view.hand)


PANEL: Final[dict[str, Chooser]] = {"greedy": greedy, "plain": plain, "switching": switching}
"""Those of the panel that are no level."""
