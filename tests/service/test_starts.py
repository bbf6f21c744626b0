"""Starts that fail: one line, status 1, and nothing half-written."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

import pytest

from service import cli, main
from service.db import schema
from service.db.errors import DatabaseUnavailableError
from service.db.sqlite import SQLiteSession
from service.http.secret_file import SecretFileError, secrets_in
from service.settings import Settings, SettingsError, settings_from
from tests.service.serving import CHECKOUT, SECRETS, environment, refused_start

STARTERS = 4


def test_a_start_on_a_full_disk_is_one_line_and_leaves_nothing_half_written(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.service.full_disk", str(tmp_path)],
        cwd=CHECKOUT,
        env={name: value for name, value in os.environ.items() if not name.startswith("GINRUMMY_")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    starts = [json.loads(line) for line in done.stdout.splitlines() if not line.startswith("Docs")]
    assert {start["free"] for start in starts} >= {0, 16_384, 131_072}
    failed = [start for start in starts if start["first"] != "started"]
    assert failed
    if any(start["disk"] == "own_disk" for start in starts):
        assert any("the file of secrets" in start["first"] for start in failed)
    for start in failed:
        assert start["first"].startswith("ginrummy: the ")
        assert any(
            start["first"].endswith(reason)
            for reason in ("the disk is full", "the disk failed or is full", "larger than allowed")
        ), start
        assert "\n" not in start["first"]
        assert "ginrummy.db.secret" not in start["left"]
    for start in starts:
        assert start["again"] == "started"
        assert start["then"]["ginrummy.db.secret"].endswith(" 0a")
        assert all(file.startswith("600 ") for file in start["then"].values())
        if start["first"] == "started":
            assert start["then"] == start["left"]


def test_secrets_that_cannot_be_written_whole_leave_no_file(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limits[1]))
    try:
        with pytest.raises(OSError, match="large"):
            secrets_in(tmp_path / "secret")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not list(tmp_path.iterdir())


def test_processes_that_start_at_once_read_the_same_secrets(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from service.http.secret_file import secrets_in; "
        "print('ready', flush=True); sys.stdin.readline(); "
        "print(secrets_in(Path(sys.argv[1])))"
    )
    path = tmp_path / "ginrummy.db.secret"
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(path)],
            cwd=CHECKOUT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(STARTERS)
    ]
    for one in starters:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for one in starters:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    read = {one.communicate()[0].strip() for one in starters}
    assert read == {path.read_text().strip()}


def test_who_comes_second_waits_until_the_file_is_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret"
    halves, looked = Event(), Event()
    whole = os.write

    def in_halves(file: int, data: bytes) -> int:
        """Write one half, and the other when somebody has looked at the first."""
        if data.startswith(b"local:"):
            written = whole(file, data[: len(data) // 2])
            halves.set()
            looked.wait()
            return written
        return whole(file, data)

    def looking(_: float) -> None:
        looked.set()

    monkeypatch.setattr("os.write", in_halves)
    monkeypatch.setattr("service.http.secret_file.sleep", looking)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(secrets_in, path)
        halves.wait()
        assert path.stat().st_mode & 0o777 == 0o600
        second = threads.submit(secrets_in, path)
        assert second.result() == first.result()
    assert path.read_text() == f"{first.result()}\n"


def test_a_file_that_stays_incomplete_is_not_taken_for_the_secrets(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    for half in ("", SECRETS):
        path.write_text(half)
        with pytest.raises(SecretFileError, match="delete it"):
            secrets_in(path, wait_seconds=0)
        assert path.read_text() == half
    path.write_text(f"{SECRETS}\n")
    assert secrets_in(path, wait_seconds=0) == SECRETS


def test_a_file_that_its_maker_gave_up_is_made_by_who_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "secret"
    path.touch()
    monkeypatch.setattr("service.http.secret_file.sleep", lambda _: path.unlink())
    assert secrets_in(path).startswith("local:")


def test_the_secrets_are_their_owners_from_the_first_byte(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        secrets_in(tmp_path / "secret")
    finally:
        os.umask(before)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "it is not a file"),
        ("local:short\n", "the value of secret 1 is shorter than 32 characters"),
        ("local:" + "h\u00e9" * 32 + "\n", "it holds more than ASCII"),
    ],
)
def test_secrets_that_cannot_be_used_name_their_file(
    content: str | None, reason: str, sqlite_url: str
) -> None:
    path = Path(f"{sqlite_url.removeprefix('sqlite:///')}.secret")
    if content is None:
        path.mkdir()
    else:
        path.write_text(content)
    with pytest.raises(SettingsError) as refused:
        main.keyring_of(Settings(database_url=sqlite_url))
    assert str(refused.value).startswith(f"the file of secrets {path}")
    assert str(refused.value).endswith(reason)


@pytest.fixture
def as_before() -> Iterator[None]:
    """Undo what a start does to its process."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("as_before")
def test_a_database_that_goes_away_during_the_start_is_one_line(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def gone(_: object) -> None:
        raise DatabaseUnavailableError("the disk is full")

    monkeypatch.setattr(SQLiteSession, "open", gone)
    monkeypatch.setattr(cli, "keep_start_up", lambda: None)
    assert refused_start(environment(sqlite_url), "serve", "--port", "0") == (
        f"ginrummy: the database {sqlite_url} cannot be used: the disk is full"
    )
    assert capfd.readouterr() == ("", "")


def test_an_address_to_listen_at_that_cannot_be_had_is_one_line(sqlite_url: str) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        for arguments, line in (
            (("--port", port), f"ginrummy: cannot listen at '127.0.0.1', port {port}: the port is in use"),
            (
                ("--host", "192.0.2.1"),
                "ginrummy: cannot listen at '192.0.2.1', port 8000: this machine has not that address",
            ),
            (
                ("--host", "no.such.host.invalid"),
                "ginrummy: cannot listen at 'no.such.host.invalid', port 8000: the host is unknown",
            ),
        ):
            assert refused_start(environment(sqlite_url), "serve", *arguments) == line


def test_a_file_that_is_not_installed_is_one_line(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("service.main.CONTRACT", tmp_path / "openapi.json")
        line = refused_start(environment(sqlite_url), "serve")
        assert line.startswith(f"ginrummy: the contract {tmp_path / 'openapi.json'} cannot be read: ")
    schema.newest.cache_clear()
    monkeypatch.setattr(schema, "MIGRATIONS", tmp_path / "migrations")
    fresh = f"sqlite:///{tmp_path / 'fresh.db'}"
    for command in ("serve", "migrate", "sweep"):
        line = refused_start(environment(fresh if command != "sweep" else sqlite_url), command)
        assert line.startswith("ginrummy: the migrations are not installed: ")
    assert not (tmp_path / "fresh.db").exists()


@pytest.mark.parametrize(
    ("given", "good"),
    [
        ("https://cards.example", True),
        ("http://[::1]:8000/cards/", True),
        ("http://127.0.0.1:8000", True),
        ("cards.example", False),
        ("https://", False),
        ("ftp://cards.example", False),
        ("https://ana:hidden@cards.example", False),
        ("https://cards.example/?a=hidden", False),
        ("https://cards.example/hidden\r\nX: y", False),
        ("https://cards.example/#hidden", False),
        ("https://k\u00e4rtchen.example", False),
    ],
)
def test_the_public_address_must_be_one(given: str, good: bool) -> None:  # noqa: FBT001
    if good:
        assert settings_from({"GINRUMMY_PUBLIC_URL": given}).public_url == given
        return
    with pytest.raises(SettingsError) as refused:
        settings_from({"GINRUMMY_PUBLIC_URL": given})
    assert str(refused.value) == "GINRUMMY_PUBLIC_URL is not an address like https://cards.example"


@pytest.mark.parametrize("given", ["redis://host?colour=red", "redis://host/0?db=x", "redis://[::1"])
def test_an_address_of_hints_with_options_that_nobody_knows_is_refused(given: str) -> None:
    with pytest.raises(SettingsError, match="GINRUMMY_HINTS_URL"):
        main.hints_of(Settings(hints_url=given))


def test_a_port_that_is_taken_leaves_nothing_listening() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken, pytest.raises(cli.StartError):
        cli._listening("127.0.0.1", taken.getsockname()[1])
    for one in cli._listening("localhost", 0):
        assert one.getsockname()[1]
        one.close()
