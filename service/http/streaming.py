"""Answers that go on: server-sent events, for as long as the client listens."""

import asyncio
from functools import partial
from typing import Annotated, Any, Final, Protocol, TypeVar

from litestar import Request, Response
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp, Message, Receive, ReceiveMessage, Scope, Send
from msgspec import UNSET, Meta, Struct, UnsetType

from service.http.client import Client

T = TypeVar("T")


class StreamedOut(Struct, frozen=True, omit_defaults=True):
    """A server-sent event: `data` is JSON, and one without `id` leaves the client's cursor where it is."""

    event: Annotated[str, Meta(pattern="^[a-z]+(_[a-z]+)*\\Z", max_length=40)]
    data: str
    id: Annotated[str, Meta(pattern="^[0-9]{1,8}\\Z")] | UnsetType = UNSET


EVENT_STREAM: Final = "text/event-stream"


class Sender(Protocol):
    """Sends bytes, and whether more will follow; it waits while the client does not read."""

    async def __call__(self, body: bytes, *, more: bool) -> None:
        """Send, and return when more can be sent."""


class Source(Protocol):
    """What an answer is fed from. Each `open` that succeeds is followed by one `end`."""

    def require_room(self) -> None:
        """Raise what `open` would raise now; nothing is taken."""

    def open(self) -> None:
        """Take what the answer needs, before a byte of it is sent; raise `Problem` if it cannot be had."""

    def begin(self, send: Sender) -> None:
        """Start to send; nothing waits for what is sent."""

    def end(self) -> None:
        """Stop: the client is gone, or has been sent the last bytes."""


class StreamResponse(Response[T]):
    """An answer of events that are sent as they happen; `T` is what the contract says of one."""

    def __init__(self, source: Source, headers: dict[str, str]) -> None:
        # A proxy that collects an answer before it passes it on is told not to.
        super().__init__(None, headers={**headers, "X-Accel-Buffering": "no"})  # type: ignore[arg-type]
        self._source = source

    def to_asgi_response(
        self,
        app: Any,  # noqa: ANN401, ARG002  the base class names it
        request: Request[Any, Any, Any],
        **_options: Any,  # noqa: ANN401  likewise
    ) -> ASGIResponse:
        """Return the application that sends the events."""
        return _Events(self._source, self.headers, without_body=request.state.without_body)


class _Events(ASGIResponse):
    __slots__ = ("_source", "_without_body")

    _should_set_content_length = False

    def __init__(self, source: Source, headers: dict[str, Any], *, without_body: bool) -> None:
        super().__init__(headers=headers, media_type=EVENT_STREAM)
        self._source = source
        self._without_body = without_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        if self._without_body:
            self._source.require_room()
            await self.start_response(send)
            await _send(send, b"", more=False)
            return
        self._source.open()
        try:
            await self.start_response(send)
            self._source.begin(partial(_send, send))
            await Client(receive).gone()
        finally:
            self._source.end()


def first_of_streams(app: ASGIApp) -> ASGIApp:
    """Return the application for clients that read whole answers: a stream ends after what it sends first."""

    async def shortened(scope: Scope, receive: Receive, send: Send) -> None:
        streams = False
        told = asyncio.Event()

        async def send_on(message: Message) -> None:
            nonlocal streams
            if message["type"] == "http.response.start":
                kinds = [value for name, value in message["headers"] if name == b"content-type"]
                streams = kinds[0].startswith(EVENT_STREAM.encode()) if kinds else False
            elif streams and message["type"] == "http.response.body":
                if told.is_set():
                    return
                message["more_body"] = False
                told.set()
            await send(message)

        async def receive_on() -> ReceiveMessage:
            if not streams:
                return await receive()
            await told.wait()
            return {"type": "http.disconnect"}

        await app(scope, receive_on, send_on)

    return shortened


def first_event(body: bytes) -> dict[str, str]:
    """Return the fields of the first event of a stream."""
    lines = body.decode().partition("\n\n")[0].splitlines()
    return dict(line.split(": ", 1) for line in lines)


async def _send(send: Send, body: bytes, *, more: bool) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": more})
