"""Whole matches of two bots as text: the whole table, held still while the inside changes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, assert_never

from engine.cards import CODES, CardSet, cards_of, text
from engine.events import (
    Aborted,
    AnyEvent,
    BigGinDeclared,
    DealScored,
    DealStarted,
    DealUnfinished,
    DealVoided,
    DiscardDrawn,
    Discarded,
    DiscardPassed,
    Forfeited,
    Knocked,
    LaidOff,
    MatchCreated,
    MatchFinished,
    MatchStarted,
    Resigned,
    SeatJoined,
    StockDrawn,
    StockReshuffled,
    TurnTimedOut,
    UpcardPassed,
    UpcardTaken,
)
from engine.state import Column, DealRow, HandShown, PerSeat
from tests.playbook import PLAYED, between_bots

FOLDER: Final = Path(__file__).parent

_SAME_TURN: Final = "  … "
"""What begins a line that belongs to the one before."""


def page_of(preset: str, seats: int) -> Path:
    return FOLDER / (f"{preset}.txt" if seats == 2 else f"{preset}-{seats}.txt")


def recorded(preset: str, seats: int) -> str:
    """Play the preset's match and return its record: a line a turn, those of a deal under its heading."""
    played = between_bots(PLAYED[preset], f"a match of {preset}", seats)
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
        case StockReshuffled(stock, top):
            yield f"  the discards under {CODES[top]} go under the stock, {len(stock)} left"
        case DealScored(row, scores, columns):
            yield from _ended(row, scores)
            yield from _entered(columns or ())
        case DealVoided(row, scores) | DealUnfinished(row, scores):
            yield from _ended(row, scores)
        case MatchFinished(result):
            yield ""
            yield f"{result.reason}: winner {result.winner}, totals {result.totals}"
        case _:
            yield _moved(event)


def _moved(
    event: UpcardPassed
    | UpcardTaken
    | DiscardPassed
    | StockDrawn
    | DiscardDrawn
    | Discarded
    | Knocked
    | BigGinDeclared
    | LaidOff
    | TurnTimedOut
    | Forfeited
    | Aborted
    | Resigned,
) -> str:
    match event:
        case UpcardPassed(seat):
            return f"  {seat} passes"
        case UpcardTaken(seat, card):
            return f"  {seat} takes the upcard {CODES[card]}"
        case DiscardPassed(seat):
            return f"  {seat} leaves the last discard"
        case StockDrawn(seat, card, stock_count):
            return f"  {seat} draws {CODES[card]}, {stock_count} left"
        case DiscardDrawn(seat, card):
            return f"  {seat} takes {CODES[card]}"
        case Discarded(_, card):
            return f"{_SAME_TURN}throws {CODES[card]}"
        case Knocked(_, card, melds, _, deadwood, gin):
            laid = "" if melds is None else f": {_melds(melds)}"
            ends = "has gin" if gin else f"knocks with {deadwood}"
            return f"{_SAME_TURN}throws {CODES[card]} and {ends}{laid}"
        case BigGinDeclared():
            return f"{_SAME_TURN}has big gin"
        case LaidOff(seat, _, layoffs):
            return f"  {seat} lays off {len(layoffs)}"
        case TurnTimedOut(seat, in_a_row):
            return f"  {seat} is out of time ({in_a_row})"
        case Forfeited(seat) | Aborted(seat) | Resigned(seat):
            return f"  {seat} gives up"
        case _:
            assert_never(event)


def _dealt(event: DealStarted) -> Iterator[str]:
    yield ""
    upcard = "none" if event.upcard is None else CODES[event.upcard]
    yield f"deal {event.deal}: dealer {event.dealer}, upcard {upcard}, limit {event.knock_limit}"
    for seat, hand in enumerate(event.hands):
        yield f"  {seat} holds {text(cards_of(hand))}"


def _ended(row: DealRow, scores: PerSeat[int]) -> Iterator[str]:
    yield f"  {row.result}: {_gained(row)}, scores {_dashed(scores)}"
    for shown in row.hands:
        yield f"    {shown.seat} shows {_shown(shown)}"


def _entered(columns: tuple[Column, ...]) -> Iterator[str]:
    for number, column in enumerate(columns, 1):
        closed = "" if column.closed_by is None else f", closed by {column.closed_by}"
        yield f"    column {number} {_dashed(column.points)}{closed}"


def _gained(row: DealRow) -> str:
    if row.penalties is not None:
        return f"{row.winner} wins, penalties {_dashed(row.penalties)}"
    return "nobody gains" if row.winner is None else f"{row.winner} gains {row.points}"


def _dashed(scores: PerSeat[int]) -> str:
    return "-".join(map(str, scores))


def _shown(shown: HandShown) -> str:
    parts = [_melds(shown.melds)]
    parts += [f"{CODES[layoff.card]} on {layoff.meld}" for layoff in shown.layoffs]
    parts += [text(cards_of(shown.unmatched)), f"= {shown.deadwood}"]
    return "  ".join(part for part in parts if part)


def _melds(melds: tuple[CardSet, ...]) -> str:
    return " | ".join(text(cards_of(meld)) for meld in melds)
