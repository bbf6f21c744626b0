"""Taking a card (R3.1), and declining the last one (R4.5)."""

from msgspec.structs import replace

from engine.actions import Seat
from engine.events import DiscardDrawn, DiscardPassed, StockDrawn
from engine.phases.discard import is_big_gin, knockable, may_end
from engine.refusal import Reason, Refusal
from engine.rules import RuleSet, StockEnd
from engine.state import Deal, Phase, Source, Taken


def draw_stock(deal: Deal, seat: Seat) -> StockDrawn:
    """Judge drawing from the stock, which is never empty here: the deal ends at its floor (R4.5)."""
    return StockDrawn(seat, deal.stock[0], len(deal.stock) - 1)


def draw_discard(rules: RuleSet, deal: Deal, seat: Seat) -> DiscardDrawn:
    """Judge taking the top discard.

    Where all declined the upcard the first draw is from the stock (R2.4); the last discard may be for a
    knock only (R4.5).
    """
    fault = discard_fault(rules, deal, seat)
    if fault is not None:
        raise Refusal(fault)
    return DiscardDrawn(seat, deal.discard_pile[-1])


def decline_last(seat: Seat) -> DiscardPassed:
    """Judge declining the last discard: never refused."""
    return DiscardPassed(seat)


def discard_fault(rules: RuleSet, deal: Deal, seat: Seat) -> Reason | None:
    """Return why the top discard may not be taken, or None."""
    if must_draw_stock(deal):
        return Reason.MUST_DRAW_STOCK
    if deal.phase is Phase.LAST_DISCARD and rules.stock_end is StockEnd.LAST_DISCARD_KNOCK_ONLY:
        return None if _could_knock(rules, deal, seat) else Reason.NO_KNOCK_POSSIBLE
    return None


def must_draw_stock(deal: Deal) -> bool:
    """Return whether every seat declined the upcard and nobody has drawn since."""
    return deal.turns == 0 and deal.passes == len(deal.hands)


def _could_knock(rules: RuleSet, deal: Deal, seat: Seat) -> bool:
    card = deal.discard_pile[-1]
    taken = Taken(card, Source.DISCARD_PILE)
    hand = deal.hands[seat] | 1 << card
    if not may_end(rules, replace(deal, taken=taken)):
        return False
    return is_big_gin(rules, hand) or bool(knockable(rules, deal.knock_limit, hand, taken))
