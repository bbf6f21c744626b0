"""What is played over HTTP: every preset in every company, and the rules that no preset has."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from engine.presets import PRESETS
from engine.rules import RuleSet
from service.http.rules import Overrides, rules_of

NAMES: Final = ("Ana", "Ben", "Cleo", "Dan")
SHORT: Final[Mapping[str, Mapping[str, Any]]] = {
    "simple": {"target": 60},
    "straight": {"target": 25},
    "hollywood": {"target": 40},
    "openspiel": {"deals": 3},
    "penalty": {"deals": 2},
}
"""What these are played to: gin alone takes many deals, and one deal is no match; the others go to 100."""


class Game(Struct, frozen=True):
    """A rule set as a caller asks for it, and how many sit down."""

    ruleset: str
    seats: int = 2
    overrides: Mapping[str, Any] = {}
    care: float = 0.9
    """How likely its players are to play well, and to knock; a careless game comes to the stock's end."""
    shows: frozenset[str] = frozenset()
    """Events that it is there for."""

    @property
    def body(self) -> dict[str, Any]:
        """The members of a match to create that choose the rules."""
        return {"ruleset": self.ruleset, "overrides": dict(self.overrides)}

    @property
    def rules(self) -> RuleSet:
        return rules_of(self.ruleset, msgspec.convert(self.overrides, Overrides), self.seats)

    def selves(self) -> list[dict[str, str]]:
        """A seat of the caller's for each who sits down."""
        return [{"kind": "self", "name": name} for name in NAMES[: self.seats]]


PRESET_GAMES: Final = {
    preset.name if seats == preset.least_seats else f"{preset.name} of {seats}": Game(
        preset.name, seats, SHORT.get(preset.name, {})
    )
    for preset in PRESETS
    for seats in range(preset.least_seats, preset.most_seats + 1)
}
"""Every preset with every number of seats that it allows."""

CARELESS: Final = 0.45
VOID: Final = frozenset({"deal_voided"})
DECLINED: Final = VOID | {"discard_passed"}
RESHUFFLED: Final = frozenset({"stock_reshuffled"})

FURTHER: Final = {
    "eleven": Game("classic", 2, {"upcard_offer": "eleven", "big_gin": True, "target": 60}),
    "eleven of 4": Game("penalty", 4, {"upcard_offer": "eleven", "penalty_limit": 40}),
    "declared of 3": Game("penalty", 3, {"melds": "declared", "layoff_chain": "any", "deals": 2}),
    "declared of 4": Game("penalty", 4, {"melds": "declared", "layoff_on_gin": True, "penalty_limit": 60}),
    "offered to 3": Game("penalty", 3, {"upcard_offer": "standard", "first_turn_knock": "not_with_upcard"}),
    "knock only": Game("openspiel", 2, {"stock_floor": 10, "deals": 4}, CARELESS, DECLINED),
    "playable": Game(
        "classic",
        2,
        {"stock_end": "last_discard_playable", "stock_floor": 10, "deals": 2},
        CARELESS,
        DECLINED,
    ),
    "dead on draw": Game("declared", 2, {"stock_end": "dead_on_draw", "stock_floor": 10}, CARELESS, VOID),
    "reshuffled": Game("penalty", 4, {"stock_floor": 10}, CARELESS, RESHUFFLED),
    "points from a reshuffled stock": Game(
        "simple",
        2,
        {"stock_end": "reshuffle", "stock_floor": 10, "first_turn_knock": "forbidden", "deals": 2},
        CARELESS,
        RESHUFFLED,
    ),
    "boxes run": Game(
        "classic",
        2,
        {
            "boxes_in_running_score": True,
            "box_bonus": 20,
            "spade_doubles": True,
            "next_dealer": "winner",
            "shutout": "double_all",
            "target": 80,
        },
    ),
}
"""Rules that no preset has, and those that come into play more often so."""

GAMES: Final = {**PRESET_GAMES, **FURTHER}
