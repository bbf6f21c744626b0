"""Every operation of the document, its example spoilt in one place: the documented problem, never a 500."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

import msgspec
import pytest

from service.http.examples import Exchange
from tests.calling import JSON, Caller
from tests.contract.operations import (
    OPERATIONS,
    body_schema,
    parameters,
    problems,
    resolved,
    validator_of,
    with_body,
)

ODD_INTEGERS = ["-1", "+1", "01", "0_1", "\u0660", "1.0", "1e0", " 1", "", "null", "9" * 19, "9" * 5000]
ODD_TEXTS = ["a\0b", "\x1f", "x" * 2000, "10H", "0H", "th", "XH", "'; --", "\u202e", "\u0660"]
ODD_VALUES: list[Any] = [
    None,
    True,
    -1,
    1.5,
    10**30,
    "5",
    "",
    "a\0b",
    "10H",
    "th",
    "x" * 3000,
    [],
    ["AS", "XX"],
    {},
    {"type": "no_such_thing"},
]
ODD_BODIES = {
    "nothing": b"",
    "half": b'{"',
    "deep": b"[" * 100_000,
    "deep in a field": b'{"ruleset":' + b"[" * 100_000,
    "latin-1": '{"ruleset":"é"}'.encode("latin-1"),
    "twice the same name": b'{"ruleset":"classic","ruleset":"simple"}',
    "not a number": b'{"ruleset":NaN}',
    "two documents": b"{}{}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "half a surrogate": b'{"ruleset":"\\ud800"}',
}
ODD_TYPES = ["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"]


def spoilt(schema: dict[str, Any], value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401
    """Return the place of everything in a body, and of every field that could be in it."""
    if at:
        yield at
    schema = resolved(schema)
    branches = [schema, *map(resolved, [*schema.get("oneOf", ()), *schema.get("anyOf", ())])]
    for branch in branches:
        if isinstance(value, dict):
            for name, inner in branch.get("properties", {}).items():
                yield from spoilt(inner, value.get(name), (*at, name))
        elif isinstance(value, list) and value and "items" in branch:
            yield from spoilt(branch["items"], value[0], (*at, 0))
            yield (*at, len(value))
        elif value is None and "properties" in branch:
            for name, inner in branch["properties"].items():
                yield from spoilt(inner, None, (*at, name))


def replaced(body: Any, at: tuple[Any, ...], value: object) -> Any:  # noqa: ANN401  any JSON value
    """Return the body with another value in one place, with the objects on the way there."""
    body = deepcopy(body)
    node = body
    for step in at[:-1]:
        if isinstance(node, list) or node.get(step) is not None:
            node = node[step]
        else:
            node = node.setdefault(step, {}) if node.get(step, 0) is not None else node
    if isinstance(node, list) and at[-1] == len(node):
        node.append(value)
    else:
        node[at[-1]] = value
    return body


def assert_problem(answer: Any, operation: str, statuses: set[int]) -> None:  # noqa: ANN401  an httpx answer
    """The answer is one of these statuses, documented for the operation, and has the problem's shape."""
    assert answer.status_code in statuses, answer.text[:300]
    if answer.is_success:
        return
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert (told["status"], told["code"]) in {
        (answer.status_code, code) for status, code in problems(operation) if status == answer.status_code
    }
    assert told["instance"] == f"urn:request:{answer.headers['x-request-id']}"


def documented(operation: str) -> set[int]:
    return {int(status) for status in OPERATIONS[operation]["responses"]} - {500, 503}


@pytest.mark.parametrize("name", with_body())
def test_every_field_of_every_body(name: str, examples: Mapping[str, Exchange], call: Caller) -> None:
    exchange = examples[name]
    schema = body_schema(name)
    assert schema is not None
    valid = validator_of(schema).is_valid
    assert valid(exchange.body)
    for at in sorted(set(spoilt(schema, exchange.body)), key=str):
        for odd in ODD_VALUES:
            body = replaced(exchange.body, at, odd)
            answer = call.send(exchange.call, content=msgspec.json.encode(body))
            assert_problem(answer, name, documented(name) if valid(body) else {400})
            if answer.status_code == 400:
                assert answer.json()["errors"][0]["pointer"] is not None


@pytest.mark.parametrize("name", with_body())
@pytest.mark.parametrize("odd", ODD_BODIES)
def test_bodies_that_are_not_json(
    name: str, odd: str, examples: Mapping[str, Exchange], call: Caller
) -> None:
    assert_problem(call.send(examples[name].call, content=ODD_BODIES[odd]), name, {400})


@pytest.mark.parametrize("name", with_body())
def test_bodies_of_ten_megabytes(name: str, examples: Mapping[str, Exchange], call: Caller) -> None:
    assert_problem(call.send(examples[name].call, content=b" " * 10_000_000), name, {413})


@pytest.mark.parametrize("name", with_body())
@pytest.mark.parametrize("media_type", ODD_TYPES)
def test_wrong_content_types(
    name: str, media_type: str, examples: Mapping[str, Exchange], call: Caller
) -> None:
    exchange = examples[name]
    headers = {**exchange.call.headers, "Content-Type": media_type}
    assert_problem(call.send(exchange.call, headers=headers), name, {415})


@pytest.mark.parametrize("name", OPERATIONS)
def test_unknown_and_repeated_parameters(name: str, examples: Mapping[str, Exchange], call: Caller) -> None:
    exchange = examples[name]
    own = list(exchange.call.query.items())
    for query in ([*own, ("no_such_parameter", "1")], [*own, ("x\0", "")], *([*own, it] for it in own)):
        assert_problem(call.send(exchange.call, params=query), name, {400})
    answer = call.send(exchange.call, path=f"{exchange.call.path}?%ff=%fe", params=None)
    assert_problem(answer, name, {400})


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_parameter_of_every_query(name: str, examples: Mapping[str, Exchange], call: Caller) -> None:
    exchange = examples[name]
    for parameter in parameters(name, "query"):
        schema = parameter["schema"]
        valid = validator_of(schema).is_valid
        for odd in ODD_INTEGERS if schema.get("type") == "integer" else ODD_TEXTS:
            query = {**exchange.call.query, parameter["name"]: odd}
            fits = valid(odd.split(",") if schema.get("type") == "array" else odd)
            assert_problem(call.send(exchange.call, params=query), name, documented(name) if fits else {400})


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_parameter_of_every_path(name: str, examples: Mapping[str, Exchange], call: Caller) -> None:
    exchange = examples[name]
    for parameter in parameters(name, "path"):
        whole = parameter["schema"].get("type") == "integer"
        for odd in ODD_INTEGERS if whole else ODD_TEXTS:
            if odd in {"", " 1"}:
                continue  # another address, or the same one once httpx has trimmed it
            filled = {it["name"]: exchange.parameters[it["name"]] for it in parameters(name, "path")}
            filled[parameter["name"]] = _quoted(odd)
            answer = call.send(exchange.call, path=OPERATIONS[name]["path"].format(**filled))
            assert_problem(answer, name, {404})


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_is_not_acceptable(name: str, examples: Mapping[str, Exchange], call: Caller) -> None:
    exchange = examples[name]
    (kind,) = OPERATIONS[name]["responses"][str(exchange.reply.status)]["content"]
    family = kind.partition("/")[0]
    for accept in (
        "image/png",
        f"{kind};q=0",
        f"{kind};q=0, */*",
        "*/*;q=0",
        f"{family}/*;q=0, image/*",
    ):
        answer = call.send(exchange.call, headers={**exchange.call.headers, "Accept": accept})
        assert_problem(answer, name, {406})


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_is_acceptable(name: str, examples: Mapping[str, Exchange], call: Caller) -> None:
    exchange = examples[name]
    (kind,) = OPERATIONS[name]["responses"][str(exchange.reply.status)]["content"]
    family = kind.partition("/")[0]
    for accept in (kind, f"{family.upper()}/*", "image/png, */*;q=0.1", f"{kind};q=0.5"):
        answer = call.send(exchange.call, headers={**exchange.call.headers, "Accept": accept})
        assert answer.status_code != 406


def test_addresses_that_are_none(call: Caller) -> None:
    for path in ("/", "/v1", "/v2/melds", "/v1/melds/", "//v1/melds", "/v1/meld%00s", "/%2e%2e/etc/passwd"):
        answer = call("POST", path, headers=JSON, content=b"{}")
        assert answer.status_code in {404, 405, 400}, path
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("host", ["evil.example", 'evil.example/"><script>', "evil.example:0"])
def test_a_hostile_host_is_not_repeated(
    name: str, host: str, examples: Mapping[str, Exchange], call: Caller
) -> None:
    exchange = examples[name]
    answer = call.send(exchange.call, headers={**exchange.call.headers, "Host": host})
    assert "evil" not in answer.text
    assert not any("evil" in value for value in answer.headers.values())


def _quoted(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())
