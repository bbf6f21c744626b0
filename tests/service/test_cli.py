import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from service.db.schema import is_current, newest
from service.db.urls import parse, session_on
from tests.service.serving import CHECKOUT, environment, ginrummy, refused_start, serving
from tests.service.settled import execute


def test_serve_says_where_the_docs_are_and_is_ready_until_interrupted(database_url: str) -> None:
    with serving(database_url) as server:
        assert re.fullmatch(r"Docs: http://127\.0\.0\.1:\d+/docs\n", server.said)
        assert server.database == parse(database_url).shown
        for path in ("/docs", "/healthz", "/readyz"):
            answer = httpx.get(f"{server.base}{path}")
            assert answer.status_code == 200
            assert "server" not in answer.headers
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait() == 0


def test_serve_migrates_a_file_and_wants_a_server_migrated(empty_database_url: str) -> None:
    if empty_database_url.startswith("postgresql"):
        refused = ginrummy(empty_database_url, "serve", "--port", "0")
        assert refused.returncode == 1
        assert refused.stderr == "ginrummy: the database has no schema yet: run `ginrummy migrate`\n"
        done = ginrummy(empty_database_url, "migrate")
        assert (done.returncode, done.stdout) == (0, f"Database: {parse(empty_database_url).shown}\n")
    with serving(empty_database_url) as server:
        new = " (new)" if empty_database_url.startswith("sqlite") else ""
        assert server.database == f"{parse(empty_database_url).shown}{new}"
        assert httpx.get(f"{server.base}/readyz").status_code == 200


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://user:hidden@host/name", "the database's address is neither"),
        (
            "sqlite:////no/such/folder/ginrummy.db",
            (
                "the database sqlite:////no/such/folder/ginrummy.db cannot be used: "
                "the file or its folder does not exist"
            ),
        ),
        (
            "postgresql://user:hidden@127.0.0.1:1/name?password=hidden",
            (
                "the database postgresql://user@127.0.0.1:1/name cannot be used: "
                "nothing listens at its host and port"
            ),
        ),
    ],
)
@pytest.mark.parametrize("command", ["serve", "migrate", "sweep"])
def test_a_database_that_cannot_be_used_is_one_line(url: str, message: str, command: str) -> None:
    line = refused_start(environment(url), command)
    assert line.startswith(f"ginrummy: {message}")
    assert "hidden" not in line


@pytest.mark.parametrize("command", ["serve", "migrate", "sweep"])
def test_a_misspelt_setting_stops_the_start(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    misspelt = {"GINRUMMY_DATABASE_ULR": "postgresql://ana:hidden@host/name"}
    assert refused_start(misspelt, command) == (
        "ginrummy: 'GINRUMMY_DATABASE_ULR' is not a setting; the nearest is GINRUMMY_DATABASE_URL"
    )
    assert not list(tmp_path.iterdir())


def test_the_sweeper_names_its_database(sqlite_url: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "service.cli", "sweep"],
        cwd=CHECKOUT,
        env=environment(sqlite_url),
        stdout=subprocess.PIPE,
        text=True,
    ) as sweeper:
        assert sweeper.stdout is not None
        assert sweeper.stdout.readline() == f"Database: {sqlite_url}\n"
        sweeper.send_signal(signal.SIGTERM)


def test_what_is_wrong_goes_to_standard_error_with_status_1() -> None:
    refused = ginrummy("mysql://user:hidden@host/name", "serve")
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert refused.stderr.startswith("ginrummy: the database's address is neither")


def test_head_and_options_over_a_socket(database_url: str) -> None:
    with serving(database_url) as server, httpx.Client(base_url=server.base) as client:
        for path in ("/healthz", "/docs", "/v1/problems", "/nowhere"):
            whole = client.get(path)
            head = client.head(path)
            assert head.status_code == whole.status_code
            assert head.headers["content-length"] == whole.headers["content-length"]
            assert not head.content
            options = client.options(path)
            assert options.status_code == (404 if path == "/nowhere" else 204)
            assert options.headers.get("allow") == (None if path == "/nowhere" else "GET, HEAD, OPTIONS")


def raw(base: str, *parts: bytes) -> bytes:
    """Send bytes to the server and return what it says until it hangs up."""
    host, port = base.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as line:
        try:
            for part in parts:
                line.sendall(part)
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(65_536), b""))
        except (BrokenPipeError, ConnectionResetError):
            return b""


def test_a_head_without_end_is_hung_up_on_and_a_body_cut_off_is_no_failure(sqlite_url: str) -> None:
    begun = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
    with serving(sqlite_url) as server:
        assert raw(server.base, begun, b"Connection: close\r\n\r\n").startswith(b"HTTP/1.1 200")
        assert b" 200 " not in raw(server.base, begun, b"X: ", *[b"y" * 65_536] * 200, b"\r\n\r\n")
        assert b" 200 " not in raw(server.base, begun, *[b"X-Y: zzzzzzzz\r\n" * 1_000] * 100, b"\r\n")
        raw(
            server.base,
            b"POST /v1/melds HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n",
            b"Content-Length: 100\r\n\r\n{",
        )
        assert httpx.get(f"{server.base}/healthz").status_code == 200
        server.process.send_signal(signal.SIGINT)
        assert "request_failed" not in server.rest.result()


def test_a_port_that_is_taken_is_a_failure(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'ginrummy.db'}"
    with serving(url) as server:
        port = server.base.rpartition(":")[2]
        assert ginrummy(url, "serve", "--port", port).returncode != 0


@pytest.mark.anyio
async def test_a_session_knows_whether_its_schema_is_current(database_url: str) -> None:
    session = session_on(database_url)
    await session.open()
    assert await is_current(session)
    for revision, current in (("0001", False), ("of a later version", True)):
        await execute(database_url, f"UPDATE alembic_version SET version_num = '{revision}'")  # noqa: S608  ours
        assert await is_current(session) is current
    await execute(database_url, "DELETE FROM alembic_version")
    assert not await is_current(session)
    await execute(database_url, f"INSERT INTO alembic_version VALUES ('{newest()}')")  # noqa: S608  likewise
    await session.close()
