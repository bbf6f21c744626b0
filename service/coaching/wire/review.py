"""A review as its audience reads it."""

from collections.abc import Sequence
from heapq import nlargest
from typing import Annotated, Final, Literal, TypeAlias
from uuid import UUID

from msgspec import Meta, Struct

from engine.review import Decision, accuracy
from service.matches.wire.actions import AnyActionBody, action_to_wire
from service.matches.wire.numbers import DealNumber, SeatNumber, Version

WORST: Final = 3

Accuracy: TypeAlias = Annotated[
    float,
    Meta(
        ge=0,
        le=100,
        description=(
            "100 times the mean of 1 / (1 + difference / 5) over the seat's decisions, to one decimal: "
            "100 for the expert's own play, 50 for five points lost in each decision."
        ),
    ),
]
Difference: TypeAlias = Annotated[
    float,
    Meta(ge=0, le=100_000, description="Points that the expert expects to lose by the action."),
]
DecisionCount: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000, description="A number of decisions.")]


class DecisionOut(Struct, frozen=True):
    """A decision, `version` being that of its step, and what the expert would have done instead.

    Both are judged by what the seat knew then.
    """

    seat: SeatNumber
    version: Version
    deal: DealNumber
    action: AnyActionBody
    best: AnyActionBody
    difference: Difference


class SeatReviewOut(Struct, frozen=True):
    """A seat's decisions in their order; all but `seat` is null to whoever may not see them.

    `accuracy` is null, too, where the seat had nothing to decide. `worst` are the three with the greatest
    difference, no more than there are with any, and `missed_knocks` the throws where the expert would have
    ended the deal.
    """

    seat: SeatNumber
    accuracy: Accuracy | None
    count: DecisionCount | None
    worst: Annotated[list[DecisionOut], Meta(max_length=WORST)] | None
    missed_knocks: list[DecisionOut] | None
    decisions: list[DecisionOut] | None


class ReviewOut(Struct, frozen=True, kw_only=True):
    """A finished match beside the expert's play; `deal` is null where it is the whole match."""

    match_id: UUID
    version: Version
    level: Literal["expert"] = "expert"
    deal: DealNumber | None
    deals: list[DealNumber]
    seats: list[SeatReviewOut]


def seat_to_wire(seat: int, found: Sequence[Decision]) -> SeatReviewOut:
    """Return what a seat decided."""
    lost = [decision for decision in found if decision.difference > 0]
    return SeatReviewOut(
        seat=seat,
        accuracy=accuracy(found),
        count=len(found),
        worst=_listed(nlargest(WORST, lost, key=lambda decision: decision.difference)),
        missed_knocks=_listed([decision for decision in found if decision.missed_knock]),
        decisions=_listed(found),
    )


def hidden_seat(seat: int) -> SeatReviewOut:
    """Return what those see of a seat who may not see its decisions."""
    return SeatReviewOut(seat, None, None, None, None, None)


def _listed(found: Sequence[Decision]) -> list[DecisionOut]:
    return [
        DecisionOut(
            seat=decision.seat,
            version=decision.version,
            deal=decision.deal,
            action=action_to_wire(decision.action),
            best=action_to_wire(decision.best),
            difference=decision.difference,
        )
        for decision in found
    ]
