"""The rule vectors, checked by exhaustive search when they were made; the same in every language."""

from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from engine.cards import CardSet, parse_all, set_of
from engine.rules import Ace, LayoffChain, RuleSet

HANDLED: Final[dict[str, str]] = {
    "meld": "test_deadwood",
    "is_meld": "test_melds",
    "eleven": "test_deadwood",
    "layoff": "test_layoffs",
    "layoff_legal": "test_layoffs",
    "spread": "test_spread",
    "multi": "test_scoring",
    "score": "test_scoring",
    "oklahoma": "test_scoring",
    "penalty": "test_scoring",
    "match": "test_totals",
    "hollywood": "test_totals",
    "counts": "test_cards",
    "flow": "test_flow",
    "reshuffle": "test_stock_end",
    "prize": "test_prizes",
}
"""The module that plays each kind."""


class Vector(msgspec.Struct, frozen=True):
    id: str
    kind: str
    title: str
    input: dict[str, Any]
    expect: dict[str, Any]
    why: str


def all_vectors() -> list[Vector]:
    text = (Path(__file__).parent.parent / "vectors" / "rules.json").read_bytes()
    return msgspec.json.decode(text, type=list[Vector])


def vectors(kind: str) -> pytest.MarkDecorator:
    """Run a test with each vector of one kind, as ``vector``, named by its id."""
    assert kind in HANDLED
    chosen = [vector for vector in all_vectors() if vector.kind == kind]
    return pytest.mark.parametrize("vector", chosen, ids=[vector.id for vector in chosen])


def cards(codes: str) -> CardSet:
    return set_of(parse_all(codes))


def melds(text: str) -> tuple[CardSet, ...]:
    """Return melds divided by bars: ``7H 8H 9H | QS QD QC``."""
    return tuple(cards(meld) for meld in text.split("|") if meld.strip())


def rules_of(vector: Vector) -> RuleSet:
    """Return ``classic`` with the knobs that this vector states."""
    given = vector.input
    knobs: dict[str, Any] = dict(given.get("rules", {}))
    if "ace" in given:
        knobs["ace"] = Ace(given["ace"])
    if "layoff_chain" in given:
        knobs["layoff_chain"] = LayoffChain(given["layoff_chain"])
    knobs |= {knob: given[knob] for knob in ("ace_points", "knock_limit", "hand_size") if knob in given}
    return msgspec.convert(knobs, RuleSet)
