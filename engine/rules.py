"""A rule set is a value: every knob of R8, with the ranges it may take."""

from enum import StrEnum
from typing import Annotated, Literal

from msgspec import Meta, Struct


class NextDealer(StrEnum):
    """Who deals after a scored deal (R2.3)."""

    ALTERNATE = "alternate"
    WINNER = "winner"
    LOSER = "loser"


class UpcardOffer(StrEnum):
    """How the first turn begins (R2.4)."""

    STANDARD = "standard"
    NONE = "none"
    ELEVEN = "eleven"


class Ace(StrEnum):
    """Where the ace stands in a run (R1.4)."""

    LOW = "low"
    HIGH = "high"
    BOTH = "both"
    CORNER = "corner"


class KnockLimitSource(StrEnum):
    """Where a deal's knock limit comes from (R4.3)."""

    FIXED = "fixed"
    UPCARD = "upcard"


class OklahomaAce(StrEnum):
    """What an ace as upcard means when it sets the limit (R4.3)."""

    ONE = "one"
    GIN_ONLY = "gin_only"


class FirstTurnKnock(StrEnum):
    """Whether a seat's first turn of a deal may end it (R4.1)."""

    ALLOWED = "allowed"
    NOT_WITH_UPCARD = "not_with_upcard"
    FORBIDDEN = "forbidden"


class Melds(StrEnum):
    """Who arranges the hands when a deal ends (R5.1, R5.2)."""

    AUTO = "auto"
    DECLARED = "declared"


class LayoffChain(StrEnum):
    """Whether a laid-off card is a new end to build on (R5.4)."""

    ANY = "any"
    ORIGINAL_ONLY = "original_only"


class StockEnd(StrEnum):
    """What happens when the stock comes to its floor (R4.5, R7.4)."""

    DEAD_AFTER_DISCARD = "dead_after_discard"
    LAST_DISCARD_KNOCK_ONLY = "last_discard_knock_only"
    LAST_DISCARD_PLAYABLE = "last_discard_playable"
    DEAD_ON_DRAW = "dead_on_draw"
    RESHUFFLE = "reshuffle"


class Scoring(StrEnum):
    """Points to the winner of a deal (R6), or penalties to the others (R7)."""

    POINTS = "points"
    PENALTY = "penalty"


class UndercutTie(StrEnum):
    """Who profits when the defender equals the knocker (R6)."""

    DEFENDER = "defender"
    KNOCKER_ZERO = "knocker_zero"


class Shutout(StrEnum):
    """What the winner of a match earns where the loser has no point (R6.4)."""

    NONE = "none"
    DOUBLE_GAME_BONUS = "double_game_bonus"
    FLAT_100 = "flat_100"
    DOUBLE_HAND_POINTS = "double_hand_points"
    DOUBLE_POINTS_AND_BONUS = "double_points_and_bonus"
    DOUBLE_ALL = "double_all"


class MatchWinner(StrEnum):
    """Who wins a match played to a target (R6.5)."""

    FIRST_TO_TARGET = "first_to_target"
    HIGHEST_TOTAL = "highest_total"


HandSize = Annotated[int, Meta(ge=3, le=10)]
KnockLimit = Annotated[int, Meta(ge=0, le=10)]
StockFloor = Annotated[int, Meta(ge=0, le=10)]
MaxTurns = Annotated[int, Meta(ge=20, le=500)]
Bonus = Annotated[int, Meta(ge=0, le=1000)]
Target = Annotated[int, Meta(ge=1, le=1000)]
DealCount = Annotated[int, Meta(ge=1, le=100)]
AcePoints = Literal[1, 11, 15]
Columns = Literal[1, 3]


class RuleSet(Struct, frozen=True, kw_only=True):
    """Every knob of R8; the defaults are the preset ``classic``.

    It is stored whole: a match keeps its rules, whatever a later ``classic`` says.

    Exactly one of `target`, `deals` and `penalty_limit` is set in a rule set that R9 accepts.
    """

    hand_size: HandSize | None = None
    next_dealer: NextDealer = NextDealer.ALTERNATE
    upcard_offer: UpcardOffer = UpcardOffer.STANDARD
    allow_discard_taken: bool = False
    ace: Ace = Ace.LOW
    ace_points: AcePoints = 1
    knock_limit: KnockLimit = 10
    knock_limit_source: KnockLimitSource = KnockLimitSource.FIXED
    oklahoma_ace: OklahomaAce = OklahomaAce.ONE
    first_turn_knock: FirstTurnKnock = FirstTurnKnock.ALLOWED
    big_gin: bool = False
    melds: Melds = Melds.AUTO
    layoff: bool = True
    layoff_on_gin: bool = False
    layoff_chain: LayoffChain = LayoffChain.ANY
    stock_floor: StockFloor = 2
    stock_end: StockEnd = StockEnd.DEAD_AFTER_DISCARD
    max_turns: MaxTurns = 200
    scoring: Scoring = Scoring.POINTS
    gin_bonus: Bonus = 25
    undercut_bonus: Bonus = 25
    big_gin_bonus: Bonus = 31
    game_bonus: Bonus = 0
    box_bonus: Bonus = 0
    undercut_tie: UndercutTie = UndercutTie.DEFENDER
    spade_doubles: bool = False
    boxes_in_running_score: bool = False
    target: Target | None = 100
    deals: DealCount | None = None
    penalty_limit: Target | None = None
    shutout: Shutout = Shutout.NONE
    match_winner: MatchWinner = MatchWinner.FIRST_TO_TARGET
    columns: Columns = 1

    @property
    def offers_last_discard(self) -> bool:
        """Whether the throw that leaves the stock at its floor is offered to the next seat (R4.5)."""
        return self.stock_end in {StockEnd.LAST_DISCARD_KNOCK_ONLY, StockEnd.LAST_DISCARD_PLAYABLE}

    def hand_size_for(self, seats: int) -> int:
        """Return how many cards each of this many seats is dealt (R2.1)."""
        return self.hand_size or (10 if seats == 2 else 7)  # noqa: PLR2004  the rule's own numbers
