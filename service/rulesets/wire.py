"""Rule sets as clients read them."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from engine.presets import Preset
from engine.rules import RuleSet
from service.http.rules import Knobs, Overrides, RulesetName, SeatCount, knobs_of, rules_for_seats
from service.http.texts import Language
from service.rulesets.facts import Seats
from service.rulesets.sheet import rule_sheet


class SeatRange(Struct, frozen=True):
    """How many seats may play."""

    least: SeatCount
    most: SeatCount


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


class SectionOut(Struct, frozen=True):
    """One subject of a rule sheet, in full sentences."""

    title: str
    sentences: list[str]


class RuleSheetOut(Struct, frozen=True):
    """The rules in words, generated from the knobs: what is not played is not mentioned."""

    language: Language
    sections: list[SectionOut]


class RulesetWithSheetOut(RulesetOut, frozen=True, kw_only=True):
    """A published version of a rule set, with its rules in words for every number of seats it allows."""

    sheet: RuleSheetOut


class RuleSheetIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rules to tell, as a match is created by them; by default those of ``classic`` for two seats."""

    ruleset: RulesetName = "classic"
    overrides: Overrides | UnsetType = UNSET
    seats: SeatCount = 2

    def rules(self) -> RuleSet:
        """Return the rules asked for; raise `Problem` where they or the number of seats are refused."""
        return rules_for_seats(self.ruleset, self.overrides, self.seats)


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


def ruleset_with_sheet_to_wire(preset: Preset, language: Language) -> RulesetWithSheetOut:
    """Return a preset with its sheet for a client."""
    seats = Seats(preset.least_seats, preset.most_seats)
    return RulesetWithSheetOut(
        **msgspec.structs.asdict(ruleset_to_wire(preset)),
        sheet=sheet_to_wire(preset.rules, seats, language),
    )


def sheet_to_wire(rules: RuleSet, seats: Seats, language: Language) -> RuleSheetOut:
    """Return a rule set in words."""
    sections = [
        SectionOut(section.title, list(section.sentences)) for section in rule_sheet(rules, seats, language)
    ]
    return RuleSheetOut(language, sections)
