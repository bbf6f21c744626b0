"""All faults of a value that its type refuses, each with a pointer to its place."""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, UnsetType
from msgspec.structs import replace

from service.http.faults import fault_of, looks_like_a_name, missing_field, unknown_field
from service.http.forms import InForms
from service.http.problems import Fault

MOST_FAULTS: Final = 20
"""The most faults that one refusal names."""


def faults_in(value: object, kind: Any) -> tuple[Fault, ...]:  # noqa: ANN401  an annotation
    """Return what is wrong with a value that was read from JSON, in the order of its text.

    There is no fault exactly where msgspec takes the value. A field that is missing is told at the end of
    its object. After `MOST_FAULTS` the list ends.
    """
    return tuple(islice(_part(kind).faults(value), MOST_FAULTS))


class _Part:
    """A type that a part of a body has; this one has no parts itself.

    Each part is judged by a decoder of its own, and looked into only where that refuses it.
    """

    def __init__(self, kind: Any) -> None:  # noqa: ANN401  an annotation
        self._decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)

    def faults(self, value: object) -> Iterator[Fault]:
        """Yield the faults of a value; their pointers begin at the value."""
        try:
            self._decoder.decode(msgspec.json.encode(value))
        except msgspec.ValidationError as error:
            inner = self.inner(value)
            first = next(inner, None)
            if first is None:
                yield fault_of(str(error))
            else:
                yield first
                yield from inner

    def inner(self, value: object) -> Iterator[Fault]:  # noqa: ARG002  this one has no parts
        """Yield the faults of what is inside a value that was refused."""
        yield from ()


class _List(_Part):
    def __init__(self, kind: Any, item: Any, most: int | None) -> None:  # noqa: ANN401  annotations
        super().__init__(kind)
        self._item = _part(item)
        self._most = most
        # Judges the number of items alone.
        self._length = _Part(_with_bounds(kind, list[Any]))

    def inner(self, value: object) -> Iterator[Fault]:
        if isinstance(value, list):
            yield from self._length.faults(value)
            for index, item in enumerate(value[: self._most]):
                yield from _below(f"/{index}", self._item.faults(item))


class _Map(_Part):
    def __init__(self, kind: Any, key: Any, value: Any) -> None:  # noqa: ANN401  annotations
        super().__init__(kind)
        self._key, self._value = _part(key), _part(value)
        self._length = _Part(_with_bounds(kind, dict[str, Any]))

    def inner(self, value: object) -> Iterator[Fault]:
        if isinstance(value, dict):
            yield from self._length.faults(value)
            for name, item in value.items():
                # A name that may be a secret does not stand in the pointer.
                pointer = f"/{name}" if looks_like_a_name(name) else ""
                for fault in self._key.faults(name):
                    yield replace(fault, message=f"A name in this object is refused. {fault.message}")
                yield from _below(pointer, self._value.faults(item))


class _Object(_Part):
    def __init__(self, kind: type[Struct]) -> None:
        super().__init__(kind)
        self.tag_field, self.tag = kind.__struct_config__.tag_field, kind.__struct_config__.tag
        self._forms = kind if issubclass(kind, InForms) else None
        fields = msgspec.structs.fields(kind)
        self._members = {field.encode_name: _part(field.type) for field in fields}
        self._required = [field.encode_name for field in fields if field.required]

    def inner(self, value: object) -> Iterator[Fault]:
        if not isinstance(value, dict):
            return
        for name, item in value.items():
            if name in self._members:
                yield from _below(f"/{name}", self._members[name].faults(item))
            elif name != self.tag_field:
                yield unknown_field(name)
        for name in self._required:
            if name not in value:
                yield missing_field(name)
        if self._forms is not None:
            yield from self._forms.faults(value)


class _OneOf(_Part):
    def __init__(self, kind: Any, kinds: list[Any]) -> None:  # noqa: ANN401  annotations
        super().__init__(kind)
        self._kinds = [_part(each) for each in kinds]

    def inner(self, value: object) -> Iterator[Fault]:
        """Look into the one type that the value can be meant to have."""
        for each in self._kinds:
            match each, value:
                case _Object(), dict() if each.tag_field is None or value.get(each.tag_field) == each.tag:
                    yield from each.inner(value)
                case (_List(), list()) | (_Map(), dict()):
                    yield from each.inner(value)
                case _:
                    pass


@cache
def _part(kind: Any) -> _Part:  # noqa: ANN401  an annotation
    bare, metas = _bare(kind)
    arguments = [each for each in get_args(bare) if each is not UnsetType]
    origin = get_origin(bare)
    if origin in {Union, UnionType}:
        return _OneOf(kind, arguments) if len(arguments) > 1 else _part(arguments[0])
    if origin is list:
        return _List(kind, arguments[0], min((m.max_length for m in metas if m.max_length), default=None))
    if origin is dict:
        return _Map(kind, *arguments)
    if isinstance(bare, type) and issubclass(bare, Struct):
        return _Object(bare)
    return _Part(kind)


def _bare(kind: Any) -> tuple[Any, tuple[Meta, ...]]:  # noqa: ANN401  an annotation
    """Return a type without its constraints, and these."""
    if get_origin(kind) is not Annotated:
        return kind, ()
    return kind.__origin__, tuple(meta for meta in kind.__metadata__ if isinstance(meta, Meta))


def _with_bounds(kind: Any, bare: Any) -> Any:  # noqa: ANN401  annotations
    """Return another type with the constraints of a type."""
    _, metas = _bare(kind)
    return Annotated[(bare, *metas)] if metas else bare


def _below(pointer: str, faults: Iterator[Fault]) -> Iterator[Fault]:
    """Yield the faults of a part as those of what it stands in."""
    return (replace(fault, pointer=f"{pointer}{fault.pointer}") for fault in faults)
