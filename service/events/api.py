"""Reading the events of a match."""

from typing import Final
from uuid import UUID

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath

from service.events.feed import Feed
from service.events.wire import EventsOut, PageParams, page_to_wire
from service.http.operation import Example, From, Header, Security, operation
from service.http.problems import Code
from service.matches.api.answers import PER_AUDIENCE
from service.matches.api.guards import current_seat, reader
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
        problems=(Code.DATABASE_UNAVAILABLE,),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.OPTIONAL,
    ),
)
async def list_events(
    match_id: FromPath[UUID],
    params: NamedDependency[PageParams],
    feed: NamedDependency[Feed],
) -> Response[EventsOut]:
    """Read the public part of a match's events."""
    seen = await feed.page(match_id, None, params.after, params.limit)
    return Response(content=page_to_wire(seen, params.after), headers=PER_AUDIENCE)


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
        problems=(Code.FORBIDDEN, Code.DATABASE_UNAVAILABLE),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.REQUIRED,
    ),
)
async def list_seat_events(
    match_id: FromPath[UUID],
    seat: FromPath[SeatNumber],
    params: NamedDependency[PageParams],
    feed: NamedDependency[Feed],
) -> Response[EventsOut]:
    """Read a match's events as a seat sees them: with its own cards."""
    seen = await feed.page(match_id, seat, params.after, params.limit)
    return Response(content=page_to_wire(seen, params.after), headers=PER_AUDIENCE)


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (list_events, list_seat_events)
