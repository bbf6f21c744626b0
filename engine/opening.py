"""Dealing: the first deal of a match and every next one (R2)."""

from engine.actions import Seat
from engine.cards import Card, CardSet
from engine.events import DealStarted
from engine.rules import NextDealer, RuleSet, UpcardOffer
from engine.scoring import knock_limit
from engine.shuffle import deck, first_dealer
from engine.state import DealResult, DealRow, Match, PerSeat, put, seat_after, seats_after


def deal_first(match: Match) -> DealStarted:
    """Deal to the seats of a match that has just been filled (R2.2)."""
    return _deal(match, 1, first_dealer_of(match))


def first_dealer_of(match: Match) -> Seat:
    """Return the seat that deals first: the named one, or the one that the shuffle chooses (R2.2)."""
    if match.first_dealer is not None:
        return match.first_dealer
    return first_dealer(match.shuffle, len(match.seats))


def deal_next(match: Match, last: DealRow) -> DealStarted:
    """Deal after a finished deal; after a void one the same seat deals again (R2.3)."""
    return _deal(match, last.deal + 1, _next_dealer(match.rules, len(match.seats), last))


def _next_dealer(rules: RuleSet, seats: int, last: DealRow) -> Seat:
    if last.result is DealResult.VOID:
        return last.dealer
    # R6: for the next dealer a tie counts as won by the knocker.
    winner = last.winner if last.winner is not None else last.knocker
    if rules.next_dealer is NextDealer.ALTERNATE or winner is None:
        return seat_after(last.dealer, seats)
    if rules.next_dealer is NextDealer.WINNER:
        return winner
    others = seats_after(winner, seats)
    # Of several losers the one with the most penalties; the first after the winner among equals.
    return others[0] if last.penalties is None else max(others, key=last.penalties.__getitem__)


def _deal(match: Match, number: int, dealer: Seat) -> DealStarted:
    order = deck(match.shuffle, number)
    seats = len(match.seats)
    hands, rest = _hands(order, seats, match.rules.hand_size_for(seats), dealer)
    first = seat_after(dealer, seats)
    upcard: Card | None = rest[0]
    if match.rules.upcard_offer is UpcardOffer.ELEVEN:
        hands = put(hands, first, hands[first] | 1 << rest[0])
        upcard = None
    return DealStarted(
        deal=number,
        dealer=dealer,
        turn=first,
        upcard=upcard,
        knock_limit=knock_limit(match.rules, upcard),
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
