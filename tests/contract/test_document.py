import asyncio
import re
from collections.abc import Mapping
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from engine.cards import CODES
from service.app import CONTRACT
from service.contract import OPERATIONS as LIST
from service.contract import PROBLEMS, example_service, problems_page, written
from service.http.catalogue import PROBLEM_TYPES
from service.http.examples import Exchange
from tests.contract.operations import DOCUMENT, OPERATIONS, parts, problems, resolved, validator_of

SCHEMAS = DOCUMENT["components"]["schemas"]


def test_what_is_committed_is_what_the_code_says() -> None:
    with example_service() as service:
        document, operations = asyncio.run(written(service))
    assert CONTRACT.read_bytes() == document, "run `make contract`"
    assert LIST.read_text(encoding="utf-8") == operations, "run `make contract`"
    assert PROBLEMS.read_text(encoding="utf-8") == problems_page(), "run `make contract`"


def test_the_document_is_openapi() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_an_operation_is_a_verb_and_a_noun() -> None:
    assert all(re.fullmatch(r"[a-z]+([A-Z][a-z]+)+", name) for name in OPERATIONS)
    assert all(operation["summary"] and operation["tags"] for operation in OPERATIONS.values())


def test_a_schema_has_a_plain_name_that_differs_from_others_by_more_than_its_capitals() -> None:
    """Generators make a file of each, and some file systems do not tell capitals apart."""
    assert [name for name in SCHEMAS if not re.fullmatch(r"[A-Z][A-Za-z]+", name)] == []
    assert len({name.lower() for name in SCHEMAS}) == len(SCHEMAS)


def test_every_integer_has_a_minimum_and_a_maximum() -> None:
    bare = [
        at
        for at, part in parts(DOCUMENT)
        if part.get("type") == "integer" and not {"minimum", "maximum"} <= part.keys()
    ]
    assert bare == []


def test_every_string_that_a_client_sends_is_bounded() -> None:
    sent = [(f"/{name}", schema) for name, schema in SCHEMAS.items() if _is_request(name)]
    sent += [
        (name, it)
        for name, op in OPERATIONS.items()
        for it in op.get("parameters", ())
        if it["in"] != "header"
    ]
    loose = [
        f"{at}{place}"
        for at, schema in sent
        for place, part in parts(schema)
        if part.get("type") == "string" and not {"enum", "maxLength", "format", "pattern"} & part.keys()
    ]
    assert loose == []


def test_requests_refuse_what_they_do_not_know() -> None:
    for name in filter(_is_request, SCHEMAS):
        for at, part in parts(SCHEMAS[name]):
            if part.get("type") == "object":
                assert part["additionalProperties"] is not True, f"{name}{at}"
                assert "additionalProperties" in part, f"{name}{at}"


def test_cards_are_one_enum() -> None:
    enums = [at for at, part in parts(DOCUMENT) if "AS" in part.get("enum", ())]
    assert enums == ["/components/schemas/Card"]
    assert SCHEMAS["Card"]["enum"] == list(CODES)


def test_a_union_is_told_apart_by_its_discriminator_or_by_a_field_that_must_be_there() -> None:
    for at, part in parts(DOCUMENT):
        if "discriminator" in part:
            assert len(part["discriminator"]["mapping"]) == len(part["oneOf"]), at
        elif "oneOf" in part:
            needed = [set(branch["required"]) for branch in part["oneOf"]]
            assert not set.intersection(*needed), at
            assert all(branch["additionalProperties"] is False for branch in part["oneOf"]), at


def test_every_problem_is_in_the_table() -> None:
    for name in OPERATIONS:
        for status, code in problems(name):
            assert PROBLEM_TYPES[code].status == status


def test_every_answer_documents_its_headers() -> None:
    for name, operation in OPERATIONS.items():
        for status, answer in operation["responses"].items():
            assert "X-Request-Id" in resolved(answer)["headers"], f"{name} {status}"


def test_links_lead_to_operations() -> None:
    for _, part in parts(DOCUMENT["paths"]):
        for link in part.get("links", {}).values():
            target = OPERATIONS[link["operationId"]]
            known = {it["name"] for it in target.get("parameters", ())}
            assert set(link.get("parameters", ())) <= known


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_example_was_executed_and_fits_its_schema(name: str, examples: Mapping[str, Exchange]) -> None:
    exchange = examples[name]
    answer = resolved(OPERATIONS[name]["responses"][str(exchange.reply.status)])
    (content,) = answer["content"].values()
    assert content["example"] == exchange.answer
    _validate(content["schema"], exchange.answer)
    if exchange.body is not None:
        body = OPERATIONS[name]["requestBody"]["content"]["application/json"]
        assert body["example"] == exchange.body
        _validate(body["schema"], exchange.body)


def _validate(schema: dict[str, Any], value: object) -> None:
    validator_of(schema).validate(value)


def _is_request(name: str) -> bool:
    return name.endswith("In") or name == "Overrides"
