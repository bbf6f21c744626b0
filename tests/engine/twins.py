"""Non-interference: all that the engine answers to an audience, on two matches that it cannot tell apart."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

import engine
from engine.actions import (
    BigGin,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Move,
    OnTimeout,
    Pass,
    Resign,
    Seat,
    TakeUpcard,
    TimeOut,
)
from engine.cards import cards_of
from engine.deadwood import solver_for
from engine.events import AnyEvent, DealScored, DealVoided, MatchFinished, StockDrawn
from engine.known import Audience
from engine.layoffs import legal_layoffs
from engine.preview import Preview
from engine.redact import Seen
from engine.rules import Melds, StockEnd
from engine.state import Match, Phase
from engine.view import View
from tests.playbook import ACTIONS, running


def _preview(match: Match, seat: Seat, action: Move) -> Preview:
    seen = engine.view(match, seat)
    return engine.preview(seen, engine.complete(seen, action))


class Voice(Struct, frozen=True):
    """The functions through which an audience hears of a match; a mutant replaces one of them."""

    view: Callable[[Match, Audience], View] = engine.view
    preview: Callable[[Match, Seat, Move], Preview] = _preview
    decide: Callable[[Match, Seat, Move | TimeOut], tuple[AnyEvent, ...]] = engine.decide
    redact: Callable[[AnyEvent, Audience], Seen] = engine.redact


TRUE: Final = Voice()
OPEN_TO_ALL: Final[tuple[Move, ...]] = (TakeUpcard(), Pass(), DrawStock(), DrawDiscard())
"""Actions of others that no hidden card allows or forbids, but for the last discard."""


def answers(voice: Voice, match: Match, audience: Audience) -> dict[str, object]:
    """Return all that the audience hears about this state, by the question that it asked.

    What an action releases – the card drawn, the score of the deal it ends, what is dealt next – is
    left out: there the two matches may differ.
    """
    seen = voice.view(match, audience)
    heard: dict[str, object] = {"view": seen, "view's text": repr(seen)}
    if audience is not None:
        for move in (*ACTIONS, Resign(), *stated_moves(match, audience)):
            heard[f"own {move}"] = _own(voice, match, audience, move)
        for on_timeout in OnTimeout:
            late = TimeOut(on_timeout)
            heard[f"own {late}"] = _judged(voice, match, audience, audience, late)
    turn = running(match).turn
    if turn != audience:
        # R4.5: who takes the last discard for a knock shows thereby that he can knock.
        telling = match.rules.stock_end is StockEnd.LAST_DISCARD_KNOCK_ONLY
        for move in OPEN_TO_ALL[:-1] if telling else OPEN_TO_ALL:
            heard[f"other's {move}"] = _judged(voice, match, audience, turn, move)
    return heard


def differences(voice: Voice, one: Match, other: Match, audience: Audience) -> list[str]:
    """Return the questions to which the two matches give the audience different answers."""
    first, second = answers(voice, one, audience), answers(voice, other, audience)
    return [
        question for question in first.keys() | second.keys() if first.get(question) != second.get(question)
    ]


def stated_moves(match: Match, seat: Seat) -> list[Move]:
    """Return actions of a seat that state melds and layoffs, good ones and bad ones."""
    deal = running(match)
    hand = deal.hands[seat]
    solver = solver_for(match.rules)
    moves: list[Move] = []
    if deal.phase is Phase.DISCARD and match.rules.melds is Melds.DECLARED and seat == deal.turn:
        for card in cards_of(hand):
            melds = solver.arrange(hand & ~(1 << card)).melds
            moves += [Knock(card, melds), Knock(card, melds[:-1]), Knock(card, (*melds, hand))]
        moves += [BigGin(solver.arrange(hand).melds), BigGin(())]
    if deal.phase is Phase.LAYOFF and seat == deal.turn and deal.spread is not None:
        fits = legal_layoffs(match.rules, deal.spread.melds, (), hand)
        moves += [LayOff((), fits[:1]), LayOff(None, ()), LayOff(solver.arrange(hand).melds), LayOff((hand,))]
    return moves


def _own(voice: Voice, match: Match, seat: Seat, move: Move) -> object:
    judged = _judged(voice, match, seat, seat, move)
    return (judged, voice.preview(match, seat, move)) if judged.accepted else judged


class _Judged(Struct, frozen=True):
    """A refusal's reason and facts, or what an audience is told of a step before anything is released."""

    accepted: bool
    told: tuple[object, ...]


def _judged(voice: Voice, match: Match, audience: Audience, seat: Seat, move: Move | TimeOut) -> _Judged:
    try:
        events = voice.decide(match, seat, move)
    except engine.Refusal as refusal:
        return _Judged(accepted=False, told=(refusal.reason, *refusal.facts.items()))
    told: list[object] = []
    for event in events:
        if isinstance(event, DealScored | DealVoided | MatchFinished):
            return _Judged(accepted=True, told=(*told, type(event)))
        match = engine.evolve(match, event)
        if isinstance(event, StockDrawn) and seat == audience:
            return _Judged(accepted=True, told=(type(event), event.stock_count))
        told.append(voice.redact(event, audience))
    return _Judged(accepted=True, told=(*told, voice.view(match, audience)))
