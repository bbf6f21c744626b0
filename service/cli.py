import asyncio
import errno
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Annotated, Any, NoReturn

import uvicorn
from cyclopts import App, Parameter
from cyclopts.validators import Number

from service.db import schema
from service.db.errors import DatabaseUnavailableError
from service.db.reasons import of_disk
from service.db.schema import SchemaError
from service.db.urls import Address, DatabaseUrlError, is_sqlite, parse
from service.http import log
from service.http.envelope import Envelope
from service.http.protocol import BoundedProtocol, notice_the_gone
from service.http.release import VERSION
from service.main import keep_start_up, service_on, sweep_on
from service.settings import SettingsError, settings_from

GRACE_SECONDS = 2
"""How long a closing server waits for requests: a client that reads nothing would hold it for ever."""

BACKLOG = 2048
"""How many connections may wait to be accepted."""

KEEP_ALIVE_SECONDS = 75
"""How long an idle connection is kept: longer than proxies do, or they send requests into closed ones."""

Port = Annotated[int, Parameter(validator=Number(gte=0, lte=65535))]

app = App(
    name="ginrummy",
    help="Gin rummy as an HTTP service.",
    version=VERSION,
)


def _print_lines(*lines: str) -> None:
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

    def serve_on(self, sockets: list[socket.socket], envelope: Envelope) -> None:
        """Serve until interrupted; raise what the application raised where it could not start."""
        log = logging.getLogger("uvicorn.error")
        log.disabled = True  # until it has started: it would print that it does not, without the reason
        try:
            self.run(sockets)
        except SystemExit:
            failure = envelope.failure
            while isinstance(failure, ExceptionGroup):
                failure = failure.exceptions[0]
            if failure is None:
                raise
            raise failure from None
        finally:
            for one in sockets:
                one.close()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then print two lines."""
        await super().startup(sockets)
        logging.getLogger("uvicorn.error").disabled = False
        if self.started:
            notice_the_gone(self.servers)
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            shown = f"[{host}]" if ":" in host else host
            _print_lines(f"Docs: http://{shown}:{port}/docs", f"Database: {self._database}")

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


def _with_origin(address: Address, *, made: bool) -> str:
    return f"{address.shown} (new)" if made else address.shown


def _listening(host: str, port: int) -> list[socket.socket]:
    """Return a listening socket for every address of a host that this machine has; raise `StartError`."""
    with ExitStack() as opened:
        try:
            infos = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            made = [_bound(family, address, opened) for family, *_, address in dict.fromkeys(infos)]
            sockets = [one for one in made if isinstance(one, socket.socket)]
            if not sockets:
                raise next(one for one in made if isinstance(one, OSError))
            for one in sockets:
                one.listen(BACKLOG)
        except (OSError, UnicodeError) as error:
            raise StartError(
                f"cannot listen at {host!r:.99}, port {port}: {_listen_failure(error)}"
            ) from None
        opened.pop_all()
    return sockets


def _bound(family: int, address: Any, opened: ExitStack) -> socket.socket | OSError:  # noqa: ANN401  of any family
    """Return a bound socket, or the error if this machine does not have the address, as without IPv6."""
    try:
        made = opened.enter_context(socket.socket(family, socket.SOCK_STREAM))
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        made.bind(address)
    except OSError as error:
        if error.errno in {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}:
            return error
        raise
    return made


def _listen_failure(error: Exception) -> str:
    if isinstance(error, (socket.gaierror, UnicodeError)):
        return "the host is unknown"
    number = error.errno if isinstance(error, OSError) else None
    reasons = {
        errno.EADDRINUSE: "the port is in use",
        errno.EADDRNOTAVAIL: "this machine has not that address",
        errno.EACCES: "it is not allowed",
    }
    return reasons.get(number or 0) or os.strerror(number or 0)


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
    sockets = _listening(host, port)
    server = _Server(
        uvicorn.Config(
            service.asgi,
            http=BoundedProtocol,
            ws="none",  # an offer to upgrade is ignored
            lifespan="on",
            access_log=False,  # it prints query strings
            log_config=None,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        ),
        service.drain,
        _with_origin(address, made=made),
    )
    keep_start_up()
    signal.signal(signal.SIGTERM, _stopped)
    with suppress(KeyboardInterrupt), _database_named(address):
        server.serve_on(sockets, service.asgi)


@app.command
def sweep() -> None:
    """Act for seats whose time is up until interrupted, beside the servers, which do so too."""
    log.configure()
    settings = settings_from(os.environ)
    address = parse(settings.database_url)
    with _database_named(address):
        schema.require_current(settings.database_url, settings.limits)
        _print_lines(f"Database: {address.shown}")
        asyncio.run(sweep_on(settings))


@app.command
def migrate() -> None:
    """Bring the database of GINRUMMY_DATABASE_URL to the newest schema."""
    settings = settings_from(os.environ)
    address = parse(settings.database_url)
    with _database_named(address):
        made = schema.migrate(settings.database_url, limits=settings.limits)
    _print_lines(f"Database: {_with_origin(address, made=made)}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; what is wrong with the surroundings is one line and status 1."""
    try:
        app(arguments)
    except (DatabaseUrlError, SchemaError, SettingsError, StartError) as error:
        sys.exit(f"ginrummy: {error}")
    except OSError as error:
        sys.exit(f"ginrummy: {of_disk(error)}")


if __name__ == "__main__":
    main()
