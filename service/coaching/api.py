"""Advice in a match and out of one, and a finished match looked at again."""

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get, post
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from msgspec import UNSET, Struct, UnsetType

from engine import Reason
from engine.advice import advice_on
from engine.bots.measured import measured
from engine.bots.net import digest_of_nets
from engine.view import View
from service.analysis.slices import Slices
from service.coaching.coach import (
    Coach,
    audience_of_review,
    require_reviewable,
    sees,
    view_for_advice,
    view_of_position,
)
from service.coaching.wire.advice import AdviceOut, AdvisedActionOut, SeatAdviceOut, advised_to_wire
from service.coaching.wire.bots import BotsOut, bots_to_wire
from service.coaching.wire.position import PositionIn, position_from_wire
from service.coaching.wire.review import ReviewOut, hidden_seat, seat_to_wire
from service.http.auth import bearer
from service.http.etag import DAY, conditional, etag_of_struct
from service.http.operation import Example, From, Given, Header, Link, Security, operation
from service.http.problems import Code
from service.http.texts import Language, in_language, language_for
from service.matches.access import Gate
from service.matches.api.answers import READS, told, unless_known
from service.matches.api.guards import admitted, current_seat, reader
from service.matches.play import Play
from service.matches.wire.numbers import DealNumber, SeatNumber

NETS: Final = digest_of_nets()
"""Part of the tag of what the bots' nets have judged."""

_SELVES = [{"kind": "self", "name": "Ana"}, {"kind": "self", "name": "Ben"}]
_BOTS = [{"kind": "bot", "level": "club"}, {"kind": "bot", "level": "beginner"}]
_TABLE = Given(
    operation="createMatch",
    body={
        "seats": _SELVES,
        "shuffle": {"mode": "seed", "seed": "gin rummy"},
        "first_dealer": 1,
        "visibility": "link",
    },
)
_DEMONSTRATION = Given(
    operation="createMatch",
    body={"seats": _BOTS, "overrides": {"deals": 1, "hand_size": 4}, "visibility": "link"},
)
_POSITION = {
    "ruleset": "classic",
    "seat": 0,
    "phase": "discard",
    "dealer": 1,
    "hand": ["4S", "5S", "6S", "7H", "7D", "7C", "9H", "TH", "2D", "3C", "KC"],
    "taken": {"card": "TH", "from": "stock"},
    "upcard": "QC",
    "discard_pile": ["QC", "KD", "9S"],
    "stock_count": 28,
    "opponents": [{"seat": 1, "known_cards": []}],
    "seen": [
        {"seat": 0, "thrown": ["KD"], "declined": ["QC", "9S"]},
        {"seat": 1, "thrown": ["9S"], "declined": ["QC", "KD"]},
    ],
    "scores": [41, 12],
}


class ReviewParams(Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of a match to review: one deal, or all of it."""

    deal: DealNumber | UnsetType = UNSET


async def review_reader(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Admit whoever may read the public part of the match, and note which of its seats the caller has."""
    await reader(connection, handler)
    gate: Gate = connection.app.state.gate
    token = bearer(connection)
    claim = None if token is None else gate.claim(token)
    own = claim is not None and claim.match_id == connection.path_params["match_id"]
    connection.state.seat = claim.seat if claim and own else None


@get(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/advice",
    operation_id="getAdvice",
    tags=["coaching"],
    guards=[current_seat],
    opt=operation(
        example=Example(
            given={"table": _TABLE},
            path={"match_id": From("table", "/match/id"), "seat": 0},
            token=From("table", "/seats/0/token"),
        ),
        problems=(
            Code.FORBIDDEN,
            Code.HINTS_NOT_ALLOWED,
            *READS,
            Reason.NOT_YOUR_TURN,
            Reason.MATCH_NOT_STARTED,
            Reason.MATCH_FINISHED,
        ),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.REQUIRED,
        conditional=True,
        localized=True,
        links={
            "propose": Link(
                operation="proposeMove",
                parameters={"match_id": "$response.body#/match_id", "seat": "$response.body#/seat"},
                request_body={
                    "action": "$response.body#/best",
                    "expected_version": "$response.body#/version",
                },
                description="Prepare the best action.",
            )
        },
    ),
)
async def get_advice(
    match_id: FromPath[UUID],
    seat: FromPath[SeatNumber],
    request: Request[Any, Any, Any],
    play: NamedDependency[Play],
    slices: NamedDependency[Slices],
) -> Response[SeatAdviceOut]:
    """Rank the actions of the seat in turn, with what each is worth and why.

    It is the expert's judgement by the seat's own view. For a match made with `hints: false` there is none
    here.
    """
    table = await play.table_of(admitted(request))
    seen = view_for_advice(table, seat)
    language = language_for(request)
    audience = f"{seat}.{language}.{NETS}"
    unchanged = unless_known(request, table, audience)
    if unchanged is not None:
        return in_language(language, unchanged)
    items = await _advised(slices, seen, language)
    advice = SeatAdviceOut(
        match_id=match_id, version=seen.version, seat=seat, best=items[0].action, items=items
    )
    return in_language(language, told(table, audience, advice))


@post(
    "/v1/advice",
    operation_id="adviseSeat",
    tags=["coaching"],
    status_code=200,
    opt=operation(
        example=Example(body=_POSITION),
        problems=(
            Code.RULESET_UNKNOWN,
            Code.RULESET_REFUSED,
            Code.SEATS_UNSUITABLE,
            Code.DUPLICATE_CARDS,
            Code.HAND_SIZE_WRONG,
            Code.CARDS_MISCOUNTED,
            Code.KNOWN_CARDS_IMPOSSIBLE,
            Code.UPCARD_IMPOSSIBLE,
            Code.TAKEN_IMPOSSIBLE,
            Code.PHASE_IMPOSSIBLE,
            Code.SPREAD_INVALID,
            Code.LAYOFFS_IMPOSSIBLE,
            Code.TALLIES_IMPOSSIBLE,
        ),
        localized=True,
    ),
)
async def advise_seat(
    data: JSONBody[PositionIn], request: Request[Any, Any, Any], slices: NamedDependency[Slices]
) -> Response[AdviceOut]:
    """Rank the actions of a seat that plays elsewhere, from what it knows; nothing is kept.

    The members are those of a view. Only a position to which a deal can come is judged. No match is looked
    up, so `hints: false` of a match has no effect here.
    """
    seen = view_of_position(position_from_wire(data))
    language = language_for(request)
    items = await _advised(slices, seen, language)
    return in_language(language, Response(AdviceOut(best=items[0].action, items=items)))


@get(
    "/v1/matches/{match_id:uuid}/review",
    operation_id="getReview",
    tags=["coaching"],
    guards=[review_reader],
    opt=operation(
        example=Example(
            given={"demonstration": _DEMONSTRATION},
            path={"match_id": From("demonstration", "/match/id")},
            query={"deal": 1},
        ),
        problems=(Code.MATCH_NOT_FINISHED, Code.TOO_MUCH_WORK, *READS),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.OPTIONAL,
        conditional=True,
    ),
)
async def get_review(
    match_id: FromPath[UUID],
    params: NamedDependency[ReviewParams],
    request: Request[Any, Any, Any],
    play: NamedDependency[Play],
    coach: NamedDependency[Coach],
) -> Response[ReviewOut]:
    """Review a finished match: each decision beside the expert's, by what its seat knew then.

    Where the server shuffled, whoever may read the match sees all seats. Where the cards came from a text or
    from given decks, a seat sees its own decisions only. A match of more than 2,000 steps is asked for deal
    by deal.
    """
    table = await play.look(request.state.row)
    deal = None if params.deal is UNSET else params.deal
    require_reviewable(table, deal)
    audience = audience_of_review(table, request.state.seat)
    judged = f"{audience}.{NETS}"
    unchanged = unless_known(request, table, judged)
    if unchanged is not None:
        return unchanged
    found = await coach.review(table, deal)
    seats = [
        seat_to_wire(seat, [decision for decision in found if decision.seat == seat])
        if sees(audience, seat)
        else hidden_seat(seat)
        for seat in range(len(table.match.seats))
    ]
    review = ReviewOut(
        match_id=match_id,
        version=table.match.version,
        deal=deal,
        deals=list(range(1, table.match.deal_count + 1)),
        seats=seats,
    )
    return told(table, judged, review)


@get(
    "/v1/bots",
    operation_id="listBots",
    tags=["coaching"],
    opt=operation(example=Example(), conditional=True, localized=True),
)
async def list_bots(request: Request[Any, Any, Any]) -> Response[BotsOut]:
    """List the levels of the bots, with what was measured of their strength and their time."""
    language = language_for(request)
    shown = bots_to_wire(measured(), language)
    return in_language(language, conditional(request, shown, etag_of_struct(shown), DAY))


async def _advised(slices: Slices, seen: View, language: Language) -> list[AdvisedActionOut]:
    seats = len(seen.opponents) + 1
    return await slices.all(advised_to_wire(advice, seats, language) for advice in advice_on(seen))


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (list_bots, get_advice, advise_seat, get_review)
