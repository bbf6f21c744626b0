"""A finished match looked at again: each decision beside what the expert would have done there.

Every decision is judged by the view that its seat had then, so what is said of it tells no card that the
seat did not know.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import Final

from msgspec import Struct

from engine.actions import (
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Move,
    Pass,
    Seat,
    TakeUpcard,
)
from engine.advice import rounded
from engine.bots.expert import answered, values
from engine.events import (
    AnyEvent,
    BigGinDeclared,
    DiscardDrawn,
    Discarded,
    DiscardPassed,
    Knocked,
    LaidOff,
    StockDrawn,
    UpcardPassed,
    UpcardTaken,
)
from engine.evolve import evolve
from engine.preview import complete, preview
from engine.state import Match
from engine.view import View, view

HALF: Final = 5.0
"""The difference in points at which a decision counts half."""


class Decision(Struct, frozen=True):
    """An action that a seat chose among others, and the expert's choice in the same view.

    `version` is that of its step. `difference` is how many points the expert expects to lose by it, 0 or
    more, rounded to hundredths. `missed_knock` tells of a throw where the expert would have ended the deal.
    """

    seat: Seat
    version: int
    deal: int
    action: Move
    best: Move
    difference: float
    missed_knock: bool

    def __repr__(self) -> str:
        """Show no card."""
        return f"Decision({self.seat}, version={self.version}, difference={self.difference})"


def decisions(steps: Iterable[Sequence[AnyEvent]], deal: int | None = None) -> Iterator[Decision | None]:
    """Yield the decision that each step of a history was, in order; None for one that was none.

    A step in which only one thing could be done is no decision, nor is a resignation, nor what the house
    played. `deal` leaves the decisions of other deals out.
    """
    match: Match | None = None
    for step in steps:
        yield None if match is None else _decision(match, step[0], deal)
        for event in step:
            match = evolve(match, event)


def accuracy(found: Iterable[Decision]) -> float | None:
    """Return how near a seat's decisions came to the expert's, 0–100 with one decimal; None for none.

    It is the mean, in percent, of 1 / (1 + difference / 5) over the decisions.
    """
    shares = [1 / (1 + decision.difference / HALF) for decision in found]
    return round(100 * fsum(shares) / len(shares), 1) if shares else None


def _decision(match: Match, act: AnyEvent, deal: int | None) -> Decision | None:
    running = match.deal
    if running is None or (deal is not None and running.number != deal):
        return None
    action = _chosen(act)
    if action is None:
        return None
    seen = view(match, running.turn)
    ranked = values(seen)
    if len(ranked) == 1 and not isinstance(action, LayOff):
        return None
    best = ranked[0]
    bare = _bare(action)
    taken = next(valued for valued in ranked if valued.action == bare)
    lost = max(0.0, best.value - taken.value) + _forgone(seen, bare, action)
    return Decision(
        seat=running.turn,
        version=match.version + 1,
        deal=running.number,
        action=action,
        best=best.action,
        difference=rounded(lost),
        missed_knock=isinstance(best.action, Knock | BigGin) and isinstance(action, Discard),
    )


def _chosen(act: AnyEvent) -> Move | None:
    """Return the action that an act was; None where it was nobody's choice of a turn."""
    match act:
        case UpcardTaken():
            return TakeUpcard()
        case UpcardPassed() | DiscardPassed():
            return Pass()
        case StockDrawn():
            return DrawStock()
        case DiscardDrawn():
            return DrawDiscard()
        case Discarded(_, card):
            return Discard(card)
        case Knocked(_, card, melds):
            return Knock(card, melds)
        case BigGinDeclared(_, melds):
            return BigGin(melds)
        case LaidOff(_, melds, layoffs):
            return LayOff(melds, layoffs)
        case _:
            return None


def _bare(action: Move) -> Move:
    """Return the action without the melds and layoffs that it states."""
    match action:
        case Knock(card):
            return Knock(card)
        case BigGin():
            return BigGin()
        case LayOff():
            return LayOff()
        case _:
            return action


def _forgone(seen: View, bare: Move, action: Move) -> float:
    """Return the points lost by stating other melds or layoffs than the best: deadwood, and a bonus."""
    if bare == action:
        return 0.0
    best, stated = (preview(seen, complete(seen, each)) for each in (bare, action))
    left, least = stated.arrangement.deadwood, best.arrangement.deadwood
    if best.scoring is None or stated.scoring is None:
        return answered(seen, least) - answered(seen, left)
    return float((left - least + best.scoring.bonus - stated.scoring.bonus) * best.scoring.multiplier)
