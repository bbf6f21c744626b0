"""Whole matches of two bots as text: the whole table, held still while the inside changes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, assert_never

from engine.actions import Seat
from engine.cards import CODES, CardSet, cards_of, text
from engine.events import (
    AnyEvent,
    BigGinDeclared,
    DealScored,
    DealStarted,
    DealVoided,
    DiscardDrawn,
    Discarded,
    Knocked,
    LaidOff,
    MatchCreated,
    MatchFinished,
    MatchStarted,
    Resigned,
    SeatJoined,
    StockDrawn,
    UpcardPassed,
    UpcardTaken,
)
from engine.state import DealRow, HandShown, PerSeat
from tests.playbook import PLAYED, between_bots

FOLDER: Final = Path(__file__).parent

_SAME_TURN: Final = "  … "
"""What begins a line that belongs to the one before."""


def page_of(preset: str) -> Path:
    return FOLDER / f"{preset}.txt"


def recorded(preset: str) -> str:
    """Play the preset's match and return its record: a line a turn, those of a deal under its heading."""
    played = between_bots(PLAYED[preset], f"a match of {preset}")
    lines = [line for transition in played for event in transition.events for line in _told(event)]
    return "\n".join(lines).replace(f"\n{_SAME_TURN}", ", ") + "\n"


def _told(event: AnyEvent) -> Iterator[str]:
    match event:
        case MatchCreated():
            names = ", ".join(f"{seat} {player.name}" for seat, player in enumerate(event.seats))
            yield f"seats {names}"
        case MatchStarted() | SeatJoined():
            return
        case DealStarted():
            yield from _dealt(event)
        case UpcardPassed(seat):
            yield f"  {seat} passes"
        case UpcardTaken(seat, card):
            yield f"  {seat} takes the upcard {CODES[card]}"
        case StockDrawn(seat, card, stock_count):
            yield f"  {seat} draws {CODES[card]}, {stock_count} left"
        case DiscardDrawn(seat, card):
            yield f"  {seat} takes {CODES[card]}"
        case Discarded(_, card):
            yield f"{_SAME_TURN}throws {CODES[card]}"
        case Knocked(_, card, melds, _, deadwood, gin):
            laid = "" if melds is None else f": {_melds(melds)}"
            ends = "has gin" if gin else f"knocks with {deadwood}"
            yield f"{_SAME_TURN}throws {CODES[card]} and {ends}{laid}"
        case BigGinDeclared():
            yield f"{_SAME_TURN}has big gin"
        case LaidOff(seat, _, layoffs):
            yield f"  {seat} lays off {len(layoffs)}"
        case DealScored(row, scores) | DealVoided(row, scores):
            yield from _ended(row, scores)
        case Resigned(seat):
            yield f"  {seat} resigns"
        case MatchFinished(result):
            yield ""
            yield f"{result.reason}: winner {result.winner}, totals {result.totals}"
        case _:
            assert_never(event)


def _dealt(event: DealStarted) -> Iterator[str]:
    yield ""
    yield f"deal {event.deal}: dealer {event.dealer}, upcard {CODES[event.upcard]}, limit {event.knock_limit}"
    for seat, hand in enumerate(event.hands):
        yield f"  {seat} holds {text(cards_of(hand))}"


def _ended(row: DealRow, scores: PerSeat[int]) -> Iterator[str]:
    yield f"  {row.result}: {_gained(row.winner, row.points)}, scores {scores[0]}-{scores[1]}"
    for shown in row.hands:
        yield f"    {shown.seat} shows {_shown(shown)}"


def _gained(winner: Seat | None, points: int) -> str:
    return "nobody gains" if winner is None else f"{winner} gains {points}"


def _shown(shown: HandShown) -> str:
    parts = [_melds(shown.melds)]
    parts += [f"{CODES[layoff.card]} on {layoff.meld}" for layoff in shown.layoffs]
    parts += [text(cards_of(shown.unmatched)), f"= {shown.deadwood}"]
    return "  ".join(part for part in parts if part)


def _melds(melds: tuple[CardSet, ...]) -> str:
    return " | ".join(text(cards_of(meld)) for meld in melds)
