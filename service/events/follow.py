"""The use cases of whoever follows a match: a stream, and a page that is worth waiting for."""

import asyncio
from typing import Final
from uuid import UUID

import msgspec

from engine.actions import Seat
from service.db.rows import StoredMatch
from service.events.channel import Bye, Follower, frame_of
from service.events.cursor import Cursor
from service.events.fanout import Fanout
from service.events.feed import Feed, Page
from service.events.frames import event_frame
from service.events.stream import Reader, Stream
from service.events.wire import PageParams, snapshot_to_wire
from service.http.client import Client
from service.http.problems import Code, Problem
from service.matches.access import require_current
from service.matches.store import Store
from service.matches.table import Table, read

PAGE: Final = 100
"""How many events a stream that catches up reads at once."""


class _Waiter(Follower):
    """A request that waits for the event after a number."""

    __slots__ = ("_after", "_woken", "gone")

    def __init__(self, reader: Reader, after: int) -> None:
        super().__init__(reader.audience, reader.claim)
        self._after = after
        self._woken = asyncio.Event()
        self.gone = False
        """Whether the client has hung up, so that nobody reads an answer."""

    def wake(self) -> None:
        """Stop waiting if the event has come."""
        if self.channel.seq > self._after:
            self._woken.set()

    def close(self, bye: Bye) -> None:  # noqa: ARG002  an answer tells no reason
        """Stop waiting."""
        self._woken.set()

    def hang_up(self) -> None:
        """Stop waiting, for the client is gone."""
        self.gone = True
        self._woken.set()

    async def news(self, seconds: int | None) -> None:
        """Wait until there is something to tell, or for so many seconds; without a number, for ever."""
        try:
            async with asyncio.timeout(seconds):
                await self._woken.wait()
        except TimeoutError:
            return


class Follow:
    """Follows matches for callers who have been admitted."""

    def __init__(self, store: Store, feed: Feed, fanout: Fanout) -> None:
        self._store = store
        self._feed = feed
        self._fanout = fanout

    async def page(self, reader: Reader, params: PageParams, client: Client) -> Page:
        """Return events after a number as soon as there are any; none after so many seconds without one.

        A number from nowhere is answered at once. Raise `Problem` 401 where the caller's token has been
        replaced meanwhile; 503 where too many wait; `DrainingError`.
        """
        table = await read(self._store, reader.row)
        last = table.snapshot.seq
        if Cursor(params.after).is_from_nowhere(last):
            return Page((), last, reset=True)
        if params.after == last and not (params.wait and await self._wait(reader, table, params, client)):
            return Page((), last)
        events = await self._feed.page(reader.row.id, reader.audience, params.after, params.limit)
        return Page(events, events[-1].seq if events else params.after)

    async def _wait(self, reader: Reader, table: Table, params: PageParams, client: Client) -> bool:
        """Wait for the event after a number, and return whether the client is still there.

        Raise `Problem` 401 if the caller's token was replaced meanwhile; 503 where too many wait;
        `DrainingError`.
        """
        waiter = _Waiter(reader, params.after)
        self._fanout.join(waiter, table)
        try:
            async with client.watched(waiter.hang_up):
                await waiter.news(params.wait)
        finally:
            self._fanout.leave(waiter)
        if waiter.gone:
            return False
        if reader.claim is not None:
            require_current(await self._row(reader.row.id), reader.claim)
        return True

    async def stream(self, reader: Reader, cursor: Cursor) -> Stream:
        """Return a stream that has no place yet: after an event's number, or with a snapshot first."""
        table = await read(self._store, reader.row)
        return Stream(self._fanout, self, table, reader, cursor)

    async def snapshot(self, name: str, follower: Follower) -> tuple[bytes, int]:
        """Return the state of a match as a frame of that name, and the number of the last event in it."""
        present = await self._fanout.attendance(follower)
        table = await read(self._store, await self._row(follower.channel.match_id))
        seq, shown = table.snapshot.seq, snapshot_to_wire(table, follower.audience, present)
        return event_frame(name, msgspec.json.encode(shown), seq), seq

    async def frames(self, match_id: UUID, audience: Seat | None, after: int) -> list[bytes]:
        """Return the frames of at most `PAGE` events after a number."""
        return [frame_of(row, audience) for row in await self._store.events(match_id, after, PAGE)]

    async def _row(self, match_id: UUID) -> StoredMatch:
        row = await self._store.load(match_id)
        if row is None:
            raise Problem(Code.NOT_FOUND)
        return row
