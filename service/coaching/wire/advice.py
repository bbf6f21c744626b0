"""Advice as a seat reads it: every action on offer, the best first, and why."""

from typing import Annotated, Literal, TypeAlias
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.advice import Advice
from engine.grounds import Because
from service.coaching.sentences import sentence
from service.http.cards import CardCode, codes_of
from service.http.texts import Language
from service.matches.wire.actions import AnyActionBody, action_to_wire
from service.matches.wire.numbers import Count, Points, SeatNumber, Version

GroundName: TypeAlias = Literal[
    "only_action",
    "big_gin",
    "gin",
    "completes_meld",
    "lowers_deadwood",
    "allows_knock",
    "no_use",
    "knocks_with",
    "undercut_risk",
    "gin_available",
    "breaks_meld",
    "high_deadwood",
    "opponent_wants",
    "safe",
    "live_outs",
    "keeps_waiting_for_gin",
    "lays_off",
    "undercuts",
    "last_turns",
    "voids_deal",
]
Chance: TypeAlias = Annotated[float, Meta(ge=0, le=1, description="A chance, in hundredths.")]
Expected: TypeAlias = Annotated[
    float, Meta(ge=-100_000, le=100_000, description="Points that the expert expects, to hundredths.")
]


class ReasonOut(Struct, frozen=True, omit_defaults=True):
    """What speaks for the action or against it: a code, the figures that it has, and a sentence.

    `cards` are those that the code speaks of, `count` is a number of cards, `points` are points of cards or a
    bonus, `chance` is a probability.
    """

    code: GroundName
    text: str
    cards: list[CardCode] | UnsetType = UNSET
    count: Count | UnsetType = UNSET
    points: Points | UnsetType = UNSET
    chance: Chance | UnsetType = UNSET


class AdvisedActionOut(Struct, frozen=True):
    """An action on offer, ready to be proposed; `value` is what the whole deal is worth to the seat then.

    It is expected points: the seat's own less the opponent's, or the others' penalties in the mean less its
    own. Melds and layoffs are left out, which leaves them to be chosen best.
    """

    action: AnyActionBody
    value: Expected
    reasons: list[ReasonOut]


class AdviceOut(Struct, frozen=True, kw_only=True):
    """Every action on offer, the best first; `best` is the first one's action."""

    level: Literal["expert"] = "expert"
    best: AnyActionBody
    items: list[AdvisedActionOut]


class SeatAdviceOut(AdviceOut, frozen=True, kw_only=True):
    """Advice for a seat of a match, at a version of it."""

    match_id: UUID
    version: Version
    seat: SeatNumber


def advised_to_wire(advice: Advice, seats: int, language: Language) -> AdvisedActionOut:
    """Return an action with its reasons, for a table of so many seats."""
    return AdvisedActionOut(
        action=action_to_wire(advice.action),
        value=advice.value,
        reasons=[_reason(because, seats, language) for because in advice.grounds],
    )


def _reason(because: Because, seats: int, language: Language) -> ReasonOut:
    return ReasonOut(
        code=because.ground.value,
        text=sentence(because, seats, language),
        cards=codes_of(because.cards) if because.cards else UNSET,
        count=UNSET if because.count is None else because.count,
        points=UNSET if because.points is None else because.points,
        chance=UNSET if because.percent is None else because.percent / 100,
    )
