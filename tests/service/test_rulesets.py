import re
from typing import Any

import httpx
import pytest

from engine.presets import PRESETS, Preset
from service.http.texts import LANGUAGES
from tests.calling import Caller

LETTERS = {"en": "[a-z]", "ru": "[ыэё]", "bg": "ъ[^еёюя]"}
"""Letters that only the texts of one language have."""


def sentences(sheet: Any) -> list[str]:  # noqa: ANN401  a sheet as JSON
    return [sentence for section in sheet["sections"] for sentence in section["sentences"]]


def test_every_published_version_is_listed(call: Caller) -> None:
    items = call("GET", "/v1/rulesets").json()["items"]
    assert [item["id"] for item in items] == [preset.id for preset in PRESETS]
    for item in items:
        assert "sheet" not in item
        assert {knob: item["knobs"][knob] for knob in item["differs"]} == item["differs"]
        assert sum(item["knobs"][length] is not None for length in ("target", "deals", "penalty_limit")) == 1


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_a_name_stands_for_its_latest_version(preset: Preset, call: Caller) -> None:
    latest = call("GET", f"/v1/rulesets/{preset.name}")
    assert latest.json() == call("GET", f"/v1/rulesets/{preset.id}").json()
    assert latest.headers["cache-control"] == "public, max-age=86400"
    assert (
        call(
            "GET", f"/v1/rulesets/{preset.name}", headers={"If-None-Match": latest.headers["etag"]}
        ).status_code
        == 304
    )


def test_penalty_is_for_two_to_four(call: Caller) -> None:
    shown = call("GET", "/v1/rulesets/penalty").json()
    assert shown["seats"] == {"least": 2, "most": 4}
    assert shown["differs"]["deals"] == 1
    assert "target" not in shown["differs"]


@pytest.mark.parametrize("name", ["nonesuch", "classic@2", "classic@0", "Classic", "classic@01", "classic@"])
def test_other_names_are_unknown(name: str, call: Caller) -> None:
    answer = call("GET", f"/v1/rulesets/{name}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_a_rule_set_is_told_in_the_language_that_the_client_prefers(preset: Preset, call: Caller) -> None:
    tags = set()
    for language in LANGUAGES:
        asked = {"Accept-Language": f"de, {language};q=0.8, *;q=0.1"}
        answer = call("GET", f"/v1/rulesets/{preset.name}", headers=asked)
        assert answer.headers["content-language"] == answer.json()["sheet"]["language"] == language
        assert answer.headers["vary"] == "Accept-Language"
        for sentence in sentences(answer.json()["sheet"]):
            assert not any(
                re.search(letters, sentence) for other, letters in LETTERS.items() if other != language
            ), sentence
        tags.add(answer.headers["etag"])
        again = call(
            "GET",
            f"/v1/rulesets/{preset.name}",
            headers=asked | {"If-None-Match": answer.headers["etag"]},
        )
        assert (again.status_code, again.headers["content-language"]) == (304, language)
        assert again.headers["vary"] == "Accept-Language"
    assert len(tags) == len(LANGUAGES)


def test_a_tag_of_one_language_is_none_of_another(call: Caller) -> None:
    english = call("GET", "/v1/rulesets/classic").headers["etag"]
    answer = call("GET", "/v1/rulesets/classic", headers={"If-None-Match": english, "Accept-Language": "ru"})
    assert answer.status_code == 200


def test_several_header_lines_are_one_list(call: Caller) -> None:
    lines = httpx.Headers([("Accept-Language", "de, ru;q=0.2"), ("Accept-Language", "bg;q=0.9")])
    assert call("GET", "/v1/rulesets/classic", headers=lines).headers["content-language"] == "bg"


def test_any_rule_set_is_told(call: Caller) -> None:
    classic = call("POST", "/v1/rule-sheets", json={})
    assert classic.json() == call("GET", "/v1/rulesets/classic").json()["sheet"]
    assert (classic.headers["content-language"], classic.headers["vary"]) == ("en", "Accept-Language")
    own = call(
        "POST",
        "/v1/rule-sheets",
        json={"ruleset": "straight", "overrides": {"deals": 3, "ace": "corner"}},
        headers={"Accept-Language": "ru-RU,ru;q=0.9,en;q=0.8"},
    )
    assert own.json()["language"] == own.headers["content-language"] == "ru"
    assert "Матч состоит из 3 сдач; аннулированные сдачи не считаются." in sentences(own.json())


def test_a_rule_set_is_told_for_the_seats_that_play(call: Caller) -> None:
    told = call("POST", "/v1/rule-sheets", json={"ruleset": "penalty", "seats": 3})
    assert {"The match is played by three players.", "Each player is dealt 7 cards."} <= {
        *sentences(told.json())
    }


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"seats": 3}, 422, "ruleset-refused"),
        ({"seats": 3, "overrides": {"scoring": "penalty", "deals": 1}}, 422, "seats-unsuitable"),
        ({"overrides": {"columns": 3, "deals": 1}}, 422, "ruleset-refused"),
        ({"ruleset": "nonesuch"}, 422, "ruleset-unknown"),
        ({"seats": 5}, 400, "body-invalid"),
        ({"overrides": {"max_turns": 19}}, 400, "body-invalid"),
        ({"overrides": {"no_such_knob": 1}}, 400, "body-invalid"),
    ],
)
def test_what_nobody_plays_is_not_told(body: object, status: int, code: str, call: Caller) -> None:
    answer = call("POST", "/v1/rule-sheets", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
