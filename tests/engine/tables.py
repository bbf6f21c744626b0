"""Rule sets and the leanings of two players, such that everything that can happen does happen."""

import random
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

import engine
from engine.play import Transition
from engine.rules import Ace, LayoffChain, Melds, RuleSet, UndercutTie, UpcardOffer
from engine.state import Match, PerSeat
from tests.playbook import CLASSIC, DECLARED, SIMPLE, STRAIGHT, TABLE, Habits, Step, seeded, steps

PLAIN: Final = Habits()
PATIENT: Final = Habits(ends=0.25)
CARELESS: Final = Habits(care=0.2, states=0.9)
FICKLE: Final = Habits(gives_up=0.01)


class Table(Struct, frozen=True):
    """What is played, and how the two players lean."""

    rules: RuleSet
    habits: PerSeat[Habits]

    def opening(self, number: int) -> Transition:
        """Return the creation of the match of this number on this table."""
        return engine.start_match(self.rules, TABLE, seeded(f"evening {number}"))

    def opened(self, number: int) -> Match:
        """Return the match of this number on this table, just dealt."""
        return self.opening(number).match

    def steps(self, number: int) -> Iterator[Step]:
        """Play the match of this number on this table out."""
        return steps(self.opened(number), random.Random(number), self.habits)


TABLES: Final = {
    "classic": Table(CLASSIC, (PLAIN, PLAIN)),
    "declared": Table(DECLARED, (PLAIN, Habits(states=0.9))),
    "simple": Table(SIMPLE, (PLAIN, PATIENT)),
    "straight": Table(STRAIGHT, (PLAIN, PATIENT)),
    "given up": Table(CLASSIC, (FICKLE, FICKLE)),
    "given up at a layoff": Table(DECLARED, (FICKLE, FICKLE)),
    "void by the stock": Table(CLASSIC, (CARELESS, PATIENT)),
    "void by turns": Table(RuleSet(max_turns=20, knock_limit=1, target=30), (CARELESS, PLAIN)),
    "no floor": Table(RuleSet(stock_floor=0, knock_limit=2, deals=3, target=None), (CARELESS, PLAIN)),
    "high floor": Table(RuleSet(stock_floor=10), (PLAIN, PATIENT)),
    "no layoff": Table(RuleSet(layoff=False, melds=Melds.DECLARED), (PLAIN, PATIENT)),
    "layoff on gin": Table(
        RuleSet(layoff_on_gin=True, big_gin=True, melds=Melds.DECLARED, deals=12, target=None),
        (PATIENT, PATIENT),
    ),
    "automatic layoff on gin": Table(
        RuleSet(layoff_on_gin=True, big_gin=True, layoff_chain=LayoffChain.ORIGINAL_ONLY, knock_limit=4),
        (PATIENT, PLAIN),
    ),
    "spades double": Table(
        RuleSet(spade_doubles=True, box_bonus=20, boxes_in_running_score=True), (PLAIN,) * 2
    ),
    "knocker zero": Table(
        RuleSet(undercut_tie=UndercutTie.KNOCKER_ZERO, deals=30, target=None, undercut_bonus=10), (PLAIN,) * 2
    ),
    "ace high": Table(RuleSet(ace=Ace.HIGH, ace_points=15), (PLAIN,) * 2),
    "ace both": Table(RuleSet(ace=Ace.BOTH, ace_points=11, melds=Melds.DECLARED), (PLAIN, CARELESS)),
    "ace corner": Table(RuleSet(ace=Ace.CORNER, big_gin=True, knock_limit=3), (PATIENT,) * 2),
    "three cards": Table(
        RuleSet(hand_size=3, upcard_offer=UpcardOffer.NONE, big_gin=True, game_bonus=100), (PATIENT,) * 2
    ),
    "seven cards": Table(
        RuleSet(hand_size=7, big_gin=True, melds=Melds.DECLARED, target=250), (PATIENT, PLAIN)
    ),
}
"""Tables by name: the presets played now, then the other knobs played now."""

ENDLESS: Final = Table(RuleSet(max_turns=20), (Habits(ends=0),) * 2)
"""Nobody ever knocks: 200 void deals (R2.6), too many for most properties."""
