"""Which of several languages a client reads best (RFC 9110, section 12.5.4; RFC 4647)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeVar

L = TypeVar("L", bound=str)

_ELEMENT: Final = re.compile(
    r"(?P<range>\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)"
    r"(?:[ \t]*;[ \t]*q=(?P<quality>0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?",
    re.ASCII,
)


def best_language(accept_language: str, offered: Sequence[L]) -> L:
    """Return the offered language that an ``Accept-Language`` header puts first.

    A header that names none of them gets the first that it does not rule out, and one that rules out all
    gets the first: a text in another language says more than a refusal. What is no language range counts
    for nothing.
    """
    ranked = sorted(_ranges(accept_language), key=lambda ranged: -ranged[1])
    ruled_out = {language for language, quality in ranked if not quality}
    left = [language for language in offered if language.lower() not in ruled_out] or offered
    wanted = (lookup(language, left) for language, quality in ranked if quality)
    return next((language for language in wanted if language is not None), left[0])


def lookup(language_range: str, offered: Iterable[L]) -> L | None:
    """Return the offered language that meets a range best, or None (RFC 4647, section 3.4).

    Letters may be small or capital. ``ru-RU`` is met by ``ru``: a range loses its last parts until it is
    an offered language. ``*`` names none.
    """
    named = {language.lower(): language for language in offered}
    subtags = language_range.lower().split("-")
    while subtags:
        if (found := named.get("-".join(subtags))) is not None:
            return found
        subtags.pop()
        if subtags and len(subtags[-1]) == 1:
            subtags.pop()  # it only begins what was cut off
    return None


def _ranges(accept_language: str) -> Iterator[tuple[str, float]]:
    """Yield each language range with its quality, from 0 to 1."""
    for element in accept_language.lower().split(","):
        found = _ELEMENT.fullmatch(element.strip(" \t"))
        if found is not None:
            yield found["range"], float(found["quality"] or 1)
