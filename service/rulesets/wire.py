"""Rule sets as clients read them."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from engine.presets import Preset
from service.http.rules import Knobs, Overrides, RulesetName, knobs_of


class SeatRange(Struct, frozen=True):
    """How many seats may play."""

    least: Annotated[int, Meta(ge=2, le=4)]
    most: Annotated[int, Meta(ge=2, le=4)]


class RulesetOut(Struct, frozen=True, kw_only=True):
    """A published version of a rule set: `differs` are the knobs that are not as in ``classic``."""

    id: RulesetName
    name: str
    version: Annotated[int, Meta(ge=1, le=9999)]
    origin: str
    seats: SeatRange
    differs: Overrides
    knobs: Knobs


class RulesetsOut(Struct, frozen=True):
    """Every published version, older before newer."""

    items: list[RulesetOut]


def ruleset_to_wire(preset: Preset) -> RulesetOut:
    """Return a preset for a client."""
    return RulesetOut(
        id=preset.id,
        name=preset.name,
        version=preset.version,
        origin=preset.origin,
        seats=SeatRange(preset.least_seats, preset.most_seats),
        differs=msgspec.convert(preset.differs(), Overrides),
        knobs=knobs_of(preset.rules),
    )
