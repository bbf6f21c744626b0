"""What one deal is worth, and the limits its ending depends on (R4.3, R5.6, R6, R7.1)."""

from typing import Final

from msgspec import Struct

from engine.actions import Seat
from engine.cards import Card, Rank, points_of, rank_of, suit_of
from engine.rules import KnockLimitSource, OklahomaAce, RuleSet, Scoring, UndercutTie
from engine.state import DealResult, Part, PartCode, PerSeat

_SPADES: Final = 0


class DealScore(Struct, frozen=True):
    """The score of a deal.

    `points` is what the winner gets, boxes not included. Under penalty scoring the winner gets nothing and
    the others get `penalties` (R7.1). The amounts of a seat's `parts`, its box aside, add up to its points or
    penalties.
    """

    result: DealResult
    winner: Seat | None
    points: int
    penalties: PerSeat[int] | None
    multiplier: int
    parts: tuple[Part, ...]


def knock_limit(rules: RuleSet, upcard: Card | None) -> int:
    """Return the most deadwood a knock may leave in this deal (R4.3)."""
    if rules.knock_limit_source is KnockLimitSource.FIXED or upcard is None:
        return rules.knock_limit
    if rank_of(upcard) is Rank.ACE and rules.oklahoma_ace is OklahomaAce.GIN_ONLY:
        return 0
    return min(rules.knock_limit, points_of(upcard, ace_points=1))


def lays_off(rules: RuleSet, *, knocker_deadwood: int) -> bool:
    """Tell whether the defenders may lay off cards on the knocker's melds (R5.6)."""
    return rules.layoff and (knocker_deadwood > 0 or rules.layoff_on_gin)


def multiplier(rules: RuleSet, upcard: Card | None) -> int:
    """Return what the points of this deal are multiplied by (R6.2)."""
    return 2 if rules.spade_doubles and upcard is not None and suit_of(upcard) == _SPADES else 1


def score_deal(
    rules: RuleSet, *, knocker: Seat, deadwoods: PerSeat[int], big_gin: bool, upcard: Card | None
) -> DealScore:
    """Return the score of a deal that ended in a knock, gin or big gin.

    `deadwoods` are those after layoffs. Points scoring is for two seats (R9).
    """
    if rules.scoring is Scoring.PENALTY:
        return _penalties(rules, knocker, deadwoods, big_gin=big_gin)
    defender = 1 - knocker
    own, other = deadwoods[knocker], deadwoods[defender]
    difference = (PartCode.DEADWOOD_DIFFERENCE, abs(other - own))
    if big_gin:
        bonus = (PartCode.BIG_GIN_BONUS, rules.big_gin_bonus)
        return _points(rules, DealResult.BIG_GIN, knocker, upcard, bonus, difference)
    if own == 0:
        return _points(
            rules, DealResult.GIN, knocker, upcard, (PartCode.GIN_BONUS, rules.gin_bonus), difference
        )
    if other > own:
        return _points(rules, DealResult.KNOCK, knocker, upcard, difference)
    if other == own and rules.undercut_tie is UndercutTie.KNOCKER_ZERO:
        return DealScore(DealResult.TIE, None, 0, None, multiplier(rules, upcard), ())
    bonus = (PartCode.UNDERCUT_BONUS, rules.undercut_bonus)
    return _points(rules, DealResult.UNDERCUT, defender, upcard, bonus, difference)


def _points(
    rules: RuleSet, result: DealResult, winner: Seat, upcard: Card | None, *amounts: tuple[PartCode, int]
) -> DealScore:
    factor = multiplier(rules, upcard)
    once = sum(amount for _, amount in amounts)
    if factor > 1:
        amounts = (*amounts, (PartCode.SPADE_DOUBLES, once))
    if rules.box_bonus:
        amounts = (*amounts, (PartCode.BOX_BONUS, rules.box_bonus))
    parts = tuple(Part(winner, code, amount) for code, amount in amounts)
    return DealScore(result, winner, factor * once, None, factor, parts)


def _penalties(rules: RuleSet, knocker: Seat, deadwoods: PerSeat[int], *, big_gin: bool) -> DealScore:
    """Score a deal by R7.1; its 25s are the rule set's bonuses for gin, big gin and undercut."""
    seats = len(deadwoods)
    # The lowest wins; among equals the knocker (a tie is no undercut), then the first after him.
    winner = min(((knocker + step) % seats for step in range(seats)), key=lambda seat: deadwoods[seat])
    to_all: tuple[tuple[PartCode, int], ...] = ()
    to_knocker: tuple[tuple[PartCode, int], ...] = ()
    if deadwoods[knocker] == 0 and big_gin:
        result, to_all = DealResult.BIG_GIN, ((PartCode.BIG_GIN_BONUS, rules.big_gin_bonus),)
    elif deadwoods[knocker] == 0:
        result, to_all = DealResult.GIN, ((PartCode.GIN_BONUS, rules.gin_bonus),)
    elif winner == knocker:
        result = DealResult.KNOCK
    else:
        result, to_knocker = DealResult.UNDERCUT, ((PartCode.UNDERCUT_BONUS, rules.undercut_bonus),)
    parts = tuple(
        Part(seat, code, amount)
        for seat, deadwood in enumerate(deadwoods)
        if seat != winner
        for code, amount in (
            (PartCode.DEADWOOD_DIFFERENCE, deadwood - deadwoods[winner]),
            *to_all,
            *(to_knocker if seat == knocker else ()),
        )
    )
    penalties = tuple(sum(part.amount for part in parts if part.seat == seat) for seat in range(seats))
    return DealScore(result, winner, 0, penalties, 1, parts)
