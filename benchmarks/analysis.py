"""How a match goes on beside the costliest analysis: the latencies of moves with it and without.

    python benchmarks/analysis.py [--seconds 4] [--rounds 3]

One client plays a match of two players over a socket. In every other round another client, in a process
of its own, sends the costliest batch of hands without a pause. It ends with status 1 where the 99th
percentile of a move beside it is more than the promised multiple of the one without.
"""

import argparse
import asyncio
import multiprocessing
import socket
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Final

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.moves import Client, Load, serve, sqlite_file

PROMISE: Final = 20.0
"""The greatest ratio of a move's 99th percentile beside the costliest batch to the one without."""

GRID: Final = ["AS", "2S", "3S", "AH", "2H", "3H", "AD", "2D", "3D", "AC", "2C"]
"""Eleven cards with as many arrangements as any: every card is in a set and in a run."""

LARGEST: Final = 200
"""The most hands of a batch."""


def player(port: int, commands: Connection) -> None:
    """Play moves for so many seconds, each time that it is told to."""
    asyncio.run(_player(port, commands))


async def _player(port: int, commands: Connection) -> None:
    client = Client(port, 0)
    await client.create()
    commands.send(None)
    while (seconds := await asyncio.to_thread(commands.recv)) is not None:
        load = Load(0, [], 0)
        end = time.perf_counter() + seconds
        while (started := time.perf_counter()) < end:
            load.bytes += await client.step("move")
            load.seconds.append(time.perf_counter() - started)
            load.answered += 1
        commands.send(load)


def analyst(port: int, commands: Connection) -> None:
    """Send the largest batch that is taken, again and again, for so many seconds."""
    asyncio.run(_analyst(port, commands))


async def _analyst(port: int, commands: Connection) -> None:
    client = Client(port, 0)
    await client.create()
    hands = LARGEST
    while True:
        body = msgspec.json.encode({"hands": [GRID] * hands, "arrangements": 20})
        try:
            await client.send(b"POST /v1/melds", body, "")
            break
        except RuntimeError:
            hands //= 2
    commands.send(hands)
    while (seconds := await asyncio.to_thread(commands.recv)) is not None:
        answered = 0
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            await client.send(b"POST /v1/melds", body, "")
            answered += 1
        commands.send(answered)


def quantile(load: Load, part: float) -> float:
    """Return a quantile of the latencies, in milliseconds."""
    return sorted(load.seconds)[int(len(load.seconds) * part)] * 1000


def told(name: str, loads: list[Load]) -> float:
    """Print a line for rounds of one kind and return their 99th percentile in milliseconds."""
    middle = median(quantile(load, 0.5) for load in loads)
    tail = median(quantile(load, 0.99) for load in loads)
    answered = median(load.answered for load in loads)
    print(f"  {name:24} {answered:6.0f} moves a round  median {middle:6.2f} ms  p99 {tail:6.2f} ms")
    return tail


def measure(url: str, seconds: float, rounds: int) -> float:
    """Print the figures and return the ratio of the 99th percentiles."""
    spawn = multiprocessing.get_context("spawn")
    listening = socket.create_server(("127.0.0.1", 0), backlog=256)
    port = listening.getsockname()[1]
    processes = [spawn.Process(target=serve, args=(url, listening), daemon=True)]
    lines: list[Connection] = []
    for target in (player, analyst):
        ours, theirs = spawn.Pipe()
        processes.append(spawn.Process(target=target, args=(port, theirs), daemon=True))
        lines.append(ours)
    for process in processes:
        process.start()
    plays, analyses = lines
    plays.recv()
    print(f"a batch: {analyses.recv()} hands of eleven cards with up to 20 arrangements each")
    alone: list[Load] = []
    beside: list[Load] = []
    batches = 0
    for _ in range(rounds):
        plays.send(seconds)
        alone.append(plays.recv())
        analyses.send(seconds)
        plays.send(seconds)
        beside.append(plays.recv())
        batches += analyses.recv()
    for line in lines:
        line.send(None)
    for process in processes:
        process.terminate()
        process.join()
    without = told("moves alone", alone)
    ratio: float = told("moves beside batches", beside) / without
    print(f"  batches answered: {batches / rounds:.0f} a round")
    print(f"  p99 beside ÷ p99 alone: {ratio:.1f} (promised: at most {PROMISE:.0f})")
    return ratio


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description="Moves beside the costliest analysis.")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with sqlite_file() as place:
        return 0 if measure(place.url, asked.seconds, asked.rounds) <= PROMISE else 1


if __name__ == "__main__":
    sys.exit(main())
