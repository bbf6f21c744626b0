"""docs/rules.md, the presets and the types are held against each other: none of them may drift."""

import ast
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.presets import LENGTHS, PRESETS, Preset
from engine.rules import RuleSet
from service.http.rules import Knobs, Overrides
from tests import strategies
from tests.knobs import KNOBS, values_of

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """Return the cells of the rows of the table that begins with this heading."""
    (found,) = re.findall(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in found.splitlines()]


def named(cell: str) -> str:
    (name,) = re.findall("`(.+?)`", cell)
    return str(name)


def value_of(word: str) -> Any:  # noqa: ANN401  any value of a knob
    return msgspec.json.decode(word) if re.fullmatch("null|true|false|[0-9]+", word) else word


def listed(cell: str) -> list[Any]:
    """Return the values that a cell lists: ``**null** (a remark), 3–10`` are nine; two lists may overlap."""
    values: list[Any] = []
    for word in re.sub(r"\(.*?\)|\*", "", cell).split(","):
        least, _, most = word.strip().partition("–")
        values += range(int(least), int(most) + 1) if most else [value_of(least)]
    return [value for index, value in enumerate(values) if kind(value) not in map(kind, values[:index])]


def kind(value: object) -> tuple[type, object]:
    """Tell ``true`` from 1."""
    return (type(value), value)


def as_set(values: list[Any]) -> set[tuple[type, object]]:
    return {kind(value) for value in values}


def default(cell: str) -> Any:  # noqa: ANN401  any value of a knob
    (word,) = re.findall(r"\*\*(.+?)\*\*", cell)
    return value_of(word)


ROWS = {named(knob): (values, rules) for knob, values, rules in table("knob")}
DIFFERS = {named(preset): (differs, seats) for preset, differs, seats in table("preset")}
LATEST = {preset.name: preset for preset in PRESETS}
ASKED_FOR = {
    node.attr
    for file in (ROOT / "engine").rglob("*.py")
    if file.name != "presets.py"  # what goes together is not what is played
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    if isinstance(node, ast.Attribute)
}
CLASSIC: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(msgspec.structs.asdict(RuleSet())))


def test_the_page_lists_the_knobs_in_their_order() -> None:
    assert [*ROWS] == [*KNOBS]


def test_clients_write_and_read_the_same_knobs() -> None:
    assert Overrides.__struct_fields__ == KNOBS
    assert Knobs.__struct_fields__ == KNOBS


@pytest.mark.parametrize("knob", KNOBS)
def test_a_knob_has_the_values_that_the_page_lists(knob: str) -> None:
    cell, _ = ROWS[knob]
    values = [value for value in listed(cell) if value is not None or knob not in LENGTHS]
    assert as_set(values) == as_set(values_of(knob))
    assert as_set(values) == as_set(values_of(knob, Overrides))
    assert as_set(values) == as_set(values_of(knob, Knobs))


@pytest.mark.parametrize("knob", KNOBS)
def test_the_default_of_a_knob_is_the_bold_one(knob: str) -> None:
    assert kind(default(ROWS[knob][0])) == kind(CLASSIC[knob])


@pytest.mark.parametrize("knob", KNOBS)
def test_the_engine_asks_for_a_knob_where_it_plays(knob: str) -> None:
    assert knob in ASKED_FOR


@pytest.mark.parametrize("knob", KNOBS)
def test_a_knob_is_told_of_by_a_rule_that_its_row_cites(knob: str) -> None:
    rules = [rule(number) for number in ROWS[knob][1].split(", ")]
    assert any(f"`{knob}`" in text for text in rules)


def rule(number: str) -> str:
    """Return the text of a rule, or of a section."""
    pattern = (
        rf"^## {number} .*?(?=^## )" if "." not in number else rf"^- \*\*{number}\*\*.*?(?=^- \*\*|^## |^$)"
    )
    (text,) = re.findall(pattern, PAGE, re.MULTILINE | re.DOTALL)
    return str(text)


def test_random_rule_sets_vary_every_knob() -> None:
    assert {*strategies.KNOBS, "scoring", *LENGTHS} == {*KNOBS}


def test_the_page_has_the_latest_version_of_each_preset() -> None:
    assert {*DIFFERS} == {*LATEST}


@pytest.mark.parametrize("preset", LATEST.values(), ids=LATEST)
def test_a_preset_differs_from_classic_as_the_page_says(preset: Preset) -> None:
    differs, seats = DIFFERS[preset.name]
    told = {knob: value_of(value) for knob, value in re.findall(r"`(\w+)` (\w+)", differs)}
    assert told == msgspec.json.decode(msgspec.json.encode(preset.differs()))
    assert (differs == "nothing") == (not told)
    least, _, most = seats.partition("–")
    assert (int(least), int(most or least)) == (preset.least_seats, preset.most_seats)
