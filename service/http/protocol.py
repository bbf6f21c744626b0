"""HTTP/1.1 for uvicorn, with a limit on what it collects before a request has begun."""

import socket
from asyncio import Server
from collections.abc import Iterable, Iterator
from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

HEAD_LIMIT: Final = 65_536
"""The most bytes of a request line and its headers; the parser itself would collect without end."""

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


BEHIND_LIMIT: Final = 524_288
"""The most bytes that are read behind a request that waits, to notice when its client is gone."""


class BoundedProtocol(HttpToolsProtocol):
    """Answers 400 and hangs up on a head that is too long; tells every request that its client is gone."""

    _head_size = 0
    _in_head = True
    _behind = 0
    _unanswered: tuple[RequestResponseCycle, ...] = ()

    def data_received(self, data: bytes) -> None:
        """Take what arrived, and count it while the head is not complete."""
        if self.pipeline:
            self._behind += len(data)
            if self._behind > BEHIND_LIMIT:
                self.transport.abort()
                return
        super().data_received(data)
        self._read_on()
        if self._in_head:
            self._head_size += len(data)
            if self._head_size > HEAD_LIMIT and not self.transport.is_closing():
                self.send_400_response("The head of the request is too large.")

    def on_message_begin(self) -> None:
        """Begin to count."""
        self._head_size = 0
        self._in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop counting: bodies have a limit of their own."""
        self._in_head = False
        super().on_headers_complete()
        self._unanswered = (*(one for one in self._unanswered if not one.response_complete), self.cycle)

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
        self._unanswered = ()
        self.flow.resume_writing()  # a request that waits for the client to read is told too

    def _read_on(self) -> None:
        """Let a request that waits read on: the parent stops reading when another request comes behind it.

        It would not notice that its client is gone. A request that does not wait for that reads nothing.
        """
        if self.pipeline:
            first = next((one for one in self._unanswered if not one.response_complete), self.cycle)
            first.message_event.set()
