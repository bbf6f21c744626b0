"""When nobody waits any longer: claim a time-out, abort a match that was not dealt."""

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from engine import Reason
from service.http.operation import Example, From, Given, Header, Security, operation
from service.http.problems import Code
from service.matches.api.answers import PER_AUDIENCE, STORE, WHAT_WAS_SEEN
from service.matches.api.guards import admitted, current_seat
from service.matches.house import House
from service.matches.lobby import Lobby
from service.matches.wire.matches import table_to_wire
from service.matches.wire.moves import MoveOut, played_to_wire
from service.matches.wire.numbers import SeatNumber
from service.matches.wire.view import ViewOut

_TIMED: Final = Given(
    operation="createMatch",
    body={
        "seats": [{"kind": "self", "name": "Ana"}, {"kind": "self", "name": "Ben"}],
        "shuffle": {"mode": "seed", "seed": "gin rummy"},
        "first_dealer": 1,
        "clock": {"turn_seconds": 60, "on_timeout": "forfeit"},  # it leaves no deadline to vary
    },
)
_WAITING: Final = Given(
    operation="createMatch", body={"seats": [{"kind": "self", "name": "Ana"}, {"kind": "open"}]}
)


@post(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/claims",
    operation_id="claimTimeout",
    tags=["seats"],
    status_code=201,
    guards=[current_seat],
    opt=operation(
        example=Example(
            given={"table": _TIMED},
            path={"match_id": From("table", "/match/id"), "seat": 1},
            token=From("table", "/seats/1/token"),
            late=True,
        ),
        problems=(Code.FORBIDDEN, Code.DEADLINE_NOT_REACHED, *STORE),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.REQUIRED,
        links=WHAT_WAS_SEEN,
    ),
)
async def claim_timeout(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    seat: FromPath[SeatNumber],
    request: Request[Any, Any, Any],
    house: NamedDependency[House],
) -> Response[MoveOut]:
    """Have the house act for the seat in turn, whose time is up.

    Any seat of the match may ask. `move` is what the house has done. The house acts on its own too, a
    little later; a move that arrived in time goes before it, so an answer may take a second.
    """
    played = await house.claim(admitted(request))
    view = table_to_wire(played.table, seat)
    return Response(content=played_to_wire(played, view), status_code=201, headers=PER_AUDIENCE)


@post(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/abort",
    operation_id="abortMatch",
    tags=["seats"],
    status_code=200,
    guards=[current_seat],
    opt=operation(
        example=Example(
            given={"table": _WAITING},
            path={"match_id": From("table", "/match/id"), "seat": 0},
            token=From("table", "/seats/0/token"),
        ),
        problems=(Code.FORBIDDEN, Reason.MATCH_STARTED, Reason.MATCH_FINISHED, *STORE),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.REQUIRED,
    ),
)
async def abort_match(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    seat: FromPath[SeatNumber],
    request: Request[Any, Any, Any],
    lobby: NamedDependency[Lobby],
) -> Response[ViewOut]:
    """Give a match up before its cards are dealt, while a seat is open; its code dies and nobody wins."""
    table = await lobby.abort(admitted(request))
    return Response(content=table_to_wire(table, seat), headers=PER_AUDIENCE)


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (claim_timeout, abort_match)
