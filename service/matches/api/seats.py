"""A seat over HTTP: look, propose, play."""

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from msgspec import UNSET

from service.http.envelope import arrival
from service.http.operation import Answer, Example, From, Header, Link, Security, operation
from service.http.problems import Code
from service.matches.api.answers import (
    PER_AUDIENCE,
    READS,
    REFUSALS,
    SECRET,
    STORE,
    WHAT_WAS_SEEN,
    told,
    unless_known,
)
from service.matches.api.guards import admitted, current_seat, mover
from service.matches.lobby import Lobby
from service.matches.play import Play
from service.matches.wire.actions import action_from_wire
from service.matches.wire.matches import TokenOut, table_to_wire
from service.matches.wire.moves import (
    IntentIn,
    IntentOut,
    MoveIn,
    MoveOut,
    played_to_wire,
    proposed_to_wire,
)
from service.matches.wire.numbers import SeatNumber
from service.matches.wire.view import ViewOut


@post(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/token",
    operation_id="rotateToken",
    tags=["seats"],
    status_code=200,
    guards=[current_seat],
    opt=operation(
        example=Example(
            path={"match_id": From("createMatch", "/match/id"), "seat": 1},
            token=From("joinMatch", "/token"),
        ),
        problems=(Code.FORBIDDEN, *STORE),
        headers=(Header.CACHE_CONTROL,),
        security=Security.REQUIRED,
    ),
)
async def rotate_token(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    seat: FromPath[SeatNumber],  # noqa: ARG001  likewise
    request: Request[Any, Any, Any],
    lobby: NamedDependency[Lobby],
) -> Response[TokenOut]:
    """Replace the token of a seat; the old one is refused at once, everywhere."""
    return Response(content=TokenOut(await lobby.rotate(admitted(request))), headers=SECRET)


@get(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/view",
    operation_id="getView",
    tags=["seats"],
    guards=[current_seat],
    opt=operation(
        example=Example(
            path={"match_id": From("createMatch", "/match/id"), "seat": 0},
            token=From("createMatch", "/seats/0/token"),
        ),
        problems=(Code.FORBIDDEN, *READS),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.REQUIRED,
        conditional=True,
        links={
            "propose": Link(
                operation="proposeMove",
                parameters={"match_id": "$response.body#/match_id", "seat": "$response.body#/seat"},
                request_body={
                    "action": {"type": "pass"},
                    "expected_version": "$response.body#/version",
                },
                description="Prepare an action that the view lists: a pass, where the upcard is offered.",
            ),
            "advice": Link(
                operation="getAdvice",
                parameters={"match_id": "$response.body#/match_id", "seat": "$response.body#/seat"},
                description="What the expert would do in the seat's turn, and why.",
            ),
        },
    ),
)
async def get_view(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    seat: FromPath[SeatNumber],
    request: Request[Any, Any, Any],
    play: NamedDependency[Play],
) -> Response[ViewOut]:
    """Read all that a seat may know, and what it may do."""
    table = await play.table_of(admitted(request))
    return unless_known(request, table, str(seat)) or told(table, str(seat), table_to_wire(table, seat))


@post(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/intents",
    operation_id="proposeMove",
    tags=["seats"],
    status_code=201,
    guards=[current_seat],
    opt=operation(
        example=Example(
            path={"match_id": From("createMatch", "/match/id"), "seat": 0},
            token=From("createMatch", "/seats/0/token"),
            body={"action": {"type": "pass"}, "expected_version": 2},
        ),
        problems=(
            Code.FORBIDDEN,
            Code.DUPLICATE_CARDS,
            Code.VERSION_CONFLICT,
            *READS,
            *REFUSALS,
        ),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.REQUIRED,
        links={
            "confirm": Link(
                operation="playMove",
                parameters={"match_id": "$request.path.match_id", "seat": "$request.path.seat"},
                request_body={"intent": "$response.body#/intent"},
                description="Play what was proposed.",
            )
        },
    ),
)
async def propose_move(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    seat: FromPath[SeatNumber],  # noqa: ARG001  likewise
    data: JSONBody[IntentIn],
    request: Request[Any, Any, Any],
    play: NamedDependency[Play],
) -> Response[IntentOut]:
    """Prepare an action: see what it would do, and get the intent that plays it.

    Nothing is stored or reserved. Omitted melds and layoffs are filled in, and what is confirmed is what
    was shown.
    """
    proposed = await play.propose(admitted(request), action_from_wire(data.action), data.expected_version)
    return Response(content=proposed_to_wire(proposed), status_code=201, headers=PER_AUDIENCE)


@post(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/moves",
    operation_id="playMove",
    tags=["seats"],
    status_code=201,
    guards=[mover],
    opt=operation(
        example=Example(
            path={"match_id": From("createMatch", "/match/id"), "seat": 0},
            token=From("createMatch", "/seats/0/token"),
            body={"intent": From("proposeMove", "/intent")},
        ),
        problems=(
            Code.FORBIDDEN,
            Code.DUPLICATE_CARDS,
            Code.VERSION_CONFLICT,
            Code.INTENT_INVALID,
            Code.INTENT_STALE,
            Code.INTENT_EXPIRED,
            Code.TURN_TIMED_OUT,
            *STORE,
            *REFUSALS,
        ),
        answers={
            200: Answer(
                description="The move had been played before; the view is the one now.",
                headers=(Header.MOVE_REPLAYED, Header.CACHE_CONTROL, Header.VARY),
            )
        },
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.REQUIRED,
        links=WHAT_WAS_SEEN,
    ),
)
async def play_move(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    seat: FromPath[SeatNumber],
    data: JSONBody[MoveIn],
    request: Request[Any, Any, Any],
    play: NamedDependency[Play],
) -> Response[MoveOut]:
    """Play a confirmed intent, or an action on the version for which it was chosen.

    Confirming twice is safe: the second answer is 200 and tells what the first one did. A move is in time
    if the last byte of its body arrived before the deadline.
    """
    if data.intent is not UNSET:
        played = await play.confirm(admitted(request), data.intent, arrival(request))
    elif data.action is not UNSET and data.expected_version is not UNSET:
        action = action_from_wire(data.action)
        played = await play.act(admitted(request), action, data.expected_version, arrival(request))
    else:
        raise AssertionError("a body without either form is refused before")
    replayed = {"Move-Replayed": "true"} if played.replayed else {}
    return Response(
        content=played_to_wire(played, table_to_wire(played.table, seat)),
        status_code=200 if played.replayed else 201,
        headers={**PER_AUDIENCE, **replayed},
    )


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (rotate_token, get_view, propose_move, play_move)
