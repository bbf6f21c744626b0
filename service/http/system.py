"""What every service offers: its problem types, its health, its contract and its documentation."""

from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from msgspec import Meta, Struct

from service.http.catalogue import PROBLEM_TYPES, ProblemType
from service.http.etag import SHORT, conditional, etag_of, etag_of_struct
from service.http.operation import Example, operation
from service.http.problems import Code, Problem

Ready: TypeAlias = Callable[[], Awaitable[bool]]
"""Whether the database answers and its schema is the one this code was written for."""

ProblemCode: TypeAlias = Annotated[str, Meta(pattern="^[a-z]+(-[a-z]+)*$", max_length=40)]

_DOCS: Final = Path(__file__).parent / "docs"
_DOCS_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


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
    """Tell whether requests can be served: the database answers and has this version's schema."""
    if not await ready():
        raise Problem(Code.DATABASE_UNAVAILABLE)
    return HealthOut("ok")


@get("/openapi.json", media_type="application/json")
async def get_document(request: Request[Any, Any, Any], document: NamedDependency[bytes]) -> Response[bytes]:
    """Serve the contract as it is committed."""
    return conditional(request, document, etag_of(document), SHORT)


@get("/docs", media_type="text/html")
async def get_docs(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Serve the page that shows the contract; everything on it comes from here."""
    return _page(request, "index.html")


@get("/docs/redoc.js", media_type="text/javascript")
async def get_docs_script(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Serve the documentation's script."""
    return _page(request, "redoc.standalone.js")


@cache
def _file(name: str) -> bytes:
    return (_DOCS / name).read_bytes()


def _page(request: Request[Any, Any, Any], name: str) -> Response[bytes]:
    content = _file(name)
    answer = conditional(request, content, etag_of(content), SHORT)
    answer.headers["Content-Security-Policy"] = _DOCS_POLICY
    return answer


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (
    list_problems,
    get_problem,
    get_health,
    get_readiness,
    get_document,
    get_docs,
    get_docs_script,
)
