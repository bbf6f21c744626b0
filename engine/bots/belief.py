"""How likely an unseen card is in an opponent's hand, from what that seat took, threw and declined.

Each sign moves the log-odds of the cards near it, in hundredths, so that they are whole numbers; the
chances then are scaled to the number of cards of that hand that nobody has seen. Only additions,
multiplications and divisions of floats decide, one after the other: every machine agrees on them.
"""

from bisect import bisect_left
from typing import Final

from engine.actions import Seat
from engine.cards import DECK_SIZE, Card, CardSet, cards_of, points_of, set_of
from engine.view import Opponent, View

_LIMIT: Final = 800
"""The greatest log-odds told apart, in hundredths."""

_ONE_HUNDREDTH: Final = 1.010050167084168
"""e to the power 0.01."""

_RANK_HELD: Final = 130
_BESIDE_HELD: Final = 124
_NEAR_HELD: Final = 87
_RANK_THROWN: Final = -79
_BESIDE_THROWN: Final = -70
_NEAR_THROWN: Final = -28
_RANK_DECLINED: Final = -54
_BESIDE_DECLINED: Final = -44
_PER_POINT: Final = -4
_EVEN: Final = 26
"""Dear cards are thrown first: the log-odds fall by 4 a point, and rise by this for all."""

HELD: Final = (_RANK_HELD, _BESIDE_HELD, _NEAR_HELD)
THROWN: Final = (_RANK_THROWN, _BESIDE_THROWN, _NEAR_THROWN)
DECLINED: Final = (_RANK_DECLINED, _BESIDE_DECLINED, 0)
"""What one card known, thrown or declined does to those of its rank, beside it and two away in suit."""

BY_VALUE: Final = tuple(_EVEN + _PER_POINT * points_of(card, 1) for card in range(DECK_SIZE))


def _likelihood() -> tuple[float, ...]:
    upwards = [1.0]
    for _ in range(_LIMIT):
        upwards.append(upwards[-1] * _ONE_HUNDREDTH)
    return (*(1 / (1 + odds) for odds in reversed(upwards[1:])), *(odds / (1 + odds) for odds in upwards))


LIKELIHOOD: Final = _likelihood()
"""The chance at each log-odds from −8 to 8, by hundredths."""


def _neighbours(card: Card) -> tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]:
    suit, rank = divmod(card, 13)
    same = tuple(13 * other + rank for other in range(4) if other != suit)
    beside, near = (
        tuple(13 * suit + other for other in (rank - step, rank + step) if 0 <= other < 13)  # noqa: PLR2004  ranks
        for step in (1, 2)
    )
    return same, beside, near


NEIGHBOURS: Final = tuple(_neighbours(card) for card in range(DECK_SIZE))
"""For each card those of its rank, those beside it in its suit, and those two away."""


def held_by(view: View, seat: Seat) -> list[float]:
    """Return, by card, the chance that it is in the hand of another seat.

    It is 1 for cards known to be there and 0 for cards known to be elsewhere. `view` has a running deal.
    """
    opponent = next(each for each in view.opponents if each.seat == seat)
    chances = [0.0] * DECK_SIZE
    for card, chance in _unseen_chances(view, opponent, unseen(view)):
        chances[card] = chance
    for card in cards_of(opponent.known_cards):
        chances[card] = 1.0
    return chances


def unseen(view: View) -> CardSet:
    """Return the cards that this seat has not placed: they are in the stock or in a hand."""
    table = view.table
    placed = view.hand
    if table is not None:
        placed |= set_of(table.discard_pile)
    for opponent in view.opponents:
        placed |= opponent.known_cards
    return (1 << DECK_SIZE) - 1 & ~placed


def _unseen_chances(view: View, opponent: Opponent, cards: CardSet) -> list[tuple[Card, float]]:
    hidden = (opponent.hand_count or 0) - opponent.known_cards.bit_count()
    count = cards.bit_count()
    if view.table is None or hidden <= 0 or not count:
        return []
    odds = list(BY_VALUE)
    seen = view.table.seen[opponent.seat]
    _sway(odds, opponent.known_cards, HELD)
    _sway(odds, set_of(seen.thrown), THROWN)
    _sway(odds, set_of(seen.declined), DECLINED)
    base = bisect_left(LIKELIHOOD, hidden / count) - _LIMIT
    chances: list[tuple[Card, float]] = []
    total = 0.0
    for card in cards_of(cards):
        chance = LIKELIHOOD[min(max(base + odds[card], -_LIMIT), _LIMIT) + _LIMIT]
        total += chance
        chances.append((card, chance))
    scale = hidden / total
    return [(card, min(1.0, chance * scale)) for card, chance in chances]


def _sway(odds: list[int], signs: CardSet, weights: tuple[int, int, int]) -> None:
    same, beside, near = weights
    for sign in cards_of(signs):
        of_rank, next_to, two_away = NEIGHBOURS[sign]
        for card in of_rank:
            odds[card] += same
        for card in next_to:
            odds[card] += beside
        for card in two_away:
            odds[card] += near
