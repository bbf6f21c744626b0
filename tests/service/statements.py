"""The statements that a database was really sent, as it saw them."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

import pytest

from tests.service.databases import SHARED, Server

_ENTRY = re.compile(
    r"^\S+ \S+ \S+ \[\d+\] LOG:  (?:execute [^:]+|statement): (.*?)(?=^\S)", re.DOTALL | re.MULTILINE
)
_NOT_OURS = re.compile(r"BEGIN|COMMIT|PRAGMA|.*set_config\(|WITH RECURSIVE typeinfo_tree")
"""What a session says of itself, and what the driver asks when it first meets a type."""


@asynccontextmanager
async def sent_to_postgresql(server: Server) -> AsyncIterator[list[str]]:
    """The statements of connections that are made in the block, once it has ended: from the server's log."""
    log = server.folder / "log"
    before = len(log.read_text(encoding="utf-8"))
    await asyncio.to_thread(server.run, f"ALTER DATABASE {SHARED} SET log_statement = 'all'")
    found: list[str] = []
    try:
        yield found
    finally:
        await asyncio.to_thread(server.run, f"ALTER DATABASE {SHARED} RESET log_statement")
        told = log.read_text(encoding="utf-8")[before:]
        found += distinct(" ".join(one.split()) for one in _ENTRY.findall(f"{told}END"))


@contextmanager
def sent_to_sqlite(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The statements of connections that are made in the block, with their values, once it has ended."""
    told: list[str] = []
    found: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", partial(_traced, sqlite3.connect, told.append))
        yield found
    found += distinct(" ".join(one.split()) for one in told)


def _traced(
    connect: Callable[..., sqlite3.Connection],
    tell: Callable[[str], None],
    *given: Any,  # noqa: ANN401  as `connect` does
    **named: Any,  # noqa: ANN401  likewise
) -> sqlite3.Connection:
    connection = connect(*given, **named)
    connection.set_trace_callback(tell)
    return connection


def distinct(statements: Iterable[str]) -> list[str]:
    """The statements about rows, each once."""
    return [one for one in dict.fromkeys(statements) if not _NOT_OURS.match(one)]
