"""Whether an answer's format is one that the client takes (RFC 9110, section 12.5.1)."""

from typing import Final

_ANYTHING: Final = "*/*"


def acceptable(accept: str | None, media_type: str) -> bool:
    """Return whether an ``Accept`` header allows a media type; no header allows all."""
    if accept is None or accept.strip() in {"", _ANYTHING}:
        return True
    best = -1
    allowed = False
    for item in accept.split(","):
        wanted, *parameters = (part.strip().lower() for part in item.split(";"))
        precision = _precision(wanted, media_type)
        if precision > best:
            best = precision
            allowed = not _refuses(parameters)
    return allowed


def _precision(wanted: str, media_type: str) -> int:
    """Return how closely a media range names the type: 2 in full, 1 its family, 0 anything, −1 not."""
    if wanted == media_type:
        return 2
    if wanted == f"{media_type.partition('/')[0]}/*":
        return 1
    return 0 if wanted == _ANYTHING else -1


def _refuses(parameters: list[str]) -> bool:
    """Return whether the range's quality is zero."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            return not value.strip().strip("0.")
    return False
