"""HTTP/1.1 for uvicorn: what it cannot read is answered in turn, and what it collects has a limit."""

import asyncio
import re
import socket
from asyncio import Server
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from service.http.envelope import REFUSAL
from service.http.problems import Code, Problem

HEAD_LIMIT: Final = 65_536
"""The most bytes of a request line and its headers; the parser itself would collect without end."""

BEHIND_LIMIT: Final = 524_288
"""The most bytes that are read behind a request that waits, to notice when its client is gone."""

LINGER_SECONDS: Final = 2
"""How long a connection is read, and nothing kept, after a refusal that ends it.

To close it at once would reset it, and a client that is still sending would lose the answer.
"""

_HEAD_END: Final = b"\r\n\r\n"
"""What ends a head, and a chunked body with its trailers; the parser takes no bare LF."""

_ABSOLUTE: Final = re.compile(rb"https?://[^/?#]+", re.IGNORECASE)

GONE_SECONDS: Final = 30
"""How long a client may take nothing of what it is sent, or not answer at all, before it is gone."""

PROBE_SECONDS: Final = 10
"""What lies between two looks at whether a client that is silent is there still."""


def notice_the_gone(servers: Iterable[Server]) -> None:
    """Have the connections of servers end where a client has vanished without a word.

    The system would go on for a quarter of an hour. What is set at a listening socket holds for those that
    it accepts; an option that a platform has not is left out.
    """
    for server in servers:
        for listening in server.sockets:
            for level, option, value in _options():
                listening.setsockopt(level, option, value)


def _options() -> Iterator[tuple[int, int, int]]:
    yield socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1
    for name, value in (
        ("TCP_KEEPIDLE", PROBE_SECONDS),
        ("TCP_KEEPINTVL", PROBE_SECONDS),
        ("TCP_KEEPCNT", GONE_SECONDS // PROBE_SECONDS),
        ("TCP_USER_TIMEOUT", GONE_SECONDS * 1_000),
    ):
        if hasattr(socket, name):
            yield socket.IPPROTO_TCP, getattr(socket, name), value


class _Lingering(asyncio.Transport):
    """A connection whose `close` ends the sending side only, and the other a little later."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport = transport
        self._loop = loop

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send some bytes."""
        self._transport.write(data)

    def is_closing(self) -> bool:
        """Say whether the connection is closed or about to be."""
        return self._transport.is_closing()

    def close(self) -> None:
        """Send the end, and close when the client does or `LINGER_SECONDS` have passed."""
        if not self._transport.is_closing() and self._transport.can_write_eof():
            self._transport.write_eof()
            self._loop.call_later(LINGER_SECONDS, self._transport.close)
        else:
            self._transport.close()


class BoundedProtocol(HttpToolsProtocol):
    """Reads requests; refuses, with a problem document, a head that is too long and what is not HTTP.

    A refusal is answered after the requests that came before it, and ends the connection. An offer to upgrade
    is ignored (RFC 9110, section 7.8). Every request is told that its client is gone.
    """

    _in_head = True
    """Whether the next byte belongs to a head: of the request that is read, or of the next one."""
    _head_size = 0
    _body_left: int | None = 0
    """The bytes of the body that are to come; None where it is chunked."""
    _silent_size = 0
    """The bytes of a chunked body since the last of its content: sizes, extensions, trailers."""
    _tail = b""
    """The last three bytes that came before: the end of a head may arrive in two segments."""
    _refused = False
    _behind = 0
    """The bytes that came behind the request that is answered now."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the parent
        """Begin without a request."""
        super().connection_made(transport)
        self._unanswered: deque[RequestResponseCycle] = deque()
        """The requests whose answers are not complete, the oldest first, and some that are behind them."""

    def data_received(self, data: bytes) -> None:
        """Read what arrived, in parts that end where a head or a body may end."""
        if self._refused:  # nothing more is read, and the answers that are due may still be sent
            return
        if self.pipeline:
            self._behind += len(data)
            if self._behind > BEHIND_LIMIT:
                self.transport.abort()
                return
        self._unset_keepalive_if_required()
        start = 0
        while start < len(data) and not self._refused:
            end = self._end_of_part(data, start)
            if not self._has_room(end - start):
                self._refuse(Problem(Code.HEAD_TOO_LARGE, limit=HEAD_LIMIT))
                return
            self._read(data if start == 0 and end == len(data) else data[start:end])
            start = end
        self._tail = (self._tail + data[-3:])[-3:]
        self._read_on()

    def _end_of_part(self, data: bytes, start: int) -> int:
        """Return where the part ends that begins at `start`: no head begins or ends within it."""
        if not self._in_head and self._body_left is not None:
            return min(start + self._body_left, len(data))
        if start == 0:
            found = (self._tail + data[:3]).find(_HEAD_END)
            if found >= 0:
                return found + len(_HEAD_END) - len(self._tail)
        found = data.find(_HEAD_END, max(start - 3, 0))
        return len(data) if found < 0 else found + len(_HEAD_END)

    def _has_room(self, size: int) -> bool:
        """Count the bytes of a part; say whether its head, or what is not content, is still short enough."""
        if self._in_head:
            self._head_size += size
            return self._head_size <= HEAD_LIMIT
        if self._body_left is None:
            return self._silent_size <= HEAD_LIMIT
        self._body_left -= size
        return True

    def _read(self, part: bytes) -> None:
        self._silent_size += len(part)
        try:
            try:
                self.parser.feed_data(part)
            except httptools.HttpParserUpgrade:
                head = self._head_without_offer()
                self.parser = httptools.HttpRequestParser(self)  # the other one reads nothing after a close
                self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
                self.parser.feed_data(head)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            # CONNECT is HTTP that ends without an offer, so it is read twice; nothing here is a tunnel.
            self._refuse(Problem(Code.MALFORMED_REQUEST))

    def _head_without_offer(self) -> bytes:
        """Return the head after which the parser expects another protocol, without the offer of one."""
        target = [self.parser.get_method(), self.url, f"HTTP/{self.parser.get_http_version()}".encode()]
        fields = [b"%b: %b" % (name, value) for name, value in self.headers if name != b"upgrade"]
        return b"\r\n".join([b" ".join(target), *fields, b"", b""])

    def _refuse(self, problem: Problem) -> None:
        """Answer with a problem when the requests before are answered, and read nothing more."""
        self._refused = True
        self.flow.resume_reading()  # only then is it seen that the client is gone
        if self._in_head:
            self._begin_refused(problem)
            return
        self.cycle.keep_alive = False
        self.cycle.transport = _Lingering(self.transport, self.loop)
        if self.cycle.response_complete:
            self.cycle.transport.close()
        else:
            self.cycle.scope["state"][REFUSAL] = problem
            self.cycle.message_event.set()

    def _begin_refused(self, problem: Problem) -> None:
        """Put a request of which only the refusal is known behind those that are unanswered."""
        super().on_message_begin()
        self.scope["method"] = ""
        self.scope["path"] = "/"
        self.scope["raw_path"] = b"/"
        self.scope["query_string"] = b""
        self.scope["state"][REFUSAL] = problem
        self._forget_answered()
        others_first = bool(self._unanswered)
        self.cycle = RequestResponseCycle(
            scope=self.scope,
            transport=_Lingering(self.transport, self.loop),
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=False,
            on_response=self.on_response_complete,
        )
        self._remember()
        if others_first:
            self.pipeline.appendleft((self.cycle, self.app))
        else:
            self._start_asgi_task(self.cycle, self.app)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header without the blanks behind its value, which are no part of it (RFC 9110, section 5.5).

        The parser hands over trailers too, which are not of the head and are dropped.
        """
        if self._in_head:
            super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        """Begin a request; one that offers to upgrade is read again, without the offer, before it begins."""
        if self.parser.should_upgrade():
            return
        self.url = _in_origin_form(self.url)
        super().on_headers_complete()
        self._in_head = False
        self._silent_size = 0
        self._body_left = _length_of_body(self.headers)
        self._remember()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._silent_size = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Begin to count the next head."""
        if self._in_head:  # an offer to upgrade: nothing has begun yet
            return
        self._in_head = True
        self._head_size = 0
        super().on_message_complete()

    def _remember(self) -> None:
        self._forget_answered()
        self._unanswered.append(self.cycle)

    def _forget_answered(self) -> None:
        """Let go of what is answered: in order, so each request costs the same however many wait."""
        while self._unanswered and self._unanswered[0].response_complete:
            self._unanswered.popleft()

    def on_response_complete(self) -> None:
        """Begin to count what comes behind the next request."""
        self._behind = 0
        super().on_response_complete()

    def eof_received(self) -> None:
        """Tell every request that a client which closes its sending side is gone.

        The connection closes once the client has taken what it was sent, which may be never.
        """
        self._tell_gone()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell every request; the parent tells the last, though one before it may be answered still."""
        super().connection_lost(exc)
        self._tell_gone()

    def _tell_gone(self) -> None:
        for cycle in self._unanswered:
            if not cycle.response_complete:
                cycle.disconnected = True
            cycle.message_event.set()
        self._unanswered.clear()
        self.flow.resume_writing()  # a request that waits for the client to read is told too

    def _read_on(self) -> None:
        """Let a request that waits read on: the parent stops reading when another request comes behind it.

        It would not notice that its client is gone. A request that does not wait for that reads nothing.
        """
        if self.pipeline:
            self._forget_answered()
            first = self._unanswered[0] if self._unanswered else self.cycle
            first.message_event.set()


def _in_origin_form(target: bytes) -> bytes:
    """Return path and query of a target, which may name a server before them (RFC 9112, section 3.2.2)."""
    named = _ABSOLUTE.match(target)
    if named is None:
        return target
    rest = target[named.end() :]
    return rest if rest.startswith(b"/") else b"/" + rest


def _length_of_body(headers: list[tuple[bytes, bytes]]) -> int | None:
    """Return the length of a body whose head the parser has accepted; None where it is chunked."""
    length = 0
    for name, value in headers:
        if name == b"transfer-encoding":
            return None
        if name == b"content-length":
            length = int(value)
    return length
