"""Users of a layout: they create, play, follow and poll matches at any of its replicas."""

import asyncio
import random
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from benchmarks.lines import HOST, Line, head, open_action
from tests.replicas.layout import Layout

SEQ: Final = re.compile(rb"^id: (\d+)\n", re.MULTILINE)
LONGEST_ID: Final = 16
TWO_PLAYERS: Final = b'{"seats":[{"kind":"self"},{"kind":"self"}]}'
POLLS: Final = 0.2
"""The share of requests that look at a page of events instead of playing."""


class Asked(Struct, frozen=True):
    """The bounds that the command line sets; `memory` is that of all replicas, in MB."""

    seconds: float
    streams: int
    users: int
    rate: float
    memory: int


class Table:
    """An open match: both seats' tokens, the view after the last move, and what its streams have told."""

    __slots__ = ("due", "followed", "id", "tokens", "told", "view")

    def __init__(self, created: dict[str, Any]) -> None:
        self.id: str = created["match"]["id"]
        self.tokens: list[str] = [seat["token"] for seat in created["seats"]]
        self.view: dict[str, Any] = created["match"]
        self.followed: list[int] = []
        """The replica that each seat's stream is at."""
        self.told: list[tuple[int, float]] = [(0, 0.0), (0, 0.0)]
        """The last event that each seat's stream has told, and when."""
        self.due: tuple[int, int, float, int] | None = None
        """The seat that waits for an event, its number, when the move was answered, and by which replica."""


class Tally:
    """What was measured in a phase, in seconds."""

    def __init__(self) -> None:
        self.moves: list[float] = []
        self.polls = 0
        self.same: list[float] = []
        self.across: list[float] = []


class Listener(asyncio.Protocol):
    """A seat's stream: it reads the numbers of events and nothing else."""

    def __init__(self, hall: "Hall", table: Table, seat: int) -> None:
        self._hall, self._table, self._seat = hall, table, seat
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        table, seat = self._table, self._seat
        line = f"GET /v1/matches/{table.id}/seats/{seat}/events/stream?after=1".encode()
        transport.write(head(line, table.tokens[seat], 0))  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        """Note the newest event."""
        text = self._rest + data
        self._rest = text[-LONGEST_ID:]
        numbers = SEQ.findall(text)
        if numbers:
            self._table.told[self._seat] = (int(numbers[-1]), time.perf_counter())
            self._hall.settle(self._table)


class Hall:
    """The matches, and the users who play them."""

    def __init__(self, layout: Layout, asked: Asked) -> None:
        self.asked = asked
        self.tally = Tally()
        self.streams = 0
        self._layout = layout
        self._ports = [int(base.rpartition(":")[2]) for base in layout.replicas]
        self._lines = [[Line(port) for port in self._ports] for _ in range(asked.users)]
        self._dice = random.Random(1)
        self._free: list[Table] = []
        self._listeners: set[asyncio.BaseTransport] = set()

    async def grow(self, matches: int) -> float:
        """Create matches until there are so many; return how many were created a second."""
        started, missing = time.perf_counter(), matches - len(self._free)

        async def create(lines: list[Line], number: int) -> None:
            for _ in range(number, missing, self.asked.users):
                self._free.append(await self._created(lines))

        await self._everybody(create, self.asked.users)
        return missing / (time.perf_counter() - started)

    async def follow(self) -> float | None:
        """Open as many streams as the bounds allow; return what each costs the replicas in KB, if any was."""
        before, opened = self.resident(), self.streams
        for table in self._free:
            if not table.followed:
                if self.streams + 2 > self.asked.streams or self.resident() > self.asked.memory * 1024:
                    break
                await self._listen(table)
        await asyncio.sleep(1)
        new = self.streams - opened
        return (self.resident() - before) / new if new else None

    async def play(self, seconds: float, rate: float | None) -> Tally:
        """Let everybody play for some seconds, as fast as they can or so many requests a second together."""
        self.tally = Tally()
        end = time.perf_counter() + seconds
        users = min(self.asked.users, len(self._free))
        pause = 0.0 if rate is None else users / rate

        async def until(lines: list[Line], number: int) -> None:
            await asyncio.sleep(pause * number / users)
            while (began := time.perf_counter()) < end:
                table = self._take()
                if self._dice.random() < POLLS:
                    await self._poll(table, lines)
                else:
                    table = await self._move(table, lines)
                self._free.append(table)
                await asyncio.sleep(max(0.0, began + pause - time.perf_counter()) if pause else 0)

        await self._everybody(until, users)
        return self.tally

    def settle(self, table: Table) -> None:
        """Note how long the other seat waited for a move, once both the answer and the stream have come."""
        if table.due is None:
            return
        seat, seq, answered, replica = table.due
        told, at = table.told[seat]
        if told >= seq:
            times = self.tally.same if table.followed[seat] == replica else self.tally.across
            times.append(at - answered)
            table.due = None

    def resident(self) -> int:
        """Return the resident memory of the replicas in KB."""
        return sum(resident(program.pid) for program in self._layout.replica_programs)

    def close(self) -> None:
        """Hang up everywhere."""
        for listener in self._listeners:
            listener.close()
        for line in (line for lines in self._lines for line in lines):
            line.close()

    async def _everybody(self, work: Callable[[list[Line], int], Awaitable[None]], users: int) -> None:
        await asyncio.gather(*(work(lines, number) for number, lines in enumerate(self._lines[:users])))

    def _take(self) -> Table:
        at = self._dice.randrange(len(self._free))
        self._free[at], self._free[-1] = self._free[-1], self._free[at]
        return self._free.pop()

    async def _created(self, lines: list[Line]) -> Table:
        answer = await self._dice.choice(lines).send(b"POST /v1/matches", TWO_PLAYERS, "")
        return Table(msgspec.json.decode(answer))

    async def _listen(self, table: Table) -> None:
        for seat in range(2):
            replica = self._dice.randrange(len(self._ports))
            table.followed.append(replica)
            transport, _ = await asyncio.get_running_loop().create_connection(
                lambda seat=seat: Listener(self, table, seat),  # type: ignore[misc]
                HOST,
                self._ports[replica],
            )
            self._listeners.add(transport)
            self.streams += 1

    async def _poll(self, table: Table, lines: list[Line]) -> None:
        line = f"GET /v1/matches/{table.id}/seats/0/events?after={max(0, table.told[0][0] - 5)}"
        await self._dice.choice(lines).send(line.encode(), b"", table.tokens[0])
        self.tally.polls += 1

    async def _move(self, table: Table, lines: list[Line]) -> Table:
        """Play the next action of a match; return the match, or the one that takes its place."""
        view, seat = table.view, table.view["turn"]
        replica = self._dice.randrange(len(lines))
        line = f"POST /v1/matches/{table.id}/seats/{seat}/moves".encode()
        body = msgspec.json.encode({"action": open_action(view), "expected_version": view["version"]})
        started = time.perf_counter()
        answer = await lines[replica].send(line, body, table.tokens[seat])
        answered = time.perf_counter()
        played = msgspec.json.decode(answer)
        self.tally.moves.append(answered - started)
        table.view = played["view"]
        if table.followed:
            table.due = (1 - seat, played["move"]["events"][-1]["seq"], answered, replica)
            self.settle(table)
        if table.view["status"] == "playing":
            return table
        successor = await self._created(lines)
        if table.followed:
            self.streams -= 2  # the service has said goodbye to them
            await self._listen(successor)
        return successor


def resident(pid: int) -> int:
    """Return the resident memory of a process in KB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
