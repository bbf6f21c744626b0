"""Loaded by schemathesis: gives each request for a seat the token that this seat was given.

The document cannot say that a token belongs to one match; whoever created a match here holds its tokens.
Only the caller's own token is exchanged: a missing one, a made-up one and the peer's go out as they are.
"""

import os
import random
from itertools import chain
from typing import Any

import msgspec
import schemathesis
from schemathesis import Case, GenerationMode, HookContext, Response

from engine.cards import CODES

RUNS = [["AS", "2S", "3S"], ["5H", "6H", "7H"], ["9D", "TD", "JD"]]
OWNER = f"Bearer {os.environ['FUZZ_OWNER']}"

_tokens: dict[tuple[str, int], str] = {}


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], _kwargs: dict[str, Any]) -> None:
    if case.headers.get("Authorization") != OWNER:
        return
    place = (str(case.path_parameters.get("match_id")), case.path_parameters.get("seat", 0))
    if place in _tokens:
        case.headers["Authorization"] = f"Bearer {_tokens[place]}"


@schemathesis.hook
def after_call(_context: HookContext, case: Case[Any], response: Response) -> None:
    if response.status_code not in {200, 201}:
        return
    operation = case.operation.definition.raw["operationId"]
    told = msgspec.json.decode(response.content)
    if operation == "createMatch":
        _tokens.update({(told["match"]["id"], seat["seat"]): seat["token"] for seat in told["seats"]})
    elif operation == "joinMatch":
        _tokens[told["match_id"], told["seat"]] = told["token"]
    elif operation == "rotateToken":
        _tokens[str(case.path_parameters["match_id"]), case.path_parameters["seat"]] = told["token"]


@schemathesis.hook
def map_case(_context: HookContext, case: Case[Any]) -> Case[Any]:
    """Deal real hands to half of the fitting bodies: cards chosen without a deck are never a deal."""
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return case
    chance = random.Random(repr(case.body))
    deal = {"scoreDeal": _knock, "findLayoffs": _spread}.get(case.operation.definition.raw["operationId"])
    if deal is not None and chance.random() < 0.5:
        case.body = deal(chance)
    return case


def _knock(chance: random.Random) -> dict[str, Any]:
    spread = list(chain(*RUNS))
    rest = [code for code in CODES if code not in spread]
    chance.shuffle(rest)
    body: dict[str, Any] = {
        "knocker": {"cards": [*spread, rest[0]]},
        "defenders": [{"cards": rest[1:11]}],
        "upcard": rest[11],
    }
    if chance.random() < 0.5:
        body["knocker"]["melds"] = RUNS
    return body


def _spread(chance: random.Random) -> dict[str, Any]:
    rest = [code for code in CODES if code not in chain(*RUNS)]
    chance.shuffle(rest)
    return {"spread": RUNS, "cards": rest[: chance.randint(1, 11)], "overrides": {"layoff_on_gin": True}}
