"""What a serving process and the sweepers ask of the database about time."""

from typing import Final
from uuid import UUID

from sqlalchemy import Float, Integer, Text, bindparam, delete, insert, literal_column, or_, select, update

from service.db.deadlines import COUNTED, IN_OUTAGE, MOVED, After, Now
from service.db.statements import Command, Query
from service.db.tables import heartbeats, matches

FORGOTTEN_SECONDS: Final = 3600
"""How long the row of a process that is gone stays."""


def _match(match_id: UUID) -> UUID:
    return match_id


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

DUE: Final = Query(
    select(matches.c.id)
    .where(matches.c.deadline <= Now(), After(COUNTED, _SOME_TIME) <= Now())
    .order_by(matches.c.deadline)
    .limit(bindparam("most")),
    _match,
)
"""The matches, at most ``most``, in which a seat's time has been up for ``grace`` seconds."""
