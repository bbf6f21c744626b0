"""The schema of a database: the revision it has, the one this code needs, and the way there."""

import asyncio
import errno
import os
import sqlite3
import stat
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Final, TypeVar

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, Text, column, create_engine, event, func, select, table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

import service
from service.db.connecting import connect
from service.db.errors import DatabaseUnavailableError
from service.db.reasons import of_disk, of_postgresql, of_sqlite
from service.db.session import Session
from service.db.statements import Query
from service.db.urls import parse
from service.settings import LIMITS, Limits

T = TypeVar("T")

MIGRATIONS: Final = Path(service.__file__).parents[1] / "migrations"
"""Beside the packages, in a checkout as in an installation."""

_LOCK: Final = 0x67696E
"""The advisory lock of PostgreSQL under which one process at a time migrates."""


_REVISION: Final = Query(select(table("alembic_version", column("version_num", Text))), str)


class SchemaError(Exception):
    """A database that `serve` must not use; the message says what to do."""


def _sqlite_engine(path: Path) -> Engine:
    """Return an engine whose transactions hold for DDL too, and keep other processes out."""
    address = f"{path.absolute().as_uri()}?mode=rw"
    engine = create_engine(
        "sqlite://",
        creator=lambda: sqlite3.connect(address, uri=True),
        hide_parameters=True,
        poolclass=NullPool,
    )

    @event.listens_for(engine, "connect")
    def _plain(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode=WAL")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


async def _on_postgresql(url: str, work: Callable[[Connection], T], limits: Limits) -> T:
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=partial(connect, url, limits.connect_seconds),
        hide_parameters=True,
        poolclass=NullPool,
    )
    async with engine.begin() as connection:
        return await connection.run_sync(work)


def _in_transaction(url: str, work: Callable[[Connection], T], limits: Limits = LIMITS) -> T:
    """Do some work in one transaction; raise `DatabaseUnavailableError`. Not for a running event loop."""
    path = parse(url).path
    try:
        if path is None:
            return asyncio.run(_on_postgresql(url, work, limits))
        if stat.S_ISDIR(path.stat().st_mode):
            raise IsADirectoryError(errno.EISDIR, "a folder")
        with _sqlite_engine(path).begin() as connection:
            return work(connection)
    except (DBAPIError, sqlite3.Error, OSError) as error:
        raise DatabaseUnavailableError(_reason(error, path)) from None


def _reason(error: Exception, path: Path | None) -> str:
    """Return why a database cannot be used: what SQLAlchemy's error is about, if it is one of them."""
    cause = (error.orig if isinstance(error, DBAPIError) else None) or error
    if path is None:
        return of_postgresql(cause.__cause__ or cause)
    return of_sqlite(cause) if isinstance(cause, (sqlite3.Error, OSError)) else "SQLite failed"


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _scripts() -> ScriptDirectory:
    try:
        return ScriptDirectory.from_config(_config())
    except CommandError:
        raise SchemaError(f"the migrations are not installed: there is no folder {MIGRATIONS}") from None


@cache
def newest() -> str:
    """Return the revision that this code needs."""
    head = _scripts().get_current_head()
    if head is None:
        raise SchemaError("the migrations are not installed")
    return head


@cache
def _known() -> frozenset[str]:
    """Return the revision that this code needs and those before it."""
    return frozenset(one.revision for one in _scripts().walk_revisions())


def migrate(url: str, revision: str = "head", limits: Limits = LIMITS) -> bool:
    """Bring a database up to a revision, in one transaction; say whether it is an SQLite file made anew.

    A new file is its owner's alone. One that cannot be filled stays, empty: others may have opened it.
    """
    path = parse(url).path
    newest()  # where there are no migrations, no file is made
    made = path is not None and _touched(path)

    def upgrade(connection: Connection) -> None:
        if path is None:
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        command.upgrade(_config(connection), revision)

    try:
        _in_transaction(url, upgrade, limits)
    except CommandError:
        raise SchemaError("the database is newer than this version of ginrummy") from None
    return made


def _touched(path: Path) -> bool:
    """Make a file for its owner only; say whether it was not there."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    except OSError as error:
        raise DatabaseUnavailableError(of_disk(error)) from None
    return True


def downgrade(url: str, revision: str) -> None:
    """Bring a database down to a revision; ``base`` is the empty one."""
    _in_transaction(url, lambda connection: command.downgrade(_config(connection), revision))


def require_current(url: str, limits: Limits = LIMITS) -> None:
    """Raise `SchemaError` unless the database has this code's schema and keeps what it has committed."""
    path = parse(url).path

    def state(connection: Connection) -> tuple[str | None, list[str]]:
        names = () if path else ("fsync", "synchronous_commit")
        settings = {name: connection.scalar(select(func.current_setting(name))) for name in names}
        off = [name for name, value in settings.items() if value == "off"]
        return MigrationContext.configure(connection).get_current_revision(), off

    revision, off = _in_transaction(url, state, limits)
    if off:
        raise SchemaError(f"PostgreSQL would lose confirmed moves: {' and '.join(off)} off")
    if revision != newest():
        if revision is None or revision in _known():
            age = "no schema yet" if revision is None else "an old schema"
            raise SchemaError(f"the database has {age}: run `ginrummy migrate`")
        raise SchemaError("the database is newer than this version of ginrummy")


async def is_current(session: Session) -> bool:
    """Say whether a session's database answers and has this code's schema, or a newer one.

    A newer schema serves the version before it too, which goes on while it is exchanged.
    """
    try:
        revisions = await session.fetch(_REVISION)
    except DatabaseUnavailableError:
        return False
    return revisions == [newest()] or (bool(revisions) and _known().isdisjoint(revisions))
