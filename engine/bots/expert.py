"""Level ``expert``: it expects points of each action, and takes the one of which it expects most."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from engine.actions import BigGin, Discard, DrawDiscard, DrawStock, Knock, LayOff, Move, Pass, TakeUpcard
from engine.bots.judges import Judge, judge_of
from engine.bots.net import Nets
from engine.bots.taking import face_up, holding, is_own_throw, may_end_with, melds_with
from engine.cards import Card, CardSet, set_of
from engine.deadwood import solver_for
from engine.ending import draw_voids
from engine.layoffs import defend
from engine.phases.discard import is_big_gin
from engine.rules import Scoring, StockEnd
from engine.scoring import score_deal
from engine.state import Phase, Spread
from engine.view import Table, View

_REACH: Final = 7
"""A throw that leaves so many points more than another is not looked at: nets were told of none."""


class Valued(Struct, frozen=True):
    """An action and the points of this deal that the seat expects of it.

    Own points less the other seat's, bonuses counted and boxes not; in a game for penalties the mean of
    the others' less the own.
    """

    action: Move
    value: float

    def __repr__(self) -> str:
        """Show no card."""
        return f"Valued({type(self.action).__name__}, {self.value:.2f})"


class _Weighed(Struct, frozen=True):
    """An action, what it is worth, and whether good play leaves it out whatever it is worth."""

    action: Move
    value: float
    barred: bool = False


def choose(view: View, seed: bytes) -> Move:  # noqa: ARG001  every level has this shape; this one never throws dice
    """Return the action this player takes in a view in which its seat is in turn."""
    return choose_by(view)


def choose_by(view: View, brain: Nets | None = None) -> Move:
    """Return the action of a player with these nets in the place of the expert's."""
    return _ranked(_weighed(view, brain, every=False))[0].action


def values(view: View) -> tuple[Valued, ...]:
    """Return every action on offer with its value, best first; the first is what `choose` returns.

    Each card that may be thrown, and each with which a knock is possible, has its own row. The view is
    one in which its seat is in turn.
    """
    return _ranked(_weighed(view, None, every=True))


def _weighed(view: View, brain: Nets | None, *, every: bool) -> list[_Weighed]:
    table = view.table
    if table is None:
        raise ValueError("nobody is in turn")
    match view.phase:
        case Phase.UPCARD_OFFER:
            return _takings(view, table, (TakeUpcard(), Pass()), brain, every=every)
        case Phase.DRAW:
            return _takings(view, table, (DrawDiscard(), DrawStock()), brain, every=every)
        case Phase.LAST_DISCARD:
            return _takings(view, table, (DrawDiscard(), Pass()), brain, every=every)
        case Phase.DISCARD:
            return _endings(view, judge_of(view, table, brain), every=every)
        case Phase.LAYOFF:
            return [_Weighed(LayOff(), _defended(view, table))]
        case Phase.WAITING | Phase.FINISHED:
            raise ValueError("nobody is in turn")


def _takings(
    view: View, table: Table, choice: tuple[Move, Move], brain: Nets | None, *, every: bool
) -> list[_Weighed]:
    """Weigh taking the face-up card, the first of `choice`, against leaving it."""
    taking, leaving = choice
    offered = any(isinstance(taking, offer.action) for offer in view.actions)
    if not offered and not every:
        return [_Weighed(leaving, 0.0)]
    judge = judge_of(view, table, brain)
    left = _Weighed(leaving, 0.0 if _leaving_voids(view, table, leaving) else judge.drawing())
    if not offered:
        return [left]
    hand = holding(view)
    after = solver_for(view.rules).throws(hand)
    cards = [card for card in after if card != face_up(view) or view.rules.allow_discard_taken]
    least = min(after[card] for card in cards)
    may_end = may_end_with(view)
    big_gin = may_end and is_big_gin(view.rules, hand)
    gins = big_gin or (least == 0 and may_end)
    helps = melds_with(view) or least < solver_for(view.rules).deadwood(view.hand)
    # Two seats that never take theirs back cannot hand two cards to and fro for ever.
    barred = not gins and (is_own_throw(view) or not helps)
    if barred and not every:
        return [left]
    if big_gin:
        return [left, _Weighed(taking, judge.big_gin())]
    knocks = set_of(card for card in cards if may_end and after[card] <= table.knock_limit)
    discards = () if _must_knock(view) else cards
    ends = _throws(judge, hand, after, discards, knocks, every=False)
    best = max(each.value for each in ends if not each.barred)
    return [left, _Weighed(taking, best, barred)]


def _endings(view: View, judge: Judge, *, every: bool) -> list[_Weighed]:
    offers = {offer.action: offer for offer in view.actions}
    big = [_Weighed(BigGin(), judge.big_gin())] if BigGin in offers else []
    discards = offers[Discard].cards if Discard in offers else ()
    knocks = set_of(offers[Knock].cards) if Knock in offers else 0
    throws = _throws(judge, view.hand, view.deadwood_after, discards, knocks, every=every)
    # R4.2: more than gin is not to be had; whoever waits for it waits for nothing.
    return [*big, *(_Weighed(each.action, each.value, each.barred or bool(big)) for each in throws)]


def _throws(
    judge: Judge,
    hand: CardSet,
    left: dict[Card, int],
    discards: Iterable[Card],
    knocks: CardSet,
    *,
    every: bool,
) -> list[_Weighed]:
    """Return throws and knocks; without `every` those alone that good play looks at."""
    cards = sorted({*discards, *(card for card in left if knocks >> card & 1)})
    # R4.5: where a deal must end, big gin may be the only end; a hand of six may hold no gin beside it.
    least = min((left[card] for card in cards), default=0)
    gin = least == 0 and any(knocks >> card & 1 for card in cards if not left[card])
    weighed: list[_Weighed] = []
    thrown = frozenset(discards)
    for card in cards:
        kept, points = hand & ~(1 << card), left[card]
        far = points > least + _REACH
        if knocks >> card & 1 and (every or not (far or (gin and points))):
            weighed.append(
                _Weighed(Knock(card), judge.knocking(kept, points, card), far or (gin and points > 0))
            )
        if card in thrown and (every or not (far or gin)):
            weighed.append(_Weighed(Discard(card), judge.going_on(kept, points, card), far or gin))
    return weighed


def _ranked(weighed: list[_Weighed]) -> tuple[Valued, ...]:
    """Return the actions, best first; one that is barred is worth no more than the best that is not.

    Equals stand in the order in which they were weighed: by card, a knock before a throw.
    """
    best = max(each.value for each in weighed if not each.barred)
    ranked = sorted(weighed, key=lambda each: (-min(each.value, best), each.barred))
    return tuple(Valued(each.action, min(each.value, best)) for each in ranked)


def _leaving_voids(view: View, table: Table, leaving: Move) -> bool:
    """Return whether leaving the face-up card ends the deal without a score (R4.5)."""
    drawn = isinstance(leaving, DrawStock) and draw_voids(view.rules, table.stock_count - 1)
    return drawn or view.phase is Phase.LAST_DISCARD


def _must_knock(view: View) -> bool:
    """Return whether a taken card must end the deal (R4.5)."""
    return view.phase is Phase.LAST_DISCARD and view.rules.stock_end is StockEnd.LAST_DISCARD_KNOCK_ONLY


def _defended(view: View, table: Table) -> float:
    spread = _knocked(table)
    laid = tuple(layoff for _, layoff in spread.layoffs)
    return answered(view, defend(view.rules, spread.melds, laid, view.hand).deadwood)


def answered(view: View, deadwood: int) -> float:
    """Return what an answer that leaves so much deadwood is worth; other defenders' is left aside."""
    assert view.table is not None  # noqa: S101  the phase follows a knock
    spread = _knocked(view.table)
    if view.rules.scoring is Scoring.PENALTY:
        return float(spread.deadwood - deadwood)
    big = view.hand.bit_count() < sum(spread.melds).bit_count()
    deadwoods = (deadwood, spread.deadwood) if spread.seat else (spread.deadwood, deadwood)
    score = score_deal(
        view.rules, knocker=spread.seat, deadwoods=deadwoods, big_gin=big, upcard=view.table.upcard
    )
    if score.winner is None:
        return 0.0
    return float(score.points if score.winner != spread.seat else -score.points)


def _knocked(table: Table) -> Spread:
    if table.spread is None:
        raise ValueError("nobody has knocked")
    return table.spread
