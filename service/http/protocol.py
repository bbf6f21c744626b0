"""HTTP/1.1 for uvicorn, with a limit on what it collects before a request has begun."""

from typing import Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_LIMIT: Final = 65_536
"""The most bytes of a request line and its headers; the parser itself would collect without end."""


class BoundedProtocol(HttpToolsProtocol):
    """Answers 400 and hangs up on a head that is too long."""

    _head_size = 0
    _in_head = True

    def data_received(self, data: bytes) -> None:
        """Take what arrived, and count it while the head is not complete."""
        super().data_received(data)
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
