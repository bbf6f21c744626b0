"""Throwing a card, knocking and big gin (R3.2, R4.1, R4.2)."""

from engine.actions import BigGin, Knock, Meld, Seat
from engine.cards import Card, CardSet
from engine.deadwood import Arrangement, solver_for
from engine.events import BigGinDeclared, Discarded, Knocked
from engine.phases.melding import require_melds, stated
from engine.refusal import Reason, Refusal, require
from engine.rules import Melds, RuleSet
from engine.state import Deal, Source, Taken


def throw(rules: RuleSet, deal: Deal, seat: Seat, card: Card) -> Discarded:
    """Judge throwing a card."""
    _require_throwable(rules, deal.hands[seat], deal.taken, card)
    return Discarded(seat, card)


def knock(rules: RuleSet, deal: Deal, seat: Seat, action: Knock) -> Knocked:
    """Judge a knock: a throw whose remaining cards meet the deal's limit (R4.1, R4.4)."""
    _require_throwable(rules, deal.hands[seat], deal.taken, action.card)
    rest = deal.hands[seat] & ~(1 << action.card)
    if rules.melds is Melds.DECLARED:
        shown = _declared(rules, rest, action.melds)
        deadwood = shown.deadwood
    else:
        require(action.melds is None, Reason.MELDS_NOT_DECLARED)
        shown = None
        deadwood = solver_for(rules).deadwood(rest)
    require(
        within_limit(deadwood, deal.knock_limit),
        Reason.DEADWOOD_ABOVE_LIMIT,
        deadwood=deadwood,
        knock_limit=deal.knock_limit,
    )
    return Knocked(
        seat,
        action.card,
        shown.melds if shown else None,
        shown.unmatched if shown else None,
        deadwood,
        deadwood == 0,
    )


def big_gin(rules: RuleSet, deal: Deal, seat: Seat, action: BigGin) -> BigGinDeclared:
    """Judge big gin: all eleven cards melded after taking one (R4.2)."""
    require(rules.big_gin, Reason.BIG_GIN_NOT_PLAYED)
    hand = deal.hands[seat]
    if rules.melds is Melds.DECLARED:
        shown = _declared(rules, hand, action.melds)
        require(shown.deadwood == 0, Reason.NOT_GIN, deadwood=shown.deadwood)
        return BigGinDeclared(seat, shown.melds)
    require(action.melds is None, Reason.MELDS_NOT_DECLARED)
    require(is_big_gin(rules, hand), Reason.NOT_GIN, deadwood=solver_for(rules).deadwood(hand))
    return BigGinDeclared(seat, None)


def throw_fault(rules: RuleSet, hand: CardSet, taken: Taken | None, card: Card) -> Reason | None:
    """Return why this card may not be thrown, or None (R3.2)."""
    if not hand >> card & 1:
        return Reason.CARD_NOT_IN_HAND
    if (
        taken is not None
        and taken.card == card
        and taken.source is Source.DISCARD_PILE
        and not rules.allow_discard_taken
    ):
        return Reason.CARD_JUST_TAKEN
    return None


def within_limit(deadwood: int, knock_limit: int) -> bool:
    """Return whether so much deadwood may knock (R4.1)."""
    return deadwood <= knock_limit


def is_big_gin(rules: RuleSet, hand: CardSet) -> bool:
    """Return whether the cards held after taking one are all melded, where that is played (R4.2)."""
    return rules.big_gin and solver_for(rules).deadwood(hand) == 0


def _require_throwable(rules: RuleSet, hand: CardSet, taken: Taken | None, card: Card) -> None:
    fault = throw_fault(rules, hand, taken, card)
    if fault is not None:
        raise Refusal(fault, card=card)


def _declared(rules: RuleSet, cards: CardSet, melds: tuple[Meld, ...] | None) -> Arrangement:
    if melds is None:
        return solver_for(rules).arrange(cards)
    require_melds(rules, cards, melds)
    return stated(rules, cards, melds)
