"""What a process knows of a match that somebody follows here."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from enum import StrEnum
from typing import Final
from uuid import UUID

import msgspec

from engine.actions import Seat
from engine.state import Status
from service.db.codec import decode_generations
from service.db.rows import StoredEvent
from service.events.frames import event_frame
from service.events.presence import Present, attendance, seats_of
from service.events.store import Stay
from service.matches.play import seen_event
from service.matches.table import Table
from service.matches.tokens import Claim
from service.matches.wire.moves import seen_to_wire

TAIL: Final = 32
"""The most events of a match that are kept for followers; whoever is further back reads the database."""

LAST: Final = "match_finished"
"""The event after which a match has none."""

_encode: Final = msgspec.json.Encoder().encode


class Bye(StrEnum):
    """Why a stream is closed by the service."""

    REPLACED = "replaced"
    REVOKED = "revoked"
    DRAINING = "draining"
    FINISHED = "finished"


class Follower(ABC):
    """Whoever wants to hear of a match: `claim` is the token he showed, if it was for a seat of the match."""

    __slots__ = ("audience", "channel", "claim")

    channel: "Channel"

    def __init__(self, audience: Seat | None, claim: Claim | None) -> None:
        self.audience = audience
        self.claim = claim

    @abstractmethod
    def wake(self) -> None:
        """Look at the channel: something in it is new."""

    @abstractmethod
    def close(self, bye: Bye) -> None:
        """Stop following."""


class _Entry:
    """An event and its frames, each encoded once for all of an audience."""

    __slots__ = ("_frames", "_row", "seq")

    def __init__(self, row: StoredEvent) -> None:
        self.seq = row.seq
        self._row = row
        self._frames: dict[Seat | None, bytes] = {}

    def frame(self, audience: Seat | None) -> bytes:
        """Return the event as its audience reads it."""
        if audience not in self._frames:
            self._frames[audience] = frame_of(self._row, audience)
        return self._frames[audience]


class Channel:
    """A match's followers here, and the end of its log as far as it was read for them."""

    __slots__ = (
        "_answered",
        "_asked",
        "_generations",
        "borrowed",
        "ended",
        "followers",
        "match_id",
        "present",
        "seats",
        "seq",
        "tail",
        "version",
    )

    def __init__(self, table: Table) -> None:
        self.match_id: UUID = table.row.id
        self.version = table.row.version
        self._generations = table.generations
        self.seq = table.snapshot.seq
        self.ended = table.match.status is Status.FINISHED
        self.tail: deque[_Entry] = deque(maxlen=TAIL)
        self.followers: set[Follower] = set()
        self.seats = seats_of(table.match)
        self.present: Present | None = None
        """Who is there; None while that has not been read."""
        self._asked = self._answered = 0
        self.borrowed = False
        """Whether somebody is there only while another process beats."""

    def take(self, events: Sequence[StoredEvent]) -> None:
        """Take the events after those that were read before, and wake who follows."""
        if not events:
            return
        self.tail.extend(map(_Entry, events))
        self.seq, self.version = events[-1].seq, events[-1].version
        self.ended = events[-1].type == LAST
        for follower in tuple(self.followers):
            follower.wake()

    def add(self, follower: Follower) -> None:
        """Let somebody follow who was admitted by a row that may be older than what is known here.

        What came between is told now: a token that was replaced, and events that nobody will wake him for.
        """
        follower.channel = self
        self.followers.add(follower)
        self._require_current(follower)
        follower.wake()

    def meet(self, generations: str) -> None:
        """Close who follows with a token that has been replaced; an older answer changes nothing."""
        current = tuple(map(max, self._generations, decode_generations(generations)))
        if current == self._generations:
            return
        self._generations = current
        for follower in tuple(self.followers):
            self._require_current(follower)

    def _require_current(self, follower: Follower) -> None:
        """Close a follower if his token is older than the current one; one that is newer was just issued."""
        claim = follower.claim
        if claim is not None and claim.generation < self._generations[claim.seat]:
            follower.close(Bye.REVOKED)

    def ask(self) -> int:
        """Return a number for `attend`, before it is read who is there."""
        self._asked += 1
        return self._asked

    def attend(self, stays: Sequence[Stay], asked: int) -> Present:
        """Take what the processes say of who is there, and wake who follows if that is new.

        `asked` is of before it was read: an answer that was overtaken by a later one changes nothing.
        """
        if self.present is not None and asked < self._answered:
            return self.present
        self._answered = asked
        present = attendance(self.seats, stays)
        self.borrowed = any(stay.borrowed for stay in stays)
        if present != self.present:
            self.present = present
            for follower in tuple(self.followers):
                follower.wake()
        return present

    def after(self, seq: int, audience: Seat | None) -> list[bytes] | None:
        """Return the frames after a number, up to `self.seq`; None where they are no longer kept."""
        missing = self.seq - seq
        if missing > len(self.tail):
            return None
        return [entry.frame(audience) for entry in self.tail if entry.seq > seq]

    def forget(self) -> None:
        """Let go of the events that are kept: whoever has missed them reads the database."""
        self.tail.clear()


def frame_of(row: StoredEvent, audience: Seat | None) -> bytes:
    """Return a stored event as its audience reads it in a stream."""
    return event_frame(row.type, _encode(seen_to_wire(seen_event(row, audience))), row.seq)
