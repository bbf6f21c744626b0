import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from msgspec import Struct, convert


class Limits(Struct, frozen=True, kw_only=True):
    """What a process asks of PostgreSQL: connections, and seconds."""

    connections: int = 8
    """The most connections of a process: one for its writer, the others for views and events."""
    connect_seconds: int = 5
    """How long to wait for a connection, a new one or one in use."""
    statement_seconds: int = 10
    """After how long the server gives a statement up."""
    lock_seconds: int = 5
    """After how long the server gives a statement up that waits for a lock."""
    idle_seconds: int = 10
    """After how long the server ends a transaction in which nothing happens."""


LIMITS: Final = Limits()
"""Those of a process whose environment says nothing of them."""


class Settings(Struct, frozen=True, kw_only=True):
    """What the environment decides; each field is ``GINRUMMY_`` and its name in capitals."""

    database_url: str = "sqlite:///ginrummy.db"
    """``sqlite:///path`` or ``postgresql://…``, without a driver."""
    database_connections: int = LIMITS.connections
    database_connect_seconds: int = LIMITS.connect_seconds
    database_statement_seconds: int = LIMITS.statement_seconds
    database_lock_seconds: int = LIMITS.lock_seconds
    database_idle_seconds: int = LIMITS.idle_seconds
    database_retry_seconds: int = 5
    """How long a move waits for a database that is away; 0 tries once."""
    secrets: str | None = None
    """``kid:value,…``: the first signs, all verify."""
    public_url: str | None = None
    """Where clients reach the service; None leaves addresses relative."""
    intent_seconds: int = 600
    """How long an intent may be confirmed."""
    poll_milliseconds: int | None = None
    """How often to look for the moves of other processes; None is 250 on PostgreSQL, 2,000 on SQLite."""
    spectators: int = 1_000
    """The most streams and waiting requests of spectators in a process."""
    hints_url: str | None = None
    """The Valkey or Redis server by which replicas tell each other that a match has moved, if any."""

    def __repr__(self) -> str:
        """Show nothing: the address of a database may hold its password."""
        return "Settings(…)"

    @property
    def limits(self) -> Limits:
        """What the process asks of PostgreSQL."""
        return Limits(
            connections=self.database_connections,
            connect_seconds=self.database_connect_seconds,
            statement_seconds=self.database_statement_seconds,
            lock_seconds=self.database_lock_seconds,
            idle_seconds=self.database_idle_seconds,
        )


BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    "database_connections": (2, 1_000),
    "database_connect_seconds": (1, 60),
    "database_statement_seconds": (1, 600),
    "database_lock_seconds": (1, 600),
    "database_idle_seconds": (1, 600),
    "database_retry_seconds": (0, 60),
    "intent_seconds": (1, 86_400),
    "poll_milliseconds": (10, 60_000),
    "spectators": (0, 1_000_000),
}
"""The settings that are numbers, each with its least and its greatest value."""


DIGITS: Final = 9
"""The most digits that are read: Python refuses to read thousands of them."""


class SettingsError(ValueError):
    """A variable that cannot be used; the message names it and not its value."""


_ADDRESS: Final = re.compile(
    r"https?://([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?(/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?", re.ASCII
)
"""An address in front of a path: no user, query or fragment."""

PREFIX: Final = "GINRUMMY_"


def settings_from(environ: Mapping[str, str]) -> Settings:
    """Return the settings of an environment, where an empty variable is none; raise `SettingsError`.

    A name that begins like ours and is not one of ours is refused: it would be a setting that has no effect.
    """
    known = [_variable(name) for name in Settings.__struct_fields__]
    unknown = sorted(name for name in environ if name.upper().startswith(PREFIX) and name not in known)
    if unknown:
        raise SettingsError("; ".join(_unknown(name, known) for name in unknown))
    given = {name: environ.get(_variable(name)) for name in Settings.__struct_fields__}
    return convert({name: _value(name, text) for name, text in given.items() if text}, Settings)


def _unknown(name: str, known: Iterable[str]) -> str:
    names = [one.removeprefix(PREFIX) for one in known]  # what all have in common makes none of them near
    near = get_close_matches(name.upper().removeprefix(PREFIX), names, n=1)
    return f"{name!r:.99} is not a setting" + (f"; the nearest is {PREFIX}{near[0]}" if near else "")


def _value(name: str, text: str) -> str | int:
    if name == "public_url" and not _ADDRESS.fullmatch(text):
        raise SettingsError(f"{_variable(name)} is not an address like https://cards.example")
    if name not in BOUNDS:
        return text
    least, most = BOUNDS[name]
    if text.isascii() and text.isdigit() and len(text) <= DIGITS and least <= int(text) <= most:
        return int(text)
    raise SettingsError(f"{_variable(name)} is not a number from {least} to {most}")


def _variable(name: str) -> str:
    return f"{PREFIX}{name.upper()}"
