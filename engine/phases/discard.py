"""Throwing a card, knocking and big gin (R3.2, R4.1, R4.2)."""

from engine.actions import BigGin, Knock, Meld, Seat
from engine.cards import Card, CardSet, cards_of
from engine.deadwood import Arrangement, solver_for
from engine.events import BigGinDeclared, Discarded, Knocked
from engine.phases.melding import require_melds, stated
from engine.refusal import Reason, Refusal, require
from engine.rules import FirstTurnKnock, Melds, RuleSet, StockEnd
from engine.state import Deal, Source, Taken


def throw(rules: RuleSet, deal: Deal, seat: Seat, card: Card) -> Discarded:
    """Judge throwing a card."""
    require(not must_knock(rules, deal), Reason.MUST_KNOCK)
    _require_throwable(rules, deal.hands[seat], deal.taken, card)
    return Discarded(seat, card)


def knock(rules: RuleSet, deal: Deal, seat: Seat, action: Knock) -> Knocked:
    """Judge a knock: a throw whose remaining cards meet the deal's limit (R4.1, R4.4)."""
    require(may_end(rules, deal), Reason.FIRST_TURN_KNOCK)
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
    require(may_end(rules, deal), Reason.FIRST_TURN_KNOCK)
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


def throwable(rules: RuleSet, hand: CardSet, taken: Taken | None) -> tuple[Card, ...]:
    """Return the cards of a hand that may be thrown (R3.2)."""
    return tuple(card for card in cards_of(hand) if throw_fault(rules, hand, taken, card) is None)


def knockable(rules: RuleSet, limit: int, hand: CardSet, taken: Taken | None) -> dict[Card, int]:
    """Return the throws that may knock, with the deadwood that each leaves (R4.4)."""
    solver = solver_for(rules)
    if not within_limit(solver.best_throw(hand), limit):
        return {}
    left = solver.throws(hand)
    return {card: left[card] for card in throwable(rules, hand, taken) if within_limit(left[card], limit)}


def must_knock(rules: RuleSet, deal: Deal) -> bool:
    """Return whether the last discard was taken, under the rule that its turn ends in a knock (R4.5)."""
    return (
        rules.stock_end is StockEnd.LAST_DISCARD_KNOCK_ONLY
        and len(deal.stock) <= rules.stock_floor
        and deal.taken is not None
        and deal.taken.source is Source.DISCARD_PILE
    )


def may_end(rules: RuleSet, deal: Deal) -> bool:
    """Return whether the seat in turn may knock at all: its first turn of the deal may not (R4.1)."""
    # Turns go round, so the first turns of a deal are each a first turn of another seat.
    if rules.first_turn_knock is FirstTurnKnock.ALLOWED or deal.turns >= len(deal.hands):
        return True
    if rules.first_turn_knock is FirstTurnKnock.FORBIDDEN:
        return False
    return deal.taken is None or deal.taken.card != deal.upcard or deal.taken.source is Source.STOCK


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
