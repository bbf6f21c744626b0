"""What the expert would do in a view, what each other action is worth beside it, and why.

It is given a view, so it can know no more than the seat; no bot's seed comes into it.
"""

from collections.abc import Iterator

from msgspec import Struct

from engine.actions import Move
from engine.bots.expert import values
from engine.grounds import Because, Grounded
from engine.view import View


class Advice(Struct, frozen=True):
    """An action, what it is worth and the grounds for and against it.

    `value` is what the expert expects of the whole deal for the seat in turn, in points rounded to
    hundredths: its own less the opponent's, or less its own penalties and more the others' in the mean.
    """

    action: Move
    value: float
    grounds: tuple[Because, ...]

    def __repr__(self) -> str:
        """Show no card."""
        return f"Advice({type(self.action).__name__})"


def advise(view: View) -> tuple[Advice, ...]:
    """Return every action that is on offer, the best first; none where the seat is not in turn.

    Melds and layoffs that may be stated are left out of an action: they are best left to the rules.
    """
    return tuple(advice_on(view))


def advice_on(view: View) -> Iterator[Advice]:
    """Yield what `advise` returns one by one, for whoever has something else to do in between."""
    if not view.actions:
        return
    ranked = values(view)
    grounded = Grounded(view)
    for valued in ranked:
        yield Advice(valued.action, rounded(valued.value), grounded.of(valued.action))


def rounded(points: float) -> float:
    """Return points rounded to hundredths, and no negative zero."""
    return round(points, 2) + 0.0
