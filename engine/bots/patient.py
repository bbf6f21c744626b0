"""Level ``strong``: a player who waits. It weighs what a throw leaves against what the next draw promises.

A throw costs the deadwood it leaves, the deadwood that the best next draws would leave, which counts for
less each turn, and the danger that the next seat melds the card. It knocks early in a deal, and after
that waits for gin.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from engine.actions import BigGin, Discard, DrawDiscard, DrawStock, Knock, LayOff, Move, Pass, TakeUpcard
from engine.bots.belief import held_by, unseen
from engine.bots.danger import danger, next_seat
from engine.bots.outlook import after_draws
from engine.bots.taking import face_up, gins_with, holding, is_own_throw, melds_with
from engine.cards import Card, CardSet, cards_of
from engine.deadwood import solver_for
from engine.rules import Scoring
from engine.state import Phase
from engine.view import Table, View

_OUTLOOK: Final = 18.0
"""What the mean deadwood after the best draws weighs in the first turn, beside the deadwood left."""
_FADING: Final = 0.9
"""How much of that weight the next turn keeps."""
BEST_DRAWS: Final = 7
DANGER: Final = 20.0
"""What it costs, in points, to throw a card that the next seat certainly melds."""
_EAGER_TURNS: Final = 3
"""In so many turns of its own it knocks as soon as it may."""


def choose(view: View, seed: bytes) -> Move:  # noqa: ARG001  every level has this shape; this one never throws dice
    """Return the action this player takes in a view in which its seat is in turn."""
    offers = {offer.action: offer for offer in view.actions}
    match view.phase:
        case Phase.UPCARD_OFFER:
            return TakeUpcard() if _wants(view) else Pass()
        case Phase.DRAW:
            return DrawDiscard() if DrawDiscard in offers and _wants(view) else DrawStock()
        case Phase.DISCARD:
            if BigGin in offers:
                return BigGin()
            if Knock in offers and (offers[Knock].gin or Discard not in offers or _knocks(view)):
                return Knock(_least(view, offers[Knock].cards))
            return Discard(best_throw(view, offers[Discard].cards))
        case Phase.LAST_DISCARD:
            return DrawDiscard() if DrawDiscard in offers and _wants(view) else Pass()
        case Phase.LAYOFF:
            return LayOff()
        case Phase.WAITING | Phase.FINISHED:
            raise ValueError("nobody is in turn")


def best_throw(view: View, cards: Sequence[Card]) -> Card:
    """Return which of these cards this player throws without a knock."""
    held = held_by(view, next_seat(view))
    hidden = unseen(view)

    def cost(card: Card) -> float:
        kept = _cost(view, view.hand & ~(1 << card), hidden)
        return kept + DANGER * danger(held, card, view.rules.ace)

    return min(cards, key=lambda card: (cost(card), card))


def turn_of(view: View) -> int:
    """Return the number of the seat's own turn in this deal, from 1."""
    table = _table(view)
    return len(table.seen[table.turn].thrown) + 1


def outlook(turn: int) -> float:
    """Return what the deadwood after the best draws weighs in the turn of this number."""
    weight = _OUTLOOK
    for _ in range(1, turn):
        weight *= _FADING
    return weight


def _cost(view: View, hand: CardSet, hidden: CardSet) -> float:
    """Return what it costs to go on with this hand while these cards are not seen."""
    solver = solver_for(view.rules)
    draws = after_draws(view.rules, solver, hand, hidden)[:BEST_DRAWS]
    return solver.deadwood(hand) + outlook(turn_of(view)) * (sum(draws) / max(1, len(draws)))


def _wants(view: View) -> bool:
    """Return whether the face-up card gins, or makes a meld and a better hand to go on with."""
    if gins_with(view):
        return True
    if is_own_throw(view) or not melds_with(view):
        return False
    hidden = unseen(view)
    hand, taken = holding(view), face_up(view)
    now = _cost(view, view.hand, hidden)
    return any(_cost(view, hand & ~(1 << card), hidden) < now for card in cards_of(hand) if card != taken)


def _knocks(view: View) -> bool:
    return view.rules.scoring is Scoring.PENALTY or turn_of(view) <= _EAGER_TURNS


def _least(view: View, cards: Iterable[Card]) -> Card:
    return min(cards, key=lambda card: (view.deadwood_after[card], card))


def _table(view: View) -> Table:
    assert view.table is not None  # noqa: S101  somebody is in turn
    return view.table
