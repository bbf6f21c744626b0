"""Which cards an audience knows: the one place that says so (an audience is a seat, or None)."""

from typing import TypeAlias

from engine.actions import Seat
from engine.cards import CardSet, set_of
from engine.events import DealStarted, StockDrawn
from engine.state import Deal, Match, PerSeat

Audience: TypeAlias = Seat | None
"""A seat, or None for everybody else: a spectator sees the public part, which every seat has too."""


def held(deal: Deal, audience: Audience) -> PerSeat[CardSet]:
    """Return, for each seat, the cards in its hand that the audience knows.

    A seat knows its own hand; everybody knows what was taken face up and not thrown since, the
    knocker's whole hand once it is spread, and what a defender has laid off (R5.2).
    """
    return tuple(
        hand if seat == audience or _spread_by(deal, seat) else deal.face_up[seat] | _laid_off(deal, seat)
        for seat, hand in enumerate(deal.hands)
    )


def known(match: Match, audience: Audience) -> CardSet:
    """Return every card whose place in the running deal the audience knows."""
    if match.deal is None:
        return 0
    cards = set_of(match.deal.discard_pile)
    for hand in held(match.deal, audience):
        cards |= hand
    return cards


def sees_card(event: StockDrawn, audience: Audience) -> bool:
    """Return whether the audience sees the card drawn from the stock: its own draw only."""
    return event.seat == audience


def dealt(event: DealStarted, audience: Audience) -> CardSet | None:
    """Return the hand dealt to the audience, or None for a spectator."""
    return None if audience is None else event.hands[audience]


def _spread_by(deal: Deal, seat: Seat) -> bool:
    return deal.spread is not None and deal.spread.seat == seat


def _laid_off(deal: Deal, seat: Seat) -> CardSet:
    if deal.spread is None:
        return 0
    return set_of(layoff.card for owner, layoff in deal.spread.layoffs if owner == seat)
