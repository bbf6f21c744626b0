"""Loaded by schemathesis: gives each request for a seat the token that this seat was given.

The document cannot say that a token belongs to one match; whoever created a match here holds its tokens.
Only the caller's own token is exchanged: a missing one, a made-up one and the peer's go out as they are.
"""

import os
import random
from itertools import chain
from typing import Any
from uuid import UUID

import msgspec
import schemathesis
from schemathesis import Case, GenerationMode, HookContext, Response

import engine
from engine.actions import Move
from engine.cards import CODES
from engine.presets import PRESETS
from engine.shuffle import SEED_SIZE, Shuffle, ShuffleMode
from engine.state import Player, PlayerKind
from service.coaching.wire.position import PositionIn
from service.matches.wire.view import view_to_wire

RUNS = [["AS", "2S", "3S"], ["5H", "6H", "7H"], ["9D", "TD", "JD"]]
CLOCK = {"turn_seconds": 10, "on_timeout": "play"}
PUBLIC = {"visibility": "public", "clock": CLOCK}
LONGEST_WAIT = 25
OWNER = f"Bearer {os.environ['FUZZ_OWNER']}"
OPEN_TABLES = os.environ["FUZZ_CODES"].split(",")
FINISHED, _FINISHED_TOKEN = os.environ["FUZZ_FINISHED"].split()
_tokens: dict[tuple[str, int], str] = {(FINISHED, 0): _FINISHED_TOKEN}


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], _kwargs: dict[str, Any]) -> None:
    wait = str((case.query or {}).get("wait", ""))
    if wait.isascii() and wait.isdigit() and str(int(wait)) == wait and 1 < int(wait) <= LONGEST_WAIT:
        case.query["wait"] = 0  # those that wait a second are enough
    if case.headers.get("Authorization") != OWNER:
        return
    place = (str(case.path_parameters.get("match_id")), case.path_parameters.get("seat", 0))
    operation = case.operation.definition.raw["operationId"]
    positive = case.meta is not None and case.meta.generation.mode is GenerationMode.POSITIVE
    if positive and operation in {"claimTimeout", "abortMatch"} and place not in _tokens:
        place = (FINISHED, 0)
        case.path_parameters.update(match_id=FINISHED, seat=0)
    if place in _tokens:
        case.headers["Authorization"] = f"Bearer {_tokens[place]}"


@schemathesis.hook
def after_call(_context: HookContext, case: Case[Any], response: Response) -> None:
    if response.status_code not in {200, 201} or "json" not in response.headers["content-type"][0]:
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
    """Mend most of what fits: cards without a deck are never a deal, and few matches are over."""
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return case
    chance = random.Random(repr((case.body, case.query, case.path_parameters)))
    operation = case.operation.definition.raw["operationId"]
    if operation == "getReview" and chance.random() < 0.75:
        case.path_parameters["match_id"] = FINISHED
        case.query = chance.choice([{}, {"deal": 1}])
    mended = {
        "createMatch": _match,
        "joinMatch": _join,
        "scoreDeal": _knock,
        "findLayoffs": _spread,
        "splitPrize": _prize,
        "adviseSeat": _position,
    }
    mend = mended.get(operation)
    if mend is not None and chance.random() < 0.75:
        case.body = mend(chance)
    return case


def _match(chance: random.Random) -> dict[str, Any]:
    preset = chance.choice(PRESETS)
    seats = chance.randint(preset.least_seats, preset.most_seats)
    if chance.random() < 0.3:
        # It is over at once, and everybody may review it.
        bots = [{"kind": "bot", "level": "club"}] * seats
        return {"ruleset": preset.id, "overrides": {"deals": 1}, "seats": bots, "visibility": "link"}
    others = ({"kind": "self"}, {"kind": "open"}, {"kind": "bot"})
    return {
        "ruleset": preset.id,
        "seats": [{"kind": "self"}, *(chance.choice(others) for _ in range(seats - 1))],
        "overrides": chance.choice(({}, {"melds": "declared"}, {"upcard_offer": "none", "stock_floor": 10})),
        **chance.choice(({"visibility": "private"}, {"visibility": "link", "clock": CLOCK}, PUBLIC)),
    }


def _join(chance: random.Random) -> dict[str, Any]:
    return {"code": chance.choice(OPEN_TABLES)}


def _knock(chance: random.Random) -> dict[str, Any]:
    spread = list(chain(*RUNS))
    rest = [code for code in CODES if code not in spread]
    chance.shuffle(rest)
    others = chance.choice((1, 1, 2, 3))
    body: dict[str, Any] = {
        "knocker": {"cards": [*spread, rest[0]]},
        "defenders": [{"cards": rest[1 + 10 * seat : 11 + 10 * seat]} for seat in range(others)],
        "upcard": rest[-1],
    }
    if others > 1:
        body |= {"ruleset": "penalty", "overrides": {"hand_size": 10}}
    if chance.random() < 0.5:
        body["knocker"]["melds"] = RUNS
    return body


def _prize(chance: random.Random) -> dict[str, Any]:
    penalties = [chance.randrange(120) for _ in range(chance.randint(2, 4))]
    winner = penalties.index(min(penalties))
    return {"fund_cents": chance.randrange(1_000_000), "penalties": penalties, "winner": winner}


def _spread(chance: random.Random) -> dict[str, Any]:
    rest = [code for code in CODES if code not in chain(*RUNS)]
    chance.shuffle(rest)
    return {"spread": RUNS, "cards": rest[: chance.randint(1, 11)], "overrides": {"layoff_on_gin": True}}


def _position(chance: random.Random) -> dict[str, Any]:
    """Tell of a deal that somebody plays by chance, some steps after its beginning."""
    preset = chance.choice(PRESETS)
    seats = chance.randint(preset.least_seats, preset.most_seats)
    players = (Player(PlayerKind.PLAYER),) * seats
    match = engine.start_match(preset.rules, players, _shuffled(chance)).match
    for _ in range(chance.randrange(30)):
        assert match.deal is not None
        offer = chance.choice(engine.legal_actions(match, match.deal.turn))
        action = offer.action(chance.choice(offer.cards)) if offer.cards else offer.action()
        assert isinstance(action, Move)
        played = engine.apply(match, match.deal.turn, action).match
        match = played if played.deal is not None else match
    assert match.deal is not None
    seat = match.deal.turn
    told = msgspec.to_builtins(
        view_to_wire(
            UUID(int=0),
            engine.view(match, seat),
            seat,
            hints=False,
            clock=None,
            deadline=None,
            metadata=None,
        )
    )
    return {"ruleset": preset.id} | {
        name: told[name] for name in PositionIn.__struct_fields__ if name in told
    }


def _shuffled(chance: random.Random) -> Shuffle:
    return Shuffle(ShuffleMode.SERVER, chance.randbytes(SEED_SIZE))
