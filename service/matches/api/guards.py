"""Who is admitted, before anything else of a request is judged."""

from typing import Any

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from msgspec import UNSET

from service.http.application import require_readable
from service.http.auth import bearer
from service.http.decoding import decode_early
from service.http.problems import Problem
from service.matches.access import Access, Gate
from service.matches.wire.actions import action_from_wire
from service.matches.wire.moves import MoveIn


async def current_seat(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
    """Admit the holder of the seat in the path; a guard, so that it comes before the body is judged."""
    gate: Gate = connection.app.state.gate
    connection.state.access = await gate.seat(bearer(connection), **_place(connection))


async def mover(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
    """Admit the holder of the seat without reading the match where the writer will read it anyway.

    Where the request will be refused before it comes to the writer, the match is read here: a replaced
    token is told so, whatever else is wrong.
    """
    gate: Gate = connection.app.state.gate
    token = bearer(connection)
    connection.state.access = await gate.seat_unread(token, **_place(connection))
    if isinstance(connection, Request) and not await _is_readable(connection):
        await gate.seat(token, **_place(connection))


async def reader(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
    """Admit whoever may read the public part of the match in the path."""
    gate: Gate = connection.app.state.gate
    connection.state.row = await gate.public(bearer(connection), connection.path_params["match_id"])


def admitted(request: Request[Any, Any, Any]) -> Access:
    """Return the proof that the handler's guard has checked."""
    access: Access = request.state.access
    return access


async def _is_readable(request: Request[Any, Any, Any]) -> bool:
    try:
        await require_readable(request)
        body: MoveIn = await decode_early(request)
        if body.action is not UNSET:
            action_from_wire(body.action)
    except Problem:
        return False
    return True


def _place(connection: ASGIConnection[Any, Any, Any, Any]) -> dict[str, Any]:
    return {"match_id": connection.path_params["match_id"], "seat": connection.path_params["seat"]}
