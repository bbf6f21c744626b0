"""What requests of analysis have in common."""

from typing import Annotated, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.actions import Meld
from engine.cards import parse, set_of
from engine.rules import RuleSet
from service.http.cards import MeldsIn
from service.http.rules import Overrides, RulesetName, rules_of

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


def melds_from_wire(melds: MeldsIn) -> tuple[Meld, ...]:
    """Return melds as sets of cards; a card given twice in one is counted once, so it is none."""
    return tuple(set_of(map(parse, meld)) if len(set(meld)) == len(meld) else 0 for meld in melds)
