"""The real server, in a process of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from unittest.mock import patch

import structlog

from service.cli import main

CHECKOUT: Final = Path(__file__).parents[2]
SECRETS: Final = "test:0123456789abcdef0123456789abcdef"


def environment(database_url: str) -> dict[str, str]:
    return {**os.environ, "GINRUMMY_DATABASE_URL": database_url, "GINRUMMY_SECRETS": SECRETS}


def ginrummy(database_url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    return subprocess.run(
        [sys.executable, "-m", "service.cli", *arguments],
        cwd=CHECKOUT,
        env=environment(database_url),
        capture_output=True,
        text=True,
        check=False,
    )


def refused_start(environ: Mapping[str, str], *arguments: str) -> str:
    """Run the command line in this process, which must end with status 1; return the line that it says."""
    kept = structlog.get_config()
    try:
        with patch.dict(os.environ, environ, clear=True):
            main(arguments)
    except SystemExit as ended:
        line = ended.code  # a text is printed to standard error, and the status is 1
    finally:
        structlog.configure(**kept)
    assert isinstance(line, str)
    assert "\n" not in line
    return line


class Server:
    """A server that listens: its process, the line that told its address, its database, what it says then."""

    rest: Future[str]

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        self.said = process.stdout.readline()
        self.database = process.stdout.readline().removeprefix("Database: ").removesuffix("\n")
        self.base = self.said.removeprefix("Docs: ").strip().removesuffix("/docs")


@contextmanager
def serving(
    database_url: str, *, program: str = "service.cli", settings: Mapping[str, str] | None = None
) -> Iterator[Server]:
    """Serve a database on a free port until the end of the block."""
    with (
        subprocess.Popen(
            [sys.executable, "-m", program, "serve", "--port", "0"],
            cwd=CHECKOUT,
            env={**environment(database_url), **(settings or {})},
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
        ThreadPoolExecutor(1) as reader,
    ):
        try:
            server = Server(process)
            assert process.stdout is not None
            server.rest = reader.submit(process.stdout.read)  # a full pipe would stop the server
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
