"""A refusal names everything that is wrong with a request, and refuses nothing that fits."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.http import decoding
from service.http.decoding import decode
from service.http.examples import Exchange
from service.http.inspection import MOST_FAULTS, faults_in
from service.http.problems import Code, Fault, Problem
from service.matches.wire.creation import JoinIn, MatchIn
from service.matches.wire.moves import MoveIn
from tests.bodies import accepted, body_types, places, values_of
from tests.calling import JSON, Caller
from tests.sizes import size

BODIES = pytest.mark.parametrize("kind", body_types(), ids=lambda kind: kind.__name__)
ODD: list[Any] = [None, True, -1, 1.0, 2.5, 10**30, -(10**30), "", "XX", "10H", "x\n", "\0", [], [[]], {}]
REFUSED = {" ": None}
"""Refused wherever it stands."""
quick = settings(
    max_examples=size(12, 400),
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def faults_of(kind: Any, value: object) -> tuple[Fault, ...]:  # noqa: ANN401  an annotation
    """Return the faults of a body with this value."""
    try:
        decode(msgspec.json.encode(value), kind)
    except Problem as problem:
        refused = problem
    else:
        return ()
    assert refused.code is Code.BODY_INVALID
    assert refused.faults
    return refused.faults


def pointers(faults: tuple[Fault, ...]) -> list[tuple[str, str]]:
    return [(fault.code, str(fault.pointer)) for fault in faults]


def put(body: Any, at: tuple[Any, ...], value: object) -> None:  # noqa: ANN401  any JSON value
    for step in at[:-1]:
        body = body[step]
    body[at[-1]] = value


def pointer_to(at: tuple[Any, ...]) -> str:
    free = at.index("metadata") + 1 if "metadata" in at else len(at)
    return "".join(f"/{step}" for step in at[:free])


@BODIES
@quick
@given(data=st.data())
def test_a_body_has_faults_where_msgspec_refuses_it(kind: Any, data: st.DataObject) -> None:  # noqa: ANN401
    body = data.draw(values_of(kind))
    assert faults_of(kind, body) == ()
    for at in data.draw(st.lists(st.sampled_from(places(body) or [("x",)]), max_size=4)):
        try:
            put(body, at, data.draw(st.sampled_from(ODD)))
        except (KeyError, IndexError, TypeError, AttributeError):
            continue  # an earlier change took what it stood in
    assert (faults_of(kind, body) == ()) is accepted(kind, body)


@BODIES
@quick
@given(data=st.data())
def test_each_of_several_faults_is_named(kind: Any, data: st.DataObject) -> None:  # noqa: ANN401
    body = data.draw(values_of(kind))
    chosen: list[tuple[Any, ...]] = []
    # Two objects that were spoilt have fewer faults than the list may be long.
    for at in data.draw(st.lists(st.sampled_from(places(body) or [()]), max_size=2)):
        apart = all(at[: len(one)] != one and one[: len(at)] != at for one in chosen)
        # A tag says what the object is: without it nothing else of the object can be judged.
        if at and apart and not {"kind", "mode", "type"} & set(at[-1:]):
            chosen.append(at)
    spoilt = deepcopy(body)
    for at in chosen:
        put(spoilt, at, REFUSED)
    spoilt["no_such_field"] = 1
    named = pointers(faults_of(kind, spoilt))
    assert ("unknown-field", "/no_such_field") in named
    for at in chosen:
        assert any(pointer.startswith(pointer_to(at)) for _, pointer in named), (at, named)


def test_faults_are_told_in_the_order_of_the_text() -> None:
    body = {
        "zz": 1,
        "seats": [{"kind": "ghost"}, {}, {"kind": "bot", "level": "x", "y": 0}, {"kind": "self"}, 7],
        "overrides": {"target": "a", "nope": 1, "hand_size": 11},
        "metadata": {"table": 7, "two words": "7"},
        "shuffle": {"mode": "decks", "decks": [["AS"]]},
        "clock": {"on_timeout": "wait"},
        "first_dealer": 9,
    }
    assert pointers(faults_of(MatchIn, body)) == [
        ("unknown-field", "/zz"),
        ("out-of-range", "/seats"),
        ("unknown-value", "/seats/0/kind"),
        ("missing-field", "/seats/1/kind"),
        ("unknown-value", "/seats/2/level"),
        ("unknown-field", "/seats/2/y"),
        ("wrong-type", "/overrides/target"),
        ("unknown-field", "/overrides/nope"),
        ("out-of-range", "/overrides/hand_size"),
        ("wrong-type", "/metadata/table"),
        ("wrong-format", "/metadata"),
        ("out-of-range", "/shuffle/decks/0"),
        ("unknown-value", "/clock/on_timeout"),
        ("missing-field", "/clock/turn_seconds"),
        ("out-of-range", "/first_dealer"),
    ]


def test_lists_and_maps_that_may_be_null_are_looked_into() -> None:
    kind = dict[str, list[int] | dict[str, bool] | None]
    value = {"a": None, "b": [1, "x"], "c": {"d": True, "e": 1}, "f": 7}
    assert pointers(faults_in(value, kind)) == [
        ("wrong-type", "/b/1"),
        ("wrong-type", "/c/e"),
        ("wrong-type", "/f"),
    ]


def test_names_that_grow_too_long_are_all_named(call: Caller) -> None:
    name = "\u0958" * 32  # two characters each in NFC
    seats = [{"kind": "self", "name": name}, {"kind": "bot", "name": name}]
    told = call("POST", "/v1/matches", json={"seats": seats}).json()
    assert [error["pointer"] for error in told["errors"]] == ["/seats/0/name", "/seats/1/name"]


def test_the_list_of_faults_has_an_end() -> None:
    body = {"seats": [{"kind": "self"}] * 2, **{f"field_{number}": 1 for number in range(100)}}
    found = faults_of(MatchIn, body)
    assert pointers(found) == [("unknown-field", f"/field_{number}") for number in range(MOST_FAULTS)]


@pytest.mark.parametrize(
    ("kind", "body", "named"),
    [
        (MoveIn, {"action": {"type": "pass"}}, [("missing-field", "/expected_version")]),
        (MoveIn, {"expected_version": 3}, [("missing-field", "/action")]),
        (MoveIn, {"action": {"type": "discard"}}, [
            ("missing-field", "/action/card"),
            ("missing-field", "/expected_version"),
        ]),
        (MoveIn, {"intent": "gin_a", "expected_version": 3}, [("conflicting-field", "/expected_version")]),
        (MoveIn, {"action": {"type": "pass"}, "intent": "gin_a"}, [("conflicting-field", "/action")]),
        (MoveIn, {"action": {"type": "pass"}, "intent": "gin_a", "expected_version": 3}, [
            ("conflicting-field", "/intent"),
        ]),
        (MoveIn, {}, [("missing-field", "")]),
        (JoinIn, {"name": "Ana"}, [("missing-field", "")]),
        (JoinIn, {"name": "Ana", "code": "\0", "age": 7}, [
            ("wrong-format", "/code"),
            ("unknown-field", "/age"),
        ]),
    ],
)  # fmt: skip
def test_a_body_of_no_form_is_told_what_it_needs(
    kind: Any,  # noqa: ANN401  a type
    body: object,
    named: list[tuple[str, str]],
) -> None:
    assert pointers(faults_of(kind, body)) == named


def test_a_body_without_any_form_is_told_every_choice() -> None:
    (fault,) = faults_of(MoveIn, {})
    assert fault.message == "This needs the field intent, or the fields action and expected_version."


@pytest.mark.parametrize(
    "body",
    [
        b'{"no_such_field":1,"cards":[}',
        b'{"cards":7,"melds":[],"cards":["AS"]}',
        b'{"no_such_field":{"a":1,"a":2}}',
        b'{"no_such_field":NaN,"cards":["AS"],"melds":[]}',
        b'{"cards":7,"melds":"\\ud800"}',
        b'{"cards":7,"melds":"\xff"}',
        b'{"cards":1e999,"melds":[],}',
        b'{"cards":7,"melds":' + b"[" * 100_000,
        b'{"no_such_field":1}{}',
    ],
)
def test_a_text_that_is_not_json_is_told_so_whatever_else_is_wrong(body: bytes, call: Caller) -> None:
    answer = call("POST", "/v1/melds/check", headers=JSON, content=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed-json")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 5000, "1" + "0" * 400 + ".0", "1e-999", "2.50"])
def test_a_number_beyond_all_ranges_is_a_fault_like_others(number: str, call: Caller) -> None:
    body = f'{{"knock_limit":1,"overrides":{{"knock_limit":{number}}},"cards":["AS"],"melds":[]}}'
    answer = call("POST", "/v1/melds/check", headers=JSON, content=body.encode())
    named = [(error["code"], error["pointer"]) for error in answer.json()["errors"]]
    wrong = {"1e-999": [], "2.50": [("wrong-type", "/overrides/knock_limit")]}
    expected = wrong.get(number, [("out-of-range", "/overrides/knock_limit")])
    assert named == [("unknown-field", "/knock_limit"), *expected]


def test_a_name_twice_is_found_on_every_path() -> None:
    for body in (
        b'{"seats":[{"kind":"self","kind":"self"},{"kind":"open"}]}',
        b'{"seats":[{"kind":"self"},{"kind":"open"}],"metadata":{"a":"1","\\u0061":"2"}}',
        b'{"code":"K7Q2MXWP" , "code" :"K7Q2MXWP"}',
    ):
        with pytest.raises(Problem) as refused:
            decode(body, JoinIn if b"code" in body else MatchIn)
        assert refused.value.code is Code.MALFORMED_JSON
        assert [fault.code for fault in refused.value.faults] == ["repeated-name"]


@BODIES
def test_a_format_ends_where_the_string_ends(kind: Any) -> None:  # noqa: ANN401  a type
    patterns = [
        node["pattern"] for node in _nodes(msgspec.json.schema(kind)) if isinstance(node.get("pattern"), str)
    ]
    assert all(pattern.startswith("^") and pattern.endswith("\\Z") for pattern in patterns), patterns


def _nodes(node: Any) -> list[dict[str, Any]]:  # noqa: ANN401  any JSON value
    own = [node] if isinstance(node, dict) else []
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return own + [found for part in inner for found in _nodes(part)]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/melds/check", {"cards": ["AS"], "melds": [], "ruleset": "classic\n"}),
        ("/v1/matches", {"seats": [{"kind": "self", "name": "Ana\n"}, {"kind": "open"}]}),
        ("/v1/matches", {"seats": [{"kind": "self"}, {"kind": "open"}], "metadata": {"a": "b\n"}}),
        ("/v1/matches", {"seats": [{"kind": "self"}, {"kind": "open"}], "metadata": {"a\n": "b"}}),
        ("/v1/joins", {"code": "K7Q2MXWP\n"}),
    ],
)
def test_a_line_feed_at_the_end_is_no_part_of_a_format(path: str, body: object, call: Caller) -> None:
    answer = call("POST", path, json=body)
    assert [error["code"] for error in answer.json()["errors"]] == ["wrong-format"]


def test_the_body_of_a_move_is_decoded_once(
    examples: Mapping[str, Exchange], call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[object] = []

    def counting(body: bytes, kind: Any) -> Any:  # noqa: ANN401  as `decode`
        decoded.append(kind)
        return decode(body, kind)

    monkeypatch.setattr(decoding, "decode", counting)
    assert call.send(examples["playMove"].call).is_success
    assert decoded == [MoveIn]


def test_all_faults_of_a_query_are_named(call: Caller) -> None:
    query = "limit=0&status=closed&cursor=7&cursor=8&colour=red&" + "gst_" + "c2VjcmV0" * 8
    told = call("GET", f"/v1/matches?{query}").json()
    assert told["code"] == "parameter-invalid"
    named = {(error["code"], error.get("parameter")) for error in told["errors"]}
    assert named == {
        ("out-of-range", "limit"),
        ("unknown-value", "status"),
        ("wrong-format", "cursor"),
        ("repeated-parameter", "cursor"),
        ("unknown-parameter", "colour"),
        ("unknown-parameter", None),
    }
    told = call("GET", "/v1/melds?arrangements=1.0&ruleset=a%20b%0A").json()
    assert [(error["code"], error["parameter"]) for error in told["errors"]] == [
        ("wrong-type", "arrangements"),
        ("wrong-format", "ruleset"),
        ("missing-field", "cards"),
    ]
