"""Spectators of a server's match over sockets of their own, which end as a test likes."""

import resource
import socket
import struct
import time
from contextlib import suppress
from typing import Final, Literal, TypeAlias

import httpx

from tests.service.listening import PATIENCE

Kind: TypeAlias = Literal["page", "stream"]

RESET: Final = struct.pack("ii", 1, 0)
"""To linger for no time is to reset the connection."""

BEHIND: Final = b"POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + bytes(100_000)
"""Another request, with more of a body than the server takes before somebody reads it."""


class Spectator:
    """Somebody who has asked for a page that is worth waiting for, or for a stream."""

    def __init__(self, address: tuple[str, int], path: str) -> None:
        self.line = socket.create_connection(address, PATIENCE)
        self.line.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        self.line.settimeout(0)
        self.heard = b""

    def listen(self) -> bytes:
        """All that has arrived so far."""
        with suppress(BlockingIOError):
            self.heard += self.line.recv(65_536)
        return self.heard

    def reset(self) -> None:
        """Break the connection."""
        self.line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.line.close()

    def half_close(self) -> None:
        """Say that nothing more will be sent."""
        self.line.shutdown(socket.SHUT_WR)

    def ask_for_more(self) -> None:
        """Send another request behind the one that is not answered yet."""
        self.line.settimeout(PATIENCE)
        self.line.sendall(BEHIND)


class Crowd:
    """Spectators of a match, as many as its server has room for."""

    def __init__(self, base: str, match_id: str, seq: int, room: int) -> None:
        url = httpx.URL(base)
        self._address = (url.host, url.port or 80)
        stream = f"/v1/matches/{match_id}/events/stream"
        self._paths: dict[Kind, str] = {
            "page": f"/v1/matches/{match_id}/events?after={seq}&wait=25",
            "stream": stream,
        }
        self._stream = url.join(stream)
        self._room = room

    def gather(self, kind: Kind) -> list[Spectator]:
        """Let spectators wait until the room is full of them; who finds no place yet comes again."""
        until = time.monotonic() + 2 * PATIENCE
        waiting: list[Spectator] = []
        while True:
            assert time.monotonic() < until, "there is no place for everybody"
            waiting += [Spectator(self._address, self._paths[kind]) for _ in range(self._room - len(waiting))]
            full = httpx.head(self._stream).status_code == 503
            refused = [one for one in waiting if one.listen().startswith(b"HTTP/1.1 503")]
            for one in refused:
                one.line.close()
            waiting = [one for one in waiting if one not in refused]
            served = all(one.heard == b"" if kind == "page" else b"snapshot" in one.heard for one in waiting)
            if full and served and not refused:
                return waiting
            time.sleep(0.01)


def raise_file_limit(files: int) -> None:
    """Let this process, and servers that it starts from now on, open as many files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(files, hard)), hard))
