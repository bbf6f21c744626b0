"""For each documented problem a request that meets it: the example, with one thing wrong."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any

import httpx
import msgspec
import pytest
from msgspec import Struct

from engine.cards import CODES
from engine.refusal import Reason
from service import contract
from service.coaching import coach
from service.db import codec
from service.db.errors import DatabaseUnavailableError
from service.db.sqlite import SQLiteSession
from service.http import application
from service.http.examples import Exchange
from service.http.problems import Code
from tests.calling import Caller
from tests.contract.operations import body_schema, parameters


class Scene(Struct, frozen=True):
    """An operation's example in a running service whose insides may be changed for the moment."""

    operation: str
    examples: Mapping[str, Exchange]
    call: Caller
    patch: pytest.MonkeyPatch

    @property
    def example(self) -> Exchange:
        return self.examples[self.operation]

    def again(self, **changes: Any) -> httpx.Response:  # noqa: ANN401  parts of a call
        return self.call.send(self.example.call, **changes)

    def with_headers(self, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.again(headers={**self.example.call.headers, **named})

    def with_body(self, body: object) -> httpx.Response:
        return self.again(content=msgspec.json.encode(body))

    def with_fields(self, **fields: object) -> httpx.Response:
        assert isinstance(self.example.body, dict)
        return self.with_body({**self.example.body, **fields})


Play = Callable[[Scene], httpx.Response]


def _unknown_parameter(scene: Scene) -> httpx.Response:
    return scene.again(params={**scene.example.call.query, "no_such_parameter": "1"})


def _odd_address(scene: Scene) -> httpx.Response:
    last = parameters(scene.operation, "path")[-1]["name"]
    known = re.escape(str(scene.example.parameters[last]))
    return scene.again(path=re.sub(f"/{known}(?=/|$)(?!.*/{known}(/|$))", "/-1", scene.example.call.path))


def _failing_insides(scene: Scene) -> httpx.Response:
    def fail(*_: object) -> None:
        raise RuntimeError("7H gst_secret")

    scene.patch.setattr(application, "read_query", fail)
    return scene.again()


def _failing_database(scene: Scene) -> httpx.Response:
    async def fail(*_: object, **__: object) -> None:
        raise DatabaseUnavailableError

    for method in ("fetch", "read", "save"):
        scene.patch.setattr(SQLiteSession, method, fail)
    return scene.again()


def _outdated(scene: Scene) -> httpx.Response:
    """Ask again as if every match had been written by the next version."""
    scene.patch.setattr(codec, "FORMAT", codec.FORMAT - 1)
    return scene.again()


def _foreign_seat(scene: Scene) -> httpx.Response:
    """Show the token of the match's other seat."""
    other = "rotateToken" if scene.operation != "rotateToken" else "getView"
    return scene.with_headers(Authorization=scene.examples[other].call.headers["Authorization"])


def _unknown_ruleset(scene: Scene) -> httpx.Response:
    if body_schema(scene.operation) is None:
        return scene.again(params={**scene.example.call.query, "ruleset": "nonesuch"})
    return scene.with_fields(ruleset="nonesuch")


def _fields(**fields: object) -> Play:
    return lambda scene: scene.with_fields(**fields)


GENERIC: dict[StrEnum, Play] = {
    Code.PARAMETER_INVALID: _unknown_parameter,
    Code.NOT_ACCEPTABLE: lambda scene: scene.with_headers(Accept="text/html"),
    Code.INTERNAL_ERROR: _failing_insides,
    Code.MALFORMED_JSON: lambda scene: scene.again(content=b"{"),
    Code.BODY_INVALID: lambda scene: scene.again(content=b"[]"),
    Code.BODY_TOO_LARGE: lambda scene: scene.again(content=b" " * 300_000),
    Code.UNSUPPORTED_MEDIA_TYPE: lambda scene: scene.with_headers(Content_Type="text/plain"),
    Code.NOT_FOUND: _odd_address,
    Code.UNAUTHENTICATED: lambda scene: scene.with_headers(Authorization="Bearer gst_nonsense"),
    Code.FORBIDDEN: _foreign_seat,
    Code.RULESET_UNKNOWN: _unknown_ruleset,
    Code.RULESET_REFUSED: _fields(overrides={"columns": 3, "deals": 1}),
    Code.DATABASE_UNAVAILABLE: _failing_database,
    Code.REPLICA_OUTDATED: _outdated,
    Code.VERSION_CONFLICT: lambda scene: scene.with_body(
        {"action": {"type": "draw_stock"}, "expected_version": 999}
    ),
}
"""Problems that every operation meets in the same way."""

_TWO_ACES = ["AS", "2S", "AS"]
_HAND = ["8S", "8D", "8H", "2C", "3C", "4C", "JH", "QH", "KH", "5D"]
_OTHER = ["8C", "AS", "AD", "AH", "9S", "9D", "9H", "QS", "TD", "6C"]
_KNOCKED_TWICE = {"action": {"type": "knock", "card": "AS", "melds": [_TWO_ACES]}, "expected_version": 2}


_ELEVEN = [code for code in CODES if code[0] in "A8J"][:11]
_DRAWING: dict[str, Any] = {
    "phase": "draw",
    "hand": ["4S", "5S", "6S", "7H", "7D", "7C", "9H", "TH", "2D", "3C"],
    "taken": None,
    "discard_pile": ["QC", "KD", "KC"],
    "stock_count": 29,
}


def _answering(**changes: object) -> dict[str, Any]:
    """Return the members of a position in which seat 0 answers a knock of seat 1."""
    spread = {
        "seat": 1,
        "melds": [["AS", "2S", "3S"], ["8S", "9S", "TS", "JS"]],
        "unmatched": ["AH", "2H", "3D"],
        "deadwood": 6,
    }
    return _DRAWING | {
        "phase": "layoff",
        "overrides": {"melds": "declared"},
        "spread": spread | changes,
    }


def _expired_intent(scene: Scene) -> httpx.Response:
    view = scene.call.send(scene.examples["getView"].call).json()
    turn = scene.examples["getView" if view["turn"] == 0 else "rotateToken"].call.headers
    place = f"/v1/matches/{view['match_id']}/seats/{view['turn']}"
    action = {"type": view["actions"][0]["type"] if view["turn"] == 0 else "pass"}
    proposed = scene.call(
        "POST",
        f"{place}/intents",
        headers=turn,
        json={"action": action, "expected_version": view["version"]},
    )
    scene.patch.setattr(contract, "EXAMPLE_TIME", contract.EXAMPLE_TIME + timedelta(days=1))
    intent = {"intent": proposed.json()["intent"]}
    return scene.call("POST", f"{place}/moves", headers=turn, json=intent)


def _stale_intent(scene: Scene) -> httpx.Response:
    """Prepare an action of seat 0 in a match of its own, play another, and confirm the first."""
    made = scene.call("POST", "/v1/matches", json={"seats": [{"kind": "self"}] * 2, "first_dealer": 1}).json()
    place = f"/v1/matches/{made['match']['id']}/seats/0"
    headers = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    version = scene.call("GET", f"{place}/view", headers=headers).json()["version"]
    chosen = {"action": {"type": "take_upcard"}, "expected_version": version}
    intent = scene.call("POST", f"{place}/intents", headers=headers, json=chosen).json()["intent"]
    other = {"action": {"type": "pass"}, "expected_version": version}
    scene.call("POST", f"{place}/moves", headers=headers, json=other)
    return scene.call("POST", f"{place}/moves", headers=headers, json={"intent": intent})


_PUBLIC = {"visibility": "public", "clock": {"turn_seconds": 60}}


def _outdated_and_public(ask: Callable[[Scene, str], httpx.Response]) -> Play:
    """Ask about a public match with an open seat, by its id, as if the next version had written it."""

    def play(scene: Scene) -> httpx.Response:
        body = {"seats": [{"kind": "self"}, {"kind": "open"}], **_PUBLIC}
        made = scene.call("POST", "/v1/matches", json=body).json()
        scene.patch.setattr(codec, "FORMAT", codec.FORMAT - 1)
        return ask(scene, made["match"]["id"])

    return play


def _full_match(scene: Scene) -> httpx.Response:
    body = {"seats": [{"kind": "self"}, {"kind": "open"}], **_PUBLIC}
    made = scene.call("POST", "/v1/matches", json=body).json()
    join = {"match_id": made["match"]["id"]}
    scene.call("POST", "/v1/joins", json=join)
    return scene.call("POST", "/v1/joins", json=join)


def _aborted_match(scene: Scene) -> httpx.Response:
    body = {
        "seats": [{"kind": "self"}, {"kind": "open"}],
        "visibility": "public",
        "clock": {"turn_seconds": 60},
    }
    made = scene.call("POST", "/v1/matches", json=body).json()
    headers = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    scene.call("POST", f"/v1/matches/{made['match']['id']}/seats/0/abort", headers=headers)
    return scene.call("POST", "/v1/joins", json={"match_id": made["match"]["id"]})


def _at_two(what: str, *, holder: int) -> Play:
    """Ask something for seat 0 of a match that has begun, with the token of one of its two seats."""

    def play(scene: Scene) -> httpx.Response:
        body = {"seats": [{"kind": "self"}] * 2, "clock": {"turn_seconds": 60}}
        made = scene.call("POST", "/v1/matches", json=body).json()
        headers = {"Authorization": f"Bearer {made['seats'][holder]['token']}"}
        return scene.call("POST", f"/v1/matches/{made['match']['id']}/seats/0/{what}", headers=headers)

    return play


def _too_late(scene: Scene) -> httpx.Response:
    body = {"seats": [{"kind": "self"}] * 2, "first_dealer": 1, "clock": {"turn_seconds": 60}}
    made = scene.call("POST", "/v1/matches", json=body).json()
    move = {"action": {"type": "pass"}, "expected_version": made["match"]["version"]}
    scene.call.late()
    return scene.call(
        "POST",
        f"/v1/matches/{made['match']['id']}/seats/0/moves",
        headers={"Authorization": f"Bearer {made['seats'][0]['token']}"},
        json=move,
    )


def _without_hints(scene: Scene) -> httpx.Response:
    made = scene.call("POST", "/v1/matches", json={"seats": [{"kind": "self"}] * 2, "hints": False}).json()
    headers = {"Authorization": f"Bearer {made['seats'][0]['token']}"}
    return scene.call("GET", f"/v1/matches/{made['match']['id']}/seats/0/advice", headers=headers)


def _unfinished(scene: Scene) -> httpx.Response:
    headers = scene.examples["getMatch"].call.headers
    return scene.call("GET", f"{scene.examples['getMatch'].call.path}/review", headers=headers)


def _long_match(scene: Scene) -> httpx.Response:
    scene.patch.setattr(coach, "MOST_STEPS", 3)
    return scene.again(params={})


_THREE_BY_CLASSIC = {"overrides": {"scoring": "penalty", "deals": 1}, "seats": 3}


SPECIFIC: dict[tuple[str, StrEnum], Play] = {
    ("getReadiness", Code.DATABASE_UNAVAILABLE): _failing_database,
    ("solveHands", Code.DUPLICATE_CARDS): _fields(hands=[_TWO_ACES]),
    ("solveHands", Code.TOO_MUCH_WORK): _fields(hands=[[*_HAND, "AS"]] * 200, arrangements=20),
    ("solveHands", Code.SEATS_UNSUITABLE): _fields(**_THREE_BY_CLASSIC),
    ("solveHands", Code.UPCARD_REQUIRED): _fields(ruleset="oklahoma"),
    ("solveHands", Code.UPCARD_IMPOSSIBLE): _fields(upcard="2C", overrides={"upcard_offer": "eleven"}),
    ("solveHand", Code.RULESET_REFUSED): lambda scene: scene.again(params={"cards": "AS", "seats": 3}),
    ("solveHand", Code.UPCARD_REQUIRED): lambda scene: scene.again(
        params={"cards": "AS", "ruleset": "oklahoma"}
    ),
    ("solveHand", Code.DUPLICATE_CARDS): lambda scene: scene.again(params={"cards": ",".join(_TWO_ACES)}),
    ("checkMelds", Code.DUPLICATE_CARDS): _fields(cards=_TWO_ACES),
    ("findLayoffs", Code.DUPLICATE_CARDS): _fields(cards=["7H"]),
    ("findLayoffs", Code.SEATS_UNSUITABLE): _fields(**_THREE_BY_CLASSIC),
    ("findLayoffs", Code.HAND_SIZE_WRONG): _fields(overrides={"hand_size": 5}),
    ("findLayoffs", Code.SPREAD_INVALID): _fields(spread=[["7H", "8H", "JD"]]),
    ("findLayoffs", Code.LAYOFFS_IMPOSSIBLE): _fields(laid=[{"card": "2S", "meld": 0}]),
    ("scoreDeal", Code.UPCARD_REQUIRED): lambda scene: scene.with_body(
        {"ruleset": "oklahoma", "knocker": {"cards": _HAND}, "defenders": [{"cards": _OTHER}]}
    ),
    ("scoreDeal", Code.UPCARD_IMPOSSIBLE): _fields(overrides={"upcard_offer": "eleven"}),
    ("scoreDeal", Code.DUPLICATE_CARDS): _fields(defenders=[{"cards": _HAND}]),
    ("scoreDeal", Code.HAND_SIZE_WRONG): _fields(defenders=[{"cards": _OTHER[1:]}]),
    ("scoreDeal", Code.SPREAD_INVALID): _fields(knocker={"cards": _HAND, "melds": [["8S", "8D", "2C"]]}),
    ("scoreDeal", Code.SPREAD_ABOVE_LIMIT): _fields(knocker={"cards": _HAND, "melds": []}),
    ("scoreDeal", Code.LAYOFFS_IMPOSSIBLE): _fields(
        defenders=[{"cards": _OTHER, "layoffs": [{"card": "9S", "meld": 0}]}]
    ),
    ("splitPrize", Code.WINNER_IMPOSSIBLE): _fields(winner=1),
    ("totalMatch", Code.SEATS_UNSUITABLE): _fields(deals=[], first_dealer=3),
    ("totalMatch", Code.DEALS_IMPOSSIBLE): _fields(deals=[{"winner": None, "points": 5}]),
    ("createMatch", Code.SEATS_UNSUITABLE): _fields(first_dealer=3),
    ("writeRuleSheet", Code.SEATS_UNSUITABLE): _fields(**_THREE_BY_CLASSIC),
    ("createMatch", Code.DUPLICATE_CARDS): _fields(
        shuffle={"mode": "decks", "decks": [["AS", "AS", *CODES[2:]]]}
    ),
    ("createMatch", Code.CARDS_KNOWN_NOT_PUBLIC): _fields(visibility="public"),
    ("createMatch", Code.CLOCK_REQUIRED): _fields(visibility="public", shuffle={"mode": "server"}),
    ("createMatch", Code.TOO_MUCH_WORK): _fields(
        ruleset="penalty",
        overrides={"deals": 100, "knock_limit": 0, "max_turns": 500, "hand_size": 10, "stock_floor": 10},
        seats=[{"kind": "bot"}] * 4,
    ),
    ("createMatch", Code.METADATA_UNREADABLE): _fields(
        metadata={"table": "7"}, seats=[{"kind": "open"}, {"kind": "bot"}]
    ),
    ("createMatch", Code.METADATA_TOO_LARGE): _fields(metadata={str(n): "x" * 200 for n in range(10)}),
    ("getAdvice", Code.HINTS_NOT_ALLOWED): _without_hints,
    ("getReview", Code.MATCH_NOT_FINISHED): _unfinished,
    ("getReview", Code.TOO_MUCH_WORK): _long_match,
    ("adviseSeat", Code.SEATS_UNSUITABLE): _fields(dealer=3),
    ("adviseSeat", Code.DUPLICATE_CARDS): _fields(discard_pile=["QC", "KD", "KC"]),
    ("adviseSeat", Code.HAND_SIZE_WRONG): _fields(phase="draw", taken=None),
    ("adviseSeat", Code.CARDS_MISCOUNTED): _fields(stock_count=27),
    ("adviseSeat", Code.KNOWN_CARDS_IMPOSSIBLE): _fields(opponents=[{"seat": 1, "known_cards": _ELEVEN}]),
    ("adviseSeat", Code.UPCARD_IMPOSSIBLE): _fields(upcard="AC"),
    ("adviseSeat", Code.TAKEN_IMPOSSIBLE): _fields(taken=None),
    ("adviseSeat", Code.PHASE_IMPOSSIBLE): _fields(**_DRAWING | {"phase": "last_discard"}),
    ("adviseSeat", Code.SPREAD_INVALID): _fields(
        **_answering(melds=[["AS", "2S", "3D"], ["8S", "9S", "TS", "JS"]], unmatched=["AH", "2H", "3S"])
    ),
    ("adviseSeat", Code.LAYOFFS_IMPOSSIBLE): _fields(
        **_answering(layoffs=[{"seat": 1, "card": "7S", "meld": 0}])
    ),
    ("adviseSeat", Code.TALLIES_IMPOSSIBLE): _fields(tallies=[{"seat": 1, "deals": 1, "knocks": 1}]),
    ("listMatches", Code.REPLICA_OUTDATED): _outdated_and_public(lambda scene, _: scene.again()),
    ("joinMatch", Code.REPLICA_OUTDATED): _outdated_and_public(
        lambda scene, match_id: scene.with_body({"match_id": match_id})
    ),
    ("joinMatch", Code.NOT_FOUND): lambda scene: scene.with_body({"code": "00000000"}),
    ("joinMatch", Reason.MATCH_FULL): _full_match,
    ("joinMatch", Reason.MATCH_FINISHED): _aborted_match,
    ("claimTimeout", Code.FORBIDDEN): _at_two("claims", holder=1),
    ("claimTimeout", Code.DEADLINE_NOT_REACHED): _at_two("claims", holder=0),
    ("abortMatch", Code.FORBIDDEN): _at_two("abort", holder=1),
    ("abortMatch", Reason.MATCH_STARTED): _at_two("abort", holder=0),
    ("abortMatch", Reason.MATCH_FINISHED): lambda scene: scene.again(),
    ("playMove", Code.TURN_TIMED_OUT): _too_late,
    ("proposeMove", Code.DUPLICATE_CARDS): lambda scene: scene.with_body(_KNOCKED_TWICE),
    ("playMove", Code.DUPLICATE_CARDS): lambda scene: scene.with_body(_KNOCKED_TWICE),
    ("playMove", Code.INTENT_INVALID): _fields(intent="gin_AAAA"),
    ("playMove", Code.INTENT_STALE): _stale_intent,
    ("playMove", Code.INTENT_EXPIRED): _expired_intent,
}
"""Problems that take a request of their own."""


def _not_modified(scene: Scene) -> httpx.Response:
    return scene.with_headers(If_None_Match=scene.again().headers["ETag"])


FURTHER: dict[tuple[str, int], Play] = {
    ("playMove", 200): lambda scene: scene.again(),
}
"""Statuses beside the example's own that are no problem."""

NOT_MODIFIED: Play = _not_modified

ELSEWHERE: frozenset[StrEnum] = frozenset({*Reason, Code.BUSY, Code.DRAINING})
"""Refusals, each met by every operation that plays, are the tests of the rules; overload is the writer's."""
