"""A rule set in words: its facts, told in the messages of one language."""

from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from engine.rules import RuleSet
from service.http.texts import Language, bundles_in, told
from service.rulesets.facts import SECTIONS, Fact, Seats

TEXTS: Final = Path(__file__).parent / "texts"
"""One file of messages for each language."""


class Section(Struct, frozen=True):
    """One subject of a sheet: a title, and full sentences."""

    title: str
    sentences: tuple[str, ...]


@lru_cache(maxsize=256)
def rule_sheet(rules: RuleSet, seats: Seats, language: Language) -> tuple[Section, ...]:
    """Return the sheet of a rule set of which R9 refuses nothing.

    To write one takes two milliseconds, and the presets are asked for again and again.
    """
    shared = {"seats": seats.most, "columns": rules.columns}
    sections = (
        Section(
            _told(Fact(f"title-{name}"), {}, language),
            tuple(_told(fact, shared, language) for fact in facts(rules, seats)),
        )
        for name, facts in SECTIONS
    )
    return tuple(section for section in sections if section.sentences)


def _told(fact: Fact, shared: dict[str, int], language: Language) -> str:
    return told(_BUNDLES[language], fact.message, shared | {**fact.numbers})


_BUNDLES: Final = bundles_in(TEXTS)
