"""Load on a whole layout: users who create, play, follow and poll matches on replicas of one PostgreSQL.

    python benchmarks/load.py [--matches 100 1000 10000] [--replicas 1 2] [--seconds 8] [--streams 2000]
        [--users 32] [--rate 100] [--memory 4000] [--no-hints]

For each number of replicas the number of open matches grows step by step. Both seats of the first of them
are followed, as far as the bounds on streams and on the replicas' memory (MB) allow. Then all users play at
any replica as fast as they are answered, one request in five a look at a page of events, which gives the
moves a second; and then at a calm rate, which gives the latencies. Those of streams run from the answer to
a move, which leaves as its commit returns, to the other seat's stream: at the replica that played it, and
at another. A match that ends is replaced.
"""

import argparse
import asyncio
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.moves import cpu, family
from benchmarks.users import Asked, Hall
from tests.replicas.layout import Layout
from tests.service.databases import Server, postgresql


def at(times: list[float], percent: int) -> str:
    """Return a percentile in milliseconds, if there is anything to take it of."""
    return f"{quantiles(times, n=100)[percent - 1] * 1000:.1f}" if len(times) > 1 else "–"


COLUMNS: Final = (
    ("replicas", 8),
    ("matches", 9),
    ("created/s", 11),
    ("streams", 8),
    ("KB each", 8),
    ("moves/s", 8),
    ("polls/s", 8),
    ("µs CPU/request", 16),
    ("+ database", 12),
    ("move p50", 10),
    ("p99 ms", 8),
    ("stream p50", 12),
    ("p95 ms", 8),
    ("p99 ms", 8),
    ("across p50", 12),
    ("p95 ms", 8),
    ("p99 ms", 8),
    ("MB", 6),
)


def told(*values: object) -> None:
    """Print a row of the table."""
    print(
        "".join(f"{value!s:>{width}}" for value, (_, width) in zip(values, COLUMNS, strict=True)), flush=True
    )


def head_of_table() -> None:
    """Print the names of the columns."""
    told(*(name for name, _ in COLUMNS))


async def measure(layout: Layout, database: int, sizes: list[int], asked: Asked) -> None:
    """Print a row for each number of matches."""
    hall = Hall(layout, asked)
    try:
        for matches in sizes:
            created = await hall.grow(matches)
            each = await hall.follow()
            pids = [program.pid for program in layout.replica_programs]
            before = cpu(pids), cpu(family(database))
            full = await hall.play(asked.seconds, None)
            after = cpu(pids), cpu(family(database))
            requests = len(full.moves) + full.polls
            calm = await hall.play(asked.seconds, asked.rate)
            told(
                len(pids),
                matches,
                f"{created:.0f}",
                hall.streams,
                "–" if each is None else f"{each:.1f}",
                f"{len(full.moves) / asked.seconds:.0f}",
                f"{full.polls / asked.seconds:.0f}",
                f"{(after[0] - before[0]) / requests * 1e6:.0f}",
                f"{(after[1] - before[1]) / requests * 1e6:.0f}",
                *(at(calm.moves, percent) for percent in (50, 99)),
                *(at(times, percent) for times in (calm.same, calm.across) for percent in (50, 95, 99)),
                hall.resident() // 1024,
            )
    finally:
        hall.close()


@contextmanager
def running(server: Server, replicas: int, *, hints: bool) -> Iterator[Layout]:
    """Run replicas on an empty database, with hints or without."""
    with TemporaryDirectory(prefix="load-") as folder, server.migrated() as url:
        layout = Layout(Path(folder), server, url, replicas=replicas)
        with layout.running():
            if not hints:
                layout.hints_program.stop()
            yield layout


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description="Load on a whole layout.")
    parser.add_argument("--matches", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--replicas", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--streams", type=int, default=2_000)
    parser.add_argument("--users", type=int, default=32)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--memory", type=int, default=4_000)
    parser.add_argument("--no-hints", action="store_true")
    given = parser.parse_args()
    asked = Asked(given.seconds, given.streams, given.users, given.rate, given.memory)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    head_of_table()
    with postgresql() as server:
        for replicas in given.replicas:
            with running(server, replicas, hints=not given.no_hints) as layout:
                asyncio.run(measure(layout, server.pid, sorted(given.matches), asked))


if __name__ == "__main__":
    main()
