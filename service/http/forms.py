"""Bodies that come in one of several forms, told apart by the fields they have."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

from msgspec import UNSET, Struct

from service.http.faults import missing_field
from service.http.problems import Fault


class InForms(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The base of a body in forms: every field of exactly one form is given, and none of another.

    No field is in two forms. Fields in no form are optional in each.
    """

    forms: ClassVar[tuple[tuple[str, ...], ...]]

    def __post_init__(self) -> None:
        """Raise ValueError unless the body is of one form."""
        given = tuple(name for name in _names(type(self)) if getattr(self, name) is not UNSET)
        if given not in self.forms:
            raise ValueError("This body has the fields of no form, or of several.")

    @classmethod
    def faults(cls, given: Mapping[str, object]) -> Iterator[Fault]:
        """Yield what keeps an object with these fields from being of one form.

        It is held against the form of which nothing is missing, else the one that its first field is of.
        """
        names = [name for name in given if name in _names(cls)]
        if not names:
            yield Fault(code="missing-field", message=f"This needs {_choice(cls.forms)}.", pointer="")
            return
        begun = [form for name in names for form in cls.forms if name in form]
        meant = next((form for form in begun if given.keys() >= set(form)), begun[0])
        for name in names:
            if name not in meant:
                message = f"The field {name} does not go with {' and '.join(meant)}."
                yield Fault(code="conflicting-field", message=message, pointer=f"/{name}")
        for name in meant:
            if name not in given:
                yield missing_field(name)


def _choice(forms: Iterable[tuple[str, ...]]) -> str:
    """Return in words what a body needs."""
    return ", or ".join(f"the field{'s' if len(form) > 1 else ''} {' and '.join(form)}" for form in forms)


@cache
def _names(kind: type[InForms]) -> tuple[str, ...]:
    """Return the fields that tell the forms apart, each once, in the order of the forms."""
    return tuple(dict.fromkeys(name for form in kind.forms for name in form))


def with_forms(kinds: Iterable[Any], components: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the components with each body in forms described as one schema a form."""
    described = dict(components)
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, InForms):
            described[kind.__name__] = _alternatives(kind, components[kind.__name__])
    return described


def _alternatives(kind: type[InForms], schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema["properties"]
    bound = {name for form in kind.forms for name in form}
    shared = [name for name in properties if name not in bound]
    return {
        "title": schema["title"],
        "description": schema["description"],
        "oneOf": [
            {
                "type": "object",
                "properties": {name: properties[name] for name in (*form, *shared)},
                "required": list(form),
                "additionalProperties": False,
            }
            for form in kind.forms
        ],
    }
