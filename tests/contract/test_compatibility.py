from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from service.contract import unannounced
from service.http.compatibility import breaking_changes
from tests.contract.operations import DOCUMENT

Change = Callable[[dict[str, Any]], object]


def schema(document: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = document["components"]["schemas"][name]
    return found


def nullable(properties: dict[str, Any], name: str) -> None:
    properties[name] = {"anyOf": [properties[name], {"type": "null"}]}


def changed(change: Change) -> dict[str, Any]:
    document = deepcopy(DOCUMENT)
    change(document)
    return document


INTENTS = "POST /v1/matches/{match_id}/seats/{seat}/intents"

BREAKING: list[tuple[Change, str]] = [
    (lambda it: it["paths"].pop("/v1/scores"), "POST /v1/scores is gone"),
    (
        lambda it: it["paths"]["/v1/scores"]["post"].update(operationId="rateDeal"),
        "POST /v1/scores is no longer called scoreDeal",
    ),
    (
        lambda it: it["paths"]["/v1/melds"]["get"].update(security=[{"bearer": []}]),
        "GET /v1/melds takes a token now",
    ),
    (
        lambda it: it["paths"]["/v1/melds"]["get"]["parameters"].pop(2),
        "GET /v1/melds no longer takes arrangements",
    ),
    (
        lambda it: it["paths"]["/v1/melds"]["get"]["parameters"][1].update(required=True),
        "GET /v1/melds needs ruleset now",
    ),
    (
        lambda it: it["paths"]["/v1/melds"]["get"]["responses"]["200"]["headers"].pop("ETag"),
        "GET /v1/melds 200 no longer has ETag",
    ),
    (
        lambda it: schema(it, "Overrides")["properties"].pop("ace"),
        "POST /v1/scores body/overrides no longer takes ace",
    ),
    (
        lambda it: schema(it, "ScoreIn")["required"].append("upcard"),
        "POST /v1/scores body needs upcard now",
    ),
    (
        lambda it: schema(it, "Overrides")["properties"]["ace"]["enum"].remove("corner"),
        "POST /v1/scores body/overrides/ace no longer takes corner",
    ),
    (
        lambda it: schema(it, "SolveHandsIn")["properties"]["hands"].update(maxItems=100),
        "POST /v1/melds body/hands has a lower maxItems",
    ),
    (
        lambda it: schema(it, "ScoredDealOut")["properties"].pop("winner"),
        "POST /v1/scores 200 no longer has winner",
    ),
    (
        lambda it: schema(it, "ScoredDealOut")["required"].remove("winner"),
        "POST /v1/scores 200 may lack winner now",
    ),
    (
        lambda it: nullable(schema(it, "ScoredDealOut")["properties"], "points"),
        "POST /v1/scores 200/points may be null now",
    ),
    (
        lambda it: schema(it, "PartOut")["properties"]["amount"].update(type="string"),
        "POST /v1/scores 200/breakdown/-/amount is of another type",
    ),
    (
        lambda it: schema(it, "IntentIn")["properties"]["action"]["oneOf"].pop(0),
        f"{INTENTS} body/action no longer takes #/components/schemas/TakeUpcardBody",
    ),
]

HARMLESS: list[Change] = [
    lambda _: None,
    lambda it: nullable(schema(it, "ViewOut")["properties"], "deadline"),
    lambda it: it["paths"].update({"/v2/melds": it["paths"]["/v1/melds"]}),
    lambda it: schema(it, "ScoreIn")["properties"].update(lucky={"type": "boolean"}),
    lambda it: schema(it, "ScoredDealOut")["properties"].update(lucky={"type": "boolean"}),
    lambda it: schema(it, "SolveHandsIn")["properties"]["hands"].update(maxItems=300),
    lambda it: schema(it, "Overrides")["properties"]["ace"]["enum"].append("wild"),
    lambda it: it["paths"]["/v1/scores"]["post"].update(description="Words are free."),
]


@pytest.mark.parametrize(("change", "told"), BREAKING, ids=lambda it: it if isinstance(it, str) else "")
def test_what_breaks_a_client_is_told(change: Change, told: str) -> None:
    assert told in breaking_changes(DOCUMENT, changed(change))


@pytest.mark.parametrize("change", HARMLESS)
def test_what_is_added_breaks_nobody(change: Change) -> None:
    assert breaking_changes(DOCUMENT, changed(change)) == []


def test_a_breaking_change_is_named_in_the_changelog() -> None:
    gone = changed(BREAKING[0][0])
    assert unannounced(DOCUMENT, gone, "# Changelog\n") == ["POST /v1/scores is gone"]
    assert unannounced(DOCUMENT, gone, "- **breaking** POST /v1/scores is gone\n") == []
