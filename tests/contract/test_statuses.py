"""Every status that an operation documents is produced here."""

from collections.abc import Mapping
from enum import StrEnum

import pytest

from engine.refusal import Reason
from service.http.catalogue import PROBLEM_TYPES
from service.http.examples import Exchange
from service.http.problems import Code
from tests.calling import Caller
from tests.contract.operations import OPERATIONS, problems, resolved, validator_of
from tests.contract.scenes import ELSEWHERE, FURTHER, GENERIC, NOT_MODIFIED, SPECIFIC, Scene

CODES: dict[str, StrEnum] = {str(code): code for code in (*Code, *Reason)}

MET = [
    (name, CODES[code])
    for name in OPERATIONS
    for _, code in problems(name)
    if CODES[code] not in ELSEWHERE or (name, CODES[code]) in SPECIFIC
]
UNCHANGED = [name for name, operation in OPERATIONS.items() if "304" in operation["responses"]]


@pytest.fixture
def scene(
    name: str, examples: Mapping[str, Exchange], call: Caller, monkeypatch: pytest.MonkeyPatch
) -> Scene:
    return Scene(name, examples, call, monkeypatch)


@pytest.mark.parametrize(("name", "code"), MET)
def test_a_documented_problem_is_met(name: str, code: StrEnum, scene: Scene) -> None:
    play = SPECIFIC.get((name, code)) or GENERIC[code]
    answer = play(scene)
    assert answer.status_code == PROBLEM_TYPES[code].status, answer.text
    assert answer.json()["code"] == code
    documented = resolved(OPERATIONS[name]["responses"][str(answer.status_code)])
    validator_of(documented["content"]["application/problem+json"]["schema"]).validate(answer.json())
    assert {header.lower() for header in documented["headers"]} <= set(answer.headers)
    assert "secret" not in answer.text


@pytest.mark.parametrize("name", UNCHANGED)
def test_an_answer_that_the_caller_has_is_not_sent_again(name: str, scene: Scene) -> None:
    answer = NOT_MODIFIED(scene)
    assert (answer.status_code, answer.content) == (304, b"")
    headers = OPERATIONS[name]["responses"]["304"]["headers"]
    assert {header.lower() for header in headers} <= set(answer.headers)


@pytest.mark.parametrize(("name", "status"), FURTHER)
def test_a_further_status_is_met(name: str, status: int, scene: Scene) -> None:
    answer = FURTHER[name, status](scene)
    assert answer.status_code == status
    headers = OPERATIONS[name]["responses"][str(status)]["headers"]
    assert {header.lower() for header in headers} <= set(answer.headers)


def test_no_documented_status_is_left_out(examples: Mapping[str, Exchange]) -> None:
    produced = {(name, PROBLEM_TYPES[code].status) for name, code in MET}
    produced |= {(name, exchange.reply.status) for name, exchange in examples.items()}
    produced |= {(name, 304) for name in UNCHANGED} | set(FURTHER)
    assert produced == {
        (name, int(status)) for name, operation in OPERATIONS.items() for status in operation["responses"]
    }


def test_every_scene_is_of_a_documented_problem() -> None:
    assert set(SPECIFIC) <= set(MET)
