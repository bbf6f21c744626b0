"""Reading the events of a match: in pages, and as they happen."""

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from service.events.cursor import Cursor, parse_cursor
from service.events.follow import Follow
from service.events.stream import Reader
from service.events.wire import (
    ByeOut,
    EventsOut,
    MatchSnapshotOut,
    PageParams,
    PresenceOut,
    SeatSnapshotOut,
    StreamParams,
    page_to_wire,
)
from service.http.auth import bearer
from service.http.client import Client
from service.http.operation import Example, From, Header, Security, operation
from service.http.problems import Code
from service.http.streaming import EVENT_STREAM, StreamedOut, StreamResponse
from service.matches.access import Gate
from service.matches.api.answers import PER_AUDIENCE, STORE
from service.matches.api.guards import admitted, current_seat, reader
from service.matches.wire.events import AnyEventOut
from service.matches.wire.numbers import SeatNumber


@get(
    "/v1/matches/{match_id:uuid}/events",
    operation_id="listEvents",
    tags=["events"],
    guards=[reader],
    opt=operation(
        example=Example(
            path={"match_id": From("createMatch", "/match/id")},
            query={"limit": 3},
            token=From("createMatch", "/seats/0/token"),
        ),
        problems=STORE,
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.OPTIONAL,
    ),
)
async def list_events(
    match_id: FromPath[UUID],
    params: NamedDependency[PageParams],
    request: Request[Any, Any, Any],
    gate: NamedDependency[Gate],
    follow: NamedDependency[Follow],
) -> Response[EventsOut]:
    """Read the public part of a match's events, or wait for the next."""
    page = await follow.page(_spectator(request, gate, match_id), params, Client(request.receive))
    return Response(content=page_to_wire(page), headers=PER_AUDIENCE)


@get(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/events",
    operation_id="listSeatEvents",
    tags=["events"],
    guards=[current_seat],
    opt=operation(
        example=Example(
            path={"match_id": From("createMatch", "/match/id"), "seat": 0},
            query={"after": 2, "limit": 3},
            token=From("createMatch", "/seats/0/token"),
        ),
        problems=(Code.FORBIDDEN, *STORE),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.REQUIRED,
    ),
)
async def list_seat_events(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    seat: FromPath[SeatNumber],  # noqa: ARG001  likewise
    params: NamedDependency[PageParams],
    request: Request[Any, Any, Any],
    follow: NamedDependency[Follow],
) -> Response[EventsOut]:
    """Read a match's events as a seat sees them, with its own cards, or wait for the next."""
    page = await follow.page(_player(request), params, Client(request.receive))
    return Response(content=page_to_wire(page), headers=PER_AUDIENCE)


@get(
    "/v1/matches/{match_id:uuid}/events/stream",
    operation_id="streamEvents",
    tags=["events"],
    guards=[reader],
    media_type=EVENT_STREAM,
    opt=operation(
        example=Example(
            path={"match_id": From("createMatch", "/match/id")},
            query={"after": 3},
            token=From("createMatch", "/seats/0/token"),
        ),
        problems=STORE,
        headers=(Header.CACHE_CONTROL, Header.VARY, Header.X_ACCEL_BUFFERING),
        security=Security.OPTIONAL,
        streams=(MatchSnapshotOut, PresenceOut, ByeOut, AnyEventOut),
    ),
)
async def stream_events(
    match_id: FromPath[UUID],
    params: NamedDependency[StreamParams],
    request: Request[Any, Any, Any],
    gate: NamedDependency[Gate],
    follow: NamedDependency[Follow],
) -> Response[StreamedOut]:
    """Follow the public part of a match's events as they happen.

    It begins with `snapshot`, or after `Last-Event-ID` or `after` with the events behind that number. Each
    event has the data that a page has; beside them come `presence`, `reset` in place of events that a slow
    client missed or for a number that is unknown, a comment with the version every 15 seconds, and `bye`.
    """
    stream = await follow.stream(_spectator(request, gate, match_id), _cursor(request, params))
    return StreamResponse(stream, PER_AUDIENCE)


@get(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/events/stream",
    operation_id="streamSeatEvents",
    tags=["events"],
    guards=[current_seat],
    media_type=EVENT_STREAM,
    opt=operation(
        example=Example(
            path={"match_id": From("createMatch", "/match/id"), "seat": 0},
            query={"after": 2},
            token=From("createMatch", "/seats/0/token"),
        ),
        problems=(Code.FORBIDDEN, *STORE),
        headers=(Header.CACHE_CONTROL, Header.VARY, Header.X_ACCEL_BUFFERING),
        security=Security.REQUIRED,
        streams=(SeatSnapshotOut, PresenceOut, ByeOut, AnyEventOut),
    ),
)
async def stream_seat_events(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    seat: FromPath[SeatNumber],  # noqa: ARG001  likewise
    params: NamedDependency[StreamParams],
    request: Request[Any, Any, Any],
    follow: NamedDependency[Follow],
) -> Response[StreamedOut]:
    """Follow a match's events as a seat sees them, with its own cards, as they happen.

    It begins with `snapshot`, or after `Last-Event-ID` or `after` with the events behind that number. Each
    event has the data that a page has; beside them come `presence`, `reset` in place of events that a slow
    client missed or for a number that is unknown, a comment with the version every 15 seconds, and `bye`.
    A seat has four places, for streams and for pages that wait: a fifth ends the oldest.
    """
    stream = await follow.stream(_player(request), _cursor(request, params))
    return StreamResponse(stream, PER_AUDIENCE)


def _player(request: Request[Any, Any, Any]) -> Reader:
    """Return the holder of a seat, whom the guard has admitted by the row it read."""
    access = admitted(request)
    if access.row is None:
        raise AssertionError("the guard has read it")
    return Reader(access.row, access.claim.seat, access.claim)


def _spectator(request: Request[Any, Any, Any], gate: Gate, match_id: UUID) -> Reader:
    """Return a reader of the public part, whom the guard has admitted."""
    token = bearer(request)
    claim = None if token is None else gate.claim(token)
    own = claim is not None and claim.match_id == match_id
    return Reader(request.state.row, None, claim if own else None)


def _cursor(request: Request[Any, Any, Any], params: StreamParams) -> Cursor:
    """Return where a stream goes on."""
    return parse_cursor(request.headers.get("last-event-id"), params.after)


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (
    list_events,
    list_seat_events,
    stream_events,
    stream_seat_events,
)
