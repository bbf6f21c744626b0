"""Bearer tokens (RFC 6750), as they arrive."""

from typing import Any

from litestar.connection import ASGIConnection


def bearer(connection: ASGIConnection[Any, Any, Any, Any]) -> str | None:
    """Return the bearer token of a request; None without an ``Authorization`` header.

    A header that carries no bearer token, or comes twice, gives the empty string, which no token equals.
    """
    given = connection.headers.getall("authorization", [])
    if not given:
        return None
    scheme, _, token = given[0].partition(" ")
    return token.strip() if len(given) == 1 and scheme.lower() == "bearer" else ""
