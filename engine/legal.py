"""What the seat in turn may do. It asks the same questions as the judge, so the two cannot disagree."""

from msgspec import Struct

from engine.actions import Action, BigGin, Discard, DrawDiscard, Knock, Seat
from engine.cards import Card, CardSet, cards_of
from engine.deadwood import solver_for
from engine.flow import FLOW
from engine.phases.discard import is_big_gin, throw_fault, within_limit
from engine.phases.draw import must_draw_stock
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


def deadwood_after(rules: RuleSet, hand: CardSet) -> dict[Card, int]:
    """Return the deadwood that throwing each card would leave, by card."""
    return solver_for(rules).throws(hand)


def _offer(rules: RuleSet, deal: Deal, seat: Seat, action: type[Action]) -> Offer | None:
    hand = deal.hands[seat]
    if action is Discard:
        return Offer(Discard, _throwable(rules, deal, hand))
    if action is Knock:
        if not within_limit(solver_for(rules).best_throw(hand), deal.knock_limit):
            return None
        left = deadwood_after(rules, hand)
        cards = tuple(
            card for card in _throwable(rules, deal, hand) if within_limit(left[card], deal.knock_limit)
        )
        return Offer(Knock, cards, tuple(card for card in cards if not left[card])) if cards else None
    if action is BigGin:
        return Offer(BigGin) if is_big_gin(rules, hand) else None
    if action is DrawDiscard and must_draw_stock(deal):
        return None
    return Offer(action)


def _throwable(rules: RuleSet, deal: Deal, hand: CardSet) -> tuple[Card, ...]:
    return tuple(card for card in cards_of(hand) if throw_fault(rules, hand, deal.taken, card) is None)
