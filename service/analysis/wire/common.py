"""What requests of analysis have in common."""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.actions import Meld
from engine.cards import Card, parse, set_of
from engine.rules import KnockLimitSource, RuleSet, UpcardOffer
from engine.scoring import knock_limit
from service.http.cards import CardCode, MeldsIn
from service.http.problems import Code, Problem
from service.http.rules import Overrides, RulesetName, SeatCount, rules_for_seats, rules_of

CardPoints: TypeAlias = Annotated[int, Meta(ge=0, le=165)]
"""Points of cards: at most eleven aces' worth of fifteen."""

MeldNumber: TypeAlias = Annotated[int, Meta(ge=0, le=3)]
"""The place of a meld in the list that holds it."""

HandNumber: TypeAlias = Annotated[int, Meta(ge=0, le=3)]
"""A hand's place in the request: the knocker's is 0, or a seat's number."""


class WithRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every request may say about the rules; the default is ``classic``."""

    ruleset: RulesetName = "classic"
    overrides: Overrides | UnsetType = UNSET

    def rules(self, seats: int = 2) -> RuleSet:
        """Return the rules asked for; raise `Problem` where they are refused."""
        return rules_of(self.ruleset, self.overrides, seats)


class WithSeats(WithRules, frozen=True, kw_only=True):
    """What a request may say about the rules where the size of a hand matters, which the seats decide."""

    seats: SeatCount = 2

    def rules_for_seats(self) -> RuleSet:
        """Return the rules asked for; raise `Problem` where they or the number of seats are refused."""
        return rules_for_seats(self.ruleset, self.overrides, self.seats)


def limit_from_wire(rules: RuleSet, upcard: CardCode | UnsetType) -> int:
    """Return the knock limit of a deal with this upcard; raise `Problem` as `upcard_from_wire` does."""
    return knock_limit(rules, upcard_from_wire(rules, upcard, scored=False))


def upcard_from_wire(rules: RuleSet, upcard: CardCode | UnsetType, *, scored: bool) -> Card | None:
    """Return the upcard of a deal, or None where none was given.

    Raise `Problem` if there is one and the rules turn no card up (R2.4). Raise it too if there is none and
    the knock limit depends on it (R4.3), or the points do and the deal is `scored` (R6.2). The upcard may be
    in any hand: the seat that took it may keep it.
    """
    if upcard is not UNSET:
        if rules.upcard_offer is UpcardOffer.ELEVEN:
            raise Problem(Code.UPCARD_IMPOSSIBLE, card=upcard)
        return parse(upcard)
    if rules.knock_limit_source is KnockLimitSource.UPCARD:
        raise Problem(Code.UPCARD_REQUIRED, knob="knock_limit_source")
    if scored and rules.spade_doubles:
        raise Problem(Code.UPCARD_REQUIRED, knob="spade_doubles")
    return None


def melds_from_wire(melds: MeldsIn) -> tuple[Meld, ...]:
    """Return melds as sets of cards; a card given twice in one is counted once, so it is none."""
    return tuple(set_of(map(parse, meld)) if len(set(meld)) == len(meld) else 0 for meld in melds)
