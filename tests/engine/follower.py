"""Somebody who follows a deal by an audience's copies of the events alone, as a client does."""

from typing import assert_never

from engine.actions import Layoff, Seat
from engine.cards import Card, CardSet, set_of
from engine.events import (
    Aborted,
    BigGinDeclared,
    DealScored,
    DealUnfinished,
    DealVoided,
    DiscardDrawn,
    Discarded,
    DiscardPassed,
    Forfeited,
    Knocked,
    MatchFinished,
    MatchStarted,
    Resigned,
    SeatJoined,
    TurnTimedOut,
    UpcardPassed,
    UpcardTaken,
)
from engine.known import Audience
from engine.redact import (
    Seen,
    SeenDealStarted,
    SeenLaidOff,
    SeenMatchCreated,
    SeenStockDrawn,
    SeenStockReshuffled,
)
from engine.state import Column, DealRow, MatchResult, PerSeat
from engine.state import Seen as SeenOfSeat
from engine.view import View


class Follower:
    """What an audience of a match can write down while the events come in."""

    def __init__(self, audience: Audience) -> None:
        self.audience = audience
        self.hand: CardSet = 0
        self.pile: list[Card] = []
        self.stock_count = 0
        self.dealt = 0
        self.counts: list[int] = []
        self.face_up: list[CardSet] = []
        self.thrown: list[list[Card]] = []
        self.declined: list[list[Card]] = []
        self.passed: set[Seat] = set()
        self.spread: list[CardSet] | None = None
        self.layoffs: list[Layoff] = []
        self.scores: PerSeat[int] = ()
        self.columns: tuple[Column, ...] | None = None
        self.rows: list[DealRow] = []
        self.dealing = False
        self.result: MatchResult | None = None

    def see(self, event: Seen) -> None:
        match event:
            case SeenMatchCreated(rules, seats):
                self.scores = (0,) * len(seats)
                self.dealt = rules.hand_size_for(len(seats))
                if rules.columns > 1:
                    self.columns = (Column(self.scores, self.scores, None),) * rules.columns
            case SeatJoined() | MatchStarted():
                pass
            case SeenDealStarted():
                self._dealt(event)
            case DealScored(row, scores, columns):
                self._ended(row, scores)
                self.columns = columns
            case DealVoided(row, scores) | DealUnfinished(row, scores):
                self._ended(row, scores)
            case TurnTimedOut() | Aborted() | Resigned() | Forfeited():
                pass
            case MatchFinished(result):
                self.result = result
            case _:
                self._moved(event)

    def _moved(
        self,
        event: UpcardPassed
        | UpcardTaken
        | DiscardPassed
        | DiscardDrawn
        | SeenStockDrawn
        | SeenStockReshuffled
        | Discarded
        | Knocked
        | BigGinDeclared
        | SeenLaidOff,
    ) -> None:
        match event:
            case UpcardPassed(seat):
                self.declined[seat].append(self.pile[-1])
                self.passed.add(seat)
            case DiscardPassed(seat):
                self.declined[seat].append(self.pile[-1])
            case UpcardTaken(seat, card) | DiscardDrawn(seat, card):
                assert self.pile.pop() == card
                self.face_up[seat] |= 1 << card
                self._hold(seat, card)
            case SeenStockDrawn(seat, card, stock_count):
                if seat not in self.passed:
                    self.declined[seat].append(self.pile[-1])
                self.stock_count = stock_count
                self._hold(seat, card)
            case SeenStockReshuffled(stock_count, top):
                assert self.pile[-1] == top
                self.stock_count = stock_count
                self.pile = [top]
            case Discarded(seat, card):
                self._throw(seat, card)
            case Knocked(seat, card, melds, unmatched):
                self._throw(seat, card)
                if melds is not None and unmatched is not None:
                    self._lay_down(seat, [*melds, unmatched])
            case BigGinDeclared(seat, melds):
                if melds is not None:
                    self._lay_down(seat, [*melds])
            case SeenLaidOff(seat, layoffs):
                self.layoffs += layoffs
                self.face_up[seat] |= set_of(layoff.card for layoff in layoffs)
            case _:
                assert_never(event)

    def agrees_with(self, view: View) -> bool:
        """Return whether a view shows just what the events have told."""
        if (view.scores, view.columns, view.result) != (self.scores, self.columns, self.result):
            return False
        if view.table is None:
            return not self.dealing and self._agrees_on_deals(view)
        shown = view.table.spread
        return (
            self.dealing
            and self._agrees_on_deals(view)
            and view.hand == self.hand
            and view.table.discard_pile == tuple(self.pile)
            and view.table.stock_count == self.stock_count
            and view.table.seen == tuple(map(SeenOfSeat, map(tuple, self.thrown), map(tuple, self.declined)))
            and [(other.hand_count, other.known_cards) for other in view.opponents]
            == [(self.counts[other.seat], self.face_up[other.seat]) for other in view.opponents]
            and (None if shown is None else [*shown.melds, shown.unmatched][: len(self.spread or ())])
            == self.spread
            and ([] if shown is None else [layoff for _, layoff in shown.layoffs]) == self.layoffs
        )

    def _agrees_on_deals(self, view: View) -> bool:
        latest = self.rows[-1] if self.rows else None
        return (view.deal_count, view.last_deal) == (len(self.rows), latest)

    def _dealt(self, event: SeenDealStarted) -> None:
        self.dealing = True
        self.hand = event.hand or 0
        self.pile = [] if event.upcard is None else [event.upcard]
        self.stock_count = event.stock_count
        self.counts = [self.dealt] * len(self.scores)
        if event.upcard is None:
            self.counts[event.turn] += 1
        self.face_up = [0] * len(self.scores)
        self.thrown = [[] for _ in self.scores]
        self.declined = [[] for _ in self.scores]
        self.passed = set()
        self.spread = None
        self.layoffs = []

    def _ended(self, row: DealRow, scores: PerSeat[int]) -> None:
        self.rows.append(row)
        self.scores = scores
        self.dealing = False

    def _hold(self, seat: Seat, card: Card | None) -> None:
        self.counts[seat] += 1
        if seat == self.audience:
            assert card is not None
            self.hand |= 1 << card

    def _throw(self, seat: Seat, card: Card) -> None:
        self.counts[seat] -= 1
        self.pile.append(card)
        self.thrown[seat].append(card)
        self.passed.clear()
        self.face_up[seat] &= ~(1 << card)
        if seat == self.audience:
            self.hand &= ~(1 << card)

    def _lay_down(self, seat: Seat, cards: list[CardSet]) -> None:
        self.spread = cards
        self.face_up[seat] = sum(cards)
