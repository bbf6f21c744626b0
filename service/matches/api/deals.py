"""The finished deals of a match over HTTP."""

from typing import Annotated, Any, Final
from uuid import UUID

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from msgspec import Meta, Struct

from engine.state import Status
from service.http.operation import Example, From, Given, Header, Security, operation
from service.http.problems import Code
from service.matches.api.answers import of_finished_deals
from service.matches.api.guards import reader
from service.matches.history import History
from service.matches.play import Play
from service.matches.wire.deals import DealOut, DealsOut, deal_to_wire
from service.matches.wire.numbers import DealNumber

_FINISHED: Final = Given(
    operation="createMatch",
    body={
        "seats": [{"kind": "bot", "level": "club"}, {"kind": "bot", "level": "beginner"}],
        "overrides": {"deals": 2, "hand_size": 4},
        "visibility": "link",
    },
)


class DealsParams(Struct, frozen=True, forbid_unknown_fields=True):
    """Which finished deals to list."""

    cursor: Annotated[
        int,
        Meta(
            ge=0,
            le=200,
            description=(
                "List the deals after this number: `next_cursor` of the page before, or how many are known "
                "already. Without it, from the first."
            ),
        ),
    ] = 0
    limit: Annotated[int, Meta(ge=1, le=200, description="The most deals of a page; 20 without it.")] = 20


@get(
    "/v1/matches/{match_id:uuid}/deals",
    operation_id="listDeals",
    tags=["matches"],
    guards=[reader],
    opt=operation(
        example=Example(
            given={"finished": _FINISHED},
            path={"match_id": From("finished", "/match/id")},
            query={"limit": 1},
        ),
        problems=(Code.DATABASE_UNAVAILABLE,),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.OPTIONAL,
        conditional=True,
    ),
)
async def list_deals(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    params: NamedDependency[DealsParams],
    request: Request[Any, Any, Any],
    play: NamedDependency[Play],
    history: NamedDependency[History],
) -> Response[DealsOut]:
    """List the finished deals of a match in order, with all hands; whoever may read the match may read them.

    If the server shuffled, a page that can gain no more deals never changes and may be kept.
    """
    table = await play.look(request.state.row)
    rows = await history.deals(table, params.cursor, params.limit)
    last = params.cursor + len(rows)
    more = last < table.match.deal_count
    page = DealsOut([deal_to_wire(row) for row in rows], last if more else None)
    complete = len(rows) == params.limit and more
    fixed = complete or table.match.status is Status.FINISHED
    name = f"deals.{params.cursor}.{params.limit}.{last}.{'more' if more else 'end'}"
    return of_finished_deals(request, table, name, page, fixed=fixed)


@get(
    "/v1/matches/{match_id:uuid}/deals/{deal:int}",
    operation_id="getDeal",
    tags=["matches"],
    guards=[reader],
    opt=operation(
        example=Example(
            given={"finished": _FINISHED},
            path={"match_id": From("finished", "/match/id"), "deal": 1},
        ),
        problems=(Code.DATABASE_UNAVAILABLE,),
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.OPTIONAL,
        conditional=True,
    ),
)
async def get_deal(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    deal: FromPath[DealNumber],
    request: Request[Any, Any, Any],
    play: NamedDependency[Play],
    history: NamedDependency[History],
) -> Response[DealOut]:
    """Read a finished deal, with all hands; whoever may read the match may read it.

    It is 404 before the deal is finished. If the server shuffled, the answer never changes and may be kept.
    """
    table = await play.look(request.state.row)
    row = await history.deal(table, deal)
    return of_finished_deals(request, table, f"deals.{deal}", deal_to_wire(row), fixed=True)


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (list_deals, get_deal)
