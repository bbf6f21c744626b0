"""Why a database cannot be used, in words for an operator. No reason holds a value or a password."""

import errno
import re
import socket
import sqlite3
import ssl
from typing import Final

import asyncpg
import structlog

_log = structlog.get_logger(__name__)

_BY_ERRNO: Final = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file would be larger than allowed",
    errno.EROFS: "the disk is read-only",
    errno.EACCES: "access is denied",
    errno.EPERM: "access is denied",
    errno.ENOENT: "the file or its folder does not exist",
    errno.ENOTDIR: "a part of the path is not a folder",
    errno.EISDIR: "the path is a folder",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ELOOP: "the path is a circle of links",
    errno.EMFILE: "the process has too many open files",
    errno.EIO: "the disk failed",
}
"""What a failure of the file system is called."""

_BY_SQLITE: Final = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened: its folder, or the right to it, is missing",
    sqlite3.SQLITE_READONLY: "the file cannot be written to",
    sqlite3.SQLITE_PERM: "access is denied",
    sqlite3.SQLITE_BUSY: "another process is writing for too long",
    sqlite3.SQLITE_LOCKED: "another process is writing for too long",
    sqlite3.SQLITE_NOTADB: "the file is not an SQLite database",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_IOERR: "the disk failed or is full",
}
"""What a failure of SQLite is called, by its primary code."""

_REFUSED: Final = "nothing listens at its host and port"
_BY_NETWORK: Final = {
    errno.ECONNREFUSED: _REFUSED,
    errno.ENOENT: "there is no server at its socket",
    errno.EACCES: "access to its socket is denied",
    errno.EHOSTUNREACH: "there is no way to its host",
    errno.ENETUNREACH: "there is no way to its host",
    errno.ECONNRESET: "the server closed the connection",
    errno.EPIPE: "the server closed the connection",
    errno.ETIMEDOUT: "it did not answer in time",
    errno.EMFILE: "the process has too many open files",
}
"""What a failure of the network is called."""

_LOGIN: Final = "the user or the password is wrong"
_AWAY: Final = "the server is starting or stopping"
_BY_STATE: Final = {
    "28P01": _LOGIN,
    "3D000": "the server has no database of that name",
    "42501": "the user has not the rights for it",
    "53100": "the server's disk is full",
    "53200": "the server has no memory left",
    "53300": "the server has too many connections",
    "55000": "the server accepts no connections to it",
    "57P01": _AWAY,
    "57P02": _AWAY,
    "57P03": _AWAY,
    "57014": "a statement took too long",
    "55P03": "a statement waited too long for a lock",
    "25006": "the server is read-only",
}
"""What a refusal of PostgreSQL is called, by its state."""

_OPTION: Final = re.compile(r'parameter "([A-Za-z_][A-Za-z0-9_.]*)"', re.ASCII)
"""How the server's English sentence names a setting."""

_NUMBERS: Final = re.compile(r"\[Errno (\d+)\]", re.ASCII)


def of_disk(error: OSError) -> str:
    """Return why a file cannot be used."""
    return _BY_ERRNO.get(error.errno or 0, f"the file system answers {_code(error)}")


def of_sqlite(error: sqlite3.Error | OSError) -> str:
    """Return why an SQLite file cannot be used."""
    if isinstance(error, OSError):
        return of_disk(error)
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return _BY_SQLITE.get(code & 0xFF, f"SQLite answers {getattr(error, 'sqlite_errorname', 'an error')}")


def of_postgresql(error: BaseException) -> str:
    """Return why a PostgreSQL database cannot be used."""
    if isinstance(error, asyncpg.PostgresError):
        return _of_server(error)
    if isinstance(error, OSError):  # among them are those of TLS, of names and of time
        return _of_network(error)
    if isinstance(error, asyncpg.TargetServerAttributeNotMatched):
        return "no host is what target_session_attrs asks for"
    if isinstance(error, (asyncpg.ClientConfigurationError, ValueError)):
        return "its address has an option that the driver cannot use"
    return "the connection ended, or is not PostgreSQL's"


def _of_server(error: asyncpg.PostgresError) -> str:
    state, text = str(error.sqlstate), str(error.args[0] if error.args else "")
    if state == "28000":
        return "the server's pg_hba.conf does not allow it" if "pg_hba.conf" in text else _LOGIN
    option = _OPTION.search(text)
    if option and state == "42704":
        return f"the server does not know the option {option[1]} of its address"
    if option and state == "22023":
        return f"the server does not take the value of the option {option[1]} of its address"
    if state.startswith("08"):
        return "the server closed the connection"
    return _BY_STATE.get(state, f"the server answers {state}")


def _of_network(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the server's certificate is refused: {error.verify_message.rstrip('.')}"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed: {error.reason or 'no reason is known'}"
    if isinstance(error, socket.gaierror):
        return "its host is unknown"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    text = str(error)
    if "rejected SSL upgrade" in text or "SSL exchange" in text:
        return "the server refuses TLS, or is not PostgreSQL"
    # A name with several addresses comes as one sentence about all of them.
    numbers = [error.errno] if error.errno else [int(one) for one in _NUMBERS.findall(text)]
    reasons = dict.fromkeys(_BY_NETWORK.get(one, f"the network answers {_name(one)}") for one in numbers)
    return ", or ".join(reasons) or "the server closed the connection"


def _code(error: OSError) -> str:
    return _name(error.errno or 0)


def _name(number: int) -> str:
    return errno.errorcode.get(number, "an unknown error")


class Outage:
    """Writes down once that a database cannot be used, and once that it can be again."""

    def __init__(self) -> None:
        self._reason: str | None = None

    def begun(self, reason: str) -> None:
        """Log a reason, unless it is the one that was logged last."""
        if reason != self._reason:
            self._reason = reason
            _log.warning("database_unavailable", reason=reason)

    def over(self) -> None:
        """Log the end, if there was a beginning."""
        if self._reason is not None:
            self._reason = None
            _log.info("database_available")
