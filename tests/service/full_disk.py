"""Starts on a disk that is full; a program, for a disk of its own is mounted where no other process sees it.

It prints, for each number of bytes that are free, what ``serve`` said and which files it left, as JSON.
"""

import ctypes
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import structlog

from service import cli
from tests.sizes import size

PAGE = 4_096
DISK = 1 << 20
CLONE_NEWNS = 0x20000


def system(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


@contextmanager
def own_disk(folder: Path, free: int) -> Iterator[None]:
    """A disk of a megabyte on which so many bytes are free; the rest is one file."""
    system("mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(folder))
    try:
        with (folder / "filler").open("wb", buffering=0) as filler:
            filler.write(bytes(DISK - PAGE - free))  # one page is the folder's
        yield
    finally:
        system("umount", str(folder))


@contextmanager
def own_limit(folder: Path, free: int) -> Iterator[None]:
    """Where nothing may be mounted, no file may grow above so many bytes."""
    (folder / "filler").touch()
    limit_files(free)
    try:
        yield
    finally:
        limit_files(None)
        for file in folder.iterdir():
            file.unlink()


def limit_files(size: int | None) -> None:
    """Let files grow to a size; None is as large as this process may let them."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


def may_mount() -> bool:
    """Leave the namespace of the others, if this process may."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS):
        return False
    try:
        system("mount", "--make-rprivate", "/")
    except subprocess.CalledProcessError:
        return False
    return True


def started(folder: Path) -> str:
    """Start a server that stops as soon as it serves; return what was wrong, or ``started``."""

    async def serve(self: cli._Server, sockets: Sequence[object] | None = None) -> None:
        del sockets
        self.config.load()
        self.lifespan = self.config.lifespan_class(self.config)
        await self.lifespan.startup()
        if self.lifespan.should_exit:
            sys.exit(3)
        await self.lifespan.shutdown()

    settings = {**os.environ, "GINRUMMY_DATABASE_URL": f"sqlite:///{folder}/ginrummy.db"}
    with patch.dict(os.environ, settings, clear=True), patch.object(cli._Server, "serve", serve):
        try:
            cli.main(["serve", "--port", "0"])
        except SystemExit as ended:
            return "started" if ended.code == 0 else str(ended.code)
    raise AssertionError("a command that is done ends the process")


def left(folder: Path) -> dict[str, str]:
    """The files beside the filler: permissions, size, and how the secrets end."""
    found = {}
    for file in sorted(folder.iterdir()):
        if file.name != "filler":
            mode = file.stat().st_mode & 0o777
            last = file.read_bytes()[-1:].hex() if file.name.endswith(".secret") else "-"
            found[file.name] = f"{mode:o} {file.stat().st_size} {last}"
    return found


def main(folder: Path) -> None:
    """Start with more and more room; after each failure make room and start again."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    disks = [*([own_disk] if may_mount() else []), own_limit]
    for disk in disks:
        for free in (0, *(PAGE << step for step in range(2, 8, size(3, 1)))):
            with disk(folder, free):
                first, files = started(folder), left(folder)
                (folder / "filler").unlink()
                if disk is own_limit:
                    limit_files(None)
                again = started(folder)
                told = {
                    "disk": disk.__name__,
                    "free": free,
                    "first": first,
                    "left": files,
                    "again": again,
                    "then": left(folder),
                }
            sys.stdout.write(f"{json.dumps(told)}\n")


if __name__ == "__main__":
    with patch("service.http.log.configure"):  # its lines would be among ours
        main(Path(sys.argv[1]))
