"""What an action would do, from a view alone: it cannot be given a match, so it cannot leak."""

from enum import StrEnum
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from engine.actions import (
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Layoff,
    Meld,
    Move,
    Pass,
    Resign,
    TakeUpcard,
)
from engine.cards import Card, CardSet, set_of
from engine.deadwood import Arrangement, solver_for
from engine.ending import draw_voids, throw_voids
from engine.layoffs import defend
from engine.phases.melding import stated
from engine.rules import Melds, Scoring, UndercutTie
from engine.scoring import lays_off, multiplier
from engine.state import Phase, seat_after
from engine.view import Table, View


class Ending(StrEnum):
    """Whether an action ends the deal, and how; a resignation leaves it unfinished."""

    NO = "no"
    LAYOFF = "layoff"
    SCORED = "scored"
    VOID = "void"
    UNFINISHED = "unfinished"


class Reveal(StrEnum):
    """What confirming shows to somebody who did not know it."""

    STOCK_CARD = "stock_card"
    OWN_HAND = "own_hand"


class Warn(StrEnum):
    """What a player may want to know before confirming."""

    BREAKS_MELD = "breaks_meld"
    GIN_AVAILABLE = "gin_available"
    BETTER_MELDS_EXIST = "better_melds_exist"
    LAST_TURN_BEFORE_VOID = "last_turn_before_void"


class KnockKind(StrEnum):
    """What ends the deal."""

    KNOCK = "knock"
    GIN = "gin"
    BIG_GIN = "big_gin"


class Stakes(Struct, frozen=True):
    """What a knock is worth before the other hand is known, in points.

    The defender undercuts with at most `undercut_if_at_most` deadwood; None where nobody can (R6).
    """

    kind: KnockKind
    own_deadwood: int
    bonus: int
    undercut_bonus: int
    undercut_if_at_most: int | None
    multiplier: int


class Preview(Struct, frozen=True):
    """The seat's own cards after an action, and what else it would bring about."""

    hand: CardSet
    arrangement: Arrangement
    ends_deal: Ending
    reveals: tuple[Reveal, ...] = ()
    scoring: Stakes | None = None
    warnings: tuple[Warn, ...] = ()

    def __repr__(self) -> str:
        """Show no card."""
        return f"Preview({self.ends_deal})"


def complete(view: View, action: Move) -> Move:
    """Return the action with its omitted melds and layoffs filled in (R5.2).

    `action` is one that the rules accept in this view.
    """
    if view.rules.melds is not Melds.DECLARED:
        return action
    solver = solver_for(view.rules)
    match action:
        case Knock(card, None):
            return Knock(card, solver.arrange(view.hand & ~(1 << card)).melds)
        case BigGin(None):
            return BigGin(solver.arrange(view.hand).melds)
        case LayOff(melds, layoffs) if melds is None or layoffs is None:
            spread = _table(view).spread
            assert spread is not None  # noqa: S101  the phase follows a spread
            best = defend(
                view.rules,
                spread.melds,
                tuple(layoff for _, layoff in spread.layoffs),
                view.hand,
                melds=melds,
                layoffs=layoffs,
            )
            return LayOff(best.melds, best.layoffs)
        case _:
            return action


def preview(view: View, action: Move) -> Preview:
    """Return what a completed action would do, computed from what the seat may know.

    `action` is one that the rules accept in this view, as `complete` returns it.
    """
    match action:
        case TakeUpcard() | DrawDiscard():
            table = _table(view)
            last = _last_turn(view, table.stock_count)
            return replace(_holding(view, view.hand | 1 << table.discard_pile[-1]), warnings=last)
        case DrawStock():
            return _drawing(view)
        case Pass():
            declined = _holding(view, view.hand)
            if view.phase is not Phase.LAST_DISCARD:
                return declined
            return replace(declined, ends_deal=Ending.VOID, reveals=(Reveal.OWN_HAND,))
        case Discard(card):
            return _throwing(view, card)
        case Knock(card, melds):
            return _knocking(view, view.hand & ~(1 << card), melds, card)
        case BigGin(melds):
            return _knocking(view, view.hand, melds, None)
        case LayOff(melds, layoffs):
            return _answering(view, melds or (), layoffs or ())
        case Resign():
            return replace(_holding(view, view.hand), ends_deal=Ending.UNFINISHED)
        case _:
            assert_never(action)


def _holding(view: View, hand: CardSet) -> Preview:
    return Preview(hand, solver_for(view.rules).arrange(hand), Ending.NO)


def _drawing(view: View) -> Preview:
    left = _table(view).stock_count - 1
    holding = _holding(view, view.hand)
    if draw_voids(view.rules, left):
        return replace(holding, ends_deal=Ending.VOID, reveals=(Reveal.STOCK_CARD, Reveal.OWN_HAND))
    return replace(holding, reveals=(Reveal.STOCK_CARD,), warnings=_last_turn(view, left))


def _throwing(view: View, card: Card) -> Preview:
    rules, table = view.rules, _table(view)
    rest = view.hand & ~(1 << card)
    void = throw_voids(rules, table.stock_count, table.turns)
    return Preview(
        hand=rest,
        arrangement=solver_for(rules).arrange(rest),
        ends_deal=Ending.VOID if void else Ending.NO,
        reveals=(Reveal.OWN_HAND,) if void else (),
        warnings=(
            *_breaks_meld(view, card),
            *_gin_available(view),
            *_last_turn(view, table.stock_count),
        ),
    )


def _knocking(view: View, hand: CardSet, melds: tuple[Meld, ...] | None, card: Card | None) -> Preview:
    rules = view.rules
    best = solver_for(rules).arrange(hand)
    shown = best if melds is None else stated(rules, hand, melds)
    kind = KnockKind.BIG_GIN if card is None else KnockKind.KNOCK if shown.deadwood else KnockKind.GIN
    answered = rules.melds is Melds.DECLARED and lays_off(rules, knocker_deadwood=shown.deadwood)
    warnings = () if card is None else _breaks_meld(view, card)
    if kind is KnockKind.KNOCK:
        warnings += _gin_available(view)
    if shown.deadwood > best.deadwood:
        warnings += (Warn.BETTER_MELDS_EXIST,)
    return Preview(
        hand=hand,
        arrangement=shown,
        ends_deal=Ending.LAYOFF if answered else Ending.SCORED,
        reveals=(Reveal.OWN_HAND,),
        scoring=_stakes(view, kind, shown.deadwood),
        warnings=warnings,
    )


def _answering(view: View, melds: tuple[Meld, ...], layoffs: tuple[Layoff, ...]) -> Preview:
    hand = view.hand & ~set_of(layoff.card for layoff in layoffs)
    shown = stated(view.rules, hand, melds)
    table = _table(view)
    assert table.spread is not None  # noqa: S101  the phase follows a spread
    seats = len(view.opponents) + 1
    last = seat_after(table.turn, seats) == table.spread.seat
    best = defend(
        view.rules,
        table.spread.melds,
        tuple(layoff for _, layoff in table.spread.layoffs),
        view.hand,
    )
    return Preview(
        hand=hand,
        arrangement=shown,
        ends_deal=Ending.SCORED if last else Ending.LAYOFF,
        reveals=(Reveal.OWN_HAND,) if last else (),
        warnings=(Warn.BETTER_MELDS_EXIST,) if shown.deadwood > best.deadwood else (),
    )


def _stakes(view: View, kind: KnockKind, deadwood: int) -> Stakes:
    rules = view.rules
    bonuses = {
        KnockKind.KNOCK: 0,
        KnockKind.GIN: rules.gin_bonus,
        KnockKind.BIG_GIN: rules.big_gin_bonus,
    }
    ties = rules.scoring is Scoring.POINTS and rules.undercut_tie is UndercutTie.DEFENDER
    undercut = deadwood if ties else deadwood - 1
    return Stakes(
        kind=kind,
        own_deadwood=deadwood,
        bonus=bonuses[kind],
        undercut_bonus=rules.undercut_bonus,
        undercut_if_at_most=undercut if kind is KnockKind.KNOCK else None,
        multiplier=multiplier(rules, _table(view).upcard),
    )


def _breaks_meld(view: View, card: Card) -> tuple[Warn, ...]:
    left = view.deadwood_after
    least = min(left[other] for offer in view.actions for other in offer.cards)
    return (Warn.BREAKS_MELD,) if left[card] > least else ()


def _gin_available(view: View) -> tuple[Warn, ...]:
    offered = any(offer.gin or offer.action is BigGin for offer in view.actions)
    return (Warn.GIN_AVAILABLE,) if offered else ()


def _last_turn(view: View, stock_count: int) -> tuple[Warn, ...]:
    rules = view.rules
    last = throw_voids(rules, stock_count, _table(view).turns)
    # The next seat may take the last discard; one that cannot knock with it, or will not, voids the deal.
    offered = rules.offers_last_discard and stock_count <= rules.stock_floor
    return (Warn.LAST_TURN_BEFORE_VOID,) if last or offered else ()


def _table(view: View) -> Table:
    assert view.table is not None  # noqa: S101  an accepted action is one of a running deal
    return view.table
