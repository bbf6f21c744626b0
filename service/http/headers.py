"""The headers of answers, as the document describes them."""

from typing import Any, Final

from service.http.operation import Header

_TEXT: Final[dict[str, Any]] = {"type": "string"}

HEADERS: Final[dict[Header, tuple[str, dict[str, Any]]]] = {
    Header.CACHE_CONTROL: ("How long the answer may be kept, and by whom.", _TEXT),
    Header.CONTENT_LANGUAGE: ("The language of the texts in the answer.", _TEXT),
    Header.ETAG: ("The version of this answer, for `If-None-Match`.", _TEXT),
    Header.LOCATION: ("Where the new resource is, relative to this service.", _TEXT),
    Header.MOVE_REPLAYED: (
        "Present where the move had been played before, and nothing was done again.",
        {"type": "string", "enum": ["true"]},
    ),
    Header.RETRY_AFTER: (
        "Seconds after which to try again.",
        {"type": "integer", "minimum": 0, "maximum": 86_400},
    ),
    Header.VARY: ("The headers of the request that the answer depends on.", _TEXT),
    Header.WWW_AUTHENTICATE: (
        "The scheme of the token that is needed.",
        {"type": "string", "enum": ["Bearer"]},
    ),
    Header.X_ACCEL_BUFFERING: (
        "Tells proxies to pass each event on as it comes.",
        {"type": "string", "enum": ["no"]},
    ),
    Header.X_REQUEST_ID: (
        "The id of this exchange; the caller's own, where it sent one of letters, digits and hyphens.",
        {"type": "string", "pattern": "^[A-Za-z0-9-]{1,64}$"},
    ),
}
"""Description and schema of each header."""

OF_STATUS: Final[dict[int, tuple[Header, ...]]] = {
    401: (Header.WWW_AUTHENTICATE,),
    503: (Header.RETRY_AFTER,),
}
"""Headers that every problem of a status has."""
