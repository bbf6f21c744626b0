"""The judge: may this happen, and what follows? Every rule of play is asked for from here."""

from typing import assert_never

from engine.actions import (
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
)
from engine.ending import (
    after_answer,
    after_big_gin,
    after_decline,
    after_draw,
    after_knock,
    after_throw,
    given_up,
)
from engine.events import AnyEvent, MatchStarted, Resigned, SeatJoined
from engine.flow import FLOW
from engine.opening import deal_first
from engine.phases import discard, draw, layoff, upcard
from engine.refusal import Reason, require
from engine.state import Deal, Match, Phase, Player, PlayerKind, Status, put


def decide(match: Match, seat: Seat, action: Move | Join) -> tuple[AnyEvent, ...]:
    """Return what this action brings about: one act, then its consequences.

    Raises `engine.refusal.Refusal` where the rules forbid it; the reasons are asked for in an order
    that depends on nothing but what the asking seat knows.
    """
    if isinstance(action, Join):
        return _join(match, seat, action)
    deal = _running(match)
    if isinstance(action, Resign):
        return (Resigned(seat), given_up(match, seat))
    require(seat == deal.turn, Reason.NOT_YOUR_TURN)
    require(type(action) in FLOW[deal.phase], Reason.WRONG_PHASE)
    match action:
        case TakeUpcard():
            return (upcard.take_upcard(deal, seat),)
        case Pass():
            if deal.phase is Phase.LAST_DISCARD:
                return (draw.decline_last(seat), *after_decline(match, deal))
            return (upcard.decline(seat),)
        case DrawStock():
            drawn = draw.draw_stock(deal, seat)
            return (drawn, *after_draw(match, deal, drawn))
        case DrawDiscard():
            return (draw.draw_discard(match.rules, deal, seat),)
        case Discard(card):
            thrown = discard.throw(match.rules, deal, seat, card)
            return (thrown, *after_throw(match, deal, thrown))
        case Knock():
            knocked = discard.knock(match.rules, deal, seat, action)
            return (knocked, *after_knock(match, deal, knocked))
        case BigGin():
            declared = discard.big_gin(match.rules, deal, seat, action)
            return (declared, *after_big_gin(match, deal, declared))
        case LayOff():
            answered = layoff.lay_off(match.rules, deal, seat, action)
            return (answered, *after_answer(match, deal, answered))
        case _:
            assert_never(action)


def _running(match: Match) -> Deal:
    require(match.status is not Status.OPEN, Reason.MATCH_NOT_STARTED)
    if match.deal is None:
        require(match.status is not Status.FINISHED, Reason.MATCH_FINISHED)
        raise AssertionError("a match that is played has a deal")
    return match.deal


def _join(match: Match, seat: Seat, action: Join) -> tuple[AnyEvent, ...]:
    require(match.seats[seat].kind is PlayerKind.OPEN, Reason.MATCH_FULL)
    joined = SeatJoined(seat, action.name)
    seats = put(match.seats, seat, Player(PlayerKind.PLAYER, action.name))
    if any(player.kind is PlayerKind.OPEN for player in seats):
        return (joined,)
    return (joined, MatchStarted(seats), deal_first(match))
