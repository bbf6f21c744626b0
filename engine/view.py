"""What an audience may see of a match, listed field by field."""

from msgspec import Struct

from engine.actions import Seat
from engine.cards import Card, CardSet
from engine.deadwood import Arrangement, solver_for
from engine.known import Audience, held
from engine.legal import Offer, legal_actions
from engine.rules import RuleSet
from engine.state import (
    Column,
    Deal,
    DealRow,
    Match,
    MatchResult,
    PerSeat,
    Phase,
    Player,
    Seen,
    Spread,
    Status,
    Taken,
    Tally,
)


class Opponent(Struct, frozen=True):
    """Another seat, as everybody sees it; the count is None while nothing is dealt."""

    seat: Seat
    player: Player
    hand_count: int | None
    known_cards: CardSet

    def __repr__(self) -> str:
        """Show no card."""
        return f"Opponent({self.seat})"


class Table(Struct, frozen=True):
    """The public part of a running deal, which every audience sees."""

    number: int
    dealer: Seat
    turn: Seat
    turns: int
    passes: int
    upcard: Card | None
    knock_limit: int
    stock_count: int
    discard_pile: tuple[Card, ...]
    seen: PerSeat[Seen]
    spread: Spread | None


class View(Struct, frozen=True):
    """All that an audience may know of a match, and what it may do.

    `table` is None while nothing is dealt; `hand` is empty and `arrangement` None for a spectator.
    """

    rules: RuleSet
    version: int
    status: Status
    phase: Phase
    seat: Audience
    table: Table | None
    hand: CardSet
    taken: Taken | None
    arrangement: Arrangement | None
    opponents: tuple[Opponent, ...]
    scores: PerSeat[int]
    columns: tuple[Column, ...] | None
    tallies: PerSeat[Tally]
    deal_count: int
    last_deal: DealRow | None
    result: MatchResult | None
    actions: tuple[Offer, ...]
    deadwood_after: dict[Card, int]

    def __repr__(self) -> str:
        """Show no card."""
        return f"View(seat={self.seat}, version={self.version}, {self.phase})"


def view(match: Match, audience: Audience) -> View:
    """Return what this audience may see; new state stays hidden until it is listed here."""
    deal = match.deal
    hand = 0 if deal is None or audience is None else deal.hands[audience]
    in_turn = deal is not None and deal.turn == audience
    return View(
        rules=match.rules,
        version=match.version,
        status=match.status,
        phase=phase_of(match),
        seat=audience,
        table=None if deal is None else _table(deal),
        hand=hand,
        taken=deal.taken if deal is not None and in_turn else None,
        arrangement=solver_for(match.rules).arrange(hand) if hand else None,
        opponents=_opponents(match, audience),
        scores=match.scores,
        columns=match.columns,
        tallies=match.tallies,
        deal_count=match.deal_count,
        last_deal=match.last_deal,
        result=match.result,
        actions=() if audience is None else legal_actions(match, audience),
        deadwood_after=(
            solver_for(match.rules).throws(hand)
            if deal is not None and in_turn and deal.phase is Phase.DISCARD
            else {}
        ),
    )


def phase_of(match: Match) -> Phase:
    """Return the phase of a match: that of its running deal, or before and after all deals."""
    if match.deal is not None:
        return match.deal.phase
    return Phase.WAITING if match.status is Status.OPEN else Phase.FINISHED


def _table(deal: Deal) -> Table:
    return Table(
        number=deal.number,
        dealer=deal.dealer,
        turn=deal.turn,
        turns=deal.turns,
        passes=deal.passes,
        upcard=deal.upcard,
        knock_limit=deal.knock_limit,
        stock_count=len(deal.stock),
        discard_pile=deal.discard_pile,
        seen=deal.seen,
        spread=deal.spread,
    )


def _opponents(match: Match, audience: Audience) -> tuple[Opponent, ...]:
    deal = match.deal
    cards = held(deal, audience) if deal is not None else (0,) * len(match.seats)
    return tuple(
        Opponent(seat, player, deal.hands[seat].bit_count() if deal is not None else None, cards[seat])
        for seat, player in enumerate(match.seats)
        if seat != audience
    )
