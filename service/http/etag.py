"""Entity tags and answers that need not be sent again (RFC 9110, section 13)."""

import hashlib
import re
from typing import Any, Final, TypeVar

import msgspec
from litestar import Request, Response
from msgspec import Struct

T = TypeVar("T")

SHORT: Final = "public, max-age=300"
DAY: Final = "public, max-age=86400"
IMMUTABLE: Final = "public, max-age=31536000, immutable"
"""How long a public answer may be kept."""
PRIVATE_IMMUTABLE: Final = "private, max-age=31536000, immutable"
"""The same for an answer that only the caller may keep."""

_TAG: Final = re.compile(r'(?:W/)?("[\x21\x23-\x7e]*")')


def matches(if_none_match: str | None, etag: str) -> bool:
    """Return whether the client already has the answer with this tag (weak comparison)."""
    if if_none_match is None:
        return False
    if if_none_match.strip() == "*":
        return True
    return etag.removeprefix("W/") in _TAG.findall(if_none_match)


def etag_of(content: bytes) -> str:
    """Return the tag of a public document: a hash of its bytes. Never for what only some may see."""
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def etag_of_struct(content: Struct) -> str:
    """Return the tag of a public answer."""
    return etag_of(msgspec.json.encode(content))


def conditional(request: Request[Any, Any, Any], content: T, etag: str, cache_control: str) -> Response[T]:
    """Return the answer with its tag, or 304 without a body where the client has it."""
    headers = {"ETag": etag, "Cache-Control": cache_control}
    if matches(request.headers.get("if-none-match"), etag):
        return Response(content=None, status_code=304, headers=headers)  # type: ignore[arg-type]  # 304 has none
    return Response(content=content, headers=headers)
