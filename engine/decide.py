"""The judge: may this happen, and what follows? Every rule of play is asked for from here."""

from typing import assert_never

from engine.actions import (
    Abort,
    AnyAction,
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Join,
    Knock,
    LayOff,
    Move,
    Pass,
    Resign,
    Seat,
    TakeUpcard,
    TimeOut,
)
from engine.ending import (
    aborted,
    after_answer,
    after_big_gin,
    after_decline,
    after_draw,
    after_knock,
    after_throw,
    given_up,
)
from engine.events import (
    Aborted,
    AnyEvent,
    BigGinDeclared,
    DiscardDrawn,
    Discarded,
    DiscardPassed,
    Forfeited,
    Knocked,
    LaidOff,
    MatchStarted,
    MoveMade,
    Resigned,
    SeatJoined,
    StockDrawn,
    TurnTimedOut,
    UpcardPassed,
    UpcardTaken,
)
from engine.flow import FLOW
from engine.house import FORFEITED_AT, safest
from engine.opening import deal_first
from engine.phases import discard, draw, layoff, upcard
from engine.refusal import Reason, require
from engine.state import Deal, Match, MatchEnd, Phase, Player, PlayerKind, Status, put
from engine.view import view


def decide(match: Match, seat: Seat, action: AnyAction) -> tuple[AnyEvent, ...]:
    """Return what this action brings about: one act, then its consequences; a notice before the house's.

    Raises `engine.refusal.Refusal` where the rules forbid it.
    """
    match action:
        case Join():
            return _join(match, seat, action)
        case Abort():
            return _abort(match, seat)
        case TimeOut():
            return _time_out(match, seat, action)
        case _:
            return _play(match, seat, action)


def _play(match: Match, seat: Seat, action: Move) -> tuple[AnyEvent, ...]:
    act = permit(match, seat, action)
    return (act, *_consequences(match, act))


def permit(match: Match, seat: Seat, action: Move) -> MoveMade:
    """Return the act alone, or raise `engine.refusal.Refusal`.

    The reasons are asked for in an order that depends on nothing but what the asking seat knows, and no
    other hand is looked at: not even the time it takes tells of one.
    """
    deal = _running(match)
    if isinstance(action, Resign):
        return Resigned(seat)
    require(seat == deal.turn, Reason.NOT_YOUR_TURN)
    require(type(action) in FLOW[deal.phase], Reason.WRONG_PHASE)
    match action:
        case TakeUpcard():
            return upcard.take_upcard(deal, seat)
        case Pass():
            return draw.decline_last(seat) if deal.phase is Phase.LAST_DISCARD else upcard.decline(seat)
        case DrawStock():
            return draw.draw_stock(deal, seat)
        case DrawDiscard():
            return draw.draw_discard(match.rules, deal, seat)
        case Discard(card):
            return discard.throw(match.rules, deal, seat, card)
        case Knock():
            return discard.knock(match.rules, deal, seat, action)
        case BigGin():
            return discard.big_gin(match.rules, deal, seat, action)
        case LayOff():
            return layoff.lay_off(match.rules, deal, seat, action)
        case _:
            assert_never(action)


def _consequences(match: Match, act: MoveMade) -> tuple[AnyEvent, ...]:
    deal = _running(match)
    match act:
        case Resigned(seat):
            return given_up(match, deal, seat, MatchEnd.RESIGNED)
        case Forfeited(seat):
            return given_up(match, deal, seat, MatchEnd.FORFEITED)
        case StockDrawn():
            return after_draw(match, deal, act)
        case DiscardPassed():
            return after_decline(match, deal)
        case Discarded():
            return after_throw(match, deal, act)
        case Knocked():
            return after_knock(match, deal, act)
        case BigGinDeclared():
            return after_big_gin(match, deal, act)
        case LaidOff():
            return after_answer(match, deal, act)
        case UpcardTaken() | UpcardPassed() | DiscardDrawn():
            return ()
        case _:
            assert_never(act)


def _running(match: Match) -> Deal:
    require(match.status is not Status.OPEN, Reason.MATCH_NOT_STARTED)
    if match.deal is None:
        require(match.status is not Status.FINISHED, Reason.MATCH_FINISHED)
        raise AssertionError("a match that is played has a deal")
    return match.deal


def _time_out(match: Match, seat: Seat, action: TimeOut) -> tuple[AnyEvent, ...]:
    """Let the house act for a seat whose time is up, or take the match from it (R3.5)."""
    require(seat == _running(match).turn, Reason.NOT_YOUR_TURN)
    in_a_row = match.timeouts[seat] + 1
    notice = TurnTimedOut(seat, in_a_row)
    if in_a_row < FORFEITED_AT[action.on_timeout]:
        return (notice, *_play(match, seat, safest(view(match, seat))))
    act = Forfeited(seat)
    return (notice, act, *_consequences(match, act))


def _abort(match: Match, seat: Seat) -> tuple[AnyEvent, ...]:
    require(match.status is not Status.FINISHED, Reason.MATCH_FINISHED)
    require(match.status is Status.OPEN, Reason.MATCH_STARTED)
    return (Aborted(seat), aborted(match))


def _join(match: Match, seat: Seat, action: Join) -> tuple[AnyEvent, ...]:
    require(match.status is not Status.FINISHED, Reason.MATCH_FINISHED)
    require(match.seats[seat].kind is PlayerKind.OPEN, Reason.MATCH_FULL)
    joined = SeatJoined(seat, action.name)
    seats = put(match.seats, seat, Player(PlayerKind.PLAYER, action.name))
    if any(player.kind is PlayerKind.OPEN for player in seats):
        return (joined,)
    return (joined, MatchStarted(seats), deal_first(match))
