"""Hypothesis strategies for the bodies and query parameters of every operation, read from their types."""

import re
from typing import Any, get_type_hints

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from service.analysis.api import HANDLERS as ANALYSIS
from service.coaching.api import HANDLERS as COACHING
from service.events.api import HANDLERS as EVENTS
from service.http.forms import InForms
from service.matches.api import HANDLERS as MATCHES
from service.rulesets.api import HANDLERS as RULESETS

_HINTS = [
    get_type_hints(handler.fn, include_extras=True)
    for handlers in (ANALYSIS, COACHING, EVENTS, MATCHES, RULESETS)
    for handler in handlers
]


def _named(name: str) -> list[Any]:
    kinds = [hints[name] for hints in _HINTS if name in hints]
    structs = [getattr(kind, "__origin__", kind) for kind in kinds]
    return list({kind.__name__: kind for kind in structs}.values())


def body_types() -> list[Any]:
    """Return the type of each body that an operation takes."""
    return _named("data")


def values_of(kind: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401  an annotation
    """Return JSON values that fit a type."""
    return _values(inspect.type_info(kind))


def _values(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.Metadata(type=inner):
            return _values(inner)
        case inspect.StructType():
            return _objects(info)
        case inspect.UnionType(types=kinds):
            return st.one_of(*map(_values, kinds))
        case inspect.ListType(item_type=item, min_length=least, max_length=most):
            least = least or 0
            most = min(most if most is not None else least + 3, least + 3)
            return st.lists(_values(item), min_size=least, max_size=most)
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(_values(key), _values(value), max_size=3)
        case inspect.IntType(ge=least, le=most):
            return st.integers(least, most)
        case inspect.LiteralType(values=values):
            return st.sampled_from(list(values))
        case inspect.StrType(min_length=least, max_length=most, pattern=pattern):
            if pattern is None:
                return st.text(min_size=least or 0, max_size=most)
            fits = re.compile(pattern).search
            return st.from_regex(pattern).filter(
                lambda text: fits(text) and (least or 0) <= len(text) <= (most or 100)
            )
        case inspect.BoolType():
            return st.booleans()
        case inspect.NoneType():
            return st.none()
        case inspect.UUIDType():
            return st.uuids().map(str)
        case _:
            raise AssertionError(f"no strategy for {info!r}")


@st.composite
def _objects(draw: st.DrawFn, info: inspect.StructType) -> dict[str, Any]:
    forms = info.cls.forms if issubclass(info.cls, InForms) else ()
    form = draw(st.sampled_from(forms)) if forms else ()
    told = {} if info.tag_field is None else {info.tag_field: info.tag}
    for field in info.fields:
        bound = any(field.name in each for each in forms)
        if field.name in form or field.required or (not bound and draw(st.booleans())):
            told[field.encode_name] = draw(_values(field.type))
    return told


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:  # noqa: ANN401  any JSON value
    """Return the path of everything inside a value, outer before inner."""
    found = [at] if at else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        found += places(inner, (*at, step))
    return found


def accepted(kind: Any, value: object) -> bool:  # noqa: ANN401  an annotation
    """Return whether msgspec itself takes a value, with ``1.0`` as 1."""
    try:
        msgspec.convert(_integral(value), kind)
    except msgspec.ValidationError:
        return False
    return True


def _integral(value: object) -> object:
    match value:
        case float():
            return int(value) if value.is_integer() else value
        case dict():
            return {name: _integral(inner) for name, inner in value.items()}
        case list():
            return list(map(_integral, value))
        case _:
            return value
