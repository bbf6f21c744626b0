"""How a match goes on beside matches against bots: the latencies of moves with them and without.

    python benchmarks/beside_bots.py [--level expert] [--matches 8] [--think 0.1] [--seconds 4] [--rounds 3]

One client plays a match of two players over a socket. In every other round clients in another process play
matches against bots, each thinking a while before a move; three of four of them sit with one bot under
``classic``, the fourth with three bots under ``penalty``. It ends with status 1 where the 99th percentile of
a move beside them is more than the promised multiple of the one without.
"""

import argparse
import asyncio
import multiprocessing
import socket
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.analysis import PROMISE, player, told
from benchmarks.moves import Client, Load, serve, sqlite_file
from engine.bots import Level

TABLES: Final = (("classic", 1), ("classic", 1), ("classic", 1), ("penalty", 3))
"""The preset and the number of bots of each match, again and again."""


class Guest(Client):
    """A client who sits down with bots."""

    def __init__(self, port: int, level: str, ruleset: str, bots: int) -> None:
        super().__init__(port, 0)
        self.body = msgspec.json.encode(
            {"ruleset": ruleset, "seats": [{"kind": "self"}, *[{"kind": "bot", "level": level}] * bots]}
        )

    async def create(self) -> None:
        """Create a match that bots who act first have not ended at once, and look at it."""
        while True:
            created: dict[str, Any] = msgspec.json.decode(await self.send(b"POST /v1/matches", self.body, ""))
            self.match = created["match"]["id"]
            self.tokens = [seat["token"] for seat in created["seats"]]
            path = f"GET /v1/matches/{self.match}/seats/0/view".encode()
            self.view = msgspec.json.decode(await self.send(path, b"", self.tokens[0]))
            if self.view["status"] == "playing":
                return


def guests(port: int, level: str, matches: int, think: float, commands: Connection) -> None:
    """Play matches against bots for so many seconds, each time that it is told to."""
    asyncio.run(_guests(port, level, matches, think, commands))


async def _guests(port: int, level: str, matches: int, think: float, commands: Connection) -> None:
    seated = [Guest(port, level, *TABLES[number % len(TABLES)]) for number in range(matches)]
    commands.send(None)
    while (seconds := await asyncio.to_thread(commands.recv)) is not None:
        load = Load(0, [], 0)
        end = time.perf_counter() + seconds
        await asyncio.gather(*(_until(end, guest, think, load) for guest in seated))
        commands.send(load)


async def _until(end: float, guest: Guest, think: float, load: Load) -> None:
    while (started := time.perf_counter()) < end:
        load.bytes += await guest.step("move")
        load.seconds.append(time.perf_counter() - started)
        load.answered += 1
        await asyncio.sleep(think)


def measure(url: str, asked: argparse.Namespace) -> float:
    """Print the figures and return the ratio of the 99th percentiles."""
    spawn = multiprocessing.get_context("spawn")
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    port = listening.getsockname()[1]
    processes = [spawn.Process(target=serve, args=(url, listening), daemon=True)]
    lines: list[Connection] = []
    company = (asked.level, asked.matches, asked.think)
    for target, given in ((player, ()), (guests, company)):
        ours, theirs = spawn.Pipe()
        processes.append(spawn.Process(target=target, args=(port, *given, theirs), daemon=True))
        lines.append(ours)
    for process in processes:
        process.start()
    for line in lines:
        line.recv()
    plays, visits = lines
    alone: list[Load] = []
    beside: list[Load] = []
    bots: list[Load] = []
    for _ in range(asked.rounds):
        plays.send(asked.seconds)
        alone.append(plays.recv())
        visits.send(asked.seconds)
        plays.send(asked.seconds)
        beside.append(plays.recv())
        bots.append(visits.recv())
    for line in lines:
        line.send(None)
    for process in processes:
        process.terminate()
        process.join()
    without = told("moves alone", alone)
    ratio: float = told(f"moves beside {asked.matches} matches", beside) / without
    told(f"moves against {asked.level}", bots)
    print(f"  p99 beside ÷ p99 alone: {ratio:.1f} (promised: at most {PROMISE:.0f})")
    return ratio


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description="Moves beside matches against bots.")
    parser.add_argument("--level", choices=[level.value for level in Level], default="expert")
    parser.add_argument("--matches", type=int, default=8)
    parser.add_argument("--think", type=float, default=0.1)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with sqlite_file() as place:
        return 0 if measure(place.url, asked) <= PROMISE else 1


if __name__ == "__main__":
    sys.exit(main())
