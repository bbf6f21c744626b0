"""The finished deals of a match, read from its log."""

from engine.events import DealScored, DealUnfinished, DealVoided
from engine.state import DealRow
from service.db.codec import decode_event
from service.db.rows import StoredEvent
from service.http.problems import Code, Problem
from service.matches.store import Store
from service.matches.table import Table


class History:
    """Reads finished deals for callers who may read the public part of their match."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def deal(self, table: Table, number: int) -> DealRow:
        """Return a finished deal; raise `Problem` 404 where the match has not finished so many."""
        rows = await self.deals(table, number - 1, 1)
        if not rows:
            raise Problem(Code.NOT_FOUND)
        return rows[0]

    async def deals(self, table: Table, after: int, limit: int) -> list[DealRow]:
        """Return the finished deals after number `after`, at most `limit`, in order.

        The latest one is read from the snapshot: logs from before snapshot format 4 have no event for a deal
        that was cut off, which is always the latest.
        """
        latest = table.match.last_deal
        if latest is None:
            return []
        last = min(after + limit, latest.deal)
        logged = min(last, latest.deal - 1) - after
        stored = await self._store.deal_ends(table.row.id, after, logged) if logged > 0 else []
        rows = [_row_of(event) for event in stored]
        return [*rows, latest] if after < last == latest.deal else rows


def _row_of(stored: StoredEvent) -> DealRow:
    event = decode_event(stored.body)
    assert isinstance(event, DealScored | DealVoided | DealUnfinished)  # noqa: S101  as the query asks
    return event.row
