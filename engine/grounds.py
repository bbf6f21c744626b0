"""Why an action is good or bad, as codes and figures, from what the seat may know."""

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Final, TypeAlias

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
    TakeUpcard,
)
from engine.bots.belief import held_by, unseen
from engine.bots.danger import danger, next_seat
from engine.bots.taking import may_end_with
from engine.bots.worlds import worlds
from engine.cards import Card, CardSet, cards_of, points_of, set_of
from engine.deadwood import Arrangement, solver_for
from engine.ending import draw_voids, throw_voids
from engine.layoffs import defend
from engine.melds import fitting
from engine.phases.discard import throwable
from engine.rules import Melds, Scoring, StockEnd, UndercutTie
from engine.scoring import lays_off
from engine.state import Phase, Source, Spread, Taken
from engine.view import Table, View

DEAR: Final = 7
"""The points from which an unmatched card is said to be dear."""
FEW: Final = 4
"""The most cards left to draw that are called the last ones."""
WANTED: Final = 15
SAFE: Final = 5
"""A throw is called wanted from so much chance that it is melded, in percent, and safe up to so much."""
WORLDS: Final = 64
"""How many possible hands of the others an undercut's chance is counted in."""


class Ground(StrEnum):
    """What speaks for an action or against it; `docs/advice.md` tells when each is given."""

    ONLY_ACTION = "only_action"
    BIG_GIN = "big_gin"
    GIN = "gin"
    COMPLETES_MELD = "completes_meld"
    LOWERS_DEADWOOD = "lowers_deadwood"
    ALLOWS_KNOCK = "allows_knock"
    NO_USE = "no_use"
    KNOCKS_WITH = "knocks_with"
    UNDERCUT_RISK = "undercut_risk"
    GIN_AVAILABLE = "gin_available"
    BREAKS_MELD = "breaks_meld"
    HIGH_DEADWOOD = "high_deadwood"
    OPPONENT_WANTS = "opponent_wants"
    SAFE = "safe"
    LIVE_OUTS = "live_outs"
    KEEPS_WAITING_FOR_GIN = "keeps_waiting_for_gin"
    LAYS_OFF = "lays_off"
    UNDERCUTS = "undercuts"
    LAST_TURNS = "last_turns"
    VOIDS_DEAL = "voids_deal"


class Because(Struct, frozen=True):
    """A ground with its figures; those that it has none of are None, and `cards` is empty.

    `percent` is a chance, 0–100.
    """

    ground: Ground
    cards: CardSet = 0
    count: int | None = None
    points: int | None = None
    percent: int | None = None

    def __repr__(self) -> str:
        """Show no card."""
        return f"Because({self.ground})"


Grounds: TypeAlias = Iterator[Because]


class Grounded:
    """Finds the grounds for each action that is on offer in a view."""

    def __init__(self, view: View) -> None:
        assert view.table is not None  # noqa: S101  something is on offer, so a deal is played
        self._view = view
        self._table: Table = view.table
        self._rules = view.rules
        self._solver = solver_for(view.rules)
        self._unseen = unseen(view)
        self._worlds: tuple[tuple[CardSet, ...], ...] | None = None
        self._wanted: list[float] | None = None
        self._alone = len(view.actions) == 1 and not view.actions[0].cards[1:]

    def of(self, action: Move) -> tuple[Because, ...]:
        """Return the grounds for and against an action, the weightier ones first."""
        tell = _TELLERS[type(action)]
        found = (Because(Ground.ONLY_ACTION),) if self._alone else ()
        return (*found, *tell(self, action))

    def taking(self, _action: Move) -> Grounds:
        """Yield what the face-up card brings: the rest of the turn taken at its best."""
        card = self._table.discard_pile[-1]
        hand = self._view.hand | 1 << card
        left, taken = self._solver.throws(hand), Taken(card, Source.DISCARD_PILE)
        thrown = min(
            throwable(self._rules, hand, taken),
            key=lambda each: (left[each], each == card, -points_of(each, self._rules.ace_points), each),
        )
        may_end = may_end_with(self._view)
        if may_end:
            yield from self._big_gin(hand)
        if may_end and left[thrown] == 0:
            yield Because(Ground.GIN, points=self._rules.gin_bonus)
        yield from self._completed(hand & ~(1 << thrown), card)
        yield from self._lowered(left[thrown])
        if may_end and 0 < left[thrown] <= self._table.knock_limit:
            yield Because(Ground.ALLOWS_KNOCK, points=left[thrown])

    def leaving(self, action: Move) -> Grounds:
        """Yield what a draw from the stock, or a pass, has for it."""
        card = self._table.discard_pile[-1]
        if self._solver.deadwood(self._view.hand | 1 << card) > self._solver.deadwood(self._view.hand):
            yield Because(Ground.NO_USE, cards=1 << card)
        if self._view.phase is Phase.LAST_DISCARD:
            yield Because(Ground.VOIDS_DEAL)
        if isinstance(action, DrawStock):
            if draw_voids(self._rules, self._table.stock_count - 1):
                yield Because(Ground.VOIDS_DEAL)
                return
            yield from self._outs(self._view.hand)
            yield from self._last_turns()

    def throwing(self, action: Move) -> Grounds:
        """Yield what a throw does to the own hand, and to whom it may help."""
        assert isinstance(action, Discard)  # noqa: S101  as `_TELLERS` says
        card = action.card
        rest = self._view.hand & ~(1 << card)
        yield from self._broken(card)
        yield from self._dear(card)
        voids = throw_voids(self._rules, self._table.stock_count, self._table.turns)
        if voids:
            yield Because(Ground.VOIDS_DEAL)
            return
        yield from self._danger(card)
        yield from self._outs(rest)
        gins = sum(self._solver.best_throw(rest | 1 << drawn) == 0 for drawn in cards_of(self._unseen))
        if gins:
            yield Because(Ground.KEEPS_WAITING_FOR_GIN, count=gins)
        yield from self._last_turns()

    def knocking(self, action: Move) -> Grounds:
        """Yield what a knock is worth, and how likely it is to be undercut."""
        assert isinstance(action, Knock)  # noqa: S101  likewise
        kept = self._view.hand & ~(1 << action.card)
        left = self._view.deadwood_after[action.card]
        if left == 0:
            yield Because(Ground.GIN, points=self._rules.gin_bonus)
        else:
            yield Because(Ground.KNOCKS_WITH, points=left)
            yield Because(Ground.UNDERCUT_RISK, percent=self._undercut(kept, left))
            if any(offer.gin or offer.action is BigGin for offer in self._view.actions):
                yield Because(Ground.GIN_AVAILABLE)
        yield from self._broken(action.card)
        yield from self._last_turns()

    def declaring(self, _action: Move) -> Grounds:
        """Yield what big gin is worth."""
        yield from self._big_gin(self._view.hand)

    def answering(self, _action: Move) -> Grounds:
        """Yield what the best answer to a knock comes to."""
        spread = self._table.spread
        assert spread is not None  # noqa: S101  the phase follows a spread
        laid = tuple(layoff for _, layoff in spread.layoffs)
        best = defend(self._rules, spread.melds, laid, self._view.hand)
        saved = self._solver.deadwood(self._view.hand) - best.deadwood
        if best.layoffs:
            yield Because(Ground.LAYS_OFF, cards=set_of(layoff.card for layoff in best.layoffs), points=saved)
        if self._beats(best.deadwood, spread):
            yield Because(Ground.UNDERCUTS, points=best.deadwood)

    def _big_gin(self, hand: CardSet) -> Grounds:
        if self._rules.big_gin and self._solver.deadwood(hand) == 0:
            yield Because(Ground.BIG_GIN, points=self._rules.big_gin_bonus)

    def _completed(self, kept: CardSet, card: Card) -> Grounds:
        for meld in self._solver.arrange(kept).melds:
            if meld >> card & 1:
                yield Because(Ground.COMPLETES_MELD, cards=meld)

    def _lowered(self, left: int) -> Grounds:
        saved = self._solver.deadwood(self._view.hand) - left
        if saved > 0:
            yield Because(Ground.LOWERS_DEADWOOD, points=saved)

    def _broken(self, card: Card) -> Grounds:
        left = self._view.deadwood_after
        least = min(left[other] for offer in self._view.actions for other in offer.cards)
        if left[card] == least:
            return
        for meld in self._arranged.melds:
            if meld >> card & 1:
                yield Because(Ground.BREAKS_MELD, cards=meld, points=left[card] - least)

    def _dear(self, card: Card) -> Grounds:
        loose = self._arranged.unmatched
        cost = points_of(card, self._rules.ace_points)
        others = [points_of(other, self._rules.ace_points) for other in cards_of(loose)]
        if loose >> card & 1 and cost >= max(DEAR, *others):
            yield Because(Ground.HIGH_DEADWOOD, cards=1 << card, points=cost)

    def _danger(self, card: Card) -> Grounds:
        if self._wanted is None:
            self._wanted = held_by(self._view, next_seat(self._view))
        percent = round(100 * danger(self._wanted, card, self._rules.ace))
        if percent >= WANTED:
            yield Because(Ground.OPPONENT_WANTS, cards=1 << card, percent=percent)
        elif percent <= SAFE:
            yield Because(Ground.SAFE, cards=1 << card, percent=percent)

    def _outs(self, hand: CardSet) -> Grounds:
        deadwood = self._solver.deadwood
        now = deadwood(hand)
        outs = sum(deadwood(hand | 1 << drawn) <= now for drawn in cards_of(self._unseen))
        if outs:
            yield Because(Ground.LIVE_OUTS, count=outs)

    def _last_turns(self) -> Grounds:
        left = self._table.stock_count - self._rules.stock_floor
        if self._rules.stock_end is not StockEnd.RESHUFFLE and 0 <= left <= FEW:
            yield Because(Ground.LAST_TURNS, count=left)

    def _undercut(self, kept: CardSet, left: int) -> int:
        if self._worlds is None:
            self._worlds = tuple(tuple(hands.values()) for hands in worlds(self._view, WORLDS))
        laying_off = lays_off(self._rules, knocker_deadwood=left)
        automatic = self._rules.melds is Melds.AUTO
        spreads = self._solver.arrangements(kept) if automatic else (self._solver.arrange(kept),)
        most = left - (not self._wins_ties)
        undercut = sum(
            any(self._undercuts(hand, spreads, most, laying_off=laying_off) for hand in hands)
            for hands in self._worlds
        )
        return round(100 * undercut / WORLDS)

    def _undercuts(
        self, hand: CardSet, spreads: Sequence[Arrangement], most: int, *, laying_off: bool
    ) -> bool:
        """Return whether a hand undercuts whichever spread is laid (R5.1); of several, each as if alone."""
        deadwood = self._solver.deadwood(hand)
        if deadwood <= most or not laying_off:
            return deadwood <= most
        return all(
            deadwood - self._solver.points(hand & self._reach(hand, spread)) <= most
            and defend(self._rules, spread.melds, (), hand).deadwood <= most
            for spread in spreads
        )

    def _reach(self, hand: CardSet, spread: Arrangement) -> CardSet:
        """Return cards of the hand among which are all that can be laid off."""
        reach = 0
        for meld in spread.melds:
            while more := fitting(meld, self._rules.ace) & hand & ~meld:
                meld |= more  # noqa: PLW2901  it grows
            reach |= meld
        return reach

    def _beats(self, deadwood: int, spread: Spread) -> bool:
        return spread.deadwood > 0 and deadwood <= spread.deadwood - (not self._wins_ties)

    @property
    def _wins_ties(self) -> bool:
        """Whether a defender who equals the knocker has undercut (R6, R7.1)."""
        return self._rules.scoring is Scoring.POINTS and self._rules.undercut_tie is UndercutTie.DEFENDER

    @property
    def _arranged(self) -> Arrangement:
        assert self._view.arrangement is not None  # noqa: S101  the seat holds cards
        return self._view.arrangement


_TELLERS: Final[dict[type[Move], Callable[[Grounded, Move], Grounds]]] = {
    TakeUpcard: Grounded.taking,
    DrawDiscard: Grounded.taking,
    Pass: Grounded.leaving,
    DrawStock: Grounded.leaving,
    Discard: Grounded.throwing,
    Knock: Grounded.knocking,
    BigGin: Grounded.declaring,
    LayOff: Grounded.answering,
}
