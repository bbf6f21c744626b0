"""One client's stream: what it is sent next, as fast as it reads and never faster."""

import asyncio
from typing import Final, Protocol
from uuid import UUID

import msgspec
from msgspec import Struct

from engine.actions import Seat
from service.db.errors import BusyError, DatabaseUnavailableError, NewerFormatError
from service.db.rows import StoredMatch
from service.events.channel import Bye, Follower
from service.events.cursor import Cursor
from service.events.fanout import Beating, Fanout
from service.events.frames import comment_frame, event_frame
from service.events.presence import Present, with_seat
from service.events.wire import ByeOut, presence_to_wire
from service.http.log import log_failure
from service.http.streaming import Sender
from service.matches.table import Table
from service.matches.tokens import Claim

BEHIND: Final = 100
"""How many events a client that has caught up once may fall behind before it is told all anew."""


class Reader(Struct, frozen=True):
    """Somebody who was admitted to a match: `claim` is his token's, if that is for a seat of the match."""

    row: StoredMatch
    audience: Seat | None
    claim: Claim | None


class Teller(Protocol):
    """Reads what a stream has to tell."""

    async def snapshot(self, name: str, follower: Follower) -> tuple[bytes, int]:
        """Return the state as a frame of that name, and the number of the last event in it."""

    async def frames(self, match_id: UUID, audience: Seat | None, after: int) -> list[bytes]:
        """Return the frames of some events after a number, at least one if there is any."""


class Stream(Beating):
    """A stream has a cursor and no queue: what it was not sent yet is in its channel or in the database.

    So a client that reads slowly costs no memory, and is at most `BEHIND` events behind.
    """

    __slots__ = (
        "_beating",
        "_bye",
        "_cursor",
        "_fanout",
        "_live",
        "_owed",
        "_present",
        "_send",
        "_table",
        "_teller",
        "_writing",
    )

    def __init__(
        self,
        fanout: Fanout,
        teller: Teller,
        table: Table,
        reader: Reader,
        cursor: Cursor,
    ) -> None:
        """Prepare a stream of the events after a cursor; without one it begins with a snapshot."""
        super().__init__(reader.audience, reader.claim)
        self._fanout = fanout
        self._teller = teller
        self._table = table
        self._cursor = cursor.after or 0
        self._owed: str | None = "snapshot" if cursor.after is None else None
        if cursor.is_from_nowhere(table.snapshot.seq):
            self._owed = "reset"
        self._live = False
        self._present: Present | None = None
        self._beating = False
        self._bye: Bye | None = None
        self._send: Sender | None = None
        self._writing: asyncio.Task[None] | None = None

    def require_room(self) -> None:
        """Raise what `open` would raise now."""
        self._fanout.require_room(self.audience)

    def open(self) -> None:
        """Join the match's followers.

        Raise `Problem` 503 where too many watch; `DrainingError`.
        """
        self._fanout.join(self, self._table)
        del self._table

    def begin(self, send: Sender) -> None:
        """Write what is new, from now on."""
        self._send = send
        self.wake()

    def end(self) -> None:
        """Forget a client that is gone."""
        if self._writing is not None:
            self._writing.cancel()
        self._fanout.leave(self)

    def wake(self) -> None:
        """Write what is new, unless that is being done."""
        if self._writing is None and self._send is not None:
            self._writing = asyncio.create_task(self._write(self._send))

    def beat(self) -> None:
        """Show the client that the connection lives."""
        self._beating = True
        self.wake()

    def close(self, bye: Bye) -> None:
        """Say goodbye as soon as the client has read what is being sent."""
        self._bye = self._bye or bye
        self.wake()

    async def _write(self, send: Sender) -> None:
        try:
            try:
                while (chunk := await self._next()) is not None:
                    await send(chunk, more=True)
            except (BusyError, DatabaseUnavailableError):  # the next heartbeat tries again
                if self._beating:
                    await send(self._heartbeat(), more=True)
            except NewerFormatError:
                self._bye = self._bye or Bye.DRAINING  # only a newer process can go on
            if self._bye is not None:
                self._send = None
                await send(event_frame("bye", msgspec.json.encode(ByeOut(self._bye.value))), more=False)
        except OSError:
            self._send = None  # the client is gone, and the server will say so
        except Exception as error:  # noqa: BLE001  nobody waits for this task
            log_failure("stream", error)
        finally:
            self._writing = None

    async def _next(self) -> bytes | None:
        """Return what is to be sent next; None where the client has all, or is to hear goodbye."""
        if self._bye is not None:
            return None
        if self._live and self.channel.seq - self._cursor > BEHIND:
            self._owed = "reset"
        if self._owed is not None:
            chunk, self._cursor = await self._teller.snapshot(self._owed, self)
            self._owed, self._present = None, self.channel.present
            return chunk
        if self._cursor < self.channel.seq:
            return await self._missed()
        self._live = True
        if self.channel.ended:
            self._bye = Bye.FINISHED
            return None
        present = self.channel.present
        if present is not None and present != self._present:
            if with_seat(present, self.audience) != present:
                # What was read before this seat came; or the database does not know of it yet.
                present = await self._fanout.attendance(self)
            self._present = self.channel.present
            return event_frame("presence", msgspec.json.encode(presence_to_wire(present)))
        return self._heartbeat() if self._beating else None

    def _heartbeat(self) -> bytes:
        self._beating = False
        return comment_frame(f"version {self.channel.version}")

    async def _missed(self) -> bytes:
        """Return events after the cursor, from the channel where it still has them."""
        seq = self.channel.seq
        frames = self.channel.after(self._cursor, self.audience)
        if frames is not None:
            self._cursor = seq
        else:
            frames = await self._teller.frames(self.channel.match_id, self.audience, self._cursor)
            self._cursor += len(frames)
        return b"".join(frames)
