from collections.abc import Mapping
from typing import Final

from msgspec import Struct

DAY: Final = 86_400
"""The most seconds that an intent may last."""


class Settings(Struct, frozen=True, kw_only=True):
    """What the environment decides; each field is ``GINRUMMY_`` and its name in capitals."""

    database_url: str = "sqlite:///ginrummy.db"
    """``sqlite:///path`` or ``postgresql://…``, without a driver."""
    secrets: str | None = None
    """``kid:value,…``: the first signs, all verify."""
    public_url: str | None = None
    """Where clients reach the service; None leaves addresses relative."""
    intent_seconds: int = 600
    """How long an intent may be confirmed."""

    def __repr__(self) -> str:
        """Show nothing: the address of a database may hold its password."""
        return "Settings(…)"


class SettingsError(ValueError):
    """A variable that cannot be used; the message names it and not its value."""


def settings_from(environ: Mapping[str, str]) -> Settings:
    """Return the settings of an environment; raise `SettingsError` for one that is unusable."""
    given = {name: environ.get(f"GINRUMMY_{name.upper()}") for name in Settings.__struct_fields__}
    seconds = given["intent_seconds"]
    if seconds is not None and not (seconds.isascii() and seconds.isdigit() and 1 <= int(seconds) <= DAY):
        raise SettingsError(f"GINRUMMY_INTENT_SECONDS is not a number of seconds from 1 to {DAY}")
    defaults = Settings()
    return Settings(
        database_url=given["database_url"] or defaults.database_url,
        secrets=given["secrets"] or None,
        public_url=given["public_url"] or None,
        intent_seconds=defaults.intent_seconds if seconds is None else int(seconds),
    )
