"""What a seat would have if it took the face-up card."""

from typing import Final

from engine.bots.danger import melding_pairs
from engine.cards import Card, CardSet
from engine.deadwood import solver_for
from engine.rules import FirstTurnKnock
from engine.view import Table, View

_FIRST: Final = -1
"""The place of the top card in the discard pile."""


def face_up(view: View) -> Card:
    """Return the card on top of the discard pile."""
    return _table(view).discard_pile[_FIRST]


def is_own_throw(view: View) -> bool:
    """Return whether the seat has thrown the face-up card itself in this deal.

    Two seats that never take theirs back cannot hand two cards to and fro for ever.
    """
    table = _table(view)
    return table.discard_pile[_FIRST] in table.seen[table.turn].thrown


def melds_with(view: View) -> bool:
    """Return whether three of the cards then held, the face-up card among them, are a meld."""
    hand = view.hand
    return any(
        hand >> first & hand >> second & 1 for first, second in melding_pairs(view.rules.ace)[face_up(view)]
    )


def gins_with(view: View) -> bool:
    """Return whether a throw after taking the face-up card would leave no deadwood."""
    return least_after(view) == 0


def least_after(view: View) -> int:
    """Return the least deadwood that a throw can leave after taking the face-up card, which stays (R3.2)."""
    left = solver_for(view.rules).throws(holding(view))
    return min(left[card] for card in left if card != face_up(view) or view.rules.allow_discard_taken)


def may_end_with(view: View) -> bool:
    """Return whether a turn that takes the face-up card may end the deal (R4.1)."""
    table, rule = _table(view), view.rules.first_turn_knock
    if rule is FirstTurnKnock.ALLOWED or table.turns > len(view.opponents):
        return True
    return rule is FirstTurnKnock.NOT_WITH_UPCARD and face_up(view) != table.upcard


def holding(view: View) -> CardSet:
    """Return the hand with the face-up card."""
    return view.hand | 1 << face_up(view)


def _table(view: View) -> Table:
    assert view.table is not None  # noqa: S101  somebody is in turn
    return view.table
