"""From the database to whoever follows: own commits wake at once, those of other processes are polled for."""

import asyncio
from abc import abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import groupby, islice
from typing import Final
from uuid import UUID

from msgspec import Struct

from engine.actions import Seat
from service.db.errors import BusyError, DatabaseUnavailableError, DrainingError
from service.db.following import Head
from service.events.channel import Bye, Channel, Follower
from service.events.hints import Hints
from service.events.pools import Pools
from service.events.presence import Present
from service.events.store import PresenceStore
from service.events.tracker import PresenceTracker
from service.http.log import log_failure
from service.matches.store import Store
from service.matches.table import Table

AT_ONCE: Final = 64
"""The most matches whose events are read by one statement."""

LATE_SECONDS: Final = 2.0
"""How long after the time it names a row may be seen by others: it is written before it is committed."""

SLOTS: Final = 15
"""Into how many turns a heartbeat is divided, so that not all streams are written to at once."""


LOOK_SECONDS: Final = 0.5
"""How long a heartbeat waits for the database: one that is stuck must not silence the streams."""

FAREWELL_SECONDS: Final = 0.5
"""How long a process that stops may take to say that its streams are gone; the others find out later."""


class Pace(Struct, frozen=True):
    """How often to ask the database for the commits of other processes, and to show that a stream lives."""

    poll_seconds: float
    beat_seconds: float = 15.0


class Beating(Follower):
    """A follower whose connection must be seen to live."""

    __slots__ = ()

    @abstractmethod
    def beat(self) -> None:
        """Show it."""


class Fanout:
    """The channels of a process. The database is the truth; whatever wakes a channel makes it read there."""

    def __init__(
        self, store: Store, presence: PresenceStore, hints: Hints, *, pace: Pace, spectators: int
    ) -> None:
        self._store = store
        self._presence = presence
        self._tracker = PresenceTracker(presence)
        self._hints = hints
        self._door = asyncio.Event()
        self._pace = pace
        self._pools = Pools(spectators)
        self._channels: dict[UUID, Channel] = {}
        self._seen: dict[UUID, int] = {}
        """The version of each match here that may still move."""
        self._due: dict[UUID, None] = {}
        self._suspect: set[UUID] = set()
        self._something = asyncio.Event()
        self._wheel: tuple[set[Beating], ...] = tuple(set() for _ in range(SLOTS))
        self._slot = 0
        self._newest = 0
        self._draining = False

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Follow the database until the end of the block."""
        tasks = [
            asyncio.create_task(self._for_ever(work), name=work.__name__)
            for work in (self._read, self._poll, self._beat, self._say)
        ]
        try:
            async with self._hints.opened(self.heard):
                yield
        finally:
            self.drain()
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            self._tracker.close()
            with suppress(BusyError, DatabaseUnavailableError, TimeoutError):
                async with asyncio.timeout(FAREWELL_SECONDS):
                    while await self._tracker.write():
                        pass

    def heard(self, match_id: UUID, version: int) -> None:
        """Look at a match, for somebody says that it is at a version now; nothing else is believed of it."""
        channel = self._channels.get(match_id)
        if channel is None:
            return
        if version > channel.version:
            self._look(channel)
        else:
            self._suspect.add(match_id)  # a token was replaced: that leaves the version as it was
            self._something.set()

    def require_room(self, audience: Seat | None) -> None:
        """Raise `DrainingError` or `Problem` 503 where a follower cannot be taken now."""
        if self._draining:
            raise DrainingError
        self._pools.require_room(audience)

    def join(self, follower: Follower, table: Table) -> None:
        """Let somebody follow a match that was read just now; what has happened since is looked for.

        Raise `DrainingError` or `Problem` 503 where a follower cannot be taken now: it has taken no place.
        """
        self.require_room(follower.audience)
        channel = self._channels.get(table.row.id)
        if channel is None:
            channel = self._channels[table.row.id] = Channel(table)
            self._note(channel)
        channel.add(follower)
        if isinstance(follower, Beating):
            self._newest = (self._newest + 1) % SLOTS
            self._wheel[self._newest].add(follower)
            self._tracker.arrived(follower)
            self._door.set()
        self._pools.add(follower)
        self._look(channel)
        self._suspect.add(channel.match_id)

    def leave(self, follower: Follower) -> None:
        """Forget a follower; a match that nobody follows is forgotten with the last one."""
        channel = follower.channel
        channel.followers.discard(follower)
        self._pools.remove(follower)
        for slot in self._wheel:
            slot.discard(follower)
        if isinstance(follower, Beating):
            self._tracker.left(follower)
            self._door.set()
        if not channel.followers and self._channels.get(channel.match_id) is channel:
            del self._channels[channel.match_id]
            self._seen.pop(channel.match_id, None)
            self._due.pop(channel.match_id, None)
            self._suspect.discard(channel.match_id)

    async def attendance(self, follower: Follower) -> Present:
        """Return who is there in a follower's match, once the coming of its own seat can be read."""
        return await self._tracker.attendance(follower)

    def drain(self) -> None:
        """Say goodbye to everybody; nobody is taken from now on."""
        self._draining = True
        for channel in tuple(self._channels.values()):
            for follower in tuple(channel.followers):
                follower.close(Bye.DRAINING)

    def _note(self, channel: Channel) -> None:
        if channel.ended:
            self._seen.pop(channel.match_id, None)
        else:
            self._seen[channel.match_id] = channel.version

    def _look(self, channel: Channel) -> None:
        self._due[channel.match_id] = None
        self._something.set()

    async def _for_ever(self, work: Callable[[], Awaitable[None]]) -> None:
        """Repeat some work; what goes wrong costs an interval."""
        while True:
            try:
                await work()
            except (BusyError, DatabaseUnavailableError):
                await asyncio.sleep(self._pace.poll_seconds)
            except Exception as error:  # noqa: BLE001  nobody is there to hear of it
                log_failure("fan-out", error)
                await asyncio.sleep(self._pace.poll_seconds)

    async def _read(self) -> None:
        """Read what is due, many matches at once."""
        await self._something.wait()
        if self._suspect:
            suspect = tuple(islice(self._suspect, AT_ONCE))
            self._suspect.difference_update(suspect)  # one that is named while it is read is read again
            await self._suspected(suspect)
        due = tuple(islice(self._due, AT_ONCE))
        if due:
            for match_id in due:
                del self._due[match_id]
            await self._read_these({match_id: self._channels[match_id] for match_id in due})
        if not self._due and not self._suspect:
            self._something.clear()

    async def _suspected(self, suspect: Sequence[UUID]) -> None:
        try:
            self._met(await self._store.heads(suspect))
            await self._attend(suspect)
        except BaseException:
            self._suspect.update(one for one in suspect if one in self._channels)
            raise

    async def _read_these(self, due: Mapping[UUID, Channel]) -> None:
        try:
            events = await self._store.events_after({one: due[one].seq for one in due})
        except BaseException:
            self._due |= {one: None for one, channel in due.items() if self._channels.get(one) is channel}
            raise
        for match_id, rows in groupby(events, lambda event: event.match_id):
            channel = due[match_id]
            channel.take(list(rows))
            if self._channels.get(match_id) is channel:
                self._note(channel)

    async def _poll(self) -> None:
        """Ask which matches have been moved by other processes."""
        await asyncio.sleep(self._pace.poll_seconds)
        if self._seen:
            self._met(await self._store.moved(self._seen))
            recent = await self._presence.recent(self._pace.poll_seconds + LATE_SECONDS)
            await self._attend(set(recent))

    async def _beat(self) -> None:
        """Give the streams of one slot their heartbeat, after a look at whether they may go on."""
        await asyncio.sleep(self._pace.beat_seconds / SLOTS)
        self._slot = (self._slot + 1) % SLOTS
        streams = tuple(self._wheel[self._slot])
        if not streams:
            return
        channels = {stream.channel.match_id: stream.channel for stream in streams}
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    self._met(await self._store.heads(channels))
                    await self._attend([one for one, channel in channels.items() if channel.borrowed])
        finally:
            for channel in channels.values():
                channel.forget()
            for stream in streams:
                stream.beat()

    async def _say(self) -> None:
        """Say which seats have come and gone here."""
        await self._door.wait()
        changed = await self._tracker.write()
        if not changed:
            self._door.clear()
        for one in changed:
            channel = self._channels.get(one)
            if channel is not None:
                self._hints.publish(one, channel.version)
                self._suspect.add(one)
        self._something.set()

    async def _attend(self, ids: Iterable[UUID]) -> None:
        """Read who is there in those of these matches that somebody follows here."""
        await self._tracker.read([self._channels[one] for one in ids if one in self._channels])

    def _met(self, heads: list[Head]) -> None:
        """Compare what the database says of matches with what is known of them here."""
        for head in heads:
            channel = self._channels.get(head.id)
            if channel is None:
                continue
            channel.meet(head.generations)
            if head.version != channel.version:
                self._look(channel)
