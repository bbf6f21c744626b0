"""Hands and melds as clients write and read them."""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.deadwood import Arrangement
from service.analysis.hands import Checked, SolvedHand, Throw, Wanted
from service.analysis.wire.common import CardPoints, MeldNumber, WithRules, WithSeats, limit_from_wire
from service.http.cards import CardCode, HandIn, MeldsIn, code_of, codes_of, codes_of_melds
from service.http.rules import RulesetName, SeatCount, rules_for_seats

ArrangementCount: TypeAlias = Annotated[int, Meta(ge=1, le=20)]


class SolveHandsIn(WithSeats, frozen=True, kw_only=True):
    """Hands to solve; `arrangements` asks for so many of the best arrangements of each.

    `upcard` must be given where the knock limit depends on it; a hand may hold it.
    """

    hands: Annotated[list[HandIn], Meta(min_length=1, max_length=200)]
    arrangements: ArrangementCount | UnsetType = UNSET
    upcard: CardCode | UnsetType = UNSET

    def wanted(self) -> Wanted:
        """Return what is asked of each hand; raise `Problem` where it is refused."""
        rules = self.rules_for_seats()
        return Wanted(rules, self.seats, limit_from_wire(rules, self.upcard), _count(self.arrangements))


class MeldsParams(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One hand to solve, in an address."""

    cards: Annotated[HandIn, Meta(description="The hand: codes divided by commas.")]
    ruleset: RulesetName = "classic"
    arrangements: (
        Annotated[ArrangementCount, Meta(description="How many of the best arrangements to list.")]
        | UnsetType
    ) = UNSET
    seats: SeatCount = 2
    upcard: (
        Annotated[
            CardCode, Meta(description="The upcard; it must be given where the knock limit depends on it.")
        ]
        | UnsetType
    ) = UNSET

    def wanted(self) -> Wanted:
        """Return what is asked of the hand; raise `Problem` where it is refused."""
        rules = rules_for_seats(self.ruleset, UNSET, self.seats)
        return Wanted(rules, self.seats, limit_from_wire(rules, self.upcard), _count(self.arrangements))


class SolvedArrangementOut(Struct, frozen=True):
    """A hand laid out with least deadwood."""

    melds: list[list[CardCode]]
    unmatched: list[CardCode]
    deadwood: CardPoints


class ThrowOut(Struct, frozen=True):
    """What is left after throwing one card."""

    card: CardCode
    deadwood: CardPoints
    melds: list[list[CardCode]]
    may_knock: bool
    gin: bool


class SolvedHandOut(Struct, frozen=True, kw_only=True):
    """A hand in the order of its cards, with the arrangement that R1.5 prefers.

    `throws` are those of a hand with one card too many; `may_knock` and `gin` then say whether some
    throw allows it, otherwise whether the hand as it is would.
    """

    cards: list[CardCode]
    melds: list[list[CardCode]]
    unmatched: list[CardCode]
    deadwood: CardPoints
    may_knock: bool
    gin: bool
    big_gin: bool
    arrangements: list[SolvedArrangementOut]
    throws: list[ThrowOut]


class SolvedHandsOut(Struct, frozen=True):
    """The hands in the order in which they were given."""

    results: list[SolvedHandOut]


class CheckMeldsIn(WithRules, frozen=True, kw_only=True):
    """Melds to hold against a hand."""

    cards: HandIn
    melds: MeldsIn


class MeldFaultOut(Struct, frozen=True):
    """What is wrong with meld number `meld`."""

    meld: MeldNumber
    code: Literal["not-in-hand", "not-a-meld", "overlap"]


class CheckedMeldsOut(Struct, frozen=True, kw_only=True):
    """Whether the melds may be laid; `deadwood` is what they leave, null where they are not valid."""

    valid: bool
    faults: list[MeldFaultOut]
    deadwood: CardPoints | None
    optimal_deadwood: CardPoints


def _count(arrangements: int | UnsetType) -> int:
    return 0 if arrangements is UNSET else arrangements


def solved_to_wire(solved: SolvedHand) -> SolvedHandOut:
    """Return a solved hand for a client."""
    return SolvedHandOut(
        cards=codes_of(solved.cards),
        melds=codes_of_melds(solved.best.melds),
        unmatched=codes_of(solved.best.unmatched),
        deadwood=solved.best.deadwood,
        may_knock=solved.may_knock,
        gin=solved.gin,
        big_gin=solved.big_gin,
        arrangements=[_arrangement_to_wire(arrangement) for arrangement in solved.arrangements],
        throws=[_throw_to_wire(throw) for throw in solved.throws],
    )


def checked_to_wire(checked: Checked) -> CheckedMeldsOut:
    """Return checked melds for a client."""
    return CheckedMeldsOut(
        valid=not checked.faults,
        faults=[MeldFaultOut(number, fault.value) for number, fault in checked.faults],
        deadwood=checked.deadwood,
        optimal_deadwood=checked.optimal_deadwood,
    )


def _arrangement_to_wire(arrangement: Arrangement) -> SolvedArrangementOut:
    return SolvedArrangementOut(
        codes_of_melds(arrangement.melds), codes_of(arrangement.unmatched), arrangement.deadwood
    )


def _throw_to_wire(throw: Throw) -> ThrowOut:
    return ThrowOut(
        card=code_of(throw.card),
        deadwood=throw.left.deadwood,
        melds=codes_of_melds(throw.left.melds),
        may_knock=throw.may_knock,
        gin=throw.left.deadwood == 0,
    )
