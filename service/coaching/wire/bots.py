"""The levels of the bots as clients read them."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from engine.bots import Level
from engine.bots.measured import Measured, Measurement
from service.coaching.sentences import level_in_words
from service.http.rules import RulesetName
from service.http.texts import Language
from service.matches.wire.seats import BotLevel

Percent: TypeAlias = Annotated[float, Meta(ge=0, le=100)]
Milliseconds: TypeAlias = Annotated[float, Meta(ge=0, le=60_000)]
MatchCount: TypeAlias = Annotated[int, Meta(ge=1, le=10_000_000)]


class StrengthOut(Struct, frozen=True):
    """The share of matches that a level wins against ``club``, in percent, with its 95 % interval."""

    ruleset: RulesetName
    percent: Percent
    low: Percent
    high: Percent
    matches: MatchCount


class DecisionTimeOut(Struct, frozen=True):
    """How long a decision takes, in milliseconds of the processor: in the mean, and 99 of 100 at most."""

    mean: Milliseconds
    p99: Milliseconds


class BotOut(Struct, frozen=True):
    """A level to play against, as a bot's seat names it; `against_club` is empty for ``club`` itself."""

    level: BotLevel
    description: str
    against_club: list[StrengthOut]
    decision_ms: DecisionTimeOut


class BotsOut(Struct, frozen=True):
    """Every level, from the weakest to the strongest, as it was measured over mirrored deals."""

    items: list[BotOut]


def bots_to_wire(measurement: Measurement, language: Language) -> BotsOut:
    """Return the levels with their figures."""
    return BotsOut([_bot(figures, language) for figures in measurement.levels])


def _bot(figures: Measured, language: Language) -> BotOut:
    return BotOut(
        level=figures.level.value,
        description=level_in_words(figures.level, language),
        against_club=[
            StrengthOut(ruleset, rate.percent, rate.low, rate.high, rate.matches)
            for ruleset, rate in figures.against_club.items()
            if figures.level is not Level.CLUB
        ],
        decision_ms=DecisionTimeOut(figures.mean_ms, figures.p99_ms),
    )
