"""What the seat in turn may do. It asks the same questions as the judge, so the two cannot disagree."""

from msgspec import Struct

from engine.actions import Action, BigGin, Discard, DrawDiscard, Knock, Seat
from engine.cards import Card
from engine.flow import FLOW
from engine.phases.discard import is_big_gin, knockable, may_end, must_knock, throwable
from engine.phases.draw import discard_fault
from engine.rules import RuleSet
from engine.state import Deal, Match


class Offer(Struct, frozen=True):
    """An action open to the seat in turn; `cards` are those it may name, `gin` those that are gin."""

    action: type[Action]
    cards: tuple[Card, ...] = ()
    gin: tuple[Card, ...] = ()

    def __repr__(self) -> str:
        """Show no card."""
        return f"Offer({self.action.__name__})"


def legal_actions(match: Match, seat: Seat) -> tuple[Offer, ...]:
    """Return what `engine.apply` would accept of this seat, resigning aside (R3.4, R10)."""
    deal = match.deal
    if deal is None or seat != deal.turn:
        return ()
    offers = (_offer(match.rules, deal, seat, action) for action in FLOW[deal.phase])
    return tuple(offer for offer in offers if offer is not None)


def _offer(rules: RuleSet, deal: Deal, seat: Seat, action: type[Action]) -> Offer | None:
    hand = deal.hands[seat]
    if action is Discard:
        return None if must_knock(rules, deal) else Offer(Discard, throwable(rules, hand, deal.taken))
    if action is Knock:
        left = knockable(rules, deal.knock_limit, hand, deal.taken) if may_end(rules, deal) else {}
        return Offer(Knock, tuple(left), tuple(card for card in left if not left[card])) if left else None
    if action is BigGin:
        return Offer(BigGin) if may_end(rules, deal) and is_big_gin(rules, hand) else None
    if action is DrawDiscard:
        return None if discard_fault(rules, deal, seat) else Offer(DrawDiscard)
    return Offer(action)
