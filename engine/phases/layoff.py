"""A defender's answer to a knock under declared melds (R5.2, R5.4)."""

from engine.actions import LayOff, Layoff, Meld, Seat
from engine.cards import CardSet
from engine.events import LaidOff
from engine.layoffs import defend, first_misfit
from engine.phases.melding import require_melds
from engine.refusal import Reason, Refusal, require
from engine.rules import RuleSet
from engine.state import Deal


def lay_off(rules: RuleSet, deal: Deal, seat: Seat, action: LayOff) -> LaidOff:
    """Judge the answer; what it leaves open is chosen best for the cards that remain."""
    spread = deal.spread
    assert spread is not None  # noqa: S101  the phase follows a spread
    hand = deal.hands[seat]
    laid_before = tuple(layoff for _, layoff in spread.layoffs)
    if action.melds is not None:
        require_melds(rules, hand, action.melds)
    if action.layoffs is not None:
        _require_layoffs(rules, spread.melds, laid_before, hand, action)
    defence = defend(rules, spread.melds, laid_before, hand, melds=action.melds, layoffs=action.layoffs)
    return LaidOff(seat, defence.melds, defence.layoffs, defence.unmatched, defence.deadwood)


def _require_layoffs(
    rules: RuleSet, melds: tuple[Meld, ...], laid_before: tuple[Layoff, ...], hand: CardSet, action: LayOff
) -> None:
    layoffs = action.layoffs or ()
    used = 0
    for meld in action.melds or ():
        used |= meld
    for layoff in layoffs:
        require(bool(hand >> layoff.card & 1), Reason.CARD_NOT_IN_HAND, card=layoff.card)
        require(not used >> layoff.card & 1, Reason.MELD_OVERLAP, card=layoff.card)
        used |= 1 << layoff.card
    misfit = first_misfit(rules, melds, laid_before, layoffs)
    if misfit is not None:
        raise Refusal(Reason.LAYOFF_DOES_NOT_FIT, card=misfit.card, meld=misfit.meld)
