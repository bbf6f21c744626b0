"""Why an action may not happen. A refusal changes nothing (R10)."""

from enum import StrEnum


class Reason(StrEnum):
    """The rule that forbids an action; each is a problem type of the API."""

    NOT_YOUR_TURN = "not-your-turn"
    WRONG_PHASE = "wrong-phase"
    MUST_DRAW_STOCK = "must-draw-stock"
    MUST_KNOCK = "must-knock"
    NO_KNOCK_POSSIBLE = "no-knock-possible"
    FIRST_TURN_KNOCK = "first-turn-knock"
    CARD_NOT_IN_HAND = "card-not-in-hand"
    CARD_JUST_TAKEN = "card-just-taken"
    DEADWOOD_ABOVE_LIMIT = "deadwood-above-limit"
    NOT_GIN = "not-gin"
    BIG_GIN_NOT_PLAYED = "big-gin-not-played"
    MELDS_NOT_DECLARED = "melds-not-declared"
    MELD_INVALID = "meld-invalid"
    MELD_OVERLAP = "meld-overlap"
    LAYOFF_DOES_NOT_FIT = "layoff-does-not-fit"
    MATCH_NOT_STARTED = "match-not-started"
    MATCH_STARTED = "match-started"
    MATCH_FINISHED = "match-finished"
    MATCH_FULL = "match-full"


class Refusal(Exception):  # noqa: N818  the game's word; a refusal is an answer, not a fault
    """An action that the rules forbid; `facts` hold only what the asking seat knows."""

    def __init__(self, reason: Reason, **facts: int) -> None:
        super().__init__(reason.value)
        self.reason = reason
        self.facts = facts


def require(condition: bool, reason: Reason, **facts: int) -> None:  # noqa: FBT001  it reads as the rule does
    """Raise `Refusal` unless the condition holds."""
    if not condition:
        raise Refusal(reason, **facts)
