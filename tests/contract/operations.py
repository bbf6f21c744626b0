"""The operations of the committed document, for tests that are driven by it."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec

from service.app import CONTRACT

DOCUMENT: dict[str, Any] = msgspec.json.decode(CONTRACT.read_bytes())

OPERATIONS: dict[str, dict[str, Any]] = {
    operation["operationId"]: operation | {"method": method.upper(), "path": path}
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}


def resolved(part: dict[str, Any]) -> dict[str, Any]:
    """Return what a part of the document refers to, or the part itself."""
    while "$ref" in part:
        target: Any = DOCUMENT
        for step in part["$ref"].split("/")[1:]:
            target = target[step]
        part = target
    return part


def parameters(operation: str, place: str) -> list[dict[str, Any]]:
    return [it for it in OPERATIONS[operation].get("parameters", ()) if it["in"] == place]


def body_schema(operation: str) -> dict[str, Any] | None:
    body = OPERATIONS[operation].get("requestBody")
    return None if body is None else body["content"]["application/json"]["schema"]


def with_body() -> list[str]:
    return [name for name in OPERATIONS if body_schema(name) is not None]


def problems(operation: str) -> Iterator[tuple[int, str]]:
    """Return the status and the code of every problem that an operation documents."""
    for status, answer in OPERATIONS[operation]["responses"].items():
        content = resolved(answer).get("content", {})
        if "application/problem+json" in content:
            narrowed = content["application/problem+json"]["schema"]["allOf"][1]["properties"]
            for code in narrowed["code"]["enum"]:
                yield int(status), code


def parts(node: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:  # noqa: ANN401  any JSON value
    """Return every object of the document with its place."""
    if isinstance(node, dict):
        yield at, node
        for name, value in node.items():
            yield from parts(value, f"{at}/{name}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from parts(value, f"{at}/{index}")


def validator_of(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(
        {"components": DOCUMENT["components"]} | schema, validate_formats=True
    )
