"""Who is there: a seat is, while it has a stream at any process."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import TypeAlias
from uuid import UUID

from msgspec import Struct

from engine.actions import Seat
from engine.state import Match, PlayerKind
from service.events.store import AT_ONCE, Change, Stay


class Attendance(Struct, frozen=True):
    """Whether a seat is there, and since when; None where it has never been."""

    seat: Seat
    here: bool
    since: datetime | None


Present: TypeAlias = tuple[Attendance, ...]
"""The attendance of every seat that is no bot's."""


def seats_of(match: Match) -> tuple[Seat, ...]:
    """Return the seats whose attendance is told: those of players, and those that are still open."""
    return tuple(seat for seat, player in enumerate(match.seats) if player.kind is not PlayerKind.BOT)


def attendance(seats: Iterable[Seat], stays: Iterable[Stay]) -> Present:
    """Return what follows from what the processes say of a match."""
    said: dict[Seat, list[Stay]] = {seat: [] for seat in seats}
    for stay in stays:
        said[stay.seat].append(stay)
    return tuple(_attendance(seat, of_seat) for seat, of_seat in said.items())


def _attendance(seat: Seat, stays: list[Stay]) -> Attendance:
    here = [stay.since for stay in stays if stay.here]
    if here:
        return Attendance(seat, here=True, since=min(here))
    return Attendance(seat, here=False, since=max((stay.since for stay in stays), default=None))


def with_seat(present: Present, seat: Seat | None) -> Present:
    """Return who is there if that seat is for certain: not since when, where that was not read."""
    return tuple(
        Attendance(seat, here=True, since=None) if one.seat == seat and not one.here else one
        for one in present
    )


class Doorkeeper:
    """Counts the streams of each seat at this process, and knows what is to be said of it."""

    def __init__(self) -> None:
        self._streams: Counter[tuple[UUID, Seat]] = Counter()
        self._unsaid: dict[tuple[UUID, Seat], bool | None] = {}
        self._awaited: dict[tuple[UUID, Seat], asyncio.Event] = {}

    def came(self, match_id: UUID, seat: Seat) -> None:
        """Count a stream that has opened."""
        self._streams[match_id, seat] += 1
        if self._streams[match_id, seat] == 1:
            self._unsaid[match_id, seat] = True

    def went(self, match_id: UUID, seat: Seat, *, for_good: bool) -> None:
        """Count a stream that has closed; `for_good` where the match is over."""
        self._streams[match_id, seat] -= 1
        if not self._streams[match_id, seat]:
            del self._streams[match_id, seat]
            self._unsaid[match_id, seat] = None if for_good else False

    def close(self) -> None:
        """Count no stream any more."""
        self._unsaid |= dict.fromkeys(self._streams, False)
        self._streams.clear()

    def unsaid(self) -> list[Change]:
        """Return some of what is to be said; it is forgotten by `said`."""
        return [Change(*place, here) for place, here in islice(self._unsaid.items(), AT_ONCE)]

    def said(self, changes: Iterable[Change]) -> None:
        """Forget what has been said, unless it has changed since."""
        for change in changes:
            place = (change.match_id, change.seat)
            if place in self._unsaid and self._unsaid[place] is change.here:
                del self._unsaid[place]
                if place in self._awaited:
                    self._awaited.pop(place).set()

    async def until_said(self, match_id: UUID, seat: Seat) -> None:
        """Wait until nothing is to be said of a seat any more."""
        place = (match_id, seat)
        while place in self._unsaid:
            await self._awaited.setdefault(place, asyncio.Event()).wait()
