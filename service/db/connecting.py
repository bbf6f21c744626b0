"""How every connection to PostgreSQL is opened: the migrations' and the sessions' by the same address."""

from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import asyncpg

from service.db.errors import DatabaseUnavailableError
from service.db.reasons import of_postgresql

_NAME: Final = "application_name"


def connect_options(url: str, **settings: str) -> dict[str, Any]:
    """Return what the driver is given for an address; `settings` of the server win over the address.

    The driver reads the options that libpq has too (``sslmode``, ``host``, …), and asks the server for the
    others. A process is called ginrummy there, unless the address has another name.
    """
    if _NAME not in parse_qs(urlsplit(url).query):
        settings[_NAME] = "ginrummy"
    return {"dsn": url, "server_settings": settings}


async def connect(url: str, seconds: float) -> asyncpg.Connection:
    """Open one connection within some seconds; raise `DatabaseUnavailableError` with the reason."""
    try:
        return await asyncpg.connect(**connect_options(url), timeout=seconds)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise DatabaseUnavailableError(of_postgresql(error)) from None
    except (OSError, ValueError) as error:
        raise DatabaseUnavailableError(of_postgresql(error)) from None
