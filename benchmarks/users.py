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

from tests.replicas.layout import Layout
from tests.replicas.programs import HOST

SEQ: Final = re.compile(rb"^id: (\d+)\n", re.MULTILINE)
LONGEST_ID: Final = 16
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


class Line:
    """A connection to a replica, kept open."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None

    async def send(self, line: str, token: str = "", body: object = None) -> Any:  # noqa: ANN401  JSON
        """Return the answer to one request."""
        if self._reader is None:
            self._reader, self._writer = await asyncio.open_connection(HOST, self._port)
        content = b"" if body is None else msgspec.json.encode(body)
        self._writer.write(head(line, token, len(content)) + content)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        size = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        told = msgspec.json.decode(await self._reader.readexactly(size))
        if answer[9:12] not in {b"200", b"201"}:
            raise RuntimeError(told)
        return told

    def close(self) -> None:
        """Hang up."""
        if self._reader is not None:
            self._writer.close()


def head(line: str, token: str, size: int) -> bytes:
    """Return the head of a request."""
    credential = f"Authorization: Bearer {token}\r\n" if token else ""
    return (
        f"{line} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n{credential}"
        f"Content-Length: {size}\r\n\r\n"
    ).encode()


class Listener(asyncio.Protocol):
    """A seat's stream: it reads the numbers of events and nothing else."""

    def __init__(self, hall: "Hall", table: Table, seat: int) -> None:
        self._hall, self._table, self._seat = hall, table, seat
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        table, seat = self._table, self._seat
        line = f"GET /v1/matches/{table.id}/seats/{seat}/events/stream?after=1"
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
        body = {"seats": [{"kind": "self"}, {"kind": "self"}]}
        return Table(await self._dice.choice(lines).send("POST /v1/matches", body=body))

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
        path = f"GET /v1/matches/{table.id}/seats/0/events?after={max(0, table.told[0][0] - 5)}"
        await self._dice.choice(lines).send(path, table.tokens[0])
        self.tally.polls += 1

    async def _move(self, table: Table, lines: list[Line]) -> Table:
        """Play the next action of a match; return the match, or the one that takes its place."""
        view, seat = table.view, table.view["turn"]
        replica = self._dice.randrange(len(lines))
        body = {"action": action(view), "expected_version": view["version"]}
        started = time.perf_counter()
        played = await lines[replica].send(
            f"POST /v1/matches/{table.id}/seats/{seat}/moves", table.tokens[seat], body
        )
        answered = time.perf_counter()
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


def action(view: dict[str, Any]) -> dict[str, Any]:
    """Return an action that is open: draw, knock at once, else throw for the least deadwood."""
    match view["phase"]:
        case "upcard_offer":
            return {"type": "pass"}
        case "draw":
            return {"type": "draw_stock"}
        case _:
            offers = {offer["type"]: offer for offer in view["actions"]}
            left = view["hints"]["deadwood_after"]
            kind = "knock" if "knock" in offers else "discard"
            return {"type": kind, "card": min(offers[kind]["cards"], key=left.__getitem__)}


def resident(pid: int) -> int:
    """Return the resident memory of a process in KB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
