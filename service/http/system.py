"""What the service tells of itself: its problem types and its health."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, Literal, TypeAlias

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from msgspec import Meta, Struct

from service.http.catalogue import PROBLEM_TYPES, ProblemType
from service.http.etag import SHORT, conditional, etag_of_struct
from service.http.operation import Example, operation
from service.http.problems import Code, Problem

Ready: TypeAlias = Callable[[], Awaitable[bool]]
"""Whether the database answers and its schema is the one this code was written for, or a newer one."""

READY_SECONDS: Final = 2.0
"""How long the database may take to answer whoever asks whether it is ready."""

ProblemCode: TypeAlias = Annotated[str, Meta(pattern="^[a-z]+(-[a-z]+)*\\Z", max_length=40)]


class ProblemTypeOut(Struct, frozen=True):
    """A kind of problem: its title never varies, and clients branch on its code."""

    type: str
    code: str
    status: Annotated[int, Meta(ge=400, le=599)]
    title: str
    description: str


class ProblemTypesOut(Struct, frozen=True):
    """Every kind of problem that this service answers with."""

    items: list[ProblemTypeOut]


class HealthOut(Struct, frozen=True):
    """That all is well."""

    status: Literal["ok"]


def _to_wire(kind: ProblemType) -> ProblemTypeOut:
    return ProblemTypeOut(
        type=f"/problems/{kind.code}",
        code=kind.code,
        status=kind.status,
        title=kind.title,
        description=kind.description,
    )


@get(
    "/v1/problems",
    operation_id="listProblems",
    tags=["service"],
    opt=operation(example=Example(), conditional=True),
)
async def list_problems(request: Request[Any, Any, Any]) -> Response[ProblemTypesOut]:
    """List every kind of problem."""
    listed = ProblemTypesOut([_to_wire(kind) for kind in PROBLEM_TYPES.values()])
    return conditional(request, listed, etag_of_struct(listed), SHORT)


@get(
    "/problems/{code:str}",
    operation_id="getProblem",
    tags=["service"],
    opt=operation(example=Example(path={"code": "not-your-turn"}), conditional=True),
)
async def get_problem(
    code: FromPath[ProblemCode], request: Request[Any, Any, Any]
) -> Response[ProblemTypeOut]:
    """Read one kind of problem: this is where the `type` of a problem leads."""
    kind = PROBLEM_TYPES.get(code)
    if kind is None:
        raise Problem(Code.NOT_FOUND)
    shown = _to_wire(kind)
    return conditional(request, shown, etag_of_struct(shown), SHORT)


@get("/healthz", operation_id="getHealth", tags=["service"], opt=operation(example=Example()))
async def get_health() -> HealthOut:
    """Tell that the process runs."""
    return HealthOut("ok")


@get(
    "/readyz",
    operation_id="getReadiness",
    tags=["service"],
    opt=operation(example=Example(), problems=(Code.DATABASE_UNAVAILABLE,)),
)
async def get_readiness(ready: NamedDependency[Ready]) -> HealthOut:
    """Tell whether requests can be served: the database answers, with this version's schema or a newer."""
    try:
        async with asyncio.timeout(READY_SECONDS):
            if await ready():
                return HealthOut("ok")
    except TimeoutError:
        pass
    raise Problem(Code.DATABASE_UNAVAILABLE)


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (
    list_problems,
    get_problem,
    get_health,
    get_readiness,
)
