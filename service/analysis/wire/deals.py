"""Layoffs, scores and series of deals as clients write and read them."""

from functools import reduce
from operator import or_
from typing import Annotated, Literal, TypeAlias, cast

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.actions import Layoff, Meld
from engine.cards import CardSet, parse, set_of
from engine.rules import RuleSet, Scoring
from engine.totals import Standing, Totals
from service.analysis.deals import LaidOff, PlayedDeal, ScoredDeal, Stated
from service.analysis.wire.common import (
    CardPoints,
    HandNumber,
    MeldNumber,
    WithRules,
    WithSeats,
    melds_from_wire,
)
from service.http.cards import CardCode, HandIn, MeldsIn, code_of, codes_of, codes_of_melds, distinct
from service.matches.wire.deals import ColumnOut, PartName, columns_to_wire

DealPoints: TypeAlias = Annotated[int, Meta(ge=0, le=10_000)]
MatchPoints: TypeAlias = Annotated[int, Meta(ge=0, le=10_000_000)]
ResultCode: TypeAlias = Literal["knock", "gin", "big_gin", "undercut", "tie"]


class LayoffIn(Struct, frozen=True, forbid_unknown_fields=True):
    """A card, and the number of the meld in the spread that it is laid on."""

    card: CardCode
    meld: MeldNumber


class LayoffOut(Struct, frozen=True):
    """A card, and the number of the meld in the spread that it is laid on."""

    card: CardCode
    meld: MeldNumber


LayoffsIn: TypeAlias = Annotated[list[LayoffIn], Meta(max_length=30)]
"""Layoffs in the order in which they are made."""


class FindLayoffsIn(WithSeats, frozen=True, kw_only=True):
    """A spread, what was laid on it before, and a hand; `melds` are kept where they are stated.

    A spread of as many cards as one of so many `seats` is dealt is gin, and of one more big gin: on those
    nothing is laid off, unless the rules allow it.
    """

    spread: Annotated[MeldsIn, Meta(min_length=1)]
    cards: HandIn
    melds: MeldsIn | UnsetType = UNSET
    laid: LayoffsIn | UnsetType = UNSET


class FoundLayoffsOut(Struct, frozen=True, kw_only=True):
    """The best defence, and every single layoff that is possible at once."""

    layoffs: list[LayoffOut]
    melds: list[list[CardCode]]
    unmatched: list[CardCode]
    deadwood: CardPoints
    legal: list[LayoffOut]


class KnockerIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The knocker's hand after the throw; with one card more it is big gin. Stated melds are kept."""

    cards: HandIn
    melds: MeldsIn | UnsetType = UNSET


class DefenderIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A defender's hand. What is stated is kept, the rest chosen best; an empty list means none."""

    cards: HandIn
    melds: MeldsIn | UnsetType = UNSET
    layoffs: LayoffsIn | UnsetType = UNSET


class ScoreIn(WithRules, frozen=True, kw_only=True):
    """A knock, and the defenders in the order of their turns.

    `upcard` must be given where the knock limit or the points depend on it; a hand may hold it.
    """

    knocker: KnockerIn
    defenders: Annotated[list[DefenderIn], Meta(min_length=1, max_length=3)]
    upcard: CardCode | UnsetType = UNSET


class LaidHandOut(Struct, frozen=True, kw_only=True):
    """A hand as it was laid; `cards` are those held before layoffs."""

    cards: list[CardCode]
    melds: list[list[CardCode]]
    layoffs: list[LayoffOut]
    unmatched: list[CardCode]
    deadwood: CardPoints


class PartOut(Struct, frozen=True):
    """A part of what a hand gets: points, or penalties where those are scored."""

    hand: HandNumber
    code: PartName
    amount: DealPoints


class ScoredDealOut(Struct, frozen=True, kw_only=True):
    """The score of a deal; everything is in the order knocker, defenders.

    The amounts of a hand in `breakdown` add up to its points or penalties, `box_bonus` aside, which counts at
    the end of a match.
    """

    result: ResultCode
    winner: HandNumber | None
    points: list[DealPoints]
    penalties: list[DealPoints] | None
    hands: list[LaidHandOut]
    breakdown: list[PartOut]


class DealIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A scored deal: its winner and points, both null and 0 for a tie, or the penalties of each seat.

    With penalties the winner may be stated too; it decides between equals at the end.
    """

    winner: HandNumber | UnsetType | None = UNSET
    points: DealPoints | UnsetType = UNSET
    penalties: Annotated[list[DealPoints], Meta(min_length=2, max_length=4)] | UnsetType = UNSET


class MatchTotalsIn(WithRules, frozen=True, kw_only=True):
    """The scored deals of a match in their order; void deals are left out."""

    deals: Annotated[list[DealIn], Meta(max_length=200)]
    first_dealer: HandNumber = 0


class MatchTotalsOut(Struct, frozen=True, kw_only=True):
    """Where the match stands; `totals` is null while it is not over."""

    winner: HandNumber | None
    running: list[MatchPoints]
    boxes: list[Annotated[int, Meta(ge=0, le=200)]]
    totals: list[MatchPoints] | None
    columns: list[ColumnOut] | None


def knocker_from_wire(knocker: KnockerIn) -> Stated:
    """Return the knocker's hand, and what is stated of it."""
    return Stated(
        cards=distinct(knocker.cards),
        melds=None if knocker.melds is UNSET else melds_from_wire(knocker.melds),
    )


def defenders_from_wire(defenders: list[DefenderIn], held: CardSet) -> tuple[Stated, ...]:
    """Return the defenders' hands; raise `Problem` where one has a card that is `held`, or another's."""
    stated: list[Stated] = []
    for defender in defenders:
        cards = distinct(defender.cards, held)
        held |= cards
        melds = None if defender.melds is UNSET else melds_from_wire(defender.melds)
        layoffs = None if defender.layoffs is UNSET else layoffs_from_wire(defender.layoffs)
        stated.append(Stated(cards, melds, layoffs))
    return tuple(stated)


def lay_off_from_wire(data: FindLayoffsIn) -> tuple[tuple[Meld, ...], tuple[Layoff, ...], Stated]:
    """Return the spread, what was laid on it, and the defender, whose cards must be none of these."""
    spread = melds_from_wire(data.spread)
    laid = () if data.laid is UNSET else layoffs_from_wire(data.laid)
    on_table = reduce(or_, spread, set_of(layoff.card for layoff in laid))
    melds = None if data.melds is UNSET else melds_from_wire(data.melds)
    return spread, laid, Stated(distinct(data.cards, on_table), melds)


def layoffs_from_wire(layoffs: LayoffsIn) -> tuple[Layoff, ...]:
    """Return layoffs in their order."""
    return tuple(Layoff(parse(layoff.card), layoff.meld) for layoff in layoffs)


def seats_of(data: MatchTotalsIn) -> int:
    """Return the number of seats: as many as a deal has penalties, else two."""
    return max((len(deal.penalties) for deal in data.deals if deal.penalties is not UNSET), default=2)


def deal_from_wire(deal: DealIn) -> PlayedDeal:
    """Return a scored deal."""
    return PlayedDeal(
        winner=None if deal.winner is UNSET else deal.winner,
        points=None if deal.points is UNSET else deal.points,
        penalties=None if deal.penalties is UNSET else tuple(deal.penalties),
    )


def laid_off_to_wire(laid: LaidOff) -> FoundLayoffsOut:
    """Return the best defence for a client."""
    return FoundLayoffsOut(
        layoffs=_layoffs_to_wire(laid.defence.layoffs),
        melds=codes_of_melds(laid.defence.melds),
        unmatched=codes_of(laid.defence.unmatched),
        deadwood=laid.defence.deadwood,
        legal=_layoffs_to_wire(laid.legal),
    )


def score_to_wire(scored: ScoredDeal) -> ScoredDealOut:
    """Return the score of a deal for a client."""
    score = scored.score
    return ScoredDealOut(
        result=cast("ResultCode", score.result.value),
        winner=score.winner,
        points=[score.points if hand == score.winner else 0 for hand in range(len(scored.hands))],
        penalties=None if score.penalties is None else list(score.penalties),
        hands=[
            LaidHandOut(
                cards=codes_of(cards),
                melds=codes_of_melds(shown.melds),
                layoffs=_layoffs_to_wire(shown.layoffs),
                unmatched=codes_of(shown.unmatched),
                deadwood=shown.deadwood,
            )
            for cards, shown in scored.hands
        ],
        breakdown=[PartOut(part.seat, part.code.value, part.amount) for part in score.parts],
    )


def totals_to_wire(rules: RuleSet, standing: Standing, totals: Totals) -> MatchTotalsOut:
    """Return where a match stands for a client; penalties have no boxes."""
    boxes = standing.boxes if rules.scoring is Scoring.POINTS else (0,) * len(standing.boxes)
    return MatchTotalsOut(
        winner=totals.winner,
        running=list(totals.running),
        boxes=list(boxes),
        totals=None if totals.totals is None else list(totals.totals),
        columns=columns_to_wire(standing.columns),
    )


def _layoffs_to_wire(layoffs: tuple[Layoff, ...]) -> list[LayoffOut]:
    return [LayoffOut(code_of(layoff.card), layoff.meld) for layoff in layoffs]
