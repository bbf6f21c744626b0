"""open_spiel's gin rummy, spoken to in our cards and our words."""

from collections.abc import Iterable
from functools import cache
from typing import Any, Final, TypeAlias

import pyspiel
from msgspec import Struct

from engine.actions import Action, DrawDiscard, DrawStock, Meld, Pass, TakeUpcard
from engine.cards import Card, CardSet, cards_of, set_of
from engine.rules import KnockLimitSource, RuleSet

State: TypeAlias = Any
"""A state of their game: the one object of theirs that plays."""

Utils: TypeAlias = Any
"""Their solver."""

GIN: Final = pyspiel.gin_rummy
TAKE: Final[int] = GIN.DRAW_UPCARD_ACTION
DRAW: Final[int] = GIN.DRAW_STOCK_ACTION
PASS: Final[int] = GIN.PASS_ACTION
KNOCK: Final[int] = GIN.KNOCK_ACTION
MOST_TAKES: Final[int] = GIN.MAX_NUM_DRAW_UPCARD_ACTIONS

_SUITS: Final = (0, 3, 2, 1)
"""Their order of suits is S C D H."""

_WORDS: Final[dict[Any, dict[int, type[Action]]]] = {
    GIN.Phase.FIRST_UPCARD: {TAKE: TakeUpcard, DRAW: DrawStock, PASS: Pass},
    GIN.Phase.DRAW: {TAKE: DrawDiscard, DRAW: DrawStock},
    GIN.Phase.WALL: {PASS: Pass},
}
"""What their numbers mean, by phase."""

NUMBERS: Final[dict[type[Action], int]] = {
    TakeUpcard: TAKE,
    DrawDiscard: TAKE,
    DrawStock: DRAW,
    Pass: PASS,
}


class Choices(Struct, frozen=True):
    """What the seat in turn may do before a knock.

    `knocks` are the throws that may knock: at the last discard those of the turn that takes it.
    """

    actions: frozenset[type[Action]]
    throws: CardSet
    knocks: CardSet
    may_knock: bool


def swapped(card: Card) -> Card:
    """Return their number of our card, and our number of theirs."""
    return _SUITS[card // 13] * 13 + card % 13


def swapped_all(cards: Iterable[Card]) -> CardSet:
    return set_of(map(swapped, cards))


@cache
def utils(hand_size: int) -> Utils:
    return GIN.GinRummyUtils(13, 4, hand_size)


def min_deadwood(hand: CardSet, hand_size: int) -> int:
    """Return their minimum: one card more than a hand is thrown first."""
    least: int = utils(hand_size).min_deadwood([swapped(card) for card in cards_of(hand)])
    return least


MELDS: Final[dict[Meld, int]] = {
    swapped_all(meld): GIN.MELD_ACTION_BASE + number for number, meld in utils(10).int_to_meld.items()
}
"""Their action that lays a meld; they have no run of more than five."""


def dealt(rules: RuleSet, deck: tuple[Card, ...]) -> State:
    """Return their game with the cards as we deal them where seat 1 deals: seat 0 begins in it always."""
    size = rules.hand_size_for(2)
    state = pyspiel.load_game(
        "gin_rummy",
        {
            "oklahoma": rules.knock_limit_source is KnockLimitSource.UPCARD,
            "knock_card": rules.knock_limit,
            "gin_bonus": rules.gin_bonus,
            "undercut_bonus": rules.undercut_bonus,
            "hand_size": size,
        },
    ).new_initial_state()
    hands = deck[: 2 * size]
    for card in (*hands[::2], *hands[1::2], deck[2 * size]):
        state.apply_action(swapped(card))
    return state


def choices(state: State) -> Choices:
    """Return what they offer, with the throws that they offer after their action of knocking."""
    phase, legal = state.current_phase(), state.legal_actions()
    words = _WORDS.get(phase, {})
    knocking = state.child(KNOCK) if KNOCK in legal else state if phase == GIN.Phase.KNOCK else None
    return Choices(
        actions=frozenset(words[action] for action in legal if action in words),
        throws=_cards(state) if phase == GIN.Phase.DISCARD else 0,
        knocks=_cards(knocking) if knocking is not None else 0,
        may_knock=knocking is not None,
    )


def layoffs(state: State) -> CardSet:
    """Return the cards that they let the defender lay off now."""
    return _cards(state)


def least_defence(state: State) -> int:
    """Return the least deadwood of all the ways they allow to lay off and then to meld."""
    seat = state.current_player()
    solver = utils(len(state.hands()[seat]))
    least: int = solver.min_deadwood(state.hands()[seat])
    waiting, seen = [state.clone()], {frozenset[int]()}
    while waiting:
        now = waiting.pop()
        least = min(least, solver.min_deadwood(now.hands()[seat]))
        for card in [] if now.finished_layoffs() else cards_of(layoffs(now)):
            later = now.child(swapped(card))
            if (laid := frozenset(later.layoffs())) not in seen:
                seen.add(laid)
                waiting.append(later)
    return least


def melds(state: State) -> frozenset[int]:
    """Return the actions that lay a meld now."""
    return frozenset(action for action in state.legal_actions() if action >= GIN.MELD_ACTION_BASE)


def hand(state: State, seat: int) -> CardSet:
    return swapped_all(state.hands()[seat])


def discard_pile(state: State) -> tuple[Card, ...]:
    """Return the pile, its top last; they keep the top apart."""
    pile = [*state.discard_pile(), *([] if state.upcard() is None else [state.upcard()])]
    return tuple(map(swapped, pile))


def act(state: State, action: int) -> None:
    """Do what they allow, and nothing else."""
    assert action in state.legal_actions(), (action, str(state))
    state.apply_action(action)


def _cards(state: State) -> CardSet:
    return swapped_all(action for action in state.legal_actions() if action < GIN.DEFAULT_NUM_CARDS)
