"""Whether the time of the seat in turn is up, and the house's step if it is."""

from collections.abc import Sequence
from datetime import datetime

from engine import apply
from engine.actions import Seat, TimeOut
from engine.bots import replies
from service.db.rows import StoredEvent, StoredMatch
from service.matches.table import Step, Table, advanced


def is_late(row: StoredMatch, table: Table, seat: Seat, waited: float) -> bool:
    """Return whether a move of a seat came too late; it arrived `waited` seconds before the row was judged.

    Only the seat in turn has a clock that runs.
    """
    deal = table.match.deal
    return deal is not None and deal.turn == seat and is_due(row, waited)


def is_due(row: StoredMatch, seconds: float) -> bool:
    """Return whether the deadline passed at least so many seconds before the row was read."""
    return row.overtime is not None and row.overtime >= seconds


def timed_out(table: Table, at: datetime) -> tuple[Table, Sequence[Step], tuple[StoredEvent, ...]]:
    """Return the table after the house has acted for the seat in turn and bots have played on."""
    deal, clock = table.match.deal, table.snapshot.clock
    assert deal is not None  # noqa: S101  only a row in which a seat is waited for has a deadline
    assert clock is not None  # noqa: S101  and only that of a match with a clock
    action = TimeOut(clock.on_timeout)
    played = apply(table.match, deal.turn, action)
    steps = [Step(played, deal.turn, action)]
    steps.extend(Step(reply, bot) for bot, reply in replies(played.match, table.snapshot.bot_seeds))
    after, rows = advanced(table, steps, at)
    return after, steps, rows
