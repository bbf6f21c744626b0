"""The file that holds the master secrets of an SQLite database: made once, read by all processes."""

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

WAIT_SECONDS: Final = 5.0
"""How long to wait for another process that is writing the file."""

_PAUSE_SECONDS: Final = 0.02
_END: Final = b"\n"
"""How a complete file ends: it is written last."""

_MOST: Final = 65_536


class SecretFileError(Exception):
    """The file can be neither read nor made, or is not complete."""


def secrets_in(path: Path, wait_seconds: float = WAIT_SECONDS) -> str:
    """Return the secrets in a file; make it, for its owner only, if there is none.

    Processes that start at once get the same secrets: one of them makes the file, the others wait until it is
    complete. Raise `OSError` where the disk refuses, and `SecretFileError` for a file that stays incomplete.
    """
    end = monotonic() + wait_seconds
    while True:
        with suppress(FileExistsError):
            return _made(path)
        text = _read(path)
        if text is not None:
            return text
        if monotonic() > end:
            raise SecretFileError("it is not complete: delete it, and it is made anew")
        sleep(_PAUSE_SECONDS)


def _made(path: Path) -> str:
    """Write a new file and return what it holds; one that cannot be written whole is removed."""
    given = f"local:{secrets.token_urlsafe(32)}"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        try:
            _write(file, given.encode() + _END)
            os.fsync(file)
        finally:
            os.close(file)
    except BaseException:
        with suppress(OSError):
            path.unlink()
        raise
    _keep_name(path.parent)
    return given


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def _keep_name(folder: Path) -> None:
    """Have the name of a new file survive a power cut, where the disk can promise it."""
    with suppress(OSError):
        file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(file)
        finally:
            os.close(file)


def _read(path: Path) -> str | None:
    """Return what a complete file holds; None for one that is not, or that is gone again."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise SecretFileError("it is not a file")
        data = os.read(file, _MOST)
    finally:
        os.close(file)
    if not data.endswith(_END):
        return None
    try:
        return data.decode("ascii").strip()
    except UnicodeDecodeError:
        raise SecretFileError("it holds more than ASCII") from None
