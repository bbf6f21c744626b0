"""A rule set in words: its facts, told in the messages of one language."""

from functools import lru_cache
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from fluent.runtime import FluentBundle, FluentResource
from fluent.runtime.types import fluent_number
from fluent.syntax.ast import Comment, GroupComment, Message, ResourceComment
from msgspec import Struct

from engine.rules import RuleSet
from service.rulesets.facts import SECTIONS, Fact, Seats

Language: TypeAlias = Literal["en", "ru", "bg"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
"""The languages of the sheets; the first is the one for who asks for none of them."""

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
    messages = _BUNDLES[language]
    pattern = messages.get_message(fact.message).value
    assert pattern is not None  # noqa: S101  `messages_of` has seen to it
    numbers = {
        name: fluent_number(number, useGrouping=False) for name, number in (shared | {**fact.numbers}).items()
    }
    text, errors = messages.format_pattern(pattern, numbers)
    if errors:
        raise errors[0]
    return " ".join(str(text).split())


def messages_of(language: Language, text: str) -> FluentBundle:
    """Return the messages of a file, each of which has a text; raise `ValueError` where it has a fault."""
    resource = FluentResource(text)
    for entry in resource.body:
        told = isinstance(entry, Message) and entry.value is not None
        if not told and not isinstance(entry, Comment | GroupComment | ResourceComment):
            raise ValueError(f"the texts in {language} hold what is no message: {type(entry).__name__}")
    messages = FluentBundle([language], use_isolating=False)
    messages.add_resource(resource)
    return messages


_BUNDLES: Final = {
    language: messages_of(language, (TEXTS / f"{language}.ftl").read_text(encoding="utf-8"))
    for language in LANGUAGES
}
"""Read when the service starts, which takes a fifth of a second: no request waits for it."""
