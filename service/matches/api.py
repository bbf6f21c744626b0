"""Matches over HTTP: create, find, join; look, propose, play."""

from typing import Annotated, Any, Final, Literal, TypeVar
from uuid import UUID

from litestar import Request, Response, get, post
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from msgspec import UNSET, Meta, Struct, UnsetType

import engine
from engine import Reason
from service.db.rows import StoredMatch
from service.http.application import require_readable
from service.http.auth import bearer
from service.http.decoding import decode
from service.http.etag import matches as has_tag
from service.http.operation import Answer, Example, From, Header, Link, Security, operation
from service.http.problems import Code, Problem
from service.http.rules import RulesetName, preset_of
from service.matches.access import Access, Gate
from service.matches.lobby import Lobby
from service.matches.play import Play
from service.matches.table import Table
from service.matches.wire.actions import action_from_wire
from service.matches.wire.matches import (
    CreatedOut,
    JoinedOut,
    JoinIn,
    MatchesOut,
    MatchIn,
    MatchOut,
    TokenOut,
    created_to_wire,
    joined_to_wire,
    match_from_wire,
    match_to_wire,
    name_from_wire,
)
from service.matches.wire.moves import (
    IntentIn,
    IntentOut,
    MoveIn,
    MoveOut,
    played_to_wire,
    proposed_to_wire,
)
from service.matches.wire.numbers import SeatNumber
from service.matches.wire.view import ViewOut, view_to_wire

T = TypeVar("T")

PER_AUDIENCE: Final = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept"}
"""What depends on who asks is kept by nobody but the one who asked, and asked for again each time."""
SECRET: Final = {"Cache-Control": "no-store"}
"""Answers with tokens are kept by nobody."""

REFUSALS: Final[tuple[Reason, ...]] = tuple(reason for reason in Reason if reason is not Reason.MATCH_FULL)
"""What the rules may answer to an action."""
STORE: Final[tuple[Code, ...]] = (Code.BUSY, Code.DRAINING, Code.DATABASE_UNAVAILABLE)
"""What whatever writes a match may answer."""


class ListParams(Struct, frozen=True, forbid_unknown_fields=True):
    """Which public matches to list."""

    status: Literal["open", "playing", "finished"] | UnsetType = UNSET
    ruleset: RulesetName | UnsetType = UNSET
    cursor: UUID | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


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


@post(
    "/v1/matches",
    operation_id="createMatch",
    tags=["matches"],
    status_code=201,
    opt=operation(
        example=Example(
            body={
                "ruleset": "classic",
                "seats": [{"kind": "self", "name": "Ana"}, {"kind": "open"}],
                "shuffle": {"mode": "seed", "seed": "gin rummy"},
                "first_dealer": 1,
            }
        ),
        problems=(
            Code.RULESET_UNKNOWN,
            Code.RULESET_REFUSED,
            Code.KNOB_NOT_YET_PLAYED,
            Code.SEATS_UNSUITABLE,
            Code.DUPLICATE_CARDS,
            Code.CARDS_KNOWN_NOT_PUBLIC,
            Code.METADATA_TOO_LARGE,
            *STORE,
        ),
        headers=(Header.LOCATION, Header.ETAG, Header.CACHE_CONTROL),
        links={
            "match": Link(
                operation="getMatch",
                parameters={"match_id": "$response.body#/match/id"},
                description="The public part of the match.",
            ),
            "view": Link(
                operation="getView",
                parameters={
                    "match_id": "$response.body#/match/id",
                    "seat": "0",
                },
                description="What a seat sees; it takes the seat's token.",
            ),
        },
    ),
)
async def create_match(
    data: JSONBody[MatchIn], lobby: NamedDependency[Lobby], public_url: NamedDependency[str]
) -> Response[CreatedOut]:
    """Create a match.

    Where no seat is open it starts at once, and bots that act first have acted.
    """
    created = await lobby.create(match_from_wire(data))
    row = created.table.row
    headers = {
        "Location": f"{public_url}/v1/matches/{row.id}",
        "ETag": _tag(created.table, "public"),
        **SECRET,
    }
    return Response(content=created_to_wire(created), status_code=201, headers=headers)


@get(
    "/v1/matches",
    operation_id="listMatches",
    tags=["matches"],
    opt=operation(
        example=Example(query={"status": "open", "limit": 5}),
        problems=(Code.RULESET_UNKNOWN, Code.DATABASE_UNAVAILABLE),
        headers=(Header.CACHE_CONTROL,),
    ),
)
async def list_matches(
    params: NamedDependency[ListParams], lobby: NamedDependency[Lobby]
) -> Response[MatchesOut]:
    """List public matches, newest first."""
    tables = await lobby.public_tables(
        status=_given(params.status),
        ruleset=None if params.ruleset is UNSET else preset_of(params.ruleset).id,
        cursor=_given(params.cursor),
        limit=params.limit + 1,
    )
    items = [match_to_wire(table) for table in tables[: params.limit]]
    cursor = items[-1].id if len(tables) > params.limit else None
    return Response(content=MatchesOut(items, cursor), headers=PER_AUDIENCE)


@get(
    "/v1/matches/{match_id:uuid}",
    operation_id="getMatch",
    tags=["matches"],
    guards=[reader],
    opt=operation(
        example=Example(
            path={"match_id": From("createMatch", "/match/id")}, token=From("createMatch", "/seats/0/token")
        ),
        problems=(Code.DATABASE_UNAVAILABLE,),
        headers=(Header.CACHE_CONTROL,),
        security=Security.OPTIONAL,
        conditional=True,
    ),
)
async def get_match(
    match_id: FromPath[UUID],  # noqa: ARG001  the guard has read it
    request: Request[Any, Any, Any],
    play: NamedDependency[Play],
) -> Response[MatchOut]:
    """Read the public part of a match; a private one takes the token of one of its seats."""
    row: StoredMatch = request.state.row
    table = await play.look(row)
    return unless_known(request, table, "public") or _told(table, "public", match_to_wire(table))


@post(
    "/v1/joins",
    operation_id="joinMatch",
    tags=["matches"],
    status_code=201,
    opt=operation(
        example=Example(body={"code": From("createMatch", "/join/code"), "name": "Ben"}),
        problems=(Code.NOT_FOUND, Reason.MATCH_FULL, *STORE),
        headers=(Header.LOCATION, Header.CACHE_CONTROL),
        links={
            "view": Link(
                operation="getView",
                parameters={"match_id": "$response.body#/match_id", "seat": "$response.body#/seat"},
                description="What the seat sees, with its token.",
            )
        },
    ),
)
async def join_match(
    data: JSONBody[JoinIn], lobby: NamedDependency[Lobby], public_url: NamedDependency[str]
) -> Response[JoinedOut]:
    """Take the first open seat of a match, by its code or, if it is public, by its id."""
    name = name_from_wire(data.name)
    if data.code is not UNSET:
        joined = await lobby.join_by_code(data.code, name)
    elif data.match_id is not UNSET:
        joined = await lobby.join_public(data.match_id, name)
    else:
        raise AssertionError("a body without either form is refused before")
    headers = {"Location": f"{public_url}/v1/matches/{joined.match_id}", **SECRET}
    return Response(content=joined_to_wire(joined), status_code=201, headers=headers)


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
        problems=(Code.FORBIDDEN, Code.DATABASE_UNAVAILABLE),
        headers=(Header.CACHE_CONTROL,),
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
            )
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
    return unless_known(request, table, str(seat)) or _told(table, str(seat), _view(table, seat))


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
            Code.DATABASE_UNAVAILABLE,
            *REFUSALS,
        ),
        headers=(Header.CACHE_CONTROL,),
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
            *STORE,
            *REFUSALS,
        ),
        answers={
            200: Answer(
                description="The move had been played before; the view is the one now.",
                headers=(Header.MOVE_REPLAYED, Header.CACHE_CONTROL),
            )
        },
        headers=(Header.CACHE_CONTROL,),
        security=Security.REQUIRED,
        links={
            "events": Link(
                operation="listSeatEvents",
                parameters={"match_id": "$request.path.match_id", "seat": "$request.path.seat"},
                description="The events that the seat has seen.",
            )
        },
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

    Confirming twice is safe: the second answer is 200 and tells what the first one did.
    """
    if data.intent is not UNSET:
        played = await play.confirm(admitted(request), data.intent)
    elif data.action is not UNSET and data.expected_version is not UNSET:
        played = await play.act(admitted(request), action_from_wire(data.action), data.expected_version)
    else:
        raise AssertionError("a body without either form is refused before")
    replayed = {"Move-Replayed": "true"} if played.replayed else {}
    return Response(
        content=played_to_wire(played, _view(played.table, seat)),
        status_code=200 if played.replayed else 201,
        headers={**PER_AUDIENCE, **replayed},
    )


def unless_known(request: Request[Any, Any, Any], table: Table, audience: str) -> Response[Any] | None:
    """Return 304 where the caller has the answer for this version already."""
    if not has_tag(request.headers.get("if-none-match"), _tag(table, audience)):
        return None
    return Response(content=None, status_code=304, headers={"ETag": _tag(table, audience), **PER_AUDIENCE})


def _told(table: Table, audience: str, content: T) -> Response[T]:
    return Response(content=content, headers={"ETag": _tag(table, audience), **PER_AUDIENCE})


def _tag(table: Table, audience: str) -> str:
    """Return the tag of an answer: match, version and audience, and nothing of what it shows."""
    return f'"{table.row.id}.{table.row.version}.{audience}"'


def _view(table: Table, seat: int) -> ViewOut:
    snapshot = table.snapshot
    return view_to_wire(
        table.row.id,
        engine.view(table.match, seat),
        seat,
        hints=snapshot.hints,
        metadata=snapshot.metadata if seat in snapshot.creator_seats else None,
    )


async def _is_readable(request: Request[Any, Any, Any]) -> bool:
    try:
        await require_readable(request)
        body: MoveIn = decode(await request.body(), MoveIn)
        if body.action is not UNSET:
            action_from_wire(body.action)
    except Problem:
        return False
    return True


def _place(connection: ASGIConnection[Any, Any, Any, Any]) -> dict[str, Any]:
    return {"match_id": connection.path_params["match_id"], "seat": connection.path_params["seat"]}


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (
    create_match,
    list_matches,
    get_match,
    join_match,
    rotate_token,
    get_view,
    propose_move,
    play_move,
)
