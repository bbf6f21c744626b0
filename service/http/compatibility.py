"""What a new contract takes from clients of the old one: within ``/v1`` we only add."""

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

Schema: TypeAlias = dict[str, Any]

_NULL: Final = "null"
_RAISED_WHERE_SENT: Final = ("minimum", "minLength", "minItems", "minProperties")
_LOWERED_WHERE_SENT: Final = ("maximum", "maxLength", "maxItems", "maxProperties")


def breaking_changes(old: Schema, new: Schema) -> list[str]:
    """Return a sentence for each change that may break a client of the old document."""
    return sorted(_Comparison(old, new).changes())


class _Comparison:
    """Two documents; schemas are compared along what a client sends and what it reads."""

    def __init__(self, old: Schema, new: Schema) -> None:
        self._old = old
        self._new = new

    def changes(self) -> Iterator[str]:
        for path, methods in self._old["paths"].items():
            for method, operation in methods.items():
                label = f"{method.upper()} {path}"
                now = self._new["paths"].get(path, {}).get(method)
                if now is None:
                    yield f"{label} is gone"
                else:
                    yield from self._operation(label, operation, now)

    def _operation(self, label: str, old: Schema, new: Schema) -> Iterator[str]:
        if old["operationId"] != new["operationId"]:
            yield f"{label} is no longer called {old['operationId']}"
        if _open_to_all(old) and not _open_to_all(new):
            yield f"{label} takes a token now"
        yield from self._parameters(label, old, new)
        if "requestBody" in new:
            yield from self._sent(
                f"{label} body", _content(old.get("requestBody")), _content(new["requestBody"])
            )
        for status, answer in old["responses"].items():
            if int(status) < 300:  # noqa: PLR2004  successes
                if status not in new["responses"]:
                    yield f"{label} no longer answers {status}"
                else:
                    now = new["responses"][status]
                    yield from self._read(f"{label} {status}", _content(answer), _content(now))
                    gone = answer.get("headers", {}).keys() - now.get("headers", {}).keys()
                    yield from (f"{label} {status} no longer has {name}" for name in gone)

    def _parameters(self, label: str, old: Schema, new: Schema) -> Iterator[str]:
        before = {(it["in"], it["name"]): it for it in old.get("parameters", ())}
        after = {(it["in"], it["name"]): it for it in new.get("parameters", ())}
        for place in before.keys() - after.keys():
            yield f"{label} no longer takes {place[1]}"
        for place, parameter in after.items():
            if parameter.get("required") and not before.get(place, {}).get("required"):
                yield f"{label} needs {place[1]} now"
            if place in before:
                yield from self._sent(f"{label} {place[1]}", before[place]["schema"], parameter["schema"])

    def _sent(self, at: str, old: Schema, new: Schema, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """Compare what a client may send: nothing that was accepted is refused."""
        if old.get("$ref", "") in seen:
            return
        seen |= {old.get("$ref", "")} - {""}
        old, new = _followed(self._old, old), _followed(self._new, new)
        yield from _narrowed(at, old, new)
        properties = new.get("properties", {})
        for name in old.get("properties", {}).keys() - properties.keys():
            yield f"{at} no longer takes {name}"
        for name in set(new.get("required", ())) - set(old.get("required", ())):
            yield f"{at} needs {name} now"
        for name, schema in old.get("properties", {}).items():
            if name in properties:
                yield from self._sent(f"{at}/{name}", schema, properties[name], seen)
        if "items" in old and "items" in new:
            yield from self._sent(f"{at}/-", old["items"], new["items"], seen)
        yield from self._branches(at, old, new, seen, sent=True)

    def _read(self, at: str, old: Schema, new: Schema, seen: frozenset[str] = frozenset()) -> Iterator[str]:
        """Compare what a client reads: all that was there is there, and of its type."""
        if old.get("$ref", "") in seen:
            return
        seen |= {old.get("$ref", "")} - {""}
        old, new = _followed(self._old, old), _followed(self._new, new)
        if old.get("type") != new.get("type") and "anyOf" not in new:
            yield f"{at} is of another type"
        properties = new.get("properties", {})
        for name, schema in old.get("properties", {}).items():
            if name not in properties:
                yield f"{at} no longer has {name}"
            else:
                yield from self._read(f"{at}/{name}", schema, properties[name], seen)
        for name in set(old.get("required", ())) & properties.keys() - set(new.get("required", ())):
            yield f"{at} may lack {name} now"
        if "items" in old and "items" in new:
            yield from self._read(f"{at}/-", old["items"], new["items"], seen)
        yield from self._branches(at, old, new, seen, sent=False)

    def _branches(
        self, at: str, old: Schema, new: Schema, seen: frozenset[str], *, sent: bool
    ) -> Iterator[str]:
        before, after = _branches_of(old), _branches_of(new)
        compare = self._sent if sent else self._read
        for name, schema in before.items():
            if name in after:
                yield from compare(at, schema, after[name], seen)
            elif sent:
                yield f"{at} no longer takes {name}"
        if not sent and old.get("type") != _NULL and _NULL in after.keys() - before.keys():
            yield f"{at} may be null now"


def _open_to_all(operation: Schema) -> bool:
    return not operation["security"] or {} in operation["security"]


def _narrowed(at: str, old: Schema, new: Schema) -> Iterator[str]:
    if "type" in new and old.get("type") != new["type"]:
        yield f"{at} is of another type"
    if "enum" in new:
        gone = [value for value in old.get("enum", ()) if value not in new["enum"]]
        yield from (f"{at} no longer takes {value}" for value in gone)
        if "enum" not in old:
            yield f"{at} takes only some values now"
    for bound in _RAISED_WHERE_SENT:
        if bound in new and new[bound] > old.get(bound, 0):
            yield f"{at} has a higher {bound}"
    for bound in _LOWERED_WHERE_SENT:
        if bound in new and new[bound] < old.get(bound, float("inf")):
            yield f"{at} has a lower {bound}"
    if new.get("pattern", old.get("pattern")) != old.get("pattern"):
        yield f"{at} has another pattern"


def _branches_of(schema: Schema) -> dict[str, Schema]:
    """Return the branches of a union by what tells them apart."""
    branches = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    return {branch.get("$ref", branch.get("type", "")) + _needed(branch): branch for branch in branches}


def _needed(branch: Schema) -> str:
    return "".join(f" with {name}" for name in branch.get("required", ()))


def _followed(document: Schema, schema: Schema) -> Schema:
    while "$ref" in schema:
        target: Any = document
        for step in schema["$ref"].split("/")[1:]:
            target = target[step]
        schema = target
    return schema


def _content(body: Schema | None) -> Schema:
    contents = (body or {}).get("content", {})
    return next((content["schema"] for content in contents.values()), {})
