"""Sentences in the caller's language, from files of messages in Fluent's form."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

from fluent.runtime import FluentBundle, FluentResource
from fluent.runtime.types import fluent_number
from fluent.syntax.ast import Comment, GroupComment, Message, ResourceComment
from litestar import Request, Response

from service.http.languages import best_language

T = TypeVar("T")

Language: TypeAlias = Literal["en", "ru", "bg"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
"""The languages of every text; the first is the one for who asks for none of them."""

Bundles: TypeAlias = Mapping[Language, FluentBundle]
"""The messages of a subject in each language."""


def bundles_in(folder: Path) -> Bundles:
    """Return the messages of a folder, one file a language; raise `ValueError` where one has a fault.

    To read them takes a fifth of a second: subjects do so when the service starts.
    """
    return {
        language: messages_of(language, (folder / f"{language}.ftl").read_text(encoding="utf-8"))
        for language in LANGUAGES
    }


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


def told(messages: FluentBundle, message: str, values: Mapping[str, int | str]) -> str:
    """Return the text of a message on one line; raise what Fluent finds wrong with it."""
    pattern = messages.get_message(message).value
    assert pattern is not None  # noqa: S101  `messages_of` has seen to it
    shown = {
        name: fluent_number(value, useGrouping=False) if isinstance(value, int) else value
        for name, value in values.items()
    }
    text, errors = messages.format_pattern(pattern, shown)
    if errors:
        raise errors[0]
    return " ".join(str(text).split())


def language_for(request: Request[Any, Any, Any]) -> Language:
    """Return the language in which a caller is answered."""
    return best_language(",".join(request.headers.getall("accept-language", [])), LANGUAGES)


def in_language(language: Language, answer: Response[T]) -> Response[T]:
    """Return the answer with the headers that tell of its language."""
    vary = answer.headers.get("Vary")
    answer.headers["Content-Language"] = language
    answer.headers["Vary"] = "Accept-Language" if vary is None else f"{vary}, Accept-Language"
    return answer
