"""Every exception becomes a problem document; what is not expected tells nothing but the request's id."""

from typing import Any, Final

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.types import ExceptionHandlersMap, Send

from engine.refusal import Refusal
from service.http.catalogue import PROBLEM_TYPES
from service.http.decoding import BODY_LIMIT
from service.http.log import log_failure
from service.http.problems import Code, Problem, ProblemOut, from_refusal

PROBLEM_MEDIA_TYPE: Final = "application/problem+json"
RETRY_AFTER: Final[dict[int, str]] = {503: "1"}
"""Seconds after which to try again, by status."""

_HUNG_UP: Final = "client disconnected prematurely"
"""What Litestar says of a caller who is gone before his body is complete: nobody's fault here."""

_BY_STATUS: Final[dict[int, Code]] = {
    400: Code.MALFORMED_JSON,  # Litestar refuses an empty body before it is decoded
    404: Code.NOT_FOUND,
    405: Code.METHOD_NOT_ALLOWED,
    413: Code.BODY_TOO_LARGE,
}


def document_of(problem: Problem, request_id: str) -> ProblemOut:
    """Return the document of a problem."""
    kind = PROBLEM_TYPES[problem.code]
    return ProblemOut(
        type=f"/problems/{kind.code}",
        title=kind.title,
        status=kind.status,
        code=kind.code,
        detail=problem.detail or kind.description,
        instance=f"urn:request:{request_id}",
        **({"errors": problem.faults} if problem.faults else {}),
        **problem.facts,
    )


def request_id_of(request: Request[Any, Any, Any]) -> str:
    """Return the id that the envelope gave the request."""
    return str(request.state.request_id)


def answer(request: Request[Any, Any, Any], problem: Problem) -> Response[ProblemOut]:
    """Return the response that tells of a problem."""
    document = document_of(problem, request_id_of(request))
    return Response(
        content=document,
        status_code=document.status,
        headers=_headers_of(problem, document.status),
        media_type=PROBLEM_MEDIA_TYPE,
    )


async def send_problem(send: Send, problem: Problem, request_id: str) -> None:
    """Tell of a problem where the application cannot."""
    document = document_of(problem, request_id)
    body = msgspec.json.encode(document)
    headers = {
        "Content-Type": PROBLEM_MEDIA_TYPE,
        "Content-Length": str(len(body)),
        **_headers_of(problem, document.status),
    }
    pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": document.status, "headers": pairs})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _headers_of(problem: Problem, status: int) -> dict[str, str]:
    headers = {"Cache-Control": "no-store", **problem.headers}
    if status in RETRY_AFTER:
        headers.setdefault("Retry-After", RETRY_AFTER[status])
    if status == 401:  # noqa: PLR2004  the status that must name a scheme
        headers["WWW-Authenticate"] = "Bearer"
    return headers


def _on_problem(request: Request[Any, Any, Any], problem: Problem) -> Response[ProblemOut]:
    return answer(request, problem)


def _on_refusal(request: Request[Any, Any, Any], refusal: Refusal) -> Response[ProblemOut]:
    return answer(request, from_refusal(refusal))


def _on_http_exception(request: Request[Any, Any, Any], error: HTTPException) -> Response[ProblemOut]:
    """Translate what Litestar itself raises; its messages may repeat the request, so none is passed on."""
    code = _BY_STATUS.get(error.status_code)
    if error.detail == _HUNG_UP:
        return answer(request, Problem(Code.MALFORMED_JSON))
    if code is None:
        return _on_exception(request, error)
    if code is Code.METHOD_NOT_ALLOWED:
        return answer(request, Problem(code, headers={"Allow": _allow(error)}))
    if code is Code.BODY_TOO_LARGE:
        return answer(request, Problem(code, limit=BODY_LIMIT))
    return answer(request, Problem(code))


def _on_exception(request: Request[Any, Any, Any], error: Exception) -> Response[ProblemOut]:
    log_failure(request_id_of(request), error)
    return answer(request, Problem(Code.INTERNAL_ERROR))


def _allow(error: HTTPException) -> str:
    methods = {method.strip() for method in (error.headers or {}).get("allow", "").split(",")}
    if "GET" in methods:
        methods.add("HEAD")
    return ", ".join(sorted(methods | {"OPTIONS"}))


EXCEPTION_HANDLERS: Final[ExceptionHandlersMap] = {
    Problem: _on_problem,
    Refusal: _on_refusal,
    HTTPException: _on_http_exception,
    Exception: _on_exception,
}
