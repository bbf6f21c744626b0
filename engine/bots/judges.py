"""What a seat may expect of a deal: by the nets where they were trained, else by an estimate from worlds."""

from functools import cached_property
from typing import Final, Protocol

from engine.bots.belief import held_by, unseen
from engine.bots.danger import danger, next_seat
from engine.bots.features import Outlook, extending
from engine.bots.net import POINT, Nets, nets
from engine.bots.outlook import after_draws
from engine.bots.patient import BEST_DRAWS, DANGER, outlook, turn_of
from engine.bots.style import is_hasty
from engine.bots.worlds import worlds
from engine.cards import Card, CardSet
from engine.deadwood import solver_for
from engine.ending import throw_voids
from engine.rules import Ace, Scoring
from engine.scoring import lays_off, multiplier, score_deal
from engine.view import Table, View

_TRAINED: Final = 10
"""The cards of a hand in the deals that the nets learned from."""

_WORLDS: Final = 16
_STANDING: Final = 0.35
"""How much of a lead in deadwood is a lead in points, while nobody has knocked."""
_SECRECY: Final = 2.0
"""What it is worth that nobody sees the card from the stock."""


class Judge(Protocol):
    """Expected points of the deal for the seat in turn: its own less the other's, or less its penalties."""

    def going_on(self, kept: CardSet, points: int, card: Card) -> float:
        """Return what throwing `card` is worth, which leaves `kept` with `points` of deadwood."""

    def knocking(self, kept: CardSet, points: int, card: Card) -> float:
        """Return what knocking with that throw is worth, or gin."""

    def drawing(self) -> float:
        """Return what it is worth to leave the face-up card."""

    def big_gin(self) -> float:
        """Return what big gin is worth."""


def judge_of(view: View, table: Table, brain: Nets | None = None) -> Judge:
    """Return the judge for a running deal; `brain` are other nets than the expert's own."""
    rules = view.rules
    trained = (
        rules.scoring is Scoring.POINTS
        and rules.hand_size_for(len(view.opponents) + 1) == _TRAINED
        and rules.ace is Ace.LOW
        and rules.ace_points == 1
    )
    return _ByNets(view, table, brain or nets(_brain(view, table))) if trained else _ByWorlds(view, table)


def _brain(view: View, table: Table) -> str:
    """Return the name of the expert's nets for this deal."""
    if not table.knock_limit:
        return "straight"
    opponent = view.opponents[0].seat
    return "hasty" if is_hasty(view.deal_count, view.tallies[opponent]) else "expert"


class _ByNets:
    """A game for two with ten cards and points."""

    def __init__(self, view: View, table: Table, brain: Nets) -> None:
        self._view = view
        self._outlook = Outlook(view, table)
        self._nets = brain
        self._factor = multiplier(view.rules, table.upcard)
        self._void = throw_voids(view.rules, table.stock_count, table.turns)

    def going_on(self, kept: CardSet, points: int, card: Card) -> float:
        # R4.5: the throw that ends the deal is worth nothing, and that is certain.
        if self._void:
            return 0.0
        return self._points(self._nets.awaiting.worth(self._outlook.tell(kept, points, card)))

    def knocking(self, kept: CardSet, points: int, card: Card) -> float:
        if points == 0:
            return self._certain(self._view.rules.gin_bonus)
        return self._points(self._nets.knock.worth(self._outlook.tell(kept, points, card)))

    def drawing(self) -> float:
        hand = self._view.hand
        points = self._outlook.solver.deadwood(hand)
        return self._points(self._nets.stock.worth(self._outlook.tell(hand, points, None)))

    def big_gin(self) -> float:
        return self._certain(self._view.rules.big_gin_bonus)

    def _certain(self, bonus: int) -> float:
        return self._factor * (bonus + self._outlook.others_deadwood)

    def _points(self, worth: int) -> float:
        return self._factor * worth / POINT


class _ByWorlds:
    """Any game: knocks are scored against hands that the others may hold, waiting by the next draw."""

    def __init__(self, view: View, table: Table) -> None:
        self._view = view
        self._table = table
        self._solver = solver_for(view.rules)
        self._unseen = unseen(view)
        self._chances = held_by(view, next_seat(view))
        self._void = throw_voids(view.rules, table.stock_count, table.turns)
        self._outlook = outlook(turn_of(view))
        self._scores: dict[tuple[int, CardSet, bool], float] = {}

    def going_on(self, kept: CardSet, points: int, card: Card) -> float:
        if self._void:
            return 0.0
        return self._standing(kept, points, danger(self._chances, card, self._view.rules.ace))

    def knocking(self, kept: CardSet, points: int, card: Card) -> float:  # noqa: ARG002
        melded = sum(self._solver.arrange(kept).melds) if points and self._view.rules.layoff else 0
        return self._scored(points, extending(melded))

    def drawing(self) -> float:
        hand = self._view.hand
        return self._standing(hand, self._solver.deadwood(hand), 0.0) + _SECRECY

    def big_gin(self) -> float:
        return self._scored(0, 0, big_gin=True)

    def _standing(self, hand: CardSet, points: int, fear: float) -> float:
        """Return what a lead in deadwood is worth, most of it what the best draws would leave."""
        draws = after_draws(self._view.rules, self._solver, hand, self._unseen)[:BEST_DRAWS]
        promised = sum(draws) / max(1, len(draws))
        weighed = (points + self._outlook * promised + DANGER * fear) / (1 + self._outlook)
        return _STANDING * (self._others - weighed)

    @cached_property
    def _hands(self) -> list[dict[int, CardSet]]:
        return list(worlds(self._view, _WORLDS))

    @cached_property
    def _others(self) -> float:
        total = sum([self._solver.deadwood(hand) for world in self._hands for hand in world.values()])
        return total / (len(self._hands) * len(self._view.opponents))

    def _scored(self, points: int, fits: CardSet, *, big_gin: bool = False) -> float:
        """Return the mean score of ending the deal now; the others lay off what `fits`."""
        asked = (points, fits, big_gin)
        if asked not in self._scores:
            total = sum([self._score(points, fits, world, big_gin=big_gin) for world in self._hands])
            self._scores[asked] = total / len(self._hands)
        return self._scores[asked]

    def _score(self, points: int, fits: CardSet, world: dict[int, CardSet], *, big_gin: bool) -> float:
        rules, seat = self._view.rules, self._table.turn
        laid = fits if lays_off(rules, knocker_deadwood=points) else 0
        deadwoods = [points] * (len(world) + 1)
        for other, hand in world.items():
            deadwoods[other] = min(self._solver.deadwood(hand), self._solver.deadwood(hand & ~laid))
        score = score_deal(
            rules, knocker=seat, deadwoods=tuple(deadwoods), big_gin=big_gin, upcard=self._table.upcard
        )
        if score.penalties is not None:
            own = score.penalties[seat]
            return (sum(score.penalties) - own) / len(world) - own
        return 0.0 if score.winner is None else score.points * (1 if score.winner == seat else -1)
