"""What a serving process and the sweepers ask of the database about time."""

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from msgspec import Struct
from sqlalchemy import Float, Integer, Text, bindparam, delete, insert, literal_column, or_, select, update

from service.db.deadlines import COUNTED, IN_OUTAGE, MOVED, After, Now
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
_SOME_TIME: Final = bindparam("grace", type_=Float)

_waiting: Final = matches.alias("waiting")

# Rows are locked in the order of their ids, as every batch of moves locks them.
_PENDING: Final = (
    select(_waiting.c.id)
    .where(_waiting.c.deadline.is_not(None), IN_OUTAGE)
    .order_by(_waiting.c.id)
    .with_for_update(key_share=True)
)

BEAT: Final = (
    Command(update(matches).values(deadline=MOVED).where(matches.c.id.in_(_PENDING), IN_OUTAGE)),
    Command(
        delete(heartbeats).where(
            or_(heartbeats.c.replica == _REPLICA, heartbeats.c.seen_at < After(Now(), _FORGOTTEN))
        )
    ),
    Command(insert(heartbeats).values(replica=_REPLICA, seen_at=Now())),
)
"""Says that ``replica`` serves, to be run alone: the first to say so after an outage makes it good."""

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
