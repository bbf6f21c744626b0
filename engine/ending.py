"""How a deal and a match end, and what follows in the same step (R2.3–R2.6, R4.5, R5, R6)."""

from typing import Final

from engine.actions import Layoff, Seat
from engine.cards import CardSet
from engine.deadwood import Arrangement, solver_for
from engine.events import (
    AnyEvent,
    BigGinDeclared,
    DealScored,
    DealVoided,
    Discarded,
    Knocked,
    LaidOff,
    MatchFinished,
)
from engine.layoffs import best_spread, defend
from engine.opening import deal_next
from engine.phases.melding import stated
from engine.scoring import lays_off, score_deal
from engine.shuffle import ShuffleMode
from engine.state import (
    Deal,
    DealResult,
    DealRow,
    HandShown,
    Match,
    MatchEnd,
    MatchResult,
    PerSeat,
    put,
    seat_after,
    seats_after,
)
from engine.totals import match_totals

DEAL_LIMIT: Final = 200
"""The most deals of a match, void ones counted (R2.6)."""


def after_throw(match: Match, deal: Deal, thrown: Discarded) -> tuple[AnyEvent, ...]:
    """Void the deal where the throw leaves nothing to draw or was the last turn (R4.5, R4.6)."""
    if not ends_void(len(deal.stock), match.rules.stock_floor, deal.turns, match.rules.max_turns):
        return ()
    hands = _without(deal, thrown.seat, thrown.card)
    row = DealRow(
        deal=deal.number,
        dealer=deal.dealer,
        upcard=deal.upcard,
        knocker=None,
        result=DealResult.VOID,
        winner=None,
        points=0,
        penalties=None,
        multiplier=1,
        hands=tuple(_arranged(match, seat, hand) for seat, hand in enumerate(hands)),
    )
    return (DealVoided(row, match.scores), _next(match, row))


def ends_void(stock_count: int, stock_floor: int, turns: int, max_turns: int) -> bool:
    """Return whether a throw without a knock ends the deal; `turns` are those finished before it."""
    return stock_count <= stock_floor or turns + 1 >= max_turns


def after_knock(match: Match, deal: Deal, knocked: Knocked) -> tuple[AnyEvent, ...]:
    """Score the knock at once, or leave the word to the defenders (R5.2)."""
    hands = _without(deal, knocked.seat, knocked.card)
    if knocked.melds is None:
        return _settled(match, deal, hands, knocker=knocked.seat, spread=None, deadwood=knocked.deadwood)
    if lays_off(match.rules, knocker_deadwood=knocked.deadwood):
        return ()
    spread = stated(match.rules, hands[knocked.seat], knocked.melds)
    return _settled(match, deal, hands, knocker=knocked.seat, spread=spread, deadwood=spread.deadwood)


def after_big_gin(match: Match, deal: Deal, declared: BigGinDeclared) -> tuple[AnyEvent, ...]:
    """Score big gin at once, or leave the word to the defenders where they lay off on gin (R5.6)."""
    if declared.melds is None:
        return _settled(match, deal, deal.hands, knocker=declared.seat, spread=None, deadwood=0)
    if lays_off(match.rules, knocker_deadwood=0):
        return ()
    spread = stated(match.rules, deal.hands[declared.seat], declared.melds)
    return _settled(match, deal, deal.hands, knocker=declared.seat, spread=spread, deadwood=0)


def after_answer(match: Match, deal: Deal, answered: LaidOff) -> tuple[AnyEvent, ...]:
    """Score the deal after the last defender's answer (R5.2)."""
    spread = deal.spread
    assert spread is not None  # noqa: S101  an answer follows a spread
    if seat_after(answered.seat, len(deal.hands)) != spread.seat:
        return ()
    answers = (*deal.answers, shown_answer(deal, answered))
    knocker = HandShown(
        spread.seat, deal.hands[spread.seat], spread.melds, (), spread.unmatched, spread.deadwood
    )
    return _scored(match, deal, spread.seat, (knocker, *answers))


def shown_answer(deal: Deal, answered: LaidOff) -> HandShown:
    """Return a defender's hand as his answer lays it out."""
    return HandShown(
        answered.seat,
        deal.hands[answered.seat],
        answered.melds,
        answered.layoffs,
        answered.unmatched,
        answered.deadwood,
    )


def given_up(match: Match, seat: Seat) -> MatchFinished:
    """End the match that a seat gave up: of two, the other wins whatever the score (R3.4)."""
    winner = seat_after(seat, len(match.seats))
    return _finished(match, MatchResult(MatchEnd.RESIGNED, winner, None))


def _settled(
    match: Match,
    deal: Deal,
    hands: PerSeat[CardSet],
    *,
    knocker: Seat,
    spread: Arrangement | None,
    deadwood: int,
) -> tuple[AnyEvent, ...]:
    rules = match.rules
    laying_off = lays_off(rules, knocker_deadwood=deadwood)
    defenders = seats_after(knocker, len(hands))
    if spread is None:
        spread = best_spread(
            rules, hands[knocker], tuple(hands[seat] for seat in defenders), laying_off=laying_off
        )
    shown = [HandShown(knocker, hands[knocker], spread.melds, (), spread.unmatched, spread.deadwood)]
    laid_before: tuple[Layoff, ...] = ()
    for seat in defenders:
        defence = defend(rules, spread.melds, laid_before, hands[seat], layoffs=None if laying_off else ())
        laid_before += defence.layoffs
        shown.append(
            HandShown(seat, hands[seat], defence.melds, defence.layoffs, defence.unmatched, defence.deadwood)
        )
    return _scored(match, deal, knocker, tuple(shown))


def _scored(match: Match, deal: Deal, knocker: Seat, shown: tuple[HandShown, ...]) -> tuple[AnyEvent, ...]:
    rules = match.rules
    hands = tuple(sorted(shown, key=lambda hand: hand.seat))
    score = score_deal(
        rules,
        knocker=knocker,
        deadwoods=tuple(hand.deadwood for hand in hands),
        big_gin=hands[knocker].cards.bit_count() > rules.hand_size_for(len(hands)),
        upcard=deal.upcard,
    )
    row = DealRow(
        deal=deal.number,
        dealer=deal.dealer,
        upcard=deal.upcard,
        knocker=knocker,
        result=score.result,
        winner=score.winner,
        points=score.points,
        penalties=score.penalties,
        multiplier=score.multiplier,
        hands=hands,
    )
    totals = match_totals(rules, len(hands), _scores_of((*match.deals, row)))
    event = DealScored(row, totals.running)
    if totals.over:
        reason = MatchEnd.DEALS if rules.deals is not None else MatchEnd.TARGET
        return (event, _finished(match, MatchResult(reason, totals.winner, totals.totals)))
    return (event, _next(match, row, totals.running))


def _next(match: Match, row: DealRow, scores: PerSeat[int] | None = None) -> AnyEvent:
    if row.deal < DEAL_LIMIT:
        return deal_next(match, row)
    best = scores or match.scores
    leaders = [seat for seat, points in enumerate(best) if points == max(best)]
    winner = leaders[0] if len(leaders) == 1 else None
    return _finished(match, MatchResult(MatchEnd.DEAL_LIMIT, winner, None))


def _finished(match: Match, result: MatchResult) -> MatchFinished:
    # Another match may still be played on the same text: its seed is never told.
    told = match.shuffle.mode is not ShuffleMode.SEED
    return MatchFinished(result, match.shuffle.server_seed if told else None)


def _scores_of(rows: tuple[DealRow, ...]) -> list[tuple[Seat | None, int]]:
    return [(row.winner, row.points) for row in rows if row.result is not DealResult.VOID]


def _without(deal: Deal, seat: Seat, card: int) -> PerSeat[CardSet]:
    return put(deal.hands, seat, deal.hands[seat] & ~(1 << card))


def _arranged(match: Match, seat: Seat, hand: CardSet) -> HandShown:
    best = solver_for(match.rules).arrange(hand)
    return HandShown(seat, hand, best.melds, (), best.unmatched, best.deadwood)
