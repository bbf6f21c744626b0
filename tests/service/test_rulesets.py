import pytest

from engine.presets import PRESETS, Preset
from tests.calling import Caller


def test_every_published_version_is_listed(call: Caller) -> None:
    items = call("GET", "/v1/rulesets").json()["items"]
    assert [item["id"] for item in items] == [preset.id for preset in PRESETS]
    for item in items:
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
