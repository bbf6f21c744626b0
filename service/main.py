"""The service as a server runs it: on the database and with the secrets of its settings."""

import asyncio
import gc
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

from uuid_utils.compat import uuid7
from valkey.asyncio import ConnectionPool

from service.app import CONTRACT, REAL, Service, create_app
from service.db.reasons import of_disk
from service.db.schema import is_current
from service.db.urls import is_sqlite, parse, session_on
from service.events.fanout import Pace
from service.events.hints import Hints, ValkeyHints
from service.http.keys import Keyring, parse_secrets
from service.http.secret_file import SecretFileError, secrets_in
from service.matches.house import House
from service.matches.store import Store
from service.settings import Settings, SettingsError

REPLICA: Final = str(uuid7())
"""This process among those that serve the same database."""

SWITCH_SECONDS: Final = 0.0002
"""How long a thread that reads or writes SQLite waits for an event loop that is computing.

Python's own 5 ms would be the latency of every statement of a move beside an analysis.
"""


YOUNG: Final = 10_000
"""How many new objects the collector waits for: at Python's own 700 it meets every request half done."""


def keep_start_up() -> None:
    """Tell the collector that what is there now stays: to look through it takes 80 ms, and nothing goes."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)


def service_on(settings: Settings) -> Service:
    """Return the service on the database of these settings; it opens the database when it starts.

    Raise `SettingsError` where the secrets are malformed or missing, or a file cannot be used.
    """
    sys.setswitchinterval(SWITCH_SECONDS)
    session = session_on(settings.database_url, limits=settings.limits)
    return create_app(
        store=Store(session, patience=settings.database_retry_seconds),
        ready=partial(is_current, session),
        keyring=keyring_of(settings),
        intent_seconds=settings.intent_seconds,
        hints=hints_of(settings),
        pace=pace_of(settings),
        spectators=settings.spectators,
        public_url=settings.public_url or "",
        document=contract_in(CONTRACT),
        replica=REPLICA,
    )


async def sweep_on(settings: Settings) -> None:
    """Act for seats whose time is up, on the database of these settings, until SIGINT or SIGTERM."""
    session = session_on(settings.database_url, limits=settings.limits)
    store = Store(session, patience=settings.database_retry_seconds)
    house = House(store, clock=REAL.clock, monotonic=REAL.monotonic, replica=REPLICA)
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with store.opened(), house.sweeping():
        await stop.wait()


def hints_of(settings: Settings) -> Hints | None:
    """Return the hints of the settings, if any; raise `SettingsError` where their address is none."""
    if settings.hints_url is None:
        return None
    try:
        pool: Any = ConnectionPool.from_url(settings.hints_url)
        pool.make_connection()  # connects to nothing, and reads the options
        return ValkeyHints(settings.hints_url)
    except (TypeError, ValueError):
        raise SettingsError("GINRUMMY_HINTS_URL is not the address of a Valkey or Redis server") from None


def pace_of(settings: Settings) -> Pace:
    """Return how the database of the settings is followed: an SQLite file has seldom a second process."""
    usual = 2_000 if is_sqlite(parse(settings.database_url)) else 250
    return Pace(poll_seconds=(settings.poll_milliseconds or usual) / 1_000)


def keyring_of(settings: Settings) -> Keyring:
    """Return the master secrets of the settings; on SQLite, of a file beside the database if none is set.

    Raise `SettingsError` where there are none, or they are malformed, or their file cannot be used.
    """
    given, source = settings.secrets, "GINRUMMY_SECRETS"
    if given is None:
        database = parse(settings.database_url).path
        if database is None:
            # Replicas must agree on them, so none is made up here.
            raise SettingsError("GINRUMMY_SECRETS must be set on PostgreSQL")
        path = database.with_name(f"{database.name}.secret")
        source = f"the file of secrets {path.absolute()}"
        try:
            given = secrets_in(path)
        except OSError as error:
            raise SettingsError(f"{source} cannot be used: {of_disk(error)}") from None
        except SecretFileError as error:
            raise SettingsError(f"{source} cannot be used: {error}") from None
    try:
        return Keyring(parse_secrets(given))
    except ValueError as error:
        raise SettingsError(f"{source}: {error}") from None


def contract_in(path: Path) -> bytes:
    """Return the committed contract; raise `SettingsError` where it is not installed."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SettingsError(f"the contract {path} cannot be read: {of_disk(error)}") from None
