"""Ids as clients write them: one reading, in paths, query parameters and bodies."""

import re
from typing import Annotated, Final, TypeAlias
from uuid import UUID

from msgspec import Meta

_FORM: Final = "-".join(f"[0-9A-Fa-f]{{{digits}}}" for digits in (8, 4, 4, 4, 12))
_ID: Final = re.compile(_FORM)

IdIn: TypeAlias = Annotated[
    str,
    Meta(
        pattern=f"^{_FORM}\\Z",
        description="An id in the text form of RFC 9562; letters may be small or capital.",
        extra_json_schema={"format": "uuid"},
    ),
]
"""An id in a body or a query parameter. Answers have a `UUID`, which is written in small letters."""


def is_id(text: str) -> bool:
    """Return whether a text is an id: 8-4-4-4-12 hexadecimal digits in either case, and nothing else."""
    return _ID.fullmatch(text) is not None


def id_from_wire(text: IdIn) -> UUID:
    """Return the id that a body or a query parameter has."""
    return UUID(text)
