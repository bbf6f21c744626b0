"""The address of a database: what it names, how it is shown, and the session on it."""

import re
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from msgspec import Struct

from service.db.postgresql import PostgreSQLSession
from service.db.session import Probe, Session, unwatched
from service.db.sqlite import SQLiteSession
from service.settings import LIMITS, Limits

_FILE: Final = "sqlite:///"
_SERVER: Final = "postgresql://"
_HOST: Final = re.compile(r"(\[[0-9A-Za-z:.%]+\]|[^\[\]:]*)(?::(\d{1,5}))?", re.ASCII)
_HOSTS: Final = "malformed: a host is name, name:port or [IPv6]:port, several by commas"
_PORT: Final = 5432

_SHOWN: Final = ("host", "port", "user", "dbname", "database", "sslmode")
"""The options that are shown. All others are left out: one of them is the password."""

_FILES: Final = ("sslrootcert", "sslcert", "sslkey", "sslcrl")
_VALUES: Final = {
    "sslmode": ("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "target_session_attrs": ("any", "primary", "standby", "prefer-standby", "read-write", "read-only"),
}


class DatabaseUrlError(ValueError):
    """An address that cannot be used; the message says why and does not show it."""

    def __init__(self, fault: str = "neither sqlite:///path nor postgresql://…, without a driver") -> None:
        super().__init__(f"the database's address is {fault}")


class Address(Struct, frozen=True):
    """A database: its URL, its file if it is SQLite's, and how it is shown, which is without passwords."""

    url: str
    path: Path | None
    shown: str

    def __repr__(self) -> str:
        """Show no password."""
        return f"Address({self.shown})"


def parse(url: str) -> Address:
    """Return what an address names; raise `DatabaseUrlError`.

    An option that only the server knows is not judged here.
    """
    if url.startswith(_FILE):
        return _file(url)
    if url.startswith(_SERVER):
        return _server(url)
    raise DatabaseUrlError


def _file(url: str) -> Address:
    path = Path(url.removeprefix(_FILE))
    if not path.name:
        raise DatabaseUrlError
    if "?" in url:
        raise DatabaseUrlError("a file's and has options: an SQLite file takes none")
    if path.name == ":memory:":
        raise DatabaseUrlError("not a file's: matches must outlive the process")
    try:
        whole = path.absolute()
    except OSError:
        raise DatabaseUrlError("a relative path, and the folder of this process is gone") from None
    return Address(url, path, f"{_FILE}{whole}")


def _server(url: str) -> Address:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise DatabaseUrlError(_HOSTS) from None
    try:
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise DatabaseUrlError("malformed: its options are ?name=value&…") from None
    # A password with an unescaped @, /, ? or # would be taken for a host, and shown.
    if url.count("@") > 1 or "@" in parts.path + parts.query or "#" in url:
        raise DatabaseUrlError("malformed: write @ / ? # in a name or password as %40 %2F %3F %23")
    for name, value in options:
        if name in _FILES and not _readable(Path(value)):
            raise DatabaseUrlError(f"not usable: the file of {name} cannot be read")
        if name in _VALUES and value not in _VALUES[name]:
            raise DatabaseUrlError(f"not usable: {name} is one of {', '.join(_VALUES[name])}")
        if name == "port" and not all(one.isascii() and one.isdigit() for one in value.split(",")):
            raise DatabaseUrlError("not usable: port is a number")
    return Address(url, None, _shown(parts, options))


def _shown(parts: SplitResult, options: list[tuple[str, str]]) -> str:
    login, _, hosts = parts.netloc.rpartition("@")
    user = login.partition(":")[0]
    given = "port" in dict(options)
    query = urlencode([pair for pair in options if pair[0] in _SHOWN], safe="/,:")
    return "".join(
        (
            _SERVER,
            f"{user}@" if user else "",
            ",".join(_with_port(host, given) for host in hosts.split(",")) if hosts else "",
            parts.path,
            f"?{query}" if query else "",
        )
    )


def _with_port(text: str, given: bool) -> str:  # noqa: FBT001  whether an option names the port
    matched = _HOST.fullmatch(text)
    if matched is None or not 0 < int(matched[2] or _PORT) < 1 << 16:
        raise DatabaseUrlError(_HOSTS)
    return text if given else f"{matched[1]}:{matched[2] or _PORT}"


def _readable(path: Path) -> bool:
    try:
        with path.open("rb"):
            return True
    except OSError:
        return False


def is_sqlite(address: Address) -> bool:
    """Say whether an address is a file's."""
    return address.path is not None


def session_on(url: str, probe: Probe = unwatched, limits: Limits = LIMITS) -> Session:
    """Return a session, not open yet, on the database of an address; raise `DatabaseUrlError`.

    A file has no use for `limits`.
    """
    address = parse(url)
    if address.path is not None:
        return SQLiteSession(address.path, probe)
    return PostgreSQLSession(url, probe, limits)
