"""The integers of the matches' documents, each with its least and its greatest value."""

from typing import Annotated, TypeAlias

from msgspec import Meta

SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, le=3, description="A seat, numbered from 0.")]
MeldIndex: TypeAlias = Annotated[
    int, Meta(ge=0, le=3, description="A meld's place in the knocker's spread, from 0; it never changes.")
]
DealNumber: TypeAlias = Annotated[
    int, Meta(ge=1, le=200, description="A deal, numbered from 1; void ones count.")
]
DealCount: TypeAlias = Annotated[int, Meta(ge=0, le=200, description="A number of finished deals.")]
Version: TypeAlias = Annotated[
    int, Meta(ge=1, le=1_000_000, description="How many steps the match has seen; its creation is the first.")
]
Seq: TypeAlias = Annotated[
    int, Meta(ge=1, le=10_000_000, description="An event's number in its match, from 1.")
]
Deadwood: TypeAlias = Annotated[int, Meta(ge=0, le=150, description="Points of the cards in no meld.")]
KnockLimitOut: TypeAlias = Annotated[int, Meta(ge=0, le=10, description="The most deadwood that may knock.")]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=52, description="A number of cards.")]
InARow: TypeAlias = Annotated[int, Meta(ge=1, le=3, description="Time-outs of a seat in a row.")]
KnockDeadwood: TypeAlias = Annotated[
    int, Meta(ge=0, le=1_000_000, description="The deadwood of all knocks of a seat, added up.")
]
Points: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000, description="Points, or penalties.")]
"""The greatest values are safe ceilings: no rule set of R8 reaches them."""
