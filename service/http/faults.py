"""What the decoder says, as a fault that points at the place and never repeats what stood there."""

import re
from collections.abc import Callable
from typing import Final

from engine.cards import CODES
from service.http.problems import Fault

_WHERE: Final = re.compile(r" - at `(?:key in )?\$?(?P<path>[^`]*)`\Z")
_STEP: Final = re.compile(r"\.(?P<name>[A-Za-z_][A-Za-z0-9_]*)|\[(?P<index>\d+)\]|\[\.\.\.\]")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}", re.ASCII)
_QUOTED: Final = re.compile(r"`(?P<name>[^`]*)`\Z")
_SHORT: Final = re.compile(r"'(?P<text>[A-Za-z0-9]{1,3})'")

_EXPECTED: Final[dict[str, str]] = {
    "array": "an array",
    "object": "an object",
    "int": "an integer",
    "str": "a string",
    "bool": "a boolean",
    "float": "a number",
    "null": "null",
}


def fault_of(message: str) -> Fault:
    """Return the fault that a msgspec message tells of.

    Values are not repeated, but for the few characters of a card that is none (R1.1), and field names
    only where they look like names.
    """
    where = _WHERE.search(message)
    pointer = _pointer(where["path"]) if where else ""
    said = message[: where.start()] if where else message
    for begins, tell in _TELLERS:
        if said.startswith(begins):
            code, sentence, below = tell(said)
            return Fault(code=code, message=sentence, pointer=pointer + below)
    return Fault(code="invalid", message="This value does not fit the schema.", pointer=pointer)


def unknown_field(name: str) -> Fault:
    """Return the fault of a field that is not documented, which an object has all the same."""
    if looks_like_a_name(name):
        return Fault(code="unknown-field", message=f"There is no field {name} here.", pointer=f"/{name}")
    return Fault(code="unknown-field", message="There is a field here that is not documented.", pointer="")


def missing_field(name: str) -> Fault:
    """Return the fault of an object without a field that it must have."""
    return Fault(code="missing-field", message=f"The field {name} is missing.", pointer=f"/{name}")


def looks_like_a_name(text: str) -> bool:
    """Return whether a name that a client chose may be repeated to it: a word, and a short one."""
    return _NAME.fullmatch(text) is not None


def _pointer(path: str) -> str:
    """Return the JSON pointer of a path such as ``.hands[0][1]``; an object's free key ends it."""
    pointer = ""
    for step in _STEP.finditer(path):
        part = step["name"] or step["index"]
        if part is None:
            break
        pointer += f"/{part}"
    return pointer


def _expected(said: str) -> tuple[str, str, str]:
    if ", got " in said:
        wanted = said.removeprefix("Expected ").split(", got ")[0].replace("`", "")
        words = [_EXPECTED.get(word, word) for word in wanted.split(" | ")]
        return "wrong-type", f"This must be {' or '.join(words)}.", ""
    if "matching regex" in said:
        return _wrong_format(said)
    bound = said.removeprefix("Expected ").replace("`", "")
    if bound in _EXPECTED:
        return "wrong-type", f"This must be {_EXPECTED[bound]}.", ""
    return "out-of-range", f"This must be {_bounded(bound)}.", ""


def _bounded(bound: str) -> str:
    kind, _, rest = bound.partition(" ")
    return f"{_EXPECTED.get(kind, kind)} {rest}"


def _unknown_value(said: str) -> tuple[str, str, str]:
    short = _SHORT.search(said)
    if short and short["text"] not in CODES:
        return "unknown-value", f"{short['text']} is none of the documented values.", ""
    return "unknown-value", "This is none of the documented values.", ""


def _unknown_field(said: str) -> tuple[str, str, str]:
    fault = unknown_field(_quoted(said))
    return fault.code, fault.message, str(fault.pointer)


def _missing_field(said: str) -> tuple[str, str, str]:
    fault = missing_field(_quoted(said))
    return fault.code, fault.message, str(fault.pointer)


def _quoted(said: str) -> str:
    found = _QUOTED.search(said)
    return found["name"] if found else ""


def _wrong_format(_said: str) -> tuple[str, str, str]:
    return "wrong-format", "This string does not have the documented format.", ""


def _out_of_range(_said: str) -> tuple[str, str, str]:
    return "out-of-range", "This number is out of range.", ""


_TELLERS: Final[tuple[tuple[str, Callable[[str], tuple[str, str, str]]], ...]] = (
    ("Expected ", _expected),
    ("Invalid enum value", _unknown_value),
    ("Invalid value", _unknown_value),
    ("Object contains unknown field", _unknown_field),
    ("Object missing required field", _missing_field),
    ("Invalid UUID", _wrong_format),
    ("Number out of range", _out_of_range),
    ("Integer value out of range", _out_of_range),
)
