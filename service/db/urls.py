from pathlib import Path
from typing import Final

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from service.db.postgresql import PostgreSQLSession
from service.db.session import Probe, Session, unwatched
from service.db.sqlite import SQLiteSession
from service.settings import LIMITS, Limits

SCHEMES: Final = ("sqlite", "postgresql")


class DatabaseUrlError(ValueError):
    """An address that is neither ``sqlite:///path`` nor ``postgresql://…``; the message does not show it."""

    def __init__(self) -> None:
        super().__init__(
            "the database's address is neither sqlite:///path nor postgresql://…, without a driver"
        )


def parse(url: str) -> URL:
    """Return the parts of an address; raise `DatabaseUrlError`."""
    try:
        parts = make_url(url)
    except ArgumentError:
        raise DatabaseUrlError from None
    if parts.drivername not in SCHEMES or (is_sqlite(parts) and not sqlite_path(parts).name):
        raise DatabaseUrlError
    return parts


def is_sqlite(parts: URL) -> bool:
    """Say whether an address is a file's."""
    return parts.drivername == "sqlite"


def sqlite_path(parts: URL) -> Path:
    """Return the file of an SQLite address."""
    return Path(parts.database or "")


def session_on(url: str, probe: Probe = unwatched, limits: Limits = LIMITS) -> Session:
    """Return a session, not open yet, on the database of an address; raise `DatabaseUrlError`.

    A file has no use for `limits`.
    """
    parts = parse(url)
    if is_sqlite(parts):
        return SQLiteSession(sqlite_path(parts), probe)
    return PostgreSQLSession(url, probe, limits)
