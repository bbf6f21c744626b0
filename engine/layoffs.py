"""Laying off on the knocker's spread, and the spread that leaves the defenders most (R5)."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from engine.actions import Layoff, Meld
from engine.cards import Card, CardSet, cards_of
from engine.deadwood import Arrangement, order, solver_for
from engine.melds import fitting
from engine.rules import LayoffChain, RuleSet


class Defence(Struct, frozen=True):
    """What a defender lays down: own melds by first card, layoffs in an order that R5.4 allows, the rest."""

    melds: tuple[Meld, ...]
    layoffs: tuple[Layoff, ...]
    unmatched: CardSet
    deadwood: int

    def __repr__(self) -> str:
        """Show no card."""
        return f"Defence(deadwood={self.deadwood})"


def legal_layoffs(
    rules: RuleSet, spread: Sequence[Meld], laid: Iterable[Layoff], hand: CardSet
) -> tuple[Layoff, ...]:
    """Return each layoff of one card of `hand` that is possible now, by card, then by meld (R5.4)."""
    table = _Table(rules, spread, laid)
    return tuple(
        sorted(Layoff(card, meld) for meld in range(len(spread)) for card in table.takes(meld, hand))
    )


def first_misfit(
    rules: RuleSet, spread: Sequence[Meld], laid_before: Iterable[Layoff], layoffs: Iterable[Layoff]
) -> Layoff | None:
    """Return the first of `layoffs`, applied in the order given, that does not fit; None if all do."""
    table = _Table(rules, spread, laid_before)
    for layoff in layoffs:
        if not table.fits(layoff):
            return layoff
        table.lay(layoff)
    return None


def defend(
    rules: RuleSet,
    spread: Sequence[Meld],
    laid_before: Iterable[Layoff],
    hand: CardSet,
    *,
    melds: tuple[Meld, ...] | None = None,
    layoffs: tuple[Layoff, ...] | None = None,
) -> Defence:
    """Return the defence of least deadwood over own melds and layoffs jointly (R5.3).

    `melds` or `layoffs`, where stated, are kept as they are, and the other is chosen best for the
    cards that remain (R5.2); no layoffs are ``()``. Stated parts must have been checked before.
    Equals are decided by fewest layoffs, then R1.5 for the melds, then the smallest layoffs; chosen
    layoffs are listed in such an order that each is the smallest of those that fit.
    """
    if layoffs is not None:
        return _lay_down(rules, hand, melds, layoffs)
    table = _Table(rules, spread, laid_before)
    free = hand & ~sum(melds or ())
    cost = solver_for(rules).deadwood if melds is None else solver_for(rules).points
    plans = list(table.plans(free))
    costs = {laid: (cost(free ^ laid), laid.bit_count()) for laid in {plan.laid for plan in plans}}
    least = min(costs.values())
    best = [
        _lay_down(rules, hand, melds, table.in_order(plan)) for plan in plans if costs[plan.laid] == least
    ]
    return best[0] if len(best) == 1 else min(best, key=lambda it: (order(it.melds), sorted(it.layoffs)))


def best_spread(
    rules: RuleSet, knocker: CardSet, defenders: Sequence[CardSet], *, laying_off: bool
) -> Arrangement:
    """Return the knocker's arrangement under automatic melds (R5.1).

    Of the arrangements of least deadwood it is the first, in R1.5's order, that leaves the
    defenders most together. They defend in the order given, which is that of their turns.
    """
    solver = solver_for(rules)
    if not laying_off:
        return solver.arrange(knocker)
    arrangements = solver.arrangements(knocker)
    if len(arrangements) == 1:
        return arrangements[0]
    return max(arrangements, key=lambda arrangement: _left_to(rules, arrangement.melds, defenders))


def _left_to(rules: RuleSet, spread: Sequence[Meld], defenders: Sequence[CardSet]) -> int:
    laid: tuple[Layoff, ...] = ()
    left = 0
    for hand in defenders:
        defence = defend(rules, spread, laid, hand)
        laid += defence.layoffs
        left += defence.deadwood
    return left


def _lay_down(
    rules: RuleSet, hand: CardSet, melds: tuple[Meld, ...] | None, layoffs: tuple[Layoff, ...]
) -> Defence:
    solver = solver_for(rules)
    kept = hand & ~sum(1 << layoff.card for layoff in layoffs)
    if melds is None:
        best = solver.arrange(kept)
        return Defence(best.melds, layoffs, best.unmatched, best.deadwood)
    unmatched = kept & ~sum(melds)
    return Defence(
        tuple(sorted(melds, key=lambda meld: meld & -meld)), layoffs, unmatched, solver.points(unmatched)
    )


class _Plan(Struct, frozen=True):
    """Cards to lay off, by meld of the spread, and all of them together."""

    by_meld: tuple[CardSet, ...]
    laid: CardSet


class _Table:
    """The spread with the cards laid on it so far."""

    def __init__(self, rules: RuleSet, spread: Sequence[Meld], laid: Iterable[Layoff]) -> None:
        self._ace = rules.ace
        self._melds = list(spread)
        # R5.4: under `original_only` a card must also fit the meld as the knocker laid it.
        chained = rules.layoff_chain is LayoffChain.ANY
        self._reach = [-1 if chained else fitting(meld, self._ace) for meld in spread]
        for layoff in laid:
            self.lay(layoff)

    def lay(self, layoff: Layoff) -> None:
        self._melds[layoff.meld] |= 1 << layoff.card

    def fits(self, layoff: Layoff) -> bool:
        return 0 <= layoff.meld < len(self._melds) and layoff.card in self.takes(
            layoff.meld, 1 << layoff.card
        )

    def takes(self, meld: int, cards: CardSet) -> tuple[Card, ...]:
        """Return those of `cards` that meld number `meld` takes now and that are in no meld yet."""
        return cards_of(self._fitting(meld, self._melds[meld]) & cards & ~sum(self._melds))

    def plans(self, cards: CardSet) -> Iterator[_Plan]:
        """Return every way to lay off some of `cards`, each with one meld only; the first is none."""
        plans = [_Plan((), 0)]
        for meld in range(len(self._melds)):
            growths = self._growths(meld, cards & ~sum(self._melds))
            plans = [
                _Plan((*plan.by_meld, growth), plan.laid | growth)
                for plan in plans
                for growth in growths
                if not plan.laid & growth
            ]
        return iter(plans)

    def in_order(self, plan: _Plan) -> tuple[Layoff, ...]:
        """Return the layoffs of a plan so that each is the smallest of those that fit."""
        ordered: list[Layoff] = []
        melds = list(self._melds)
        waiting = sorted(
            Layoff(card, meld) for meld, laid in enumerate(plan.by_meld) for card in cards_of(laid)
        )
        while waiting:
            layoff = next(it for it in waiting if self._fitting(it.meld, melds[it.meld]) >> it.card & 1)
            waiting.remove(layoff)
            melds[layoff.meld] |= 1 << layoff.card
            ordered.append(layoff)
        return tuple(ordered)

    def _growths(self, meld: int, cards: CardSet) -> list[CardSet]:
        """Return the sets of `cards` that can be laid, one after the other, on one meld."""
        growths = [0]
        for growth in growths:
            for card in cards_of(self._fitting(meld, self._melds[meld] | growth) & cards):
                if (longer := growth | 1 << card) not in growths:
                    growths.append(longer)
        return growths

    def _fitting(self, number: int, meld: Meld) -> CardSet:
        return fitting(meld, self._ace) & self._reach[number]
