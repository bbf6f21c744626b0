"""A moment of a deal as the seat in turn may tell of it, and the view that the seat would have then.

Somebody who plays elsewhere knows no deck and no history. A match is made up that agrees with all that he
says; what he cannot know is filled in, in any order, and the view of it does not show the filling.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Final, NoReturn

from msgspec import Struct

from engine.actions import Layoff, Seat
from engine.cards import DECK_SIZE, Card, CardSet, cards_of, set_of
from engine.deadwood import solver_for
from engine.ending import DEAL_LIMIT
from engine.layoffs import first_misfit
from engine.melds import is_meld
from engine.rules import Melds, RuleSet, StockEnd, UpcardOffer
from engine.scoring import knock_limit, lays_off
from engine.shuffle import SEED_SIZE, Shuffle, ShuffleMode
from engine.state import (
    Deal,
    Match,
    PerSeat,
    Phase,
    Player,
    PlayerKind,
    Seen,
    Source,
    Spread,
    Status,
    Taken,
    Tally,
    seats_after,
)
from engine.totals import first_standing
from engine.view import View, view

_EVERY_CARD: Final[CardSet] = (1 << DECK_SIZE) - 1
_IN_TURN: Final = {Phase.UPCARD_OFFER, Phase.DRAW, Phase.DISCARD, Phase.LAST_DISCARD, Phase.LAYOFF}

Filling = Callable[[CardSet], tuple[Card, ...]]
"""An order for the cards that the seat cannot place."""


class Misfit(StrEnum):
    """Why no match can come to such a position."""

    DUPLICATE_CARDS = "duplicate-cards"
    HAND_SIZE_WRONG = "hand-size-wrong"
    CARDS_MISCOUNTED = "cards-miscounted"
    KNOWN_CARDS_IMPOSSIBLE = "known-cards-impossible"
    UPCARD_IMPOSSIBLE = "upcard-impossible"
    TAKEN_IMPOSSIBLE = "taken-impossible"
    PHASE_IMPOSSIBLE = "phase-impossible"
    SPREAD_INVALID = "spread-invalid"
    LAYOFFS_IMPOSSIBLE = "layoffs-impossible"
    TALLIES_IMPOSSIBLE = "tallies-impossible"


class ImpossibleError(ValueError):
    """A position to which no match can come; `card` is one that shows it, where one does."""

    def __init__(self, misfit: Misfit, card: Card | None = None) -> None:
        super().__init__(misfit.value)
        self.misfit = misfit
        self.card = card


class Position(Struct, frozen=True, kw_only=True):
    """What the seat in turn says of a deal; everything is as in its view.

    `known` are for each seat the cards that all know to be in its hand; the own entry is not read. A
    knocker's whole hand is in `spread`, and a defender's layoffs are still cards of his hand.
    """

    rules: RuleSet
    seat: Seat
    phase: Phase
    dealer: Seat
    hand: CardSet
    taken: Taken | None
    upcard: Card | None
    discard_pile: tuple[Card, ...]
    stock_count: int
    counts: PerSeat[int | None]
    """How many cards each seat holds; None for as many as the rules say."""
    known: PerSeat[CardSet]
    seen: PerSeat[Seen]
    spread: Spread | None
    scores: PerSeat[int]
    deal_count: int
    """How many deals of the match were finished before this one."""
    tallies: PerSeat[Tally]

    def __repr__(self) -> str:
        """Show no card."""
        return f"Position(seat={self.seat}, {self.phase})"

    @property
    def seats(self) -> int:
        """Return how many play."""
        return len(self.known)


def view_of(position: Position, filling: Filling = cards_of) -> View:
    """Return what the seat would see, and might do; raise `ImpossibleError` where no match comes to this."""
    seen = view(match_of(position, filling), position.seat)
    if not seen.actions:
        # R4.5: the last discard was taken for a knock, and there is none.
        _refuse(Misfit.TAKEN_IMPOSSIBLE)
    return seen


def match_of(position: Position, filling: Filling = cards_of) -> Match:
    """Return a match that agrees with all that the position says; raise `ImpossibleError` where none does."""
    held = tuple(_held(position, seat) for seat in range(position.seats))
    sizes = tuple(_size(position, seat) for seat in range(position.seats))
    unplaced = _unplaced(position, held)
    _check_counts(position, held, sizes, unplaced)
    _check_upcard(position, held)
    _check_taken(position)
    _check_phase(position)
    _check_tallies(position)
    if position.spread is not None:
        _check_spread(position, position.spread)
    order = iter(filling(unplaced))
    hands = tuple(
        cards | set_of(next(order) for _ in range(size - cards.bit_count()))
        for cards, size in zip(held, sizes, strict=True)
    )
    return Match(
        rules=position.rules,
        seats=(Player(PlayerKind.PLAYER),) * position.seats,
        shuffle=Shuffle(ShuffleMode.SERVER, bytes(SEED_SIZE)),
        first_dealer=None,
        version=1,
        status=Status.PLAYING,
        scores=position.scores,
        columns=first_standing(position.rules, position.seats).columns,
        tallies=position.tallies,
        deal_count=position.deal_count,
        deal=_deal(position, hands, tuple(order)),
    )


def _deal(position: Position, hands: PerSeat[CardSet], stock: tuple[Card, ...]) -> Deal:
    own_take = position.taken is not None and position.taken.source is Source.DISCARD_PILE
    face_up = [cards & ~_spread_cards(position) for cards in position.known]
    face_up[position.seat] = 1 << position.taken.card if own_take and position.taken else 0
    return Deal(
        number=position.deal_count + 1,
        dealer=position.dealer,
        turn=position.seat,
        phase=position.phase,
        upcard=position.upcard,
        knock_limit=knock_limit(position.rules, position.upcard),
        hands=hands,
        stock=stock,
        discard_pile=position.discard_pile,
        face_up=tuple(face_up),
        taken=position.taken,
        passes=_passes(position),
        turns=_turns(position),
        spread=position.spread,
        seen=position.seen,
    )


def _passes(position: Position) -> int:
    """Return how many seats declined the upcard, while that still decides what may be done (R2.4)."""
    if position.phase is Phase.UPCARD_OFFER:
        return (*seats_after(position.dealer, position.seats), position.dealer).index(position.seat)
    offered = position.rules.upcard_offer is UpcardOffer.STANDARD
    undrawn = position.phase is Phase.DRAW and not _turns(position)
    return position.seats if offered and undrawn else 0


def _turns(position: Position) -> int:
    """Return how many turns are over: those that were seen to end, or else those that drew from the stock."""
    thrown = sum(len(seen.thrown) for seen in position.seen)
    drawing = position.taken is not None and position.taken.source is Source.STOCK
    drawn = _first_stock(position) - position.stock_count - drawing
    return max(thrown, drawn, len(position.discard_pile) - 1, 0)


def _first_stock(position: Position) -> int:
    """Return how many cards the stock had when the deal began."""
    seats = position.seats
    return DECK_SIZE - seats * position.rules.hand_size_for(seats) - 1


def _held(position: Position, seat: Seat) -> CardSet:
    if seat == position.seat:
        return position.hand
    spread = position.spread
    return _spread_cards(position) if spread is not None and seat == spread.seat else position.known[seat]


def _spread_cards(position: Position) -> CardSet:
    spread = position.spread
    if spread is None:
        return 0
    cards = spread.unmatched
    for meld in spread.melds:
        cards |= meld
    return cards


def _size(position: Position, seat: Seat) -> int:
    """Return how many cards a seat holds (R2.1, R3.1); a spread of big gin has one more (R4.2)."""
    size = position.rules.hand_size_for(position.seats)
    if seat == position.seat:
        return size + (position.phase is Phase.DISCARD)
    spread = position.spread
    if spread is None or seat != spread.seat:
        return size
    big_gin = position.rules.big_gin and not spread.unmatched and _spread_cards(position).bit_count() > size
    return size + big_gin


def _unplaced(position: Position, held: PerSeat[CardSet]) -> CardSet:
    placed = 0
    for cards in (*(1 << card for card in position.discard_pile), *held):
        if placed & cards:
            _refuse(Misfit.DUPLICATE_CARDS, placed & cards)
        placed |= cards
    return _EVERY_CARD & ~placed


def _check_counts(position: Position, held: PerSeat[CardSet], sizes: PerSeat[int], unplaced: CardSet) -> None:
    for seat, (cards, size) in enumerate(zip(held, sizes, strict=True)):
        told = position.counts[seat]
        whole = seat == position.seat or (position.spread is not None and seat == position.spread.seat)
        if told not in {None, size} or (whole and cards.bit_count() != size):
            _refuse(Misfit.HAND_SIZE_WRONG)
        if cards.bit_count() > size:
            _refuse(Misfit.KNOWN_CARDS_IMPOSSIBLE)
    missing = sum(sizes) - sum(cards.bit_count() for cards in held)
    if missing + position.stock_count != unplaced.bit_count():
        _refuse(Misfit.CARDS_MISCOUNTED)


def _check_upcard(position: Position, held: PerSeat[CardSet]) -> None:
    if (position.upcard is None) != (position.rules.upcard_offer is UpcardOffer.ELEVEN):
        _refuse(Misfit.UPCARD_IMPOSSIBLE)
    if position.upcard is None or position.rules.stock_end is StockEnd.RESHUFFLE:
        return
    shown = set_of(position.discard_pile)
    for cards in held:
        shown |= cards
    if not shown >> position.upcard & 1:
        # It was thrown or taken face up, and everybody saw where it went.
        _refuse(Misfit.UPCARD_IMPOSSIBLE)


def _check_taken(position: Position) -> None:
    throwing, taken = position.phase is Phase.DISCARD, position.taken
    if taken is None:
        possible = not throwing or _may_open(position)
    else:
        undrawn = position.stock_count >= _first_stock(position)
        from_nowhere = taken.source is Source.STOCK and undrawn
        possible = throwing and bool(position.hand >> taken.card & 1) and not from_nowhere
    if not possible:
        _refuse(Misfit.TAKEN_IMPOSSIBLE)


def _may_open(position: Position) -> bool:
    """Return whether this may be the throw of the eleven cards that the first seat is dealt (R2.4)."""
    return (
        position.rules.upcard_offer is UpcardOffer.ELEVEN
        and position.seat == seats_after(position.dealer, position.seats)[0]
        and position.stock_count == _first_stock(position)
        and not position.discard_pile
        and not any(seen.thrown for seen in position.seen)
    )


def _check_phase(position: Position) -> None:
    if position.phase not in _IN_TURN or not all(_conditions(position)):
        _refuse(Misfit.PHASE_IMPOSSIBLE)


def _conditions(position: Position) -> Iterator[bool]:
    """Yield what must hold in the phase (R2.4, R4.5, R5.2)."""
    rules, phase = position.rules, position.phase
    at_floor = position.stock_count <= rules.stock_floor
    yield position.stock_count <= _first_stock(position)
    yield (position.spread is not None) == (phase is Phase.LAYOFF)
    if phase is Phase.UPCARD_OFFER:
        yield rules.upcard_offer is UpcardOffer.STANDARD
        yield position.stock_count == _first_stock(position)
        yield position.discard_pile == (position.upcard,)
    if phase in {Phase.DRAW, Phase.LAST_DISCARD}:
        yield bool(position.discard_pile)
        yield at_floor == (phase is Phase.LAST_DISCARD)
    if phase is Phase.LAST_DISCARD:
        yield rules.offers_last_discard
    if phase is Phase.DISCARD:
        drawn = position.taken is not None and position.taken.source is Source.STOCK
        before = position.stock_count + drawn
        yield before > rules.stock_floor or (not drawn and rules.offers_last_discard)
        yield not (drawn and at_floor and rules.stock_end is StockEnd.DEAD_ON_DRAW)
    if phase is Phase.LAYOFF and position.spread is not None:
        yield rules.melds is Melds.DECLARED
        yield position.spread.seat != position.seat
        yield lays_off(rules, knocker_deadwood=position.spread.deadwood)


def _check_tallies(position: Position) -> None:
    """Refuse more endings than deals, and knocks with less than a point of deadwood or too many (R4.1)."""
    ended = sum(tally.knocks + tally.gins for tally in position.tallies)
    limit = position.rules.knock_limit
    possible = all(tally.knocks <= tally.knock_deadwood <= tally.knocks * limit for tally in position.tallies)
    if ended > position.deal_count or position.deal_count >= DEAL_LIMIT or not possible:
        _refuse(Misfit.TALLIES_IMPOSSIBLE)


def _check_spread(position: Position, spread: Spread) -> None:
    rules = position.rules
    used = spread.unmatched
    for meld in spread.melds:
        if not is_meld(meld, rules.ace) or meld & used:
            _refuse(Misfit.SPREAD_INVALID)
        used |= meld
    over = spread.deadwood > knock_limit(rules, position.upcard)
    if over or spread.deadwood != solver_for(rules).points(spread.unmatched):
        _refuse(Misfit.SPREAD_INVALID)
    defenders = seats_after(spread.seat, position.seats)
    answered = defenders[: defenders.index(position.seat)]
    laid = tuple(layoff for _, layoff in spread.layoffs)
    owned = all(seat in answered and _owns(position, seat, layoff) for seat, layoff in spread.layoffs)
    if not owned or first_misfit(rules, spread.melds, (), laid) is not None:
        _refuse(Misfit.LAYOFFS_IMPOSSIBLE)


def _owns(position: Position, seat: Seat, layoff: Layoff) -> bool:
    return bool(position.known[seat] >> layoff.card & 1)


def _refuse(misfit: Misfit, cards: CardSet = 0) -> NoReturn:
    raise ImpossibleError(misfit, cards_of(cards)[0] if cards else None)
