"""Litestar, set up once for all subjects: strict input, problem documents, no extras."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from litestar import Litestar, MediaType, Request, Response
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.di import Provide
from litestar.handlers import BaseRouteHandler
from litestar.types import ControllerRouterHandler

from service.http.answers import EXCEPTION_HANDLERS, answer
from service.http.decoding import BODY_LIMIT, StrictBody, check_media_type
from service.http.negotiation import acceptable
from service.http.parameters import check_path, provide_params, read_query
from service.http.problems import Code, Problem, ProblemOut


def build(
    handlers: Iterable[ControllerRouterHandler],
    dependencies: Mapping[str, object],
    failures: Mapping[type[Exception], Code],
    lifespan: Sequence[AbstractAsyncContextManager[None]] = (),
) -> Litestar:
    """Return the application of these handlers; each dependency is one object that they share by name.

    Guards, which are given no dependencies, find the same objects in the application's state. `failures`
    are the errors from below that have a problem type of their own. Each of `lifespan` is entered at
    start-up, in order, and left at shutdown.
    """
    return Litestar(
        route_handlers=list(handlers),
        dependencies={
            "params": Provide(provide_params),
            **{name: _shared(value) for name, value in dependencies.items()},
        },
        guards=[_known_address],
        before_request=require_readable,
        dto=StrictBody,
        return_dto=None,
        exception_handlers={
            **EXCEPTION_HANDLERS,
            **{kind: _answered(code) for kind, code in failures.items()},
        },
        lifespan=list(lifespan),
        state=State(dict(dependencies)),
        request_max_body_size=BODY_LIMIT,
        openapi_config=None,
        logging_config=None,
    )


def _shared(value: object) -> Provide:
    async def provide() -> Any:  # noqa: ANN401  a handler's annotation says what it is
        return value

    return Provide(provide)


def _answered(code: Code) -> Callable[[Request[Any, Any, Any], Exception], Response[ProblemOut]]:
    return lambda request, _error: answer(request, Problem(code))


async def _known_address(connection: ASGIConnection[Any, Any, Any, Any], _handler: BaseRouteHandler) -> None:
    """Refuse what only looks like an address; a guard, so that it comes before the guards of handlers."""
    check_path(connection)


async def require_readable(request: Request[Any, Any, Any]) -> None:
    """Refuse what cannot be read or answered; `Litestar` asks after the credentials were checked."""
    handler = request.route_handler
    # A handler that returns a `Response` names its media type only where it is not JSON.
    if not acceptable(request.headers.get("accept"), handler.media_type or MediaType.JSON):
        raise Problem(Code.NOT_ACCEPTABLE)
    request.state.params = read_query(request)
    if handler.parsed_data_field is not None:
        check_media_type(request)
