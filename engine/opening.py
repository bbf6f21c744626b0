"""Dealing: the first deal of a match and every next one (R2)."""

from engine.actions import Seat
from engine.cards import Card, CardSet
from engine.events import DealStarted
from engine.scoring import knock_limit
from engine.shuffle import deck, first_dealer
from engine.state import DealResult, DealRow, Match, PerSeat, seat_after


def deal_first(match: Match) -> DealStarted:
    """Deal to the seats of a match that has just been filled (R2.2)."""
    dealer = match.first_dealer
    if dealer is None:
        dealer = first_dealer(match.shuffle, len(match.seats))
    return _deal(match, 1, dealer)


def deal_next(match: Match, last: DealRow) -> DealStarted:
    """Deal after a finished deal; after a void one the same seat deals again (R2.3)."""
    dealer = last.dealer
    if last.result is not DealResult.VOID:
        dealer = seat_after(dealer, len(match.seats))
    return _deal(match, last.deal + 1, dealer)


def _deal(match: Match, number: int, dealer: Seat) -> DealStarted:
    order = deck(match.shuffle, number)
    seats = len(match.seats)
    hands, rest = _hands(order, seats, match.rules.hand_size_for(seats), dealer)
    return DealStarted(
        deal=number,
        dealer=dealer,
        turn=seat_after(dealer, seats),
        upcard=rest[0],
        knock_limit=knock_limit(match.rules, rest[0]),
        hands=hands,
        stock=rest[1:],
    )


def _hands(
    order: tuple[Card, ...], seats: int, hand_size: int, dealer: Seat
) -> tuple[PerSeat[CardSet], tuple[Card, ...]]:
    hands = [0] * seats
    seat = dealer
    for card in order[: seats * hand_size]:
        seat = seat_after(seat, seats)
        hands[seat] |= 1 << card
    return tuple(hands), order[seats * hand_size :]
