"""Matches over HTTP: create, find, join."""

from typing import Annotated, Any, Final, Literal, TypeVar
from uuid import UUID

from litestar import Request, Response, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath, JSONBody
from msgspec import UNSET, Meta, Struct, UnsetType

from engine import Reason
from service.db.rows import StoredMatch
from service.http.ids import IdIn, id_from_wire
from service.http.operation import Example, From, Header, Link, Security, operation
from service.http.problems import Code
from service.http.rules import RulesetName, preset_of
from service.matches.api.answers import CREATES, PER_AUDIENCE, READS, SECRET, STORE, tag, told, unless_known
from service.matches.api.guards import reader
from service.matches.codes import read_code
from service.matches.lobby import Lobby
from service.matches.play import Play
from service.matches.wire.creation import JoinIn, MatchIn, match_from_wire, name_from_wire
from service.matches.wire.matches import (
    CreatedOut,
    JoinedOut,
    MatchesOut,
    MatchOut,
    created_to_wire,
    joined_to_wire,
    listed_to_wire,
    match_to_wire,
)

T = TypeVar("T")


class ListParams(Struct, frozen=True, forbid_unknown_fields=True):
    """Which public matches to list."""

    status: Literal["open", "playing", "finished"] | UnsetType = UNSET
    ruleset: RulesetName | UnsetType = UNSET
    cursor: IdIn | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=100)] = 20


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
            Code.SEATS_UNSUITABLE,
            Code.DUPLICATE_CARDS,
            Code.CARDS_KNOWN_NOT_PUBLIC,
            Code.CLOCK_REQUIRED,
            Code.METADATA_UNREADABLE,
            Code.METADATA_TOO_LARGE,
            Code.TOO_MUCH_WORK,
            *CREATES,
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
            "claim": Link(
                operation="claimTimeout",
                parameters={"match_id": "$response.body#/match/id", "seat": "0"},
                description="Have the house act where a seat's time is up.",
            ),
            "abort": Link(
                operation="abortMatch",
                parameters={"match_id": "$response.body#/match/id", "seat": "0"},
                description="End the match before its deal.",
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
        "ETag": tag(created.table, "public"),
        **SECRET,
    }
    return Response(content=created_to_wire(created), status_code=201, headers=headers)


@get(
    "/v1/matches",
    operation_id="listMatches",
    tags=["matches"],
    opt=operation(
        example=Example(query={"status": "open", "limit": 5}),
        problems=(Code.RULESET_UNKNOWN, *READS),
        headers=(Header.CACHE_CONTROL, Header.VARY),
    ),
)
async def list_matches(
    params: NamedDependency[ListParams], lobby: NamedDependency[Lobby]
) -> Response[MatchesOut]:
    """List public matches, newest first."""
    tables = await lobby.public_tables(
        status=_given(params.status),
        ruleset=None if params.ruleset is UNSET else preset_of(params.ruleset).id,
        cursor=None if params.cursor is UNSET else id_from_wire(params.cursor),
        limit=params.limit + 1,
    )
    items = [listed_to_wire(table) for table in tables[: params.limit]]
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
        problems=READS,
        headers=(Header.CACHE_CONTROL, Header.VARY),
        security=Security.OPTIONAL,
        conditional=True,
        links={
            "deals": Link(
                operation="listDeals",
                parameters={"match_id": "$response.body#/id"},
                description="The finished deals, with all hands.",
            ),
            "review": Link(
                operation="getReview",
                parameters={"match_id": "$response.body#/id"},
                description="Each decision beside the expert's, once the match is over.",
            ),
        },
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
    return unless_known(request, table, "public") or told(table, "public", match_to_wire(table))


@post(
    "/v1/joins",
    operation_id="joinMatch",
    tags=["matches"],
    status_code=201,
    opt=operation(
        example=Example(body={"code": From("createMatch", "/join/code"), "name": "Ben"}),
        problems=(Code.NOT_FOUND, Reason.MATCH_FULL, Reason.MATCH_FINISHED, *STORE),
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
        joined = await lobby.join_by_code(read_code(data.code), name)
    elif data.match_id is not UNSET:
        joined = await lobby.join_public(id_from_wire(data.match_id), name)
    else:
        raise AssertionError("a body without either form is refused before")
    headers = {"Location": f"{public_url}/v1/matches/{joined.match_id}", **SECRET}
    return Response(content=joined_to_wire(joined), status_code=201, headers=headers)


def _given(value: T | UnsetType) -> T | None:
    return None if value is UNSET else value


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (create_match, list_matches, get_match, join_match)
