"""Taking a card (R3.1)."""

from engine.actions import Seat
from engine.events import DiscardDrawn, StockDrawn
from engine.refusal import Reason, require
from engine.state import Deal


def draw_stock(deal: Deal, seat: Seat) -> StockDrawn:
    """Judge drawing from the stock, which is never empty here: the deal ends at its floor (R4.5)."""
    return StockDrawn(seat, deal.stock[0], len(deal.stock) - 1)


def draw_discard(deal: Deal, seat: Seat) -> DiscardDrawn:
    """Judge taking the top discard; where all declined the upcard the first draw is from the stock (R2.4)."""
    require(not must_draw_stock(deal), Reason.MUST_DRAW_STOCK)
    return DiscardDrawn(seat, deal.discard_pile[-1])


def must_draw_stock(deal: Deal) -> bool:
    """Return whether every seat declined the upcard and nobody has drawn since."""
    return deal.turns == 0 and deal.passes == len(deal.hands)
