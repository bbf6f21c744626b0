import re
from enum import StrEnum
from typing import Any

import pytest

from engine.refusal import Reason
from service.http.catalogue import PROBLEM_TYPES
from service.http.problems import Code
from tests.calling import JSON, Caller

CODES = [*Code, *Reason]


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_problem_type(code: StrEnum) -> None:
    kind = PROBLEM_TYPES[code]
    assert kind.code == code
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", code)
    assert kind.title[0].isupper()
    assert not kind.title.endswith(".")
    assert kind.description.endswith(".")


def test_there_is_no_problem_type_without_a_code() -> None:
    assert list(PROBLEM_TYPES) == sorted(map(str, CODES), key=list(PROBLEM_TYPES).index)
    assert len(PROBLEM_TYPES) == len(CODES)


@pytest.mark.parametrize("reason", Reason)
def test_what_the_rules_refuse_is_a_conflict(reason: Reason) -> None:
    assert PROBLEM_TYPES[reason].status == 409


def test_the_list_and_each_type_say_the_same(call: Caller) -> None:
    items = call("GET", "/v1/problems").json()["items"]
    assert [item["code"] for item in items] == list(PROBLEM_TYPES)
    for item in items:
        assert call("GET", item["type"]).json() == item


def test_a_problem_says_what_and_where(call: Caller) -> None:
    answer = call("POST", "/v1/melds/check", headers=JSON, content=b'{"cards":["AS","10H"],"melds":[]}')
    assert answer.json() == {
        "type": "/problems/body-invalid",
        "title": "The body does not fit its schema",
        "status": 400,
        "code": "body-invalid",
        "detail": PROBLEM_TYPES["body-invalid"].description,
        "instance": f"urn:request:{answer.headers['x-request-id']}",
        "errors": [
            {
                "code": "unknown-value",
                "message": "10H is none of the documented values.",
                "pointer": "/cards/1",
            }
        ],
    }


SECRET = "gst_" + "c2VjcmV0" * 8


@pytest.mark.parametrize(
    ("body", "code", "pointer"),
    [
        (b'{"cards":["AS"]}', "missing-field", "/melds"),
        (b'{"cards":"AS","melds":[]}', "wrong-type", "/cards"),
        (b'{"cards":[],"melds":[]}', "out-of-range", "/cards"),
        (b'{"cards":["AS"],"melds":[],"meld":[]}', "unknown-field", "/meld"),
        (
            b'{"cards":["AS"],"melds":[],"overrides":{"knock_limit":11}}',
            "out-of-range",
            "/overrides/knock_limit",
        ),
        (b'{"cards":["AS"],"melds":[],"overrides":{"ace":"wild"}}', "unknown-value", "/overrides/ace"),
        (b'{"cards":["AS"],"melds":[],"ruleset":"a b"}', "wrong-format", "/ruleset"),
        (f'{{"cards":["{SECRET}"],"melds":[]}}'.encode(), "unknown-value", "/cards/0"),
        (f'{{"cards":["AS"],"melds":[],"{SECRET}":1}}'.encode(), "unknown-field", ""),
        (f'{{"cards":["AS"],"melds":[],"ruleset":"{SECRET}"}}'.encode(), "out-of-range", "/ruleset"),
    ],
)
def test_a_fault_points_at_its_place_and_repeats_nothing(
    body: bytes, code: str, pointer: str, call: Caller
) -> None:
    answer = call("POST", "/v1/melds/check", headers=JSON, content=body)
    (error,) = answer.json()["errors"]
    assert (error["code"], error["pointer"]) == (code, pointer)
    assert "c2VjcmV0" not in answer.text


@pytest.mark.parametrize(
    ("query", "code", "parameter"),
    [
        ("cards=AS&cards=2S", "repeated-parameter", "cards"),
        ("cards=AS&limit=1", "unknown-parameter", "limit"),
        (f"cards=AS&{SECRET}=1", "unknown-parameter", None),
        ("ruleset=classic", "missing-field", "cards"),
        ("cards=AS&arrangements=01", "wrong-type", "arrangements"),
        ("cards=AS&arrangements=21", "out-of-range", "arrangements"),
        ("cards=AS,XX", "unknown-value", "cards"),
        ("cards=", "unknown-value", "cards"),
    ],
)
def test_a_fault_names_its_parameter(query: str, code: str, parameter: str | None, call: Caller) -> None:
    told: dict[str, Any] = call("GET", f"/v1/melds?{query}").json()
    assert told["code"] == "parameter-invalid"
    (error,) = told["errors"]
    assert (error["code"], error.get("parameter")) == (code, parameter)
