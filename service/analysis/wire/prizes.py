"""Dividing a prize, as clients ask for it."""

from typing import Annotated, TypeAlias

from msgspec import Meta, Struct

from service.analysis.wire.common import HandNumber
from service.matches.wire.numbers import Points

Cents: TypeAlias = Annotated[
    int, Meta(ge=0, le=1_000_000_000_000, description="An amount in the hundredth part of a currency.")
]


class PrizeSplitIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fund, the penalties of each seat, and the seat that won: none has fewer."""

    fund_cents: Cents
    penalties: Annotated[list[Points], Meta(min_length=2, max_length=4)]
    winner: HandNumber


class PrizeSplitOut(Struct, frozen=True):
    """What each seat gets; the amounts add up to the fund."""

    payout: list[Cents]
