"""Decks and players by chance, biased so that everything that can end a deal does end one."""

import random
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from engine.actions import (
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Layoff,
    Move,
    Pass,
    TakeUpcard,
)
from engine.cards import DECK_SIZE, Card, CardSet, cards_of
from engine.deadwood import solver_for
from engine.layoffs import legal_layoffs
from engine.rules import Melds, RuleSet
from engine.state import Deal, Phase, Spread
from tests.oracles.spiel import Choices


class Leaning(Struct, frozen=True):
    """How a player leans; each figure is a probability."""

    knocks: float = 0.8
    """Knock where it is offered."""
    care: float = 0.9
    """Throw a card that leaves the least deadwood, and take a face-up card that lowers it."""
    face_up: float = 0.3
    """Without care, take the face-up card."""
    states: float = 0.4
    """State melds and layoffs, not always the best."""


PLAYERS: Final = (
    *(Leaning() for _ in range(5)),
    Leaning(knocks=0.3),
    Leaning(knocks=0.05),
    Leaning(knocks=0.0, care=0.95),
    Leaning(knocks=0.5, care=0.4),
    Leaning(knocks=1.0, care=1.0),
)
PATIENT: Final = Leaning(knocks=0.02)
COLLECTOR: Final = Leaning(knocks=0.0, care=0.0, face_up=1.0)
"""Takes every card that lies face up."""


def deck(dice: random.Random) -> tuple[Card, ...]:
    """Return a shuffled deck; in most of them some suits, or some ranks, tend to come first."""
    suits, ranks = dice.sample(range(4), 2), dice.sample(range(13), 5)
    pull, by_rank = dice.choice((0.0, 0.3, 0.6, 0.8)), dice.random() < 0.4
    waits = [
        dice.random() - pull * (card % 13 in ranks if by_rank else card // 13 in suits)
        for card in range(DECK_SIZE)
    ]
    return tuple(sorted(range(DECK_SIZE), key=waits.__getitem__))


def players(dice: random.Random) -> tuple[Leaning, Leaning]:
    """Return two players; some pairs come to the end of the stock, or to fifty cards from the pile."""
    kind = dice.random()
    if kind < 0.15:
        pair = COLLECTOR if kind < 0.02 else PATIENT
        return pair, pair
    return dice.choice(PLAYERS), dice.choice(PLAYERS)


def move(rules: RuleSet, deal: Deal, open_: Choices, leaning: Leaning, dice: random.Random) -> Move:
    """Return a move that is open before a knock."""
    careful = dice.random() < leaning.care
    if deal.phase is Phase.DISCARD:
        return _end_of_turn(rules, deal, open_, leaning, dice, careful=careful)
    if deal.phase is Phase.LAST_DISCARD:
        return DrawDiscard() if open_.may_knock and dice.random() < 0.8 else Pass()
    other = Pass() if Pass in open_.actions else DrawStock()
    if not open_.actions & {TakeUpcard, DrawDiscard}:
        return other
    face_up = TakeUpcard() if TakeUpcard in open_.actions else DrawDiscard()
    wanted = _lowers(rules, deal) if careful else dice.random() < leaning.face_up
    return face_up if wanted else other


def answer(rules: RuleSet, spread: Spread, hand: CardSet, leaning: Leaning, dice: random.Random) -> LayOff:
    """Return a defender's answer: the best, or what came to his mind."""
    if dice.random() >= leaning.states:
        return LayOff()
    laid: list[Layoff] = []
    free = hand
    while (fits := legal_layoffs(rules, spread.melds, laid, free)) and dice.random() < 0.8:
        laid.append(dice.choice(fits))
        free &= ~(1 << laid[-1].card)
    melds = solver_for(rules).arrange(free).melds
    return LayOff(melds[: dice.randint(0, len(melds))], tuple(laid))


def _end_of_turn(
    rules: RuleSet, deal: Deal, open_: Choices, leaning: Leaning, dice: random.Random, *, careful: bool
) -> Move:
    hand = deal.hands[deal.turn]
    left = solver_for(rules).throws(hand)
    if open_.may_knock and (not open_.throws or dice.random() < leaning.knocks):
        thrown = _thrown(cards_of(open_.knocks), left, dice, careful=careful)
        stated = rules.melds is Melds.DECLARED and dice.random() < leaning.states
        return Knock(thrown, _stated(rules, deal, hand & ~(1 << thrown), dice) if stated else None)
    return Discard(_thrown(cards_of(open_.throws), left, dice, careful=careful))


def _thrown(cards: Sequence[Card], left: dict[Card, int], dice: random.Random, *, careful: bool) -> Card:
    least = min(left[card] for card in cards)
    return dice.choice([card for card in cards if left[card] == least] if careful else cards)


def _stated(rules: RuleSet, deal: Deal, cards: CardSet, dice: random.Random) -> tuple[CardSet, ...]:
    """Return melds in some order; one of them stays in hand where the limit allows it."""
    solver = solver_for(rules)
    melds = list(dice.choice(solver.arrangements(cards, most=4)).melds)
    dice.shuffle(melds)
    fewer = melds[1:]
    return tuple(fewer if solver.points(cards & ~sum(fewer)) <= deal.knock_limit else melds)


def _lowers(rules: RuleSet, deal: Deal) -> bool:
    solver = solver_for(rules)
    hand = deal.hands[deal.turn]
    top = deal.discard_pile[-1]
    return min(
        left for card, left in solver.throws(hand | 1 << top).items() if card != top
    ) < solver.deadwood(hand)
