"""What a move costs: the server's CPU for a move beside that for doing nothing in the same application.

    python benchmarks/moves.py [--seconds 4] [--rounds 3] [--database sqlite|postgresql|both]

32 clients on bare sockets, in two other processes, play matches of two players. A move is one POST of
``action`` and ``expected_version``; do-nothing is a POST of the same body to a handler with the same
guard and decoding, which answers a constant as long as a move's answer. Rounds of both alternate, and the
ratio is that of their medians. It ends with status 1 where the ratio is below the promise.
"""

import argparse
import asyncio
import multiprocessing
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import UUID

import msgspec
import uvicorn
from litestar import Response, post
from litestar.params import FromPath, JSONBody
from msgspec import Struct

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.lines import Line, open_action
from service.app import Service
from service.db.schema import migrate
from service.http import log
from service.main import keep_start_up, service_on
from service.matches.api.answers import PER_AUDIENCE
from service.matches.api.guards import mover
from service.matches.wire.moves import MoveIn
from service.matches.wire.numbers import SeatNumber
from service.settings import Settings
from tests.service.databases import postgresql

CLIENTS: Final = 32
PROCESSES: Final = 2
PROMISE: Final = 0.40
"""The least ratio of the CPU of doing nothing to that of a move."""

TICKS: Final = os.sysconf("SC_CLK_TCK")
SECRETS: Final = "bench:a secret for benchmarks and for nothing else"


class Load(Struct):
    """What one client process answers after a round: how many requests, and how long each took."""

    answered: int
    seconds: list[float]
    bytes: int


class Figures(Struct):
    """One round: requests and the CPU that the server and the database spent on them, in seconds."""

    answered: int
    wall: float
    server: float
    database: float
    latencies: list[float]
    size: float

    @property
    def cost(self) -> float:
        """The server's CPU for one answered request, in microseconds."""
        return self.server / self.answered * 1e6


class Place(Struct):
    """A database: its address, a folder on its disk, and its server's process, if it has one."""

    url: str
    folder: Path
    database: int | None


class Client(Line):
    """One connection, and the match that it plays for both seats."""

    def __init__(self, port: int, answer_size: int) -> None:
        super().__init__(port)
        self.answer_size = answer_size
        self.view: dict[str, Any] = {}
        self.tokens: list[str] = []
        self.match = ""

    async def create(self) -> None:
        """Create a match of two players and keep both tokens."""
        body = b'{"seats":[{"kind":"self"},{"kind":"self"}]}'
        created = msgspec.json.decode(await self.send(b"POST /v1/matches", body, ""))
        self.match = created["match"]["id"]
        self.tokens = [seat["token"] for seat in created["seats"]]
        self.view = created["match"] | {"actions": []}

    async def step(self, kind: str) -> int:
        """Send one request of a kind (a proposal and its confirmation are two), return the answer's size."""
        if self.view["status"] == "finished":
            await self.create()
        seat = self.view["turn"]
        path = f"/v1/matches/{self.match}/seats/{seat}/".encode()
        body = msgspec.json.encode(
            {"action": open_action(self.view), "expected_version": self.view["version"]}
        )
        token = self.tokens[seat]
        if kind == "nothing":
            return len(await self.send(b"POST " + path + b"nothing/%d" % self.answer_size, body, token))
        if kind == "intent":
            proposed = msgspec.json.decode(await self.send(b"POST " + path + b"intents", body, token))
            body = msgspec.json.encode({"intent": proposed["intent"]})
        answer = await self.send(b"POST " + path + b"moves", body, token)
        self.view = msgspec.json.decode(answer)["view"]
        return len(answer)


@post(
    "/v1/matches/{match_id:uuid}/seats/{seat:int}/nothing/{size:int}",
    guards=[mover],
    status_code=201,
)
async def do_nothing(
    match_id: FromPath[UUID],  # noqa: ARG001  as the move has it
    seat: FromPath[SeatNumber],  # noqa: ARG001  likewise
    size: FromPath[int],
    data: JSONBody[MoveIn],  # noqa: ARG001  likewise
) -> Response[bytes]:
    """Answer a constant."""
    return Response(content=b" " * size, status_code=201, headers=PER_AUDIENCE, media_type="application/json")


def serve(url: str, listening: socket.socket) -> None:
    """Run the service with one handler more."""
    service: Service = service_on(Settings(database_url=url, secrets=SECRETS))
    service.application.register(do_nothing)
    with Path(os.devnull).open("w") as sink:
        os.dup2(sink.fileno(), 1)
        log.configure()
        keep_start_up()
        config = uvicorn.Config(service.asgi, access_log=False, log_config=None, timeout_keep_alive=3600)
        uvicorn.Server(config).run(sockets=[listening])


def play(port: int, commands: Connection) -> None:
    """Be a process of clients: for each (kind, seconds, answer size) play so long and tell what happened."""
    asyncio.run(_play(port, commands))


async def _play(port: int, commands: Connection) -> None:
    clients = [Client(port, 0) for _ in range(CLIENTS // PROCESSES)]
    await asyncio.gather(*(client.create() for client in clients))
    commands.send(None)
    while (command := await asyncio.to_thread(commands.recv)) is not None:
        kind, seconds, size = command
        load = Load(0, [], 0)
        end = time.perf_counter() + seconds
        for client in clients:
            client.answer_size = size
        await asyncio.gather(*(_until(end, client, kind, load) for client in clients))
        commands.send(load)


async def _until(end: float, client: Client, kind: str, load: Load) -> None:
    while (started := time.perf_counter()) < end:
        size = await client.step(kind)
        load.bytes += size
        load.seconds.append(time.perf_counter() - started)
        load.answered += 1


def cpu(pids: list[int]) -> float:
    """Return the CPU seconds of processes, those of their ended children too."""
    total = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        total += sum(map(int, fields[11:15]))
    return total / TICKS


def family(pid: int) -> list[int]:
    """Return a process and its children."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [pid, *map(int, children)]


def memory(pid: int) -> int:
    """Return the resident memory of a process in MB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1024


def probe(folder: Path) -> float:
    """Return the median time of an fdatasync of 4 KB in a folder, in milliseconds."""
    times = []
    with (folder / "probe").open("wb", buffering=0) as file:
        for _ in range(100):
            file.write(b"\0" * 4096)
            started = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - started)
    return median(times) * 1000


class Bench:
    """A server, its clients, and the rounds that they play."""

    def __init__(
        self,
        url: str,
        database: int | None,
        target: Callable[..., None] = serve,
        more: tuple[object, ...] = (),
    ) -> None:
        self.database = [] if database is None else [database]
        spawn = multiprocessing.get_context("spawn")
        listening = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.server = spawn.Process(target=target, args=(url, listening, *more), daemon=True)
        self.server.start()
        self.pid = int(self.server.pid or 0)
        self.port: int = listening.getsockname()[1]
        self.lines: list[Connection] = []
        self.players = []
        for _ in range(PROCESSES):
            ours, theirs = spawn.Pipe()
            player = spawn.Process(target=play, args=(self.port, theirs), daemon=True)
            player.start()
            self.players.append(player)
            self.lines.append(ours)
        for line in self.lines:
            line.recv()

    def round(self, kind: str, seconds: float, size: int = 0) -> Figures:
        """Play one kind of request for some seconds."""
        database = [pid for one in self.database for pid in family(one)]
        before = cpu([self.pid]), cpu(database), time.perf_counter()
        for line in self.lines:
            line.send((kind, seconds, size))
        loads: list[Load] = [line.recv() for line in self.lines]
        after = cpu([self.pid]), cpu(database), time.perf_counter()
        answered = sum(load.answered for load in loads)
        return Figures(
            answered=answered,
            wall=after[2] - before[2],
            server=after[0] - before[0],
            database=after[1] - before[1],
            latencies=sorted(second for load in loads for second in load.seconds),
            size=sum(load.bytes for load in loads) / answered,
        )

    def close(self) -> None:
        """Stop the clients, then the server."""
        for line in self.lines:
            line.send(None)
        for process in (*self.players, self.server):
            process.terminate()
            process.join()


def told(name: str, rounds: list[Figures]) -> float:
    """Print a line for the rounds of one kind and return the median cost."""
    cost = median(one.cost for one in rounds)
    rate = median(one.answered / one.wall for one in rounds)
    tail = median(one.latencies[int(len(one.latencies) * 0.99)] for one in rounds) * 1000
    database = median(one.database / one.answered for one in rounds) * 1e6
    print(
        f"  {name:16} {cost:7.0f} µs server CPU  {database:5.0f} µs database CPU  "
        f"{rate:6.0f}/s  p99 {tail:6.1f} ms  {rounds[0].size:6.0f} bytes"
    )
    return cost


def measure(name: str, place: Place, seconds: float, rounds: int) -> float:
    """Print the figures of one database and return the ratio."""
    print(f"{name}: fdatasync of 4 KB takes {probe(place.folder):.2f} ms")
    bench = Bench(place.url, place.database)
    try:
        bench.round("move", seconds / 2)
        nothing, moves, intents = [], [], []
        for _ in range(rounds):
            moves.append(bench.round("move", seconds))
            nothing.append(bench.round("nothing", seconds, round(moves[-1].size)))
            intents.append(bench.round("intent", seconds))
        ratio = told("do-nothing", nothing) / told("move", moves)
        told("intent + confirm", intents)
        print(f"  do-nothing ÷ move: {ratio:.2f} (promised: at least {PROMISE})")
        print(f"  server memory: {memory(bench.pid)} MB", flush=True)
    finally:
        bench.close()
    return ratio


@contextmanager
def sqlite_file() -> Iterator[Place]:
    """Give a migrated file in a folder of its own."""
    with TemporaryDirectory(prefix="moves-") as name:
        url = f"sqlite:///{name}/bench.db"
        migrate(url)
        yield Place(url, Path(name), None)


@contextmanager
def postgresql_server() -> Iterator[Place]:
    """Give a migrated database of a server of its own, and that server's process."""
    with postgresql() as server, server.migrated() as url:
        pid = (server.folder / "data" / "postmaster.pid").read_text(encoding="ascii").split()[0]
        yield Place(url, server.folder, int(pid))


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description="What a move costs.")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    asked = parser.parse_args()
    ratios = []
    for name, opened in {"sqlite": sqlite_file, "postgresql": postgresql_server}.items():
        if asked.database in {name, "both"}:
            with opened() as place:
                ratios.append(measure(name, place, asked.seconds, asked.rounds))
    return 0 if min(ratios) >= PROMISE else 1


if __name__ == "__main__":
    sys.exit(main())
