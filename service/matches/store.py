"""Matches in SQL. Use cases hand it values and get values; it knows no rule of the game."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import cache
from typing import Final, TypeVar
from uuid import UUID

from sqlalchemy import LargeBinary, bindparam, select

from service.db.following import Head
from service.db.heartbeats import BEAT, DUE, FIRST, FIRST_BEAT, FORGET, PRESENCE_NOW, Due
from service.db.rows import Change, Insert, StoredEvent, StoredMatch
from service.db.session import Session
from service.db.statements import Query, rows_by_ids
from service.db.tables import DEAL_ENDED, LISTED, events, matches
from service.db.writer import OnCommit, Writer

T = TypeVar("T")

_EVENTS: Final = Query(
    select(events)
    .where(events.c.match_id == bindparam("match"), events.c.seq > bindparam("after"))
    .order_by(events.c.seq)
    .limit(bindparam("most")),
    StoredEvent,
)
_STEPS: Final = Query(
    select(events)
    .where(
        events.c.match_id == bindparam("match"),
        events.c.seq > bindparam("after"),  # every step has an event, so `seq` runs ahead of `version`
        events.c.version > bindparam("after_version"),
        events.c.version <= bindparam("upto"),
    )
    .order_by(events.c.seq),
    StoredEvent,
)
_DEAL_ENDS: Final = Query(
    select(events)
    .where(events.c.match_id == bindparam("match"), DEAL_ENDED)
    .order_by(events.c.version)  # a step ends one deal at most; the index has this order, the table's key not
    .limit(bindparam("most"))
    .offset(bindparam("after")),
    StoredEvent,
)


@cache
def _by_digests(count: int) -> Query[StoredMatch]:
    digests = [bindparam(f"digest_{number}", type_=LargeBinary) for number in range(count)]
    return Query(select(matches).where(matches.c.join_digest.in_(digests)), StoredMatch)


@cache
def _listed(*, status: bool, ruleset: bool, cursor: bool) -> Query[StoredMatch]:
    """Return the query for public matches, newest first, with those conditions."""
    found = select(matches).where(LISTED)
    if status:
        found = found.where(matches.c.status == bindparam("status"))
    if ruleset:
        found = found.where(matches.c.ruleset == bindparam("ruleset"))
    if cursor:
        found = found.where(matches.c.id < bindparam("cursor"))
    return Query(found.order_by(matches.c.id.desc()).limit(bindparam("most")), StoredMatch)


class Store:
    """The matches of a database and their events; every method may raise the errors of a `Session`.

    `patience` is for how many seconds a change waits for a database that is away.
    """

    def __init__(self, session: Session, *, patience: float = 0) -> None:
        self._session = session
        self._listeners: list[OnCommit] = []
        self._writer = Writer(session, on_commit=self._tell, patience=patience)

    @property
    def session(self) -> Session:
        """The database, for stores of other subjects."""
        return self._session

    def listen(self, listener: OnCommit) -> None:
        """Tell somebody of every match that this process writes, with its version, once that is committed.

        The version is that of before where a token was replaced.
        """
        self._listeners.append(listener)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Keep the database open; at the end finish what is committing, and refuse what waits."""
        await self._session.open()
        try:
            yield
        finally:
            await self._writer.close()
            await self._session.close()

    async def load(self, match_id: UUID) -> StoredMatch | None:
        """Return a match as it was last committed."""
        rows = await self._session.fetch(rows_by_ids(1), id_0=match_id)
        return rows[0] if rows else None

    async def submit(self, change: Change[T]) -> T:
        """Judge a match as it is, save what follows, and return the judge's answer once committed."""
        return await self._writer.submit(change)

    async def insert(self, row: StoredMatch, first: Sequence[StoredEvent]) -> datetime | None:
        """Save a new match with its first events, and return its first deadline.

        Raise `RowRefusedError` where its id or digest is taken.
        """
        return await self._writer.submit(Insert(row, first))

    async def due(self, grace: float, most: int, after: Due = FIRST) -> list[Due]:
        """Return at most `most` matches in which a seat's time has been up for `grace` seconds.

        They are in order, and begin after the one that ended the page before.
        """
        return await self._session.fetch(
            DUE, grace=grace, most=most, after_deadline=after.deadline, after_id=after.id
        )

    async def beat(self, replica: str) -> None:
        """Say that a process serves.

        The first to say so after an outage, or after the clock was set, moves every deadline by that.
        """
        beaten = await self._session.run((BEAT,), replica=replica)
        if not beaten and not await self._session.run((FIRST_BEAT,), replica=replica):
            await self._session.make_good(replica)
            await self._session.run((PRESENCE_NOW,))
        await self._session.run((FORGET,))

    async def events(self, match_id: UUID, after: int, limit: int) -> list[StoredEvent]:
        """Return at most `limit` events after the one numbered `after`, in order."""
        return await self._session.fetch(_EVENTS, match=match_id, after=after, most=limit)

    async def deal_ends(self, match_id: UUID, after: int, limit: int) -> list[StoredEvent]:
        """Return the events that ended the deals after number `after`, at most `limit`, in order."""
        return await self._session.fetch(_DEAL_ENDS, match=match_id, after=after, most=limit)

    async def step(self, match_id: UUID, version: int) -> list[StoredEvent]:
        """Return the events of one step; none where it has not been taken."""
        return await self.steps(match_id, version - 1, version)

    async def steps(self, match_id: UUID, after_version: int, upto: int) -> list[StoredEvent]:
        """Return the events of the steps after a version, up to another and with it, in order."""
        return await self._session.fetch(
            _STEPS, match=match_id, after=after_version, after_version=after_version, upto=upto
        )

    async def moved(self, seen: Mapping[UUID, int]) -> list[Head]:
        """Return those matches whose version is another than the one seen, by one statement."""
        return await self._session.moved(seen)

    async def heads(self, ids: Iterable[UUID]) -> list[Head]:
        """Return where these matches stand."""
        return await self._session.moved(dict.fromkeys(ids, 0))  # no version is 0

    async def events_after(self, seen: Mapping[UUID, int]) -> list[StoredEvent]:
        """Return the events of each match after the number seen, those of a match in order."""
        return await self._session.events_after(seen)

    async def find_by_code(self, digests: Sequence[bytes]) -> StoredMatch | None:
        """Return the match whose join digest is among those given."""
        values = {f"digest_{number}": digest for number, digest in enumerate(digests)}
        rows = await self._session.fetch(_by_digests(len(digests)), **values)
        return rows[0] if rows else None

    async def list_public(
        self, *, status: str | None, ruleset: str | None, cursor: UUID | None, limit: int
    ) -> list[StoredMatch]:
        """Return at most `limit` public matches older than `cursor`, newest first."""
        given = {"status": status, "ruleset": ruleset, "cursor": cursor}
        query = _listed(status=status is not None, ruleset=ruleset is not None, cursor=cursor is not None)
        return await self._session.fetch(query, most=limit, **given)

    def _tell(self, match_id: UUID, version: int) -> None:
        for listener in self._listeners:
            listener(match_id, version)
