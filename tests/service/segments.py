"""Requests to the server's protocol in segments, cut where a test wants them, and the answers."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

import httptools
import msgspec
import uvicorn
from litestar import get, post
from litestar.params import JSONBody
from msgspec import Struct
from uvicorn.server import ServerState

from service.http.application import build
from service.http.envelope import Envelope
from service.http.protocol import BoundedProtocol
from tests.service.listening import PATIENCE


class Text(Struct):
    text: str


@post("/length", status_code=200)
async def length(data: JSONBody[Text]) -> int:
    return len(data.text)


@get("/plain", media_type="text/plain")
async def plain() -> str:
    return "plain"


APP: Final = Envelope(build((length, plain), {}, {}), lambda: "request")


class Answered(Struct):
    """An answer as a client reads it."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str | None:
        """The code of a problem document."""
        if self.headers.get("content-type") != "application/problem+json":
            return None
        code: str = msgspec.json.decode(self.body)["code"]
        return code


class Line(asyncio.Transport):
    """One end of a connection: keeps what the server writes."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.paused = False
        self.ended = False
        self.closed = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.closed
        assert not self.ended
        self.written += data

    def write_eof(self) -> None:
        self.ended = True

    def can_write_eof(self) -> bool:
        return True

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


class Conversation:
    """A connection to a server: what is sent arrives in exactly the segments given."""

    def __init__(self, app: Callable[..., Any] = APP) -> None:
        config = uvicorn.Config(
            app, http=BoundedProtocol, ws="none", lifespan="off", log_config=None, access_log=False
        )
        self.state = ServerState()
        self.line = Line()
        self.protocol = BoundedProtocol(config, self.state, {}, asyncio.get_running_loop())
        self.protocol.connection_made(self.line)

    async def send(self, *segments: bytes) -> None:
        """Let segments arrive one after the other, as fast as the server takes them."""
        for segment in segments:
            while self.line.paused:  # noqa: ASYNC110  nothing tells of it
                await asyncio.sleep(0)
            if not self.line.closed:
                self.protocol.data_received(segment)
            await asyncio.sleep(0)

    async def answers(self) -> list[Answered]:
        """Wait until every request is answered, and return the answers."""
        while self.state.tasks:  # noqa: ASYNC110  likewise
            await asyncio.sleep(0)
        return read_answers(bytes(self.line.written))

    def end(self) -> None:
        self.protocol.connection_lost(None)


class _Reader:
    def __init__(self) -> None:
        self.answers: list[Answered] = []

    def on_message_begin(self) -> None:
        self.answers.append(Answered(0, {}, b""))

    def on_header(self, name: bytes, value: bytes) -> None:
        self.answers[-1].headers[name.decode().lower()] = value.decode()

    def on_body(self, body: bytes) -> None:
        self.answers[-1].body += body


def read_answers(written: bytes) -> list[Answered]:
    """Return the answers in what a server wrote, those with a status of 100 too."""
    reader = _Reader()
    parser = httptools.HttpResponseParser(reader)

    def on_headers_complete() -> None:
        reader.answers[-1].status = parser.get_status_code()

    reader.on_headers_complete = on_headers_complete  # type: ignore[attr-defined]  # read by name
    parser = httptools.HttpResponseParser(reader)
    parser.feed_data(written)
    return reader.answers


def converse(*segments: bytes) -> list[Answered]:
    """Send segments on one connection and return the answers."""

    async def conversation() -> list[Answered]:
        async with asyncio.timeout(PATIENCE):
            one = Conversation()
            await one.send(*segments)
            answers = await one.answers()
            one.end()
            return answers

    return asyncio.run(conversation())


def told(answers: Iterable[Answered]) -> list[str | int]:
    """Return each answer in short: the code of a problem, or else its body, or the number that it is."""
    return [
        answer.code or (int(answer.body) if answer.body.isdigit() else answer.body.decode())
        for answer in answers
        if answer.status != 100
    ]


def request(
    method: str = "GET",
    target: str = "/plain",
    *fields: str,
    host: str | None = "x",
    version: str = "1.1",
    body: bytes = b"",
) -> bytes:
    """Return a request with a Host, or without, and a body of the stated framing among the fields."""
    hosts = [] if host is None else [f"Host: {host}"]
    head = "\r\n".join([f"{method} {target} HTTP/{version}", *hosts, *fields, "", ""])
    return head.encode("latin-1") + body


def posted(letters: int, *fields: str, chunk: int | None = None) -> bytes:
    """Return a POST of a text of so many letters, whole or in chunks of a size; the answer is the number."""
    body = msgspec.json.encode(Text("a" * letters))
    content = "Content-Type: application/json"
    if chunk is None:
        return request("POST", "/length", content, f"Content-Length: {len(body)}", *fields, body=body)
    parts = [body[start : start + chunk] for start in range(0, len(body), chunk)]
    chunks = b"".join(b"%x;x=y\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\nX-Late: 1\r\n\r\n"
    return request("POST", "/length", content, "Transfer-Encoding: chunked", *fields, body=chunks)


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """Return bytes as segments that end at these places."""
    ends = sorted({place % len(data) for place in places} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False) if start < end]
