"""Melds that a player states: checked, and never replaced (R5.2)."""

from engine.actions import Meld
from engine.cards import CardSet, cards_of
from engine.deadwood import Arrangement, solver_for
from engine.melds import is_meld
from engine.refusal import Reason, Refusal, require
from engine.rules import RuleSet


def require_melds(rules: RuleSet, cards: CardSet, melds: tuple[Meld, ...]) -> None:
    """Refuse melds that are none, that hold a card not among `cards`, or that share a card."""
    used = 0
    for number, meld in enumerate(melds):
        foreign = meld & ~cards
        if foreign:
            raise Refusal(Reason.CARD_NOT_IN_HAND, card=cards_of(foreign)[0], meld=number)
        require(is_meld(meld, rules.ace), Reason.MELD_INVALID, meld=number)
        require(not meld & used, Reason.MELD_OVERLAP, meld=number)
        used |= meld


def stated(rules: RuleSet, cards: CardSet, melds: tuple[Meld, ...]) -> Arrangement:
    """Return the arrangement of `cards` that these melds make, in the order stated."""
    unmatched = cards
    for meld in melds:
        unmatched &= ~meld
    return Arrangement(melds, unmatched, solver_for(rules).points(unmatched))
