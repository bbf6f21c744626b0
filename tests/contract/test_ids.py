"""Ids are read by one rule wherever an operation takes one: RFC 9562's text form, in either case."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from service.http.examples import Exchange
from tests.calling import Caller
from tests.contract.operations import OPERATIONS, parameters

IN_PATHS = [
    (name, parameter["name"])
    for name in OPERATIONS
    for parameter in parameters(name, "path")
    if parameter["schema"].get("format") == "uuid"
]


def other_spellings(text: str) -> Iterator[str]:
    yield text.replace("-", "")
    yield f"{{{text}}}"
    yield f"urn:uuid:{text}"
    yield text.replace("-", "", 1)
    yield f"{text[:9]}-{text[9:13]}{text[14:]}"
    yield f"-{text}"
    yield f"{text}%0A"
    yield f"%20{text}"
    yield text[:-1] + "%D9%A1"


def public_match(call: Caller) -> str:
    clock = {"turn_seconds": 60}
    body = {"seats": [{"kind": "self"}, {"kind": "open"}], "visibility": "public", "clock": clock}
    told: dict[str, Any] = call("POST", "/v1/matches", json=body).json()
    return str(told["match"]["id"])


@pytest.mark.parametrize(("name", "parameter"), IN_PATHS)
def test_an_id_in_a_path(name: str, parameter: str, examples: Mapping[str, Exchange], call: Caller) -> None:
    exchange = examples[name]
    one = str(exchange.parameters[parameter])
    assert one in exchange.call.path
    for other in other_spellings(one):
        answer = call.send(exchange.call, path=exchange.call.path.replace(one, other))
        assert (answer.status_code, answer.json()["code"]) == (404, "not-found"), other
    mixed = "".join(digit.upper() if place % 2 else digit for place, digit in enumerate(one))
    for capital in (one.upper(), mixed):
        assert capital != one
        answer = call.send(exchange.call, path=exchange.call.path.replace(one, capital))
        small = call.send(exchange.call)
        # A step that is taken twice is refused the second time, but the match is the same.
        assert answer.status_code not in {400, 403, 404}
        assert capital not in answer.text + str(answer.headers)
        if exchange.call.method == "GET":
            assert (answer.status_code, answer.content) == (small.status_code, small.content)


def test_an_id_in_a_body(call: Caller) -> None:
    one = public_match(call)
    for other in (*other_spellings(one), f"{one}\n", one.replace("-", "\u2010")):
        told = call("POST", "/v1/joins", json={"match_id": other}).json()
        assert [(error["code"], error["pointer"]) for error in told["errors"]] == [
            ("wrong-format", "/match_id")
        ]
    answer = call("POST", "/v1/joins", json={"match_id": one.upper()})
    assert (answer.status_code, answer.json()["match_id"]) == (201, one)
    assert answer.headers["location"] == f"/v1/matches/{one}"


def test_an_id_in_a_query(call: Caller) -> None:
    older, newer = public_match(call), public_match(call)
    pages = [call("GET", f"/v1/matches?cursor={cursor}").json() for cursor in (newer, newer.upper())]
    assert pages[0] == pages[1]
    assert pages[0]["items"][0]["id"] == older
    for other in other_spellings(newer):
        told = call("GET", f"/v1/matches?cursor={other}").json()
        assert [(error["code"], error["parameter"]) for error in told["errors"]] == [
            ("wrong-format", "cursor")
        ]
