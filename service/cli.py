import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Annotated, NoReturn

import uvicorn
from cyclopts import App, Parameter
from cyclopts.validators import Number

from service.db import schema
from service.db.errors import DatabaseUnavailableError
from service.db.schema import SchemaError
from service.db.urls import Address, DatabaseUrlError, is_sqlite, parse
from service.http import log
from service.http.protocol import BoundedProtocol, notice_the_gone
from service.http.release import VERSION
from service.main import keep_start_up, service_on, sweep_on
from service.settings import SettingsError, settings_from

GRACE_SECONDS = 2
"""How long a closing server waits for requests: a client that reads nothing would hold it for ever."""

KEEP_ALIVE_SECONDS = 75
"""How long an idle connection is kept: longer than proxies do, or they send requests into closed ones."""

Port = Annotated[int, Parameter(validator=Number(gte=0, lte=65535))]

app = App(
    name="ginrummy",
    help="Gin rummy as an HTTP service.",
    version=VERSION,
)


def _say(*lines: str) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


class _Server(uvicorn.Server):
    """Says where the docs are once it listens, with the port that was really taken, and names its database.

    When it stops it lets the service say goodbye, for it waits for whatever is still being answered.
    """

    def __init__(self, config: uvicorn.Config, drain: Callable[[], None], database: str) -> None:
        super().__init__(config)
        self._drain = drain
        self._database = database

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print two lines."""
        await super().startup(sockets)
        if self.started:
            notice_the_gone(self.servers)
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            _say(f"Docs: http://{shown}:{port}/docs", f"Database: {self._database}")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say goodbye to every stream, stop accepting, and finish what is being answered."""
        self._drain()
        await super().shutdown(sockets)


class StartError(Exception):
    """The service cannot start; the message says why, in one line and without a password."""


@contextmanager
def _database_named(address: Address) -> Iterator[None]:
    """Say which database cannot be used, and why."""
    try:
        yield
    except DatabaseUnavailableError as error:
        raise StartError(f"the database {address.shown} cannot be used: {error}") from None


def _told(address: Address, *, made: bool) -> str:
    return f"{address.shown} (new)" if made else address.shown


def _stopped(_number: int, _frame: FrameType | None) -> NoReturn:
    """End well: uvicorn raises the signal that stopped it once more when all is done."""
    sys.exit()


@app.command
def serve(*, host: str = "127.0.0.1", port: Port = 8000) -> None:
    """Serve until interrupted. An SQLite file is migrated first, a PostgreSQL database must be current.

    Parameters
    ----------
    host
        The address to listen on.
    port
        The port to listen on; 0 takes a free one.
    """
    log.configure()
    settings = settings_from(os.environ)
    address = parse(settings.database_url)
    with _database_named(address):
        made = is_sqlite(address) and schema.migrate(settings.database_url, limits=settings.limits)
        schema.require_current(settings.database_url, settings.limits)
    service = service_on(settings)
    server = _Server(
        uvicorn.Config(
            service.asgi,
            http=BoundedProtocol,
            ws="none",  # an offer to upgrade is ignored
            host=host,
            port=port,
            access_log=False,  # it prints query strings
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        ),
        service.drain,
        _told(address, made=made),
    )
    keep_start_up()
    signal.signal(signal.SIGTERM, _stopped)
    with suppress(KeyboardInterrupt):
        server.run()


@app.command
def sweep() -> None:
    """Act for seats whose time is up until interrupted, beside the servers, which do so too."""
    log.configure()
    settings = settings_from(os.environ)
    address = parse(settings.database_url)
    with _database_named(address):
        schema.require_current(settings.database_url, settings.limits)
        _say(f"Database: {address.shown}")
        asyncio.run(sweep_on(settings))


@app.command
def migrate() -> None:
    """Bring the database of GINRUMMY_DATABASE_URL to the newest schema."""
    settings = settings_from(os.environ)
    address = parse(settings.database_url)
    with _database_named(address):
        made = schema.migrate(settings.database_url, limits=settings.limits)
    _say(f"Database: {_told(address, made=made)}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; what is wrong with the surroundings is one line and status 1."""
    try:
        app(arguments)
    except (DatabaseUrlError, SchemaError, SettingsError, StartError) as error:
        sys.exit(f"ginrummy: {error}")


if __name__ == "__main__":
    main()
