"""What a seat may ask for. Actions are imperative; `engine.decide` judges them."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from engine.cards import Card, CardSet

Seat: TypeAlias = int
"""A seat's number, from 0."""

Meld: TypeAlias = CardSet
"""A set or a run (R1.3), as the set of its cards."""

MeldNumber: TypeAlias = int
"""The place of a meld in the knocker's spread, from 0; it never changes while the deal lasts."""


def wire_name(name: str) -> str:
    """Return the wire name of a class name: ``draw_stock`` for `DrawStock`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


class Action(Struct, frozen=True, tag_field="type", tag=wire_name):
    """The base of all actions; the tag of `DrawStock` is ``draw_stock``."""


class Layoff(Struct, frozen=True, order=True):
    """One card of a defender laid on one meld of the knocker's spread (R5.4)."""

    card: Card
    meld: MeldNumber


class TakeUpcard(Action, frozen=True):
    """Take the upcard while it is offered (R2.4)."""


class Pass(Action, frozen=True):
    """Decline the upcard (R2.4)."""


class DrawStock(Action, frozen=True):
    """Take the top card of the stock (R3.1)."""


class DrawDiscard(Action, frozen=True):
    """Take the top card of the discard pile (R3.1)."""


class Discard(Action, frozen=True):
    """Throw a card and end the turn (R3.1)."""

    card: Card


class Knock(Action, frozen=True):
    """Throw a card and end the deal (R4.1); gin is a knock without deadwood (R4.2).

    `melds` may be stated under declared melds only; None leaves them to R1.5.
    """

    card: Card
    melds: tuple[Meld, ...] | None = None


class BigGin(Action, frozen=True):
    """Declare all eleven cards melded, instead of a throw (R4.2)."""

    melds: tuple[Meld, ...] | None = None


class LayOff(Action, frozen=True):
    """A defender's one answer to a knock under declared melds (R5.2).

    What is None is chosen best for the cards that remain; an empty tuple means none.
    """

    melds: tuple[Meld, ...] | None = None
    layoffs: tuple[Layoff, ...] | None = None


class Resign(Action, frozen=True):
    """Give the match up, in turn or not (R3.4)."""


class Join(Action, frozen=True):
    """Take an open seat; the last one starts the match."""

    name: str | None = None


class Abort(Action, frozen=True):
    """Give the match up before the cards are dealt."""


class OnTimeout(StrEnum):
    """What a seat's time being up leads to: the house plays for it, or the match is lost at once."""

    PLAY = "play"
    FORFEIT = "forfeit"


class TimeOut(Action, frozen=True):
    """The house's word that the time of the seat in turn is up (R3.5); no player can say so."""

    on_timeout: OnTimeout


Move: TypeAlias = TakeUpcard | Pass | DrawStock | DrawDiscard | Discard | Knock | BigGin | LayOff | Resign
"""Every action a seated player may ask for."""

AnyAction: TypeAlias = Move | Join | Abort | TimeOut
"""Every action that a step may begin with."""
