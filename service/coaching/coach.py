"""The use cases of advice and review: what may be asked, and of whom."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from engine import Reason, view
from engine.actions import Seat
from engine.events import AnyEvent
from engine.position import ImpossibleError, Position, view_of
from engine.refusal import require
from engine.review import Decision, decisions
from engine.shuffle import ShuffleMode
from engine.state import Status
from engine.view import View
from service.analysis.slices import Slices
from service.db.codec import decode_event
from service.db.rows import StoredEvent
from service.http.cards import code_of
from service.http.problems import Code, Problem
from service.matches.store import Store
from service.matches.table import Table

MOST_STEPS: Final = 2_000
"""The most steps of a match that is reviewed at once; a longer one is asked for deal by deal."""
LONGEST: Final = 100_000
"""The most steps of a match that is reviewed at all: its log has to be read from the start."""


def view_for_advice(table: Table, seat: Seat) -> View:
    """Return what a seat sees that may be advised now.

    Raise `Problem` 409 where the match was made without hints, and `engine.Refusal` where the seat is not in
    turn.
    """
    if not table.snapshot.hints:
        raise Problem(Code.HINTS_NOT_ALLOWED)
    match = table.match
    require(match.status is not Status.OPEN, Reason.MATCH_NOT_STARTED)
    require(match.status is not Status.FINISHED, Reason.MATCH_FINISHED)
    require(match.deal is not None and match.deal.turn == seat, Reason.NOT_YOUR_TURN)
    return view(match, seat)


def view_of_position(position: Position) -> View:
    """Return what the seat in turn sees there; raise `Problem` 422 where no match comes to it."""
    try:
        return view_of(position)
    except ImpossibleError as impossible:
        code = Code(impossible.misfit.value)
        if impossible.card is None:
            raise Problem(code) from None
        raise Problem(code, card=code_of(impossible.card)) from None


def audience_of_review(table: Table, seat: Seat | None) -> str:
    """Return who a caller is to a review: ``all`` who may see every seat, one seat, or ``public``.

    Where the cards came from a text or from given decks, another match may still be played with them: a
    seat sees its own decisions only, and nobody else any.
    """
    if table.match.shuffle.mode is ShuffleMode.SERVER:
        return "all"
    return "public" if seat is None else str(seat)


def sees(audience: str, seat: Seat) -> bool:
    """Return whether this audience of a review sees what a seat decided."""
    return audience in {"all", str(seat)}


class Coach:
    """Reviews matches from their logs."""

    def __init__(self, store: Store, slices: Slices) -> None:
        self._store = store
        self._slices = slices

    async def review(self, table: Table, deal: int | None) -> list[Decision]:
        """Return the decisions of a finished match, or of one of its deals, in the order of its steps.

        Raise `Problem`: 413 where that are too many.
        """
        row = table.row
        most = MOST_STEPS if deal is None else LONGEST
        if row.version > most:
            raise Problem(Code.TOO_MUCH_WORK, limit=most)
        steps = _steps(await self._store.steps(row.id, 0, row.version))
        found = await self._slices.all(decisions(steps, deal))
        return [decision for decision in found if decision is not None]


def require_reviewable(table: Table, deal: int | None) -> None:
    """Raise `Problem` 409 where the match is not over, and 404 where it had no such deal."""
    if table.match.status is not Status.FINISHED:
        raise Problem(Code.MATCH_NOT_FINISHED)
    if deal is not None and deal > table.match.deal_count:
        raise Problem(Code.NOT_FOUND)


def _steps(rows: Sequence[StoredEvent]) -> Iterator[tuple[AnyEvent, ...]]:
    for _, step in groupby(rows, lambda row: row.version):
        yield tuple(decode_event(row.body) for row in step)
