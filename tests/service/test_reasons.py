"""Why a database cannot be used: a real PostgreSQL with passwords and TLS gives the reasons."""

import asyncio
import socket
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import literal, select
from structlog.testing import capture_logs

from service.db.errors import DatabaseUnavailableError
from service.db.reasons import of_postgresql, of_sqlite
from service.db.schema import migrate, require_current
from service.db.statements import Query
from service.db.urls import DatabaseUrlError, parse, session_on
from service.settings import Limits
from tests.service.databases import Server, postgresql
from tests.service.serving import environment, refused_start
from tests.service.tls_door import certify, tls_door

PASSWORD = "open%20sesame"  # noqa: S105  of this test's server
HBA = """
local all postgres trust
local all all scram-sha-256
host all barred all reject
host all all all scram-sha-256
"""


class Guarded:
    """A server that asks for passwords, with a port for TLS; its certificate and a false one."""

    def __init__(self, server: Server, tls_port: int, certificate: Path, stranger: Path) -> None:
        self.server = server
        self.tls_port = tls_port
        self.certificate = certificate
        self.stranger = stranger

    def url(self, user: str = "ana", options: str = "", *, name: str = "cards") -> str:
        return f"postgresql://{user}:{PASSWORD}@127.0.0.1:{self.server.port}/{name}{options}"

    def tls(self, options: str, host: str = "localhost") -> str:
        return f"postgresql://ana:{PASSWORD}@{host}:{self.tls_port}/cards?{options}"


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port: int = taken.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("certificates")
    ours, stranger = certify("ours", folder), certify("stranger", folder)
    with postgresql() as server:
        server.stop()
        (server.folder / "data" / "pg_hba.conf").write_text(HBA)
        server.port = free_port()
        server.launch("-c", "listen_addresses=127.0.0.1", "-c", f"port={server.port}")
        server.wait_until_ready()
        server.run(
            *(
                f"CREATE ROLE {role} LOGIN PASSWORD 'open sesame'"
                for role in ("ana", "barred", "crowd CONNECTION LIMIT 0")
            ),
            "CREATE DATABASE cards OWNER ana",
            "CREATE DATABASE closed ALLOW_CONNECTIONS false",
        )
        with tls_door(ours, server.port) as tls_port:
            yield Guarded(server, tls_port, ours, stranger)


def migrated(url: str) -> None:
    migrate(url, limits=Limits(connect_seconds=1))


def required(url: str) -> None:
    require_current(url, Limits(connect_seconds=1))


def opened(url: str) -> None:
    async def open_and_close() -> None:
        session = session_on(url, limits=Limits(connect_seconds=1))
        await session.open()
        await session.close()

    asyncio.run(open_and_close())


WAYS: tuple[Callable[[str], None], ...] = (migrated, required, opened)


def refused(url: str) -> str:
    """Return the reason, which is the same for the migrations, the check and the session."""
    reasons = []
    for way in WAYS:
        with pytest.raises(DatabaseUnavailableError) as error:
            way(url)
        assert error.value.__cause__ is None
        reasons.append(str(error.value))
    assert len(set(reasons)) == 1, reasons
    return reasons[0]


def test_migrations_and_sessions_connect_by_the_same_address(guarded: Guarded) -> None:
    folder, port = guarded.server.folder, guarded.server.port
    for url in (
        guarded.url(),
        guarded.url(options="?sslmode=disable"),
        guarded.url(options="?search_path=public&application_name=cards"),
        guarded.url().replace("@127.0.0.1", "@127.0.0.1:1,127.0.0.1"),
        f"postgresql://ana:{PASSWORD}@/cards?host={folder}&port={port}",
        f"postgresql:///cards?host={folder}&port={port}&user=ana&password={PASSWORD}",
        guarded.tls("sslmode=require"),
        guarded.tls(f"sslmode=verify-full&sslrootcert={guarded.certificate}"),
        guarded.tls(f"sslmode=verify-ca&sslrootcert={guarded.certificate}", host="127.0.0.1"),
    ):
        for way in WAYS:
            way(url)


def test_a_session_has_the_name_of_its_address(guarded: Guarded) -> None:
    async def names(url: str) -> list[str]:
        session = session_on(url)
        await session.open()
        observer = await asyncpg.connect(guarded.url())
        try:
            rows = await observer.fetch(
                "SELECT application_name FROM pg_stat_activity "
                "WHERE datname = 'cards' AND pid <> pg_backend_pid() AND application_name <> ''"
            )
        finally:
            await observer.close()
            await session.close()
        return [row[0] for row in rows]

    assert asyncio.run(names(guarded.url(options="?application_name=cards-1"))) == ["cards-1"]
    assert asyncio.run(names(guarded.url())) == ["ginrummy"]


def test_a_server_says_why_it_cannot_be_used(guarded: Guarded) -> None:
    wrong = "the user or the password is wrong"
    assert refused(guarded.url().replace(PASSWORD, "wrong")) == wrong
    assert refused(guarded.url("stranger")) == wrong
    assert refused(guarded.url("barred")) == "the server's pg_hba.conf does not allow it"
    assert refused(guarded.url("crowd")) == "the server has too many connections"
    assert refused(guarded.url(name="other")) == "the server has no database of that name"
    assert refused(guarded.url(name="closed")) == "the server accepts no connections to it"
    assert refused(guarded.url(options="?colour=red")) == (
        "the server does not know the option colour of its address"
    )
    assert refused(guarded.url(options="?target_session_attrs=standby")) == (
        "no host is what target_session_attrs asks for"
    )
    assert (
        refused(guarded.url().replace(f":{guarded.server.port}/", ":1/"))
        == "nothing listens at its host and port"
    )


def test_a_certificate_that_is_refused_says_so(guarded: Guarded) -> None:
    by_stranger = guarded.tls(f"sslmode=verify-full&sslrootcert={guarded.stranger}")
    assert refused(by_stranger).startswith("the server's certificate is refused: self-signed certificate")
    by_number = guarded.tls(f"sslmode=verify-full&sslrootcert={guarded.certificate}", host="127.0.0.1")
    assert refused(by_number).startswith("the server's certificate is refused: IP address mismatch")


def test_a_server_without_tls_says_so(guarded: Guarded) -> None:
    assert refused(guarded.url(options="?sslmode=require")) == "the server refuses TLS, or is not PostgreSQL"
    url = guarded.url(options="?sslmode=require")
    for command in ("migrate", "serve", "sweep"):
        assert refused_start(environment(url), command) == (
            f"ginrummy: the database postgresql://ana@127.0.0.1:{guarded.server.port}/cards?sslmode=require "
            "cannot be used: the server refuses TLS, or is not PostgreSQL"
        )


def test_the_log_says_once_why_a_database_is_away_and_when_it_is_back(guarded: Guarded) -> None:
    one = Query(select(literal(1)), int)
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ana'"

    async def losing_its_password() -> None:
        session = session_on(guarded.url())
        await session.open()
        await asyncio.to_thread(guarded.server.run, "ALTER ROLE ana PASSWORD 'another'", cut)
        for _ in range(2):
            with pytest.raises(DatabaseUnavailableError):
                await session.fetch(one)
        await asyncio.to_thread(guarded.server.run, "ALTER ROLE ana PASSWORD 'open sesame'")
        assert await session.fetch(one) == [1]
        await session.close()

    with capture_logs() as lines:
        asyncio.run(losing_its_password())
    assert lines == [
        {
            "event": "database_unavailable",
            "log_level": "warning",
            "reason": "the user or the password is wrong",
        },
        {"event": "database_available", "log_level": "info"},
    ]


def test_a_server_that_does_not_answer_says_so(guarded: Guarded) -> None:
    with guarded.server.frozen():
        assert refused(guarded.url()) == "it did not answer in time"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (asyncpg.CannotConnectNowError("the database system is starting up"), "starting or stopping"),
        (asyncpg.ConnectionDoesNotExistError("closed in the middle"), "the server closed the connection"),
        (asyncpg.UndefinedTableError("hidden"), "the server answers 42P01"),
        (
            OSError("Multiple exceptions: [Errno 111] Connect call failed, [Errno 113] Connect call"),
            "way to its host",
        ),
        (socket.gaierror(-2, "hidden"), "its host is unknown"),
    ],
)
def test_every_error_has_a_reason_without_its_text(error: Exception, reason: str) -> None:
    assert reason in of_postgresql(error)
    assert "hidden" not in of_postgresql(error)


def test_a_file_says_why_it_cannot_be_used(tmp_path: Path) -> None:
    noise = tmp_path / "noise.db"
    noise.write_bytes(b"not a database" * 1_000)
    for url, reason in (
        (f"sqlite:///{noise}", "the file is not an SQLite database"),
        (f"sqlite:///{tmp_path}", "the path is a folder"),
        (f"sqlite:///{noise}/x.db", "a part of the path is not a folder"),
        (f"sqlite:///{tmp_path}/no/x.db", "the file or its folder does not exist"),
    ):
        with pytest.raises(DatabaseUnavailableError) as error:
            migrate(url)
        assert str(error.value) == reason
    assert of_sqlite(sqlite3.OperationalError("hidden")) == "SQLite answers an error"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ana:hidden@host/name", "postgresql://ana@host:5432/name"),
        ("postgresql://ana@h1:1,h2,[::1]/name", "postgresql://ana@h1:1,h2:5432,[::1]:5432/name"),
        (
            "postgresql:///name?host=/run/pg&password=hidden&sslmode=require&passfile=hidden",
            "postgresql:///name?host=/run/pg&sslmode=require",
        ),
        ("sqlite:////data/cards.db", "sqlite:////data/cards.db"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert parse(url).shown == shown
    assert "hidden" not in repr(parse(url))


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ana:1/hidden@host/name",
        "postgresql://ana:1?hidden@host/name",
        "postgresql://ana:1#hidden@host/name",
        "postgresql://ana:1@hidden@host/name",
        "postgresql://ana:hidden@host:port/name",
        "postgresql://ana:hidden@host:65536/name",
        "postgresql://ana:hidden@[::1/name",
        "postgresql://ana:hidden@host/name?require",
        "postgresql://ana:hidden@host/name?sslmode=hidden",
        "postgresql://ana:hidden@host/name?port=hidden",
        "postgresql://ana:hidden@host/name?sslrootcert=/hidden",
        "sqlite:///hidden.db?mode=rw",
        "sqlite:///:memory:",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(DatabaseUrlError) as error:
        parse(url)
    assert "hidden" not in str(error.value)
