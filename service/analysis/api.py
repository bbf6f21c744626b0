"""Analysis: stateless answers about hands and deals, for everybody."""

from typing import Any, Final

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from service.analysis import deals, hands
from service.analysis.slices import Slices
from service.analysis.wire.common import melds_from_wire, upcard_from_wire
from service.analysis.wire.deals import (
    FindLayoffsIn,
    FoundLayoffsOut,
    MatchTotalsIn,
    MatchTotalsOut,
    ScoredDealOut,
    ScoreIn,
    deal_from_wire,
    defenders_from_wire,
    knocker_from_wire,
    laid_off_to_wire,
    lay_off_from_wire,
    score_to_wire,
    seats_of,
    totals_to_wire,
)
from service.analysis.wire.hands import (
    CheckedMeldsOut,
    CheckMeldsIn,
    MeldsParams,
    SolvedHandOut,
    SolvedHandsOut,
    SolveHandsIn,
    checked_to_wire,
    solved_to_wire,
)
from service.analysis.wire.prizes import PrizeSplitIn, PrizeSplitOut
from service.http.cards import distinct
from service.http.etag import DAY, IMMUTABLE, conditional, etag_of_struct
from service.http.operation import Example, operation
from service.http.problems import Code, Problem

BUDGET: Final = 2_600
"""The most arrangements that one request may look for: 200 hands of eleven cards with their throws."""

_RULES = (Code.RULESET_UNKNOWN, Code.RULESET_REFUSED)
_UPCARD = (Code.UPCARD_REQUIRED, Code.UPCARD_IMPOSSIBLE)
_HAND = ["AS", "2S", "3S", "7H", "7D", "7C", "KH", "QC", "5D", "5S"]


@post(
    "/v1/melds",
    operation_id="solveHands",
    tags=["analysis"],
    status_code=200,
    opt=operation(
        problems=(*_RULES, *_UPCARD, Code.SEATS_UNSUITABLE, Code.DUPLICATE_CARDS, Code.TOO_MUCH_WORK),
        example=Example(body={"hands": [_HAND, [*_HAND, "6D"]], "arrangements": 1}),
    ),
)
async def solve_hands(data: JSONBody[SolveHandsIn], slices: NamedDependency[Slices]) -> SolvedHandsOut:
    """Solve hands: the best melds, the deadwood, and for eleven cards each throw.

    A request may look for 2,600 arrangements: one a hand, one for each throw of a hand that has
    throws, and as many more a hand as `arrangements` asks for.
    """
    wanted = data.wanted()
    held = [distinct(hand) for hand in data.hands]
    if hands.work_of(wanted, held) > BUDGET:
        raise Problem(Code.TOO_MUCH_WORK, limit=BUDGET)
    solved = await slices.all(map(solved_to_wire, hands.solve(wanted, held)))
    return SolvedHandsOut(solved)


@get(
    "/v1/melds",
    operation_id="solveHand",
    tags=["analysis"],
    opt=operation(
        problems=(*_RULES, Code.UPCARD_REQUIRED, Code.DUPLICATE_CARDS),
        example=Example(query={"cards": _HAND, "ruleset": "classic@1"}),
        conditional=True,
    ),
)
async def solve_hand(
    params: NamedDependency[MeldsParams], request: Request[Any, Any, Any]
) -> Response[SolvedHandOut]:
    """Solve one hand in an address that can be kept for a day, or for good with a pinned rule set.

    Addresses are written down on the way: for hands in play use the other form.
    """
    (solved,) = hands.solve(params.wanted(), [distinct(params.cards)])
    shown = solved_to_wire(solved)
    return conditional(request, shown, etag_of_struct(shown), IMMUTABLE if "@" in params.ruleset else DAY)


@post(
    "/v1/melds/check",
    operation_id="checkMelds",
    tags=["analysis"],
    status_code=200,
    opt=operation(
        problems=(*_RULES, Code.DUPLICATE_CARDS),
        example=Example(body={"cards": _HAND, "melds": [["AS", "2S", "3S"], ["7H", "7D", "7S"]]}),
    ),
)
async def check_melds(data: JSONBody[CheckMeldsIn]) -> CheckedMeldsOut:
    """Check melds against a hand, and compare what they leave with the best."""
    checked = hands.check(data.rules(), distinct(data.cards), melds_from_wire(data.melds))
    return checked_to_wire(checked)


@post(
    "/v1/layoffs",
    operation_id="findLayoffs",
    tags=["analysis"],
    status_code=200,
    opt=operation(
        problems=(
            *_RULES,
            Code.SEATS_UNSUITABLE,
            Code.DUPLICATE_CARDS,
            Code.HAND_SIZE_WRONG,
            Code.SPREAD_INVALID,
            Code.LAYOFFS_IMPOSSIBLE,
        ),
        example=Example(
            body={
                "spread": [["7H", "8H", "9H"], ["QS", "QD", "QC"]],
                "cards": ["6H", "5H", "TH", "QH", "KH", "AS", "AD", "2C", "3C", "9C"],
            }
        ),
    ),
)
async def find_layoffs(data: JSONBody[FindLayoffsIn]) -> FoundLayoffsOut:
    """Find the best defence against a spread: own melds and layoffs together leave the least deadwood.

    Nothing is laid off on gin and big gin (R5.6): on a spread of the knocker's whole hand, or under rules
    that know no other knock.
    """
    return laid_off_to_wire(deals.lay_off(data.rules_for_seats(), data.seats, *lay_off_from_wire(data)))


@post(
    "/v1/scores",
    operation_id="scoreDeal",
    tags=["analysis"],
    status_code=200,
    opt=operation(
        problems=(
            *_RULES,
            *_UPCARD,
            Code.DUPLICATE_CARDS,
            Code.HAND_SIZE_WRONG,
            Code.SPREAD_INVALID,
            Code.SPREAD_ABOVE_LIMIT,
            Code.LAYOFFS_IMPOSSIBLE,
        ),
        example=Example(
            body={
                "knocker": {"cards": ["8S", "8D", "8H", "2C", "3C", "4C", "JH", "QH", "KH", "5D"]},
                "defenders": [{"cards": ["8C", "AS", "AD", "AH", "9S", "9D", "9H", "QS", "TD", "6C"]}],
                "upcard": "6H",
            }
        ),
    ),
)
async def score_deal(data: JSONBody[ScoreIn]) -> ScoredDealOut:
    """Score a knock, gin or big gin, with layoffs."""
    rules = data.rules(seats=1 + len(data.defenders))
    knocker = knocker_from_wire(data.knocker)
    defenders = defenders_from_wire(data.defenders, knocker.cards)
    upcard = upcard_from_wire(rules, data.upcard, scored=True)
    return score_to_wire(deals.score(rules, knocker, defenders, upcard))


@post(
    "/v1/match-totals",
    operation_id="totalMatch",
    tags=["analysis"],
    status_code=200,
    opt=operation(
        problems=(*_RULES, Code.SEATS_UNSUITABLE, Code.DEALS_IMPOSSIBLE),
        example=Example(
            body={
                "ruleset": "straight",
                "deals": [
                    {"winner": 0, "points": 45},
                    {"winner": 1, "points": 31},
                    {"winner": 0, "points": 60},
                ],
            }
        ),
    ),
)
async def total_match(data: JSONBody[MatchTotalsIn]) -> MatchTotalsOut:
    """Add up the deals of a match: running scores, boxes, bonuses and the winner."""
    seats = seats_of(data)
    rules = data.rules(seats)
    played = list(map(deal_from_wire, data.deals))
    return totals_to_wire(rules, *deals.total(rules, seats, played, data.first_dealer))


@post(
    "/v1/prize-splits",
    operation_id="splitPrize",
    tags=["analysis"],
    status_code=200,
    opt=operation(
        problems=(Code.WINNER_IMPOSSIBLE,),
        example=Example(body={"fund_cents": 10_000, "penalties": [0, 11, 40], "winner": 0}),
    ),
)
async def split_prize(data: JSONBody[PrizeSplitIn]) -> PrizeSplitOut:
    """Divide a prize by penalties: the winner gets the most, and whoever came close a part of a quarter.

    A loser gets an equal part of a quarter of the fund, less a fiftieth for each penalty more than the
    winner has, rounded down to a cent; the winner gets the rest.
    """
    return PrizeSplitOut(list(deals.split(data.fund_cents, tuple(data.penalties), data.winner)))


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (
    solve_hands,
    solve_hand,
    check_melds,
    find_layoffs,
    score_deal,
    total_match,
    split_prize,
)
