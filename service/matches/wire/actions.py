"""Actions as clients write them and as intents repeat them."""

from typing import TypeAlias, assert_never

from msgspec import UNSET, Struct, UnsetType

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
from engine.cards import CardSet, parse
from service.http.cards import CardCode, MeldsIn, code_of, codes_of_melds, distinct
from service.matches.wire.numbers import MeldIndex


class LaidCardBody(Struct, frozen=True, forbid_unknown_fields=True):
    """One card laid on one meld of the knocker's spread."""

    card: CardCode
    meld: MeldIndex


class ActionBody(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """The base of all actions."""


class TakeUpcardBody(ActionBody, frozen=True, tag="take_upcard"):
    """Take the upcard while it is offered."""


class PassBody(ActionBody, frozen=True, tag="pass"):
    """Decline the upcard, or the last discard, which voids the deal."""


class DrawStockBody(ActionBody, frozen=True, tag="draw_stock"):
    """Take the top card of the stock."""


class DrawDiscardBody(ActionBody, frozen=True, tag="draw_discard"):
    """Take the top card of the discard pile."""


class DiscardBody(ActionBody, frozen=True, tag="discard"):
    """Throw a card and end the turn."""

    card: CardCode


class KnockBody(ActionBody, frozen=True, tag="knock"):
    """Throw a card and knock; `melds` only where the rule set has declared melds."""

    card: CardCode
    melds: MeldsIn | UnsetType = UNSET


class BigGinBody(ActionBody, frozen=True, tag="big_gin"):
    """Declare all eleven cards melded; `melds` only where the rule set has declared melds."""

    melds: MeldsIn | UnsetType = UNSET


class LayOffBody(ActionBody, frozen=True, tag="lay_off"):
    """Answer a knock; what is left out is chosen best, an empty list means none."""

    melds: MeldsIn | UnsetType = UNSET
    layoffs: list[LaidCardBody] | UnsetType = UNSET


class ResignBody(ActionBody, frozen=True, tag="resign"):
    """Give the match up."""


AnyActionBody: TypeAlias = (
    TakeUpcardBody
    | PassBody
    | DrawStockBody
    | DrawDiscardBody
    | DiscardBody
    | KnockBody
    | BigGinBody
    | LayOffBody
    | ResignBody
)


def action_from_wire(body: AnyActionBody) -> Move:
    """Return the engine's action; raise `Problem` where it names a card twice."""
    match body:
        case TakeUpcardBody():
            return TakeUpcard()
        case PassBody():
            return Pass()
        case DrawStockBody():
            return DrawStock()
        case DrawDiscardBody():
            return DrawDiscard()
        case DiscardBody(card):
            return Discard(parse(card))
        case KnockBody(card, melds):
            return Knock(parse(card), _melds(melds))
        case BigGinBody(melds):
            return BigGin(_melds(melds))
        case LayOffBody(melds, layoffs):
            return LayOff(_melds(melds), _layoffs(layoffs))
        case ResignBody():
            return Resign()
        case _:
            assert_never(body)


def action_to_wire(action: Move) -> AnyActionBody:
    """Return the action as a client writes it."""
    match action:
        case TakeUpcard():
            return TakeUpcardBody()
        case Pass():
            return PassBody()
        case DrawStock():
            return DrawStockBody()
        case DrawDiscard():
            return DrawDiscardBody()
        case Discard(card):
            return DiscardBody(code_of(card))
        case Knock(card, melds):
            return KnockBody(code_of(card), _stated(melds))
        case BigGin(melds):
            return BigGinBody(_stated(melds))
        case LayOff(melds, layoffs):
            return LayOffBody(
                _stated(melds), UNSET if layoffs is None else [layoff_to_wire(each) for each in layoffs]
            )
        case Resign():
            return ResignBody()
        case _:
            assert_never(action)


def layoff_to_wire(layoff: Layoff) -> LaidCardBody:
    """Return a layoff as clients read it."""
    return LaidCardBody(code_of(layoff.card), layoff.meld)


def _melds(melds: MeldsIn | UnsetType) -> tuple[Meld, ...] | None:
    # A card in two melds is for the rules to refuse; twice in one is no set of cards at all.
    return None if melds is UNSET else tuple(distinct(meld) for meld in melds)


def _stated(melds: tuple[Meld, ...] | None) -> list[list[CardCode]] | UnsetType:
    return UNSET if melds is None else codes_of_melds(melds)


def _layoffs(layoffs: list[LaidCardBody] | UnsetType) -> tuple[Layoff, ...] | None:
    if layoffs is UNSET:
        return None
    held: CardSet = 0
    for layoff in layoffs:
        held |= distinct((layoff.card,), held)
    return tuple(Layoff(parse(layoff.card), layoff.meld) for layoff in layoffs)
