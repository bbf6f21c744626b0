"""The knobs and their values, as the types say them; and the company in which a knob is played."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.inspect import BoolType, EnumType, IntType, LiteralType, NoneType, StructType, UnionType

from engine.presets import LENGTHS, PRESETS, refused_knob, resolve
from engine.rules import RuleSet

KNOBS = RuleSet.__struct_fields__

PENALTY = {"scoring": "penalty", "deals": 5}
BOXES = {"box_bonus": 25}
COLUMNS = {"columns": 3}
GIN_ONLY = {"knock_limit": 0}

PLAYED_WITH: Mapping[str, list[dict[str, Any]]] = {
    "hand_size": [PENALTY],
    "next_dealer": [{}, PENALTY, {"undercut_tie": "knocker_zero"}],
    "knock_limit": [{}, {"knock_limit_source": "upcard"}, PENALTY],
    "oklahoma_ace": [{"knock_limit_source": "upcard"}],
    "first_turn_knock": [{}, {"upcard_offer": "none"}],
    "layoff": [{}, GIN_ONLY | {"layoff_on_gin": True}],
    "layoff_on_gin": [{}, GIN_ONLY, PENALTY],
    "layoff_chain": [{}, GIN_ONLY | {"layoff_on_gin": True}],
    "stock_floor": [
        {"stock_end": "dead_after_discard"},
        {"stock_end": "last_discard_knock_only"},
        {"stock_end": "last_discard_playable"},
        {"stock_end": "dead_on_draw"},
        {"stock_end": "reshuffle"},
    ],
    "gin_bonus": [{}, PENALTY],
    "undercut_bonus": [{}, PENALTY],
    "big_gin_bonus": [{"big_gin": True}, PENALTY | {"big_gin": True}],
    "game_bonus": [{}, {"deals": 5}, COLUMNS],
    "box_bonus": [{}, {"boxes_in_running_score": True}, {"shutout": "double_all"}, COLUMNS],
    "boxes_in_running_score": [BOXES],
    "target": [{}, {"match_winner": "highest_total"}, COLUMNS],
    "deals": [{}, PENALTY],
    "penalty_limit": [PENALTY],
    "scoring": [{"deals": 5}],
    "shutout": [BOXES | {"game_bonus": 100}, BOXES | COLUMNS | {"game_bonus": 100}],
}
"""Knobs beside which each knob makes a difference; the others do beside those of ``classic``."""

SILENT_WITH: Mapping[str, list[dict[str, Any]]] = {
    "next_dealer": [{"deals": 1}],
    "knock_limit_source": [GIN_ONLY],
    "oklahoma_ace": [{}, GIN_ONLY | {"knock_limit_source": "upcard"}],
    "layoff": [GIN_ONLY],
    "layoff_on_gin": [{"layoff": False}],
    "layoff_chain": [{"layoff": False}, GIN_ONLY],
    "undercut_bonus": [GIN_ONLY, GIN_ONLY | PENALTY],
    "undercut_tie": [GIN_ONLY, PENALTY],
    "big_gin_bonus": [{}, PENALTY],
    "game_bonus": [PENALTY],
    "boxes_in_running_score": [{}, BOXES | COLUMNS],
    "shutout": [PENALTY],
    "match_winner": [{"deals": 5}, COLUMNS],
}
"""Knobs beside which a knob has nothing to say."""


def values_of(knob: str, owner: type[msgspec.Struct] = RuleSet) -> list[Any]:
    """Return every value that a knob may have in a struct of knobs, as JSON has it.

    A length that is not set is no value of its own: another one is.
    """
    described = msgspec.inspect.type_info(owner)
    assert isinstance(described, StructType)
    (field,) = (field for field in described.fields if field.name == knob)
    return [value for value in _values(field.type) if value is not None or knob not in LENGTHS]


def rules_with(*knobs: Mapping[str, Any], seats: int = 2) -> RuleSet:
    """Return ``classic`` with knobs as JSON has them, none of which R9 refuses with so many seats."""
    given: dict[str, Any] = {}
    for part in knobs:
        replaced = {*LENGTHS} if {*LENGTHS} & {*part} else set()
        given = {name: value for name, value in given.items() if name not in replaced} | {**part}
    typed = msgspec.convert(given, RuleSet)
    rules = resolve(PRESETS[0], {name: getattr(typed, name) for name in given})
    assert refused_knob(rules, seats) is None
    return rules


def _values(kind: msgspec.inspect.Type) -> Iterator[Any]:
    match kind:
        case UnionType():
            for each in kind.types:
                yield from _values(each)
        case IntType():
            assert kind.ge is not None
            assert kind.le is not None
            yield from range(kind.ge, kind.le + 1)
        case BoolType():
            yield from (False, True)
        case EnumType():
            yield from (member.value for member in kind.cls)
        case LiteralType():
            yield from kind.values
        case NoneType():
            yield None
        case _:
            raise AssertionError(kind)
