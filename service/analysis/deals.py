"""What a knock is worth: layoffs on a spread, the score of a deal, and where a series of deals stands."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from engine.actions import Layoff, Meld
from engine.cards import CODES, DECK_SIZE, Card, CardSet
from engine.deadwood import Arrangement, solver_for
from engine.layoffs import Defence, best_spread, defend, first_misfit, legal_layoffs
from engine.prizes import prize_split
from engine.rules import Melds, RuleSet, Scoring
from engine.scoring import DealScore, knock_limit, lays_off, score_deal
from engine.state import PerSeat
from engine.totals import Scored, Standing, Totals, entered, first_standing, totals_of
from service.analysis.hands import faults_of
from service.http.problems import Code, Problem

_EVERY_CARD: Final[CardSet] = (1 << DECK_SIZE) - 1


class Stated(Struct, frozen=True):
    """A hand, and what its owner states of it; None leaves the choice to the rules."""

    cards: CardSet
    melds: tuple[Meld, ...] | None = None
    layoffs: tuple[Layoff, ...] | None = None


class LaidOff(Struct, frozen=True):
    """The best defence against a spread, and each layoff that is possible at once."""

    defence: Defence
    legal: tuple[Layoff, ...]


class ScoredDeal(Struct, frozen=True):
    """The score of a deal and the hands as they were laid; the knocker's is the first."""

    score: DealScore
    hands: tuple[tuple[CardSet, Defence], ...]


class PlayedDeal(Struct, frozen=True):
    """A scored deal of a series: points for the winner, or penalties for all."""

    winner: int | None
    points: int | None
    penalties: PerSeat[int] | None


def lay_off(
    rules: RuleSet, seats: int, spread: tuple[Meld, ...], laid: tuple[Layoff, ...], defender: Stated
) -> LaidOff:
    """Return the best defence with the cards at hand, after `laid` were laid on the spread.

    A spread of the knocker's whole hand, as one of so many seats holds it, is gin (R4.2), as every spread
    is where the knock limit is 0 (R4.3). Raise `Problem` for one that no hand has the cards for.
    """
    _require_melds(rules, _EVERY_CARD, spread)
    size = rules.hand_size_for(seats)
    count = sum(spread).bit_count()
    if count > size + rules.big_gin:
        raise Problem(Code.HAND_SIZE_WRONG)
    gin = count >= size or rules.knock_limit == 0
    _require_melds(rules, defender.cards, defender.melds or ())
    _require_fitting(rules, spread, (), laid)
    if not lays_off(rules, knocker_deadwood=0 if gin else 1):
        if laid:
            raise Problem(Code.LAYOFFS_IMPOSSIBLE)
        return LaidOff(defend(rules, spread, (), defender.cards, melds=defender.melds, layoffs=()), ())
    return LaidOff(
        defend(rules, spread, laid, defender.cards, melds=defender.melds),
        legal_layoffs(rules, spread, laid, defender.cards & ~sum(defender.melds or ())),
    )


def score(rules: RuleSet, knocker: Stated, defenders: Sequence[Stated], upcard: Card | None) -> ScoredDeal:
    """Return the score of a deal that ended in a knock, gin or big gin."""
    size = rules.hand_size_for(1 + len(defenders))
    big_gin = knocker.cards.bit_count() == size + 1
    if not big_gin and knocker.cards.bit_count() != size:
        raise Problem(Code.HAND_SIZE_WRONG)
    if any(defender.cards.bit_count() != size for defender in defenders):
        raise Problem(Code.HAND_SIZE_WRONG)
    spread = _spread(rules, knocker, defenders)
    limit = 0 if big_gin else knock_limit(rules, upcard)
    if spread.deadwood > limit or (big_gin and not rules.big_gin):
        raise Problem(Code.SPREAD_ABOVE_LIMIT, deadwood=spread.deadwood, knock_limit=limit)
    laying_off = lays_off(rules, knocker_deadwood=spread.deadwood)
    laid: tuple[Layoff, ...] = ()
    hands = [(knocker.cards, Defence(spread.melds, (), spread.unmatched, spread.deadwood))]
    for defender in defenders:
        defence = _defend(rules, spread.melds, laid, defender, laying_off=laying_off)
        laid += defence.layoffs
        hands.append((defender.cards, defence))
    deadwoods = tuple(shown.deadwood for _, shown in hands)
    return ScoredDeal(
        score_deal(rules, knocker=0, deadwoods=deadwoods, big_gin=big_gin, upcard=upcard), tuple(hands)
    )


def total(
    rules: RuleSet, seats: int, deals: Sequence[PlayedDeal], first_dealer: int
) -> tuple[Standing, Totals]:
    """Return where a match stands after these deals; raise `Problem` for one that cannot be in it."""
    for number, deal in enumerate(deals, 1):
        if not _belongs(rules, seats, deal):
            raise Problem(Code.DEALS_IMPOSSIBLE, deal=number)
    if first_dealer >= seats:
        raise Problem(Code.SEATS_UNSUITABLE, "There is no seat with the number of `first_dealer`.")
    standing = first_standing(rules, seats)
    totals = totals_of(rules, standing, first_dealer=first_dealer)
    for number, deal in enumerate(deals, 1):
        if totals.over:
            raise Problem(Code.DEALS_IMPOSSIBLE, "The match was over before.", deal=number)
        standing = entered(rules, standing, Scored(deal.winner, deal.points or 0, deal.penalties), number)
        totals = totals_of(rules, standing, first_dealer=first_dealer)
    return standing, totals


def split(fund_cents: int, penalties: PerSeat[int], winner: int) -> PerSeat[int]:
    """Return what each seat gets of a fund; raise `Problem` where the seat named cannot have won."""
    if winner >= len(penalties) or penalties[winner] > min(penalties):
        raise Problem(Code.WINNER_IMPOSSIBLE)
    return prize_split(fund_cents, penalties, winner)


def _belongs(rules: RuleSet, seats: int, deal: PlayedDeal) -> bool:
    if deal.winner is not None and deal.winner >= seats:
        return False
    if rules.scoring is Scoring.PENALTY:
        return deal.points is None and deal.penalties is not None and len(deal.penalties) == seats
    return (
        deal.penalties is None and deal.points is not None and (deal.winner is not None or deal.points == 0)
    )


def _spread(rules: RuleSet, knocker: Stated, defenders: Sequence[Stated]) -> Arrangement:
    """Return the knocker's spread: as stated, else as R5.1 or R5.2 fills it in."""
    solver = solver_for(rules)
    if knocker.melds is not None:
        _require_melds(rules, knocker.cards, knocker.melds)
        unmatched = knocker.cards & ~sum(knocker.melds)
        return Arrangement(knocker.melds, unmatched, solver.points(unmatched))
    if rules.melds is Melds.DECLARED:
        return solver.arrange(knocker.cards)
    return best_spread(
        rules,
        knocker.cards,
        [defender.cards for defender in defenders],
        laying_off=lays_off(rules, knocker_deadwood=solver.deadwood(knocker.cards)),
    )


def _defend(
    rules: RuleSet,
    spread: tuple[Meld, ...],
    laid: tuple[Layoff, ...],
    defender: Stated,
    *,
    laying_off: bool,
) -> Defence:
    _require_melds(rules, defender.cards, defender.melds or ())
    stated = defender.layoffs
    if stated:
        if not laying_off:
            raise Problem(Code.LAYOFFS_IMPOSSIBLE)
        free = defender.cards & ~sum(defender.melds or ())
        for layoff in stated:
            if not free >> layoff.card & 1:
                raise Problem(Code.LAYOFFS_IMPOSSIBLE, card=CODES[layoff.card], meld=layoff.meld)
            free ^= 1 << layoff.card
        _require_fitting(rules, spread, laid, stated)
    layoffs = stated if laying_off else ()
    return defend(rules, spread, laid, defender.cards, melds=defender.melds, layoffs=layoffs)


def _require_melds(rules: RuleSet, hand: CardSet, melds: Sequence[Meld]) -> None:
    for number, _ in faults_of(rules, hand, melds):
        raise Problem(Code.SPREAD_INVALID, meld=number)


def _require_fitting(
    rules: RuleSet, spread: tuple[Meld, ...], before: tuple[Layoff, ...], layoffs: tuple[Layoff, ...]
) -> None:
    misfit = first_misfit(rules, spread, before, layoffs)
    if misfit is not None:
        raise Problem(Code.LAYOFFS_IMPOSSIBLE, card=CODES[misfit.card], meld=misfit.meld)
