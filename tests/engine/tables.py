"""Rule sets and the leanings of those who play, such that everything that can happen does happen."""

import random
from functools import lru_cache
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

import engine
from engine.actions import OnTimeout
from engine.play import Transition
from engine.rules import (
    Ace,
    FirstTurnKnock,
    KnockLimitSource,
    LayoffChain,
    MatchWinner,
    Melds,
    NextDealer,
    OklahomaAce,
    RuleSet,
    Shutout,
    StockEnd,
    UndercutTie,
    UpcardOffer,
)
from engine.state import Match, PerSeat
from tests.playbook import (
    CLASSIC,
    COMPANIES,
    DECLARED,
    FOUR,
    PENALTY,
    PLAYED,
    Habits,
    Step,
    seeded,
    steps,
)
from tests.strategies import Game

PLAIN: Final = Habits()
PATIENT: Final = Habits(ends=0.25)
CARELESS: Final = Habits(care=0.2, states=0.9)
FICKLE: Final = Habits(gives_up=0.01)
TALKATIVE: Final = Habits(states=0.9)
DROWSY: Final = Habits(dozes=0.1)
LATE: Final = Habits(dozes=0.02, on_timeout=OnTimeout.FORFEIT)


class Table(Struct, frozen=True):
    """What is played, and how the players lean, who are as many."""

    rules: RuleSet
    habits: PerSeat[Habits]

    def opening(self, number: int) -> Transition:
        """Return the creation of the match of this number on this table."""
        return engine.start_match(self.rules, FOUR[: len(self.habits)], seeded(f"evening {number}"))

    def opened(self, number: int) -> Match:
        """Return the match of this number on this table, just dealt."""
        return self.opening(number).match

    def steps(self, number: int) -> tuple[Step, ...]:
        """Play the match of this number on this table out."""
        return _played(self, number)


@lru_cache(maxsize=200)
def _played(table: Table, number: int) -> tuple[Step, ...]:
    return tuple(steps(table.opened(number), random.Random(number), table.habits))


def table_of(game: Game) -> Table:
    """Return the table of a game that was put together by chance."""
    return Table(
        game.rules, (Habits(ends=0.6), Habits(care=0.6), Habits(ends=0.2, states=0.8), PLAIN)[: game.seats]
    )


PRESET_TABLES: Final = {
    f"{name} of {seats}": Table(PLAYED[name], (PLAIN, PATIENT, TALKATIVE, PLAIN)[:seats])
    for name, seats in COMPANIES
}
"""Every preset with every number of seats that it allows."""

SEVERAL: Final = replace(PENALTY, melds=Melds.DECLARED, layoff_chain=LayoffChain.ANY, big_gin=True, deals=2)
SHORT: Final = RuleSet(target=None, deals=3)
BOOKS: Final = RuleSet(target=60, game_bonus=100, box_bonus=20)

KNOB_TABLES: Final = {
    "given up": Table(CLASSIC, (FICKLE, FICKLE)),
    "given up at a layoff": Table(DECLARED, (FICKLE, FICKLE)),
    "given up by one of three": Table(replace(PENALTY, deals=9, melds=Melds.DECLARED), (FICKLE,) * 3),
    "asleep": Table(CLASSIC, (DROWSY, PLAIN)),
    "asleep at a layoff": Table(DECLARED, (DROWSY, DROWSY)),
    "asleep among three": Table(replace(PENALTY, deals=9, melds=Melds.DECLARED), (DROWSY, LATE, DROWSY)),
    "late once": Table(CLASSIC, (LATE, LATE)),
    "void by the stock": Table(SHORT, (CARELESS, PATIENT)),
    "void by turns": Table(RuleSet(max_turns=20, knock_limit=1, target=30), (CARELESS, PLAIN)),
    "no floor": Table(replace(SHORT, stock_floor=0, knock_limit=2), (CARELESS, PLAIN)),
    "high floor": Table(replace(SHORT, stock_floor=10), (PLAIN, PATIENT)),
    "last discard for a knock": Table(
        replace(
            SHORT,
            stock_end=StockEnd.LAST_DISCARD_KNOCK_ONLY,
            stock_floor=10,
            hand_size=9,
            melds=Melds.DECLARED,
        ),
        (Habits(ends=0.05),) * 2,
    ),
    "last discard playable": Table(
        replace(SHORT, stock_end=StockEnd.LAST_DISCARD_PLAYABLE, stock_floor=10, knock_limit=3, max_turns=40),
        (Habits(ends=0.3),) * 2,
    ),
    "dead on the draw": Table(
        replace(SHORT, stock_end=StockEnd.DEAD_ON_DRAW, stock_floor=10, knock_limit=2), (PATIENT, PATIENT)
    ),
    "reshuffled": Table(
        replace(
            SHORT,
            stock_end=StockEnd.RESHUFFLE,
            stock_floor=10,
            knock_limit=0,
            max_turns=90,
            target=None,
            deals=1,
        ),
        (PATIENT, CARELESS),
    ),
    "eleven": Table(
        replace(SHORT, upcard_offer=UpcardOffer.ELEVEN, big_gin=True, next_dealer=NextDealer.WINNER),
        (PLAIN, PLAIN),
    ),
    "the taken card may go": Table(
        replace(SHORT, allow_discard_taken=True, first_turn_knock=FirstTurnKnock.FORBIDDEN), (PLAIN, CARELESS)
    ),
    "gin by an ace": Table(
        replace(
            SHORT,
            knock_limit_source=KnockLimitSource.UPCARD,
            oklahoma_ace=OklahomaAce.GIN_ONLY,
            first_turn_knock=FirstTurnKnock.NOT_WITH_UPCARD,
            hand_size=5,
        ),
        (PLAIN, PATIENT),
    ),
    "no layoff": Table(replace(SHORT, layoff=False, melds=Melds.DECLARED), (PLAIN, PATIENT)),
    "layoff on gin": Table(
        RuleSet(
            layoff_on_gin=True,
            big_gin=True,
            melds=Melds.DECLARED,
            knock_limit=0,
            ace=Ace.CORNER,
            deals=6,
            target=None,
        ),
        (PATIENT, PATIENT),
    ),
    "automatic layoff on gin": Table(
        RuleSet(
            layoff_on_gin=True, big_gin=True, layoff_chain=LayoffChain.ORIGINAL_ONLY, knock_limit=4, target=60
        ),
        (PATIENT, PLAIN),
    ),
    "spades double": Table(
        RuleSet(spade_doubles=True, box_bonus=20, boxes_in_running_score=True), (PLAIN,) * 2
    ),
    "knocker zero": Table(
        RuleSet(undercut_tie=UndercutTie.KNOCKER_ZERO, deals=20, target=None, undercut_bonus=10), (PLAIN,) * 2
    ),
    "ace high": Table(replace(SHORT, ace=Ace.HIGH, ace_points=15), (PLAIN,) * 2),
    "ace both": Table(replace(SHORT, ace=Ace.BOTH, ace_points=11, melds=Melds.DECLARED), (PLAIN, CARELESS)),
    "ace corner": Table(replace(SHORT, ace=Ace.CORNER, big_gin=True, knock_limit=3), (PATIENT,) * 2),
    "three cards": Table(
        RuleSet(hand_size=3, upcard_offer=UpcardOffer.NONE, big_gin=True, game_bonus=100), (PATIENT,) * 2
    ),
    "seven cards": Table(
        RuleSet(hand_size=7, big_gin=True, melds=Melds.DECLARED, target=150), (PATIENT, PLAIN)
    ),
    "shutout": Table(replace(BOOKS, shutout=Shutout.DOUBLE_ALL, columns=3, target=20), (PLAIN, PATIENT)),
    "highest total": Table(
        replace(BOOKS, match_winner=MatchWinner.HIGHEST_TOTAL, next_dealer=NextDealer.LOSER), (PLAIN, PLAIN)
    ),
    "three declare": Table(replace(SEVERAL, next_dealer=NextDealer.LOSER), (PATIENT, TALKATIVE, PLAIN)),
    "four declare": Table(replace(SEVERAL, upcard_offer=UpcardOffer.STANDARD), (PLAIN, TALKATIVE) * 2),
    "four lay off on gin": Table(
        replace(SEVERAL, layoff_on_gin=True, knock_limit=0, hand_size=4, upcard_offer=UpcardOffer.ELEVEN),
        (PATIENT,) * 4,
    ),
    "to a penalty limit": Table(
        replace(PENALTY, deals=None, penalty_limit=60, next_dealer=NextDealer.WINNER, hand_size=5),
        (PLAIN, PLAIN, CARELESS),
    ),
}
"""The other knobs, and what else may happen."""

TABLES: Final = PRESET_TABLES | KNOB_TABLES

ENDLESS: Final = Table(RuleSet(max_turns=20), (Habits(ends=0),) * 2)
"""Nobody ever knocks: 200 void deals (R2.6), too many for most properties."""
