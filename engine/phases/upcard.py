"""The offer of the upcard (R2.4)."""

from engine.actions import Seat
from engine.events import UpcardPassed, UpcardTaken
from engine.state import Deal


def take_upcard(deal: Deal, seat: Seat) -> UpcardTaken:
    """Judge taking the upcard: open to every seat it is offered to."""
    return UpcardTaken(seat, deal.discard_pile[-1])


def decline(seat: Seat) -> UpcardPassed:
    """Judge declining the upcard: never refused."""
    return UpcardPassed(seat)
