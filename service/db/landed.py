"""What became of a batch whose answer was lost."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from sqlalchemy import bindparam, select

from service.db.rows import Save, StoredEvent, untimed
from service.db.session import Session
from service.db.statements import Query
from service.db.tables import events

_EVENT: Final = Query(
    select(events).where(events.c.match_id == bindparam("match"), events.c.seq == bindparam("seq")),
    StoredEvent,
)


async def landed(session: Session, batch: Sequence[Save]) -> dict[UUID, datetime | None]:
    """Return the ids of those that the database has, with deadlines; raise the errors of a `Session`.

    A `Save` is there if its row is, or where others have played on since, if its first event is: nonce,
    instant and all. One that a server is still committing is not seen, and is safe all the same: whoever
    saves its match again waits for it and finds another version than was read.
    """
    rows = {row.id: row for row in await session.read([one.row.id for one in batch])}
    return {
        one.row.id: rows[one.row.id].deadline
        for one in batch
        if one.row.id in rows
        and (untimed(rows[one.row.id]) == untimed(one.row) or await _is_logged(session, one))
    }


async def _is_logged(session: Session, one: Save) -> bool:
    if not one.events:
        return False
    first = one.events[0]
    return await session.fetch(_EVENT, match=first.match_id, seq=first.seq) == [first]
