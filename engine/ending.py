"""How a deal and a match end, and what follows in the same step (R2.3–R2.6, R4.5, R5, R6)."""

from typing import Final

from engine.actions import Layoff, Seat
from engine.cards import CardSet
from engine.deadwood import Arrangement, solver_for
from engine.events import (
    AnyEvent,
    BigGinDeclared,
    DealScored,
    DealUnfinished,
    DealVoided,
    Discarded,
    Knocked,
    LaidOff,
    MatchFinished,
    StockDrawn,
    StockReshuffled,
)
from engine.layoffs import best_spread, defend
from engine.opening import deal_next, first_dealer_of
from engine.phases.melding import stated
from engine.rules import RuleSet, Scoring, StockEnd
from engine.scoring import lays_off, score_deal
from engine.shuffle import ShuffleMode, shuffled
from engine.state import (
    Deal,
    DealResult,
    DealRow,
    HandShown,
    Match,
    MatchEnd,
    MatchResult,
    PerSeat,
    Spread,
    put,
    seat_after,
    seats_after,
    unscored,
)
from engine.totals import Scored, Standing, entered, fewest_penalties, totals_of

DEAL_LIMIT: Final = 200
"""The most deals of a match, void ones counted (R2.6)."""


def after_draw(match: Match, deal: Deal, drawn: StockDrawn) -> tuple[AnyEvent, ...]:
    """Void the deal where the draw alone ends it (R4.5)."""
    if not draw_voids(match.rules, drawn.stock_count):
        return ()
    return _voided(match, deal, put(deal.hands, drawn.seat, deal.hands[drawn.seat] | 1 << drawn.card))


def after_decline(match: Match, deal: Deal) -> tuple[AnyEvent, ...]:
    """Void the deal whose last discard nobody wanted (R4.5)."""
    return _voided(match, deal, deal.hands)


def after_throw(match: Match, deal: Deal, thrown: Discarded) -> tuple[AnyEvent, ...]:
    """Void the deal where the throw ends it, or make a new stock of the discards (R4.5, R4.6, R7.4)."""
    rules = match.rules
    if throw_voids(rules, len(deal.stock), deal.turns):
        return _voided(match, deal, _without(deal, thrown.seat, thrown.card))
    if rules.stock_end is StockEnd.RESHUFFLE and len(deal.stock) <= rules.stock_floor:
        return (_reshuffled(match, deal, thrown),)
    return ()


def draw_voids(rules: RuleSet, stock_count: int) -> bool:
    """Return whether a draw that leaves so many cards in the stock ends the deal."""
    return rules.stock_end is StockEnd.DEAD_ON_DRAW and stock_count <= rules.stock_floor


def throw_voids(rules: RuleSet, stock_count: int, turns: int) -> bool:
    """Return whether a throw without a knock ends the deal; `turns` are those finished before it."""
    dead = rules.stock_end is StockEnd.DEAD_AFTER_DISCARD and stock_count <= rules.stock_floor
    return dead or turns + 1 >= rules.max_turns


def _voided(match: Match, deal: Deal, hands: PerSeat[CardSet]) -> tuple[AnyEvent, ...]:
    shown = tuple(_arranged(match, seat, hand) for seat, hand in enumerate(hands))
    row = unscored(deal, DealResult.VOID, shown)
    return (DealVoided(row, match.scores), _next(match, row, match.scores))


def _reshuffled(match: Match, deal: Deal, thrown: Discarded) -> StockReshuffled:
    label = f"reshuffle:{deal.number}:{deal.reshuffles + 1}"
    under = shuffled(deal.discard_pile, match.shuffle.server_seed, label)
    return StockReshuffled(deal.stock + under, thrown.card)


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
    return _scored(match, deal, spread.seat, (shown_spread(deal, spread), *answers))


def shown_spread(deal: Deal, spread: Spread) -> HandShown:
    """Return the knocker's hand as he laid it."""
    return HandShown(
        spread.seat, deal.hands[spread.seat], spread.melds, (), spread.unmatched, spread.deadwood
    )


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


def given_up(match: Match, deal: Deal, seat: Seat, reason: MatchEnd) -> tuple[AnyEvent, ...]:
    """End the match that a seat gave up or forfeited: of two, the other wins whatever the score (R3.4).

    Of more, the one with the fewest penalties among the rest.
    """
    rest = seats_after(seat, len(match.seats))
    latest_win = tuple(tally.latest_win for tally in match.tallies)
    winner = fewest_penalties(match.scores, latest_win, rest, first_dealer=first_dealer_of(match))
    # R3.4: on a text or given decks another match may still be played with the same cards.
    hands = _shown(match, deal) if match.shuffle.mode is ShuffleMode.SERVER else ()
    row = unscored(deal, DealResult.UNFINISHED, hands)
    return DealUnfinished(row, match.scores), _finished(match, MatchResult(reason, winner, None))


def aborted(match: Match) -> MatchFinished:
    """End a match of which nothing was dealt: nobody wins."""
    return _finished(match, MatchResult(MatchEnd.ABORTED, None, None))


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
        parts=score.parts,
    )
    return _counted(match, row)


def standing_of(match: Match) -> Standing:
    """Return what the scored deals of a match add up to so far."""
    penalty = match.rules.scoring is Scoring.PENALTY
    return Standing(
        points=match.scores if penalty else tuple(tally.points for tally in match.tallies),
        boxes=tuple(tally.boxes for tally in match.tallies),
        latest_win=tuple(tally.latest_win for tally in match.tallies),
        deals=match.scored_deals,
        columns=match.columns,
    )


def _counted(match: Match, row: DealRow) -> tuple[AnyEvent, ...]:
    """Enter a scored deal, and end the match or deal the next hand."""
    rules = match.rules
    standing = entered(
        rules, standing_of(match), Scored(row.winner, row.points, row.penalties), number=row.deal
    )
    stand = totals_of(rules, standing, first_dealer=first_dealer_of(match))
    event = DealScored(row, stand.running, standing.columns)
    if stand.over:
        return (event, _finished(match, MatchResult(_reason(rules), stand.winner, stand.totals)))
    return (event, _next(match, row, stand.running))


def _reason(rules: RuleSet) -> MatchEnd:
    if rules.deals is not None:
        return MatchEnd.DEALS
    return MatchEnd.TARGET if rules.target is not None else MatchEnd.PENALTY_LIMIT


def _next(match: Match, row: DealRow, scores: PerSeat[int]) -> AnyEvent:
    if row.deal < DEAL_LIMIT:
        return deal_next(match, row)
    best = min(scores) if match.rules.scoring is Scoring.PENALTY else max(scores)
    leaders = [seat for seat, score in enumerate(scores) if score == best]
    winner = leaders[0] if len(leaders) == 1 else None
    return _finished(match, MatchResult(MatchEnd.DEAL_LIMIT, winner, None))


def _finished(match: Match, result: MatchResult) -> MatchFinished:
    # Another match may still be played on the same text: its seed is never told.
    told = match.shuffle.mode is not ShuffleMode.SEED
    return MatchFinished(result, match.shuffle.server_seed if told else None)


def _shown(match: Match, deal: Deal) -> tuple[HandShown, ...]:
    """Return the hands of a deal that is cut off: what was laid on the table as it lay, the rest by R1.5."""
    laid = {answer.seat: answer for answer in deal.answers}
    if deal.spread is not None:
        laid[deal.spread.seat] = shown_spread(deal, deal.spread)
    return tuple(
        laid[seat] if seat in laid else _arranged(match, seat, hand) for seat, hand in enumerate(deal.hands)
    )


def _without(deal: Deal, seat: Seat, card: int) -> PerSeat[CardSet]:
    return put(deal.hands, seat, deal.hands[seat] & ~(1 << card))


def _arranged(match: Match, seat: Seat, hand: CardSet) -> HandShown:
    best = solver_for(match.rules).arrange(hand)
    return HandShown(seat, hand, best.melds, (), best.unmatched, best.deadwood)
