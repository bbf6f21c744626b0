"""Presence between the database and the channels: what this process writes of it, and what it reads."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final
from uuid import UUID

from service.events.channel import Channel, Follower
from service.events.presence import Doorkeeper, Present, with_seat
from service.events.store import AT_ONCE, PresenceStore, Stay

WRITTEN_SECONDS: Final = 0.5
"""How long a stream waits until its seat's coming is written: a stuck database must not silence it."""


class PresenceTracker:
    """Writes which seats have streams at this process, and reads who is there at any process."""

    def __init__(self, store: PresenceStore) -> None:
        self._store = store
        self._doors = Doorkeeper()

    def arrived(self, follower: Follower) -> None:
        """Count a stream that has opened."""
        if follower.audience is not None:
            self._doors.came(follower.channel.match_id, follower.audience)

    def left(self, follower: Follower) -> None:
        """Count a stream that has closed."""
        if follower.audience is not None:
            channel = follower.channel
            self._doors.went(channel.match_id, follower.audience, for_good=channel.ended)

    def close(self) -> None:
        """Count no stream any more."""
        self._doors.close()

    async def write(self) -> set[UUID]:
        """Write some of what has changed, and return its matches. Only one task at a time may do so."""
        changes = self._doors.unsaid()
        if changes:
            await self._store.write(changes)
            self._doors.said(changes)
        return {change.match_id for change in changes}

    async def read(self, channels: Sequence[Channel]) -> None:
        """Read who is there in some matches, and tell their followers what is new."""
        for start in range(0, len(channels), AT_ONCE):
            await self._read(channels[start : start + AT_ONCE])

    async def attendance(self, follower: Follower) -> Present:
        """Return who is there in a follower's match, once the coming of its own seat can be read.

        It waits `WRITTEN_SECONDS` for that at most. The seat is there, whatever the database says.
        """
        channel, seat = follower.channel, follower.audience
        if seat is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(WRITTEN_SECONDS):
                    await self._doors.until_said(channel.match_id, seat)
        (present,) = await self._read([channel])
        return with_seat(present, seat)

    async def _read(self, channels: Sequence[Channel]) -> list[Present]:
        asked = [channel.ask() for channel in channels]
        stays: dict[UUID, list[Stay]] = {channel.match_id: [] for channel in channels}
        for stay in await self._store.read(list(stays)):
            stays[stay.match_id].append(stay)
        return [
            channel.attend(stays[channel.match_id], number)
            for channel, number in zip(channels, asked, strict=True)
        ]
