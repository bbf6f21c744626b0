"""Who has streams open, in SQL, for all processes to see."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final
from uuid import UUID

from msgspec import Struct
from sqlalchemy import (
    Float,
    Integer,
    Text,
    and_,
    bindparam,
    case,
    delete,
    insert,
    literal_column,
    or_,
    select,
    tuple_,
)
from sqlalchemy.sql.elements import ColumnElement

from service.db.deadlines import TIME, After, Now
from service.db.session import Session
from service.db.statements import Command, Query
from service.db.tables import ID, heartbeats, presence

FRESH_SECONDS: Final = 10
"""A process that has not beaten for longer has no streams any more."""

AT_ONCE: Final = 32
"""The most rows of one statement."""


class Stay(Struct, frozen=True):
    """What one process says of a seat: whether it has a stream there, and since when that is so.

    `borrowed` if it holds for as long only as that other process beats.
    """

    match_id: UUID
    seat: int
    here: bool
    since: datetime
    borrowed: bool


class Change(Struct, frozen=True):
    """A seat has a stream at this process now, or has none; `here` is None where nobody will ask again."""

    match_id: UUID
    seat: int
    here: bool | None


_REPLICA: Final = bindparam("replica", type_=Text)
_MINE: Final = presence.c.replica == _REPLICA
_FRESH: Final = heartbeats.c.seen_at >= After(TIME, literal_column(str(-FRESH_SECONDS), Integer()))


def _stay(  # noqa: PLR0917  one a column
    match_id: UUID, seat: int, here: int, since: datetime, mine: int, fresh: int, seen_at: datetime | None
) -> Stay:
    if here and not (mine or fresh):
        return Stay(match_id, seat, here=False, since=seen_at or since, borrowed=False)
    return Stay(match_id, seat, bool(here), since, borrowed=bool(here and not mine))


@cache
def _stays(count: int) -> Query[Stay]:
    """Return the query for what is known of ``match_0`` to ``match_<count - 1>``."""
    ids = [bindparam(f"match_{number}", type_=ID) for number in range(count)]
    by = (case((_MINE, 1), else_=0), case((_FRESH, 1), else_=0), heartbeats.c.seen_at)
    said = (presence.c.match_id, presence.c.seat, presence.c.here, presence.c.since)
    joined = presence.outerjoin(heartbeats, heartbeats.c.replica == presence.c.replica)
    found = select(*said, *by).select_from(joined)
    return Query(found.where(presence.c.match_id.in_(ids)), _stay)


def _id(match_id: UUID) -> UUID:
    return match_id


_RECENT: Final = Query(
    select(presence.c.match_id).where(
        presence.c.since > After(Now(), -bindparam("seconds", type_=Float)),
        presence.c.since <= TIME,  # the clock may have been set back since
        ~_MINE,
    ),
    _id,
)


def _place(number: int) -> ColumnElement[Any]:
    return and_(
        presence.c.match_id == bindparam(f"match_{number}", type_=ID),
        presence.c.seat == bindparam(f"seat_{number}", type_=Integer),
    )


@cache
def _forget(count: int) -> Command:
    """Return the command that drops what this process has said of some seats."""
    return Command(delete(presence).where(or_(*map(_place, range(count))), _MINE))


@cache
def _forget_the_gone(count: int) -> Command:
    """Return the command that drops what processes that are gone have said of some seats.

    Another process may be dropping the same rows: those are left to it, so neither waits for the other.
    """
    key = (presence.c.match_id, presence.c.seat, presence.c.replica)
    alive = select(heartbeats.c.replica).where(_FRESH)
    gone = (
        select(*key)
        .where(or_(*map(_place, range(count))), ~_MINE, presence.c.replica.not_in(alive))
        .with_for_update(skip_locked=True)
    )
    return Command(delete(presence).where(tuple_(*key).in_(gone)))


@cache
def _say(count: int) -> Command:
    """Return the command that says anew of some seats whether they have a stream at this process."""
    rows = [
        {
            "match_id": bindparam(f"match_{number}", type_=ID),
            "seat": bindparam(f"seat_{number}", type_=Integer),
            "replica": _REPLICA,
            "here": bindparam(f"here_{number}", type_=Integer),
            "since": Now(),
        }
        for number in range(count)
    ]
    return Command(insert(presence).values(rows))


class PresenceStore:
    """What the processes say of the seats that have streams with them."""

    def __init__(self, session: Session, replica: str) -> None:
        self._session = session
        self._replica = replica

    async def write(self, changes: Sequence[Change]) -> None:
        """Say of at most `AT_ONCE` seats, each once, whether they have a stream at this process."""
        told = [change for change in changes if change.here is not None]
        silent = [change for change in changes if change.here is None]
        values: dict[str, object] = {"replica": self._replica}
        for number, change in enumerate((*told, *silent)):
            values |= {f"match_{number}": change.match_id, f"seat_{number}": change.seat}
            values |= {f"here_{number}": int(bool(change.here))}
        count = len(changes)
        say = [_say(len(told))] if told else []
        await self._session.run([_forget_the_gone(count), _forget(count), *say], **values)

    async def read(self, ids: Sequence[UUID]) -> list[Stay]:
        """Return what is known of the seats of at most `AT_ONCE` matches."""
        given = {f"match_{number}": one for number, one in enumerate(ids)}
        return await self._session.fetch(_stays(len(ids)), replica=self._replica, **given)

    async def recent(self, seconds: float) -> list[UUID]:
        """Return the matches of which others said something in the last so many seconds."""
        return await self._session.fetch(_RECENT, seconds=seconds, replica=self._replica)
