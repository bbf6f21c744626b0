"""The course of a deal: what each phase offers and where it leads."""

from typing import Final

from engine.actions import (
    Action,
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Pass,
    TakeUpcard,
)
from engine.state import Phase

FLOW: Final[dict[Phase, dict[type[Action], tuple[Phase | None, ...]]]] = {
    Phase.WAITING: {},
    Phase.UPCARD_OFFER: {
        TakeUpcard: (Phase.DISCARD,),
        Pass: (Phase.UPCARD_OFFER, Phase.DRAW),
    },
    Phase.DRAW: {
        DrawStock: (Phase.DISCARD, None),
        DrawDiscard: (Phase.DISCARD,),
    },
    Phase.DISCARD: {
        Discard: (Phase.DRAW, Phase.LAST_DISCARD, None),
        Knock: (Phase.LAYOFF, None),
        BigGin: (Phase.LAYOFF, None),
    },
    Phase.LAST_DISCARD: {
        DrawDiscard: (Phase.DISCARD,),
        Pass: (None,),
    },
    Phase.LAYOFF: {
        LayOff: (Phase.LAYOFF, None),
    },
    Phase.FINISHED: {},
}
"""For each phase the actions of the seat in turn, and the phases each may lead to; None ends the deal."""
