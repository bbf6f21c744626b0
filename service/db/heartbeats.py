"""What a serving process and the sweepers ask of the database about time."""

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from msgspec import Struct
from sqlalchemy import (
    Float,
    Integer,
    Select,
    Text,
    bindparam,
    delete,
    exists,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.dialects import postgresql

from service.db.deadlines import COUNTED, IN_OUTAGE, LAST_BEAT, MOVED, After, Now
from service.db.statements import Command, Query
from service.db.tables import ID, INSTANT, heartbeats, matches

FORGOTTEN_SECONDS: Final = 3600
"""How long the row of a process that is gone stays."""


class Due(Struct, frozen=True):
    """A match in which a seat's time is up, with its deadline as it is stored."""

    id: UUID
    deadline: datetime


FIRST: Final = Due(UUID(int=0), datetime(1970, 1, 1, tzinfo=UTC))
"""Before every match that can be due."""

_REPLICA: Final = bindparam("replica", type_=Text)
_FORGOTTEN: Final = literal_column(str(-FORGOTTEN_SECONDS), Integer())
_AN_INSTANT: Final = literal_column("-0.000001", Float())
_SOME_TIME: Final = bindparam("grace", type_=Float)

_own: Final = heartbeats.alias("own")

BEAT: Final = Command(
    update(heartbeats).where(heartbeats.c.replica == _REPLICA, ~IN_OUTAGE).values(seen_at=Now())
)
"""Says that ``replica`` serves, which has said so before; changes no row if an outage is to be made good."""

FIRST_BEAT: Final = Command(
    insert(heartbeats).from_select(
        ("replica", "seen_at"),
        select(_REPLICA, Now()).where(~exists().where(_own.c.replica == _REPLICA), ~IN_OUTAGE),
    )
)
"""Says for the first time that ``replica`` serves; adds no row if an outage is to be made good."""

FORGET: Final = Command(delete(heartbeats).where(heartbeats.c.seen_at < After(Now(), _FORGOTTEN), ~IN_OUTAGE))
"""Drops the rows of processes that are gone; the last beat before an outage stays until that is made good."""

MAKE_GOOD_ALONE: Final = (
    Command(update(matches).where(matches.c.deadline.is_not(None), IN_OUTAGE).values(deadline=MOVED)),
    Command(delete(heartbeats).where(heartbeats.c.replica == _REPLICA)),
    Command(insert(heartbeats).values(replica=_REPLICA, seen_at=Now())),
)
"""Makes an outage good, if there is one, and says that ``replica`` serves: while nobody else writes."""


def _make_good() -> Select[*tuple[object, ...]]:
    """Build the one statement that makes an outage good once, whoever else sends it at the same time.

    It claims the row of the last beat and changes it. Another that has read the same last beat finds the row
    locked, or changed, and does nothing. It is one statement, so no process can stop in the middle of it.
    """
    last, waiting = heartbeats.alias("last"), matches.alias("waiting")
    name_of_last = select(func.max(_own.c.replica)).where(_own.c.seen_at == LAST_BEAT).scalar_subquery()
    claimed = (
        select(last.c.replica)
        .where(last.c.replica == name_of_last, last.c.seen_at == LAST_BEAT, IN_OUTAGE)
        .with_for_update(skip_locked=True)
        .cte("claimed")
    )
    is_claimed = exists(select(claimed.c.replica))
    # Rows are locked in the order of their ids, as every batch of moves locks them.
    pending = (
        select(waiting.c.id)
        .where(waiting.c.deadline.is_not(None), is_claimed)
        .order_by(waiting.c.id)
        .with_for_update(key_share=True)
    )
    moved = update(matches).values(deadline=MOVED).where(matches.c.id.in_(pending)).cte("moved")
    changed = (
        update(heartbeats)
        .values(seen_at=After(heartbeats.c.seen_at, _AN_INSTANT))
        .where(heartbeats.c.replica == claimed.c.replica, heartbeats.c.replica != _REPLICA)
        .cte("changed")
    )
    beaten = (
        postgresql.insert(heartbeats)
        .from_select(("replica", "seen_at"), select(_REPLICA, Now()).where(is_claimed))
        .on_conflict_do_update(index_elements=[heartbeats.c.replica], set_={"seen_at": Now()})
        .cte("beaten")
    )
    return select(claimed.c.replica).add_cte(moved, changed, beaten)


MAKE_GOOD: Final = Query(_make_good(), str)
"""Makes an outage good, if nobody has or does, and says that ``replica`` serves; then it returns a row."""

LATE: Final = Command(
    update(matches)
    .where(matches.c.deadline.is_not(None))
    .values(deadline=After(Now(), -bindparam("seconds", type_=Float)))
)
"""Makes every seat that is waited for late by ``seconds``: for examples and tests, which do not wait."""

_AFTER_ID: Final = bindparam("after_id", type_=ID)
_AFTER_DEADLINE: Final = bindparam("after_deadline", type_=INSTANT)

DUE: Final = Query(
    select(matches.c.id, matches.c.deadline)
    .where(
        matches.c.deadline >= _AFTER_DEADLINE,
        or_(matches.c.deadline > _AFTER_DEADLINE, matches.c.id > _AFTER_ID),
        matches.c.deadline <= Now(),
        After(COUNTED, _SOME_TIME) <= Now(),
    )
    .order_by(matches.c.deadline, matches.c.id)
    .limit(bindparam("most")),
    Due,
)
"""The matches, at most ``most``, in which a seat's time has been up for ``grace`` seconds.

They are in the order of deadline and id; a page begins after those of the last match of the page before.
"""
