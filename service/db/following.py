"""What whoever follows matches asks the database: which have moved, and what has happened since."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from msgspec import Struct
from sqlalchemy import ARRAY, Integer, Select, Text, bindparam, cast, column, func, select
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import TableValuedAlias

from service.db.rows import StoredEvent
from service.db.statements import Query
from service.db.tables import ID, events, matches

CHUNK: Final = 256
"""How many matches one statement of SQLite asks for."""


class Head(Struct, frozen=True):
    """What tells whether a match has moved, and whether a token of it has been replaced."""

    id: UUID
    version: int
    generations: str


_HEAD: Final = (matches.c.id, matches.c.version, matches.c.generations)


def _side_by_side(*arrays: ColumnElement[Any]) -> TableValuedAlias:
    """Return an array of matches and one of numbers as rows."""
    rows = func.unnest(*arrays).table_valued(column("match", ID), column("number", Integer), name="seen")
    return rows.render_derived()


def _moved_by_texts() -> Select[*tuple[object, ...]]:
    # Arrays written as texts: the driver looks at each element of an array, several times, at every poll.
    arrays = (
        cast(bindparam("ids", type_=Text), ARRAY(ID)),
        cast(bindparam("numbers", type_=Text), ARRAY(Integer)),
    )
    seen = _side_by_side(*arrays)
    return select(*_HEAD).where(matches.c.id == seen.c.match, matches.c.version != seen.c.number)


def _events_by_arrays() -> Select[*tuple[object, ...]]:
    seen = _side_by_side(bindparam("ids", type_=ARRAY(ID)), bindparam("numbers", type_=ARRAY(Integer)))
    after = select(events).where(events.c.match_id == seen.c.match, events.c.seq > seen.c.number)
    return after.order_by(events.c.match_id, events.c.seq)


MOVED: Final = Query(_moved_by_texts(), Head)
"""The matches among ``ids`` whose version is not the number beside it: only rows that moved come back.

Both are arrays as PostgreSQL writes them, as `as_texts` gives them.
"""


def as_texts(seen: Mapping[UUID, int]) -> dict[str, object]:
    """Return the parameters of `MOVED`."""
    ids = ",".join([one.hex for one in seen])
    return {"ids": f"{{{ids}}}", "numbers": f"{{{','.join(map(str, seen.values()))}}}"}


EVENTS_AFTER: Final = Query(_events_by_arrays(), StoredEvent)
"""The events of the matches ``ids`` after the number beside each, in order."""

HEADS_OF_CHUNK: Final = Query(
    select(*_HEAD).where(matches.c.id.in_([bindparam(f"id_{place}", type_=ID) for place in range(CHUNK)])),
    Head,
)
"""The matches ``id_0`` to ``id_<CHUNK - 1>``, moved or not, for SQLite, which has no arrays."""

EVENTS_OF_ONE: Final = Query(
    select(events)
    .where(events.c.match_id == bindparam("match"), events.c.seq > bindparam("after"))
    .order_by(events.c.seq),
    StoredEvent,
)
"""The events of a match after a number, in order."""
