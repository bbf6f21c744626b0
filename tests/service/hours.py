"""The database's clock, which no test can set: so all that it has written is moved instead."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from sqlalchemy import Float, bindparam, select, text, update

from service.db.deadlines import After
from service.db.heartbeats import LATE
from service.db.postgresql import PostgreSQLSession
from service.db.session import Session
from service.db.statements import Command, Query
from service.db.tables import heartbeats, matches, presence
from service.matches.house import House
from service.matches.store import Store
from tests.service.steps import opened
from tests.service.table_talk import Chance

_BACK: Final = -bindparam("seconds", type_=Float)
_EARLIER: Final = (
    Command(
        update(matches)
        .where(matches.c.deadline.is_not(None))
        .values(deadline=After(matches.c.deadline, _BACK))
    ),
    Command(update(heartbeats).values(seen_at=After(heartbeats.c.seen_at, _BACK))),
    Command(update(presence).values(since=After(presence.c.since, _BACK))),
)
_ALONE: Final = Command(text("LOCK TABLE heartbeats IN EXCLUSIVE MODE"))  # type: ignore[arg-type]
"""No process may beat by what it has read before."""


REPLICAS: Final = Query(select(heartbeats.c.replica), str)
"""The processes that have said that they serve."""


async def run_out(session: Session, seconds: float = 60) -> None:
    """Make every seat that is waited for late by so many seconds."""
    await session.run((LATE,), seconds=seconds)


async def set_clock(session: Session, seconds: float) -> None:
    """Set the database's clock forward, or back: all that it has written was so much earlier, or later."""
    alone = (_ALONE,) if isinstance(session, PostgreSQLSession) else ()
    await session.run((*alone, *_EARLIER), seconds=seconds)


async def pass_by(session: Session, seconds: float) -> None:
    """Let time pass during which nobody beats: to the database that is as if its clock were set forward."""
    await set_clock(session, seconds)


@asynccontextmanager
async def houses(url: str, count: int) -> AsyncIterator[list[House]]:
    """The houses of as many replicas, each with a session of its own and a clock that says what it likes."""
    async with AsyncExitStack() as stack:
        found = []
        for number in range(count):
            chance = Chance()
            chance.later(30 * (-1) ** number)
            store = Store(await stack.enter_async_context(opened(url)))
            found.append(House(store, clock=chance.outside().clock, replica=f"replica {number}"))
        yield found
