"""What surrounds every exchange: its id, Host, HEAD and OPTIONS, protective headers, a line in the log."""

import asyncio
import re
from collections.abc import Callable
from time import monotonic, perf_counter
from typing import Any, Final

import structlog
from litestar import Request
from litestar.datastructures import Headers, MutableScopeHeaders
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseStartEvent, HTTPScope, Message, Receive, Scope, Send

from service.http.answers import send_problem
from service.http.log import LOG_NAME, log_failure
from service.http.problems import Code, Problem

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}", re.ASCII)
_NO_FOREIGN_CONTENT: Final = "default-src 'none'; frame-ancestors 'none'"
_DEFAULTS: Final[dict[str, str]] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": _NO_FOREIGN_CONTENT,
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_DEFAULT_PAIRS: Final = [(name.lower().encode(), value.encode()) for name, value in _DEFAULTS.items()]
_HOST: Final = re.compile(
    rb"(?:\[(?:[0-9A-Fa-f:.]+|[Vv][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+)\]"
    rb"|(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})*)"
    rb"(?::[0-9]*)?"
)
"""The value of Host: a name, which may be empty, or an address, and perhaps a port (RFC 9110, 7.2)."""

_WITHOUT_HOST: Final = ("1.0", "0.9")
"""The versions of HTTP that do not know Host."""

_ROUTED_AS: Final[dict[str, str]] = {"HEAD": "GET", "OPTIONS": "TRACE"}
"""HEAD is a GET without a body. No address takes TRACE, so the router answers with all that it does take."""


ARRIVED: Final = "arrived"
"""Where a request's state holds the monotonic time at which the last byte of its body came."""

REFUSAL: Final = "refusal"
"""Where a request's state holds the `Problem` for which the server could not read it, or its body."""


def arrival(request: Request[Any, Any, Any]) -> float:
    """Return the monotonic time at which a request whose body was read was complete."""
    at: float = request.scope["state"][ARRIVED]
    return at


class Envelope:
    """The outermost application, around Litestar's."""

    def __init__(
        self, app: ASGIApp, new_request_id: Callable[[], str], monotonic: Callable[[], float] = monotonic
    ) -> None:
        self._app = app
        self._new_request_id = new_request_id
        self._monotonic = monotonic
        self._log = structlog.get_logger(LOG_NAME)
        self.failure: Exception | None = None
        """Why the application could not start; the server is told of it without its text."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one exchange, or the start and the end of the application."""
        if scope["type"] != ScopeType.HTTP:
            await self._live(scope, receive, send)
            return
        scope = scope.copy()  # the server reads its own: an answer to HEAD has no body there
        given = Headers.from_scope(scope).get("x-request-id", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else self._new_request_id()
        exchange = _Exchange(scope, send, request_id)
        started = perf_counter()

        async def received() -> Any:  # noqa: ANN401  one of many messages
            message = await receive()
            if REFUSAL in scope["state"]:
                raise scope["state"][REFUSAL]
            if message["type"] == "http.request" and not message.get("more_body"):
                scope["state"][ARRIVED] = self._monotonic()
            return message

        try:
            if refusal := _refusal_of(scope):
                await send_problem(exchange.send, refusal, request_id)
            else:
                await self._app(scope, received, exchange.send)
        except asyncio.CancelledError:
            # The server stops and has waited long enough; left alone it would answer with a bare 500.
            if exchange.status is None:
                await send_problem(exchange.send, Problem(Code.DRAINING), request_id)
        except Exception as error:  # noqa: BLE001  an answer was cut off; the server would log its message
            log_failure(request_id, error)
        self._log.info(
            event="request",
            request_id=request_id,
            method=exchange.method or None,
            route=scope.get("path_template"),
            status=exchange.status,
            ms=round((perf_counter() - started) * 1000, 2),
        )

    async def _live(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def without_text(message: Any) -> None:  # noqa: ANN401  one of many messages
            if message["type"].endswith(".failed"):
                message["message"] = ""  # Litestar puts a whole traceback here, and the server prints it
            await send(message)

        try:
            await self._app(scope, receive, without_text)
        except Exception as error:
            self.failure = error
            raise


def _refusal_of(scope: HTTPScope) -> Problem | None:
    """Return why a request is refused for its head alone, if it is (RFC 9112, section 3.2)."""
    if not scope["method"]:  # the server could not read the head
        refusal: Problem = scope["state"][REFUSAL]
        return refusal
    hosts = [value for name, value in scope["headers"] if name == b"host"]
    if len(hosts) == 1:
        return None if _HOST.fullmatch(hosts[0]) else Problem(Code.HOST_INVALID)
    if not hosts and scope["http_version"] in _WITHOUT_HOST:
        return None
    return Problem(Code.HOST_INVALID)


class _Exchange:
    """One request and what is sent back for it."""

    def __init__(self, scope: Any, send: Send, request_id: str) -> None:  # noqa: ANN401  the scope's method is set
        self.method: str = scope["method"]
        self.status: int | None = None
        self._send = send
        self._request_id = request_id
        self._without_body = self.method == "HEAD"
        scope.setdefault("state", {}).update(request_id=request_id, without_body=self._without_body)
        scope["method"] = _ROUTED_AS.get(self.method, self.method)

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start(message)
        elif message["type"] == "http.response.body" and self._without_body:
            message["body"] = b""
        await self._send(message)

    def _start(self, message: HTTPResponseStartEvent) -> None:
        if self.method == "OPTIONS" and message["status"] == 405:  # noqa: PLR2004  as `_ROUTED_AS` provokes
            headers = MutableScopeHeaders(message)
            message["status"] = 204
            self._without_body = True
            del headers["content-type"]
            del headers["content-length"]
        self.status = message["status"]
        given = {name.lower() for name, _ in message["headers"]}
        message["headers"] = [
            *message["headers"],
            *(pair for pair in _DEFAULT_PAIRS if pair[0] not in given),
            (b"x-request-id", self._request_id.encode()),
        ]
