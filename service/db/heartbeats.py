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
    case,
    delete,
    exists,
    func,
    insert,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql

from service.db.deadlines import (
    COUNTED,
    IS_SET_BACK,
    IS_TO_BE_MADE_GOOD,
    LAST_BEAT,
    MOVED,
    SET_BACK_SECONDS,
    SINCE_BEAT,
    TIME,
    After,
    Now,
)
from service.db.statements import Command, Query
from service.db.tables import ID, INSTANT, heartbeats, matches, presence

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
    update(heartbeats).where(heartbeats.c.replica == _REPLICA, ~IS_TO_BE_MADE_GOOD).values(seen_at=Now())
)
"""Says that ``replica`` serves, which has said so before; changes no row if something is to be made good."""

FIRST_BEAT: Final = Command(
    insert(heartbeats).from_select(
        ("replica", "seen_at"),
        select(_REPLICA, Now()).where(~exists().where(_own.c.replica == _REPLICA), ~IS_TO_BE_MADE_GOOD),
    )
)
"""Says for the first time that ``replica`` serves; adds no row if something is to be made good."""

FORGET: Final = Command(
    delete(heartbeats).where(heartbeats.c.seen_at < After(Now(), _FORGOTTEN), ~IS_TO_BE_MADE_GOOD)
)
"""Drops the rows of processes that are gone; the last beat stays until all is made good."""

MAKE_GOOD_ALONE: Final = (
    Command(
        update(matches).where(matches.c.deadline.is_not(None), IS_TO_BE_MADE_GOOD).values(deadline=MOVED)
    ),
    Command(update(heartbeats).where(IS_SET_BACK).values(seen_at=After(heartbeats.c.seen_at, SINCE_BEAT))),
    Command(delete(heartbeats).where(heartbeats.c.replica == _REPLICA)),
    Command(insert(heartbeats).values(replica=_REPLICA, seen_at=Now())),
)
"""Makes good what there is to be made good, and says that ``replica`` serves: while nobody else writes."""


def _make_good() -> Select[*tuple[object, ...]]:
    """Build the one statement that makes good once, whoever else sends it at the same time.

    It claims the row of the last beat and changes it. Another that has read the same last beat finds the row
    locked, or changed, and does nothing. It is one statement, so no process can stop in the middle of it.

    With a clock that was set back the beats of all processes move, so that who is gone does not look alive.
    """
    last, waiting = heartbeats.alias("last"), matches.alias("waiting")
    name_of_last = select(func.max(_own.c.replica)).where(_own.c.seen_at == LAST_BEAT).scalar_subquery()
    claimed = (
        select(last.c.replica, IS_SET_BACK.label("set_back"))
        .where(last.c.replica == name_of_last, last.c.seen_at == LAST_BEAT, IS_TO_BE_MADE_GOOD)
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
        .values(
            seen_at=After(heartbeats.c.seen_at, case((claimed.c.set_back, SINCE_BEAT), else_=_AN_INSTANT))
        )
        .where(
            or_(claimed.c.set_back, heartbeats.c.replica == claimed.c.replica),
            heartbeats.c.replica != _REPLICA,
        )
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
"""Makes good what nobody else has or does, and says that ``replica`` serves; then it returns a row."""

_PLACE: Final = (presence.c.match_id, presence.c.seat, presence.c.replica)
_OF_THE_FUTURE: Final = presence.c.since > After(TIME, literal_column(str(SET_BACK_SECONDS), Integer()))

PRESENCE_NOW: Final = Command(
    update(presence)
    .where(tuple_(*_PLACE).in_(select(*_PLACE).where(_OF_THE_FUTURE).with_for_update(skip_locked=True)))
    .values(since=Now())
)
"""Lets what was said of seats before the clock was set back have been said now, so that others hear of it."""

LATE: Final = Command(
    update(matches)
    .where(matches.c.deadline.is_not(None))
    .values(deadline=After(TIME, -bindparam("seconds", type_=Float)))
)
"""Makes every seat that is waited for late by ``seconds``: for examples and tests, which do not wait."""

_AFTER_ID: Final = bindparam("after_id", type_=ID)
_AFTER_DEADLINE: Final = bindparam("after_deadline", type_=INSTANT)

DUE: Final = Query(
    select(matches.c.id, matches.c.deadline)
    .where(
        matches.c.deadline >= _AFTER_DEADLINE,
        or_(matches.c.deadline > _AFTER_DEADLINE, matches.c.id > _AFTER_ID),
        matches.c.deadline <= TIME,
        After(COUNTED, _SOME_TIME) <= TIME,
    )
    .order_by(matches.c.deadline, matches.c.id)
    .limit(bindparam("most")),
    Due,
)
"""The matches, at most ``most``, in which a seat's time has been up for ``grace`` seconds.

They are in the order of deadline and id; a page begins after those of the last match of the page before.
"""
