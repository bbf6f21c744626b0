"""JSON schemas of wire types: msgspec's own, mended where OpenAPI readers want more."""

import re
from collections.abc import Iterable
from typing import Any, Final, TypeAlias, get_args

import msgspec

from service.http.cards import CardCode
from service.http.forms import with_forms

Schema: TypeAlias = dict[str, Any]

_REFERENCE: Final = "#/components/schemas/{name}"
_CARDS: Final[tuple[str, ...]] = get_args(CardCode)
_CARD: Final = "Card"
_CARD_SCHEMA: Final[Schema] = {
    "title": _CARD,
    "description": "A card: a rank (A, 2–9, T, J, Q, K) and a suit (S, H, D, C).",
    "type": "string",
    "enum": list(_CARDS),
}
_INTEGRAL: Final = {"type": "integer"}
_TEXTUAL: Final = {"type": "string"}


def schemas_of(types: Iterable[Any]) -> tuple[list[Schema], dict[str, Schema]]:
    """Return the schema of each type, and the components that these refer to, the cards among them."""
    kinds = list(types)
    schemas, components = msgspec.json.schema_components(kinds, ref_template=_REFERENCE)
    mended = with_forms(kinds, {name: _mended(schema) for name, schema in components.items()})
    mended[_CARD] = _CARD_SCHEMA
    return [_mended(schema) for schema in schemas], dict(sorted(mended.items()))


def _mended(schema: Any) -> Any:  # noqa: ANN401  any part of a schema
    r"""Return a schema with types on enums, one enum of cards, and unions told apart by a discriminator.

    The patterns of wire types end in Python's ``\Z``, for its ``$`` matches before a line feed at the end
    too; in JSON Schema ``$`` is the end and ``\Z`` is nothing.
    """
    if isinstance(schema, list):
        return [_mended(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if set(schema.get("enum", ())) == set(_CARDS):
        return {"$ref": _REFERENCE.format(name=_CARD)}
    mended = {name: _mended(value) for name, value in schema.items()}
    if isinstance(mended.get("pattern"), str):
        mended["pattern"] = re.sub(r"\\Z$", "$", mended["pattern"])
    if "discriminator" in mended:
        mended["oneOf"] = mended.pop("anyOf")
    if "enum" in mended:
        mended = (_INTEGRAL if isinstance(mended["enum"][0], int) else _TEXTUAL) | mended
        if mended["type"] == "integer":
            mended |= {"minimum": min(mended["enum"]), "maximum": max(mended["enum"])}
    return mended
