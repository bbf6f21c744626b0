"""Where the time of a move goes: the server of `benchmarks/moves.py`, sampled while it plays.

    python benchmarks/parts.py [--seconds 10] [--kind move|nothing|intent] [--database …]

A timer of the process's CPU interrupts the server as often as the kernel can. Each sample belongs to
the innermost call that has a line below, so a library's time is that of whoever called it, unless it has
a line of its own. A line's figure is its share of the samples times the CPU of one request.
"""

import argparse
import os
import signal
import socket
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Final

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.moves import Bench, postgresql_server, serve, sqlite_file

INTERVAL: Final = 0.001
ELSEWHERE: Final = "the thread of SQLite, and what no line below claims"

LINES: Final[dict[str, tuple[str, ...]]] = {
    "uvicorn: the request read, the answer's bytes written": ("uvicorn/",),
    "the event loop, tasks and futures": ("asyncio/base_events", "asyncio/events", "asyncio/runners"),
    "Litestar: route, arguments, response": ("litestar/",),
    "the answer as JSON": ("litestar/serialization",),
    "the envelope: id, headers that protect": ("service/http/envelope",),
    "the log's line": ("structlog/", "service/http/log"),
    "address, query, headers and media type checked": (
        "service/http/application",
        "service/http/parameters",
        "service/http/negotiation",
    ),
    "the token: guard and MAC": (
        "service/http/auth",
        "service/http/keys",
        "service/matches/access",
        "service/matches/api/guards",
        "service/matches/tokens",
    ),
    "the body, read strictly": ("service/http/decoding", "service/http/forms"),
    "the writer: lines and batches": ("service/db/writer",),
    "the database: statements, hops to a thread": (
        "service/db/sqlite",
        "service/db/postgresql",
        "service/db/statements",
        "concurrent/futures",
    ),
    "snapshots and events as columns": ("service/db/codec",),
    "the step: judged and folded": ("engine/play", "engine/decide", "engine/evolve", "engine/bots"),
    "its rows, and what the mover is told of it": (
        "service/matches/play",
        "service/matches/table",
        "engine/redact",
    ),
    "the view": ("engine/view", "engine/legal"),
    "view and events in the shapes of the wire": ("service/matches/wire", "service/matches/api/seats"),
}


def line_of(frame: FrameType | None) -> str:
    """Return the line to which a stack belongs."""
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.endswith("selectors.py"):
            found = [line for line, parts in LINES.items() if any(part in file for part in parts)]
            if found:
                return found[-1]
        elif frame.f_code.co_name == "select":
            return ELSEWHERE
        frame = frame.f_back
    return ELSEWHERE


def sampled(url: str, listening: socket.socket, report: str) -> None:
    """Serve as `serve` does; count samples from one SIGUSR1 to the next, then write them down."""
    counts: Counter[str] = Counter()

    def begin_or_end(_number: int, _frame: FrameType | None) -> None:
        if signal.getitimer(signal.ITIMER_PROF)[1]:
            signal.setitimer(signal.ITIMER_PROF, 0)
            Path(f"{report}.new").write_bytes(msgspec.json.encode(counts))
            Path(f"{report}.new").rename(report)
        else:
            signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)

    def sample(_number: int, frame: FrameType | None) -> None:
        counts[line_of(frame)] += 1

    signal.signal(signal.SIGUSR1, begin_or_end)
    signal.signal(signal.SIGPROF, sample)
    serve(url, listening)


def measure(name: str, url: str, kind: str, seconds: float) -> None:
    """Print the lines of one database."""
    with TemporaryDirectory(prefix="parts-") as folder:
        report = Path(folder, "samples")
        bench = Bench(url, None, target=sampled, more=(str(report),))
        try:
            size = round(bench.round("move", 2).size)
            os.kill(bench.pid, signal.SIGUSR1)
            figures = bench.round(kind, seconds, size)
            os.kill(bench.pid, signal.SIGUSR1)
            while not report.exists():
                time.sleep(0.05)
        finally:
            bench.close()
        counts = Counter(msgspec.json.decode(report.read_bytes(), type=dict[str, int]))
    print(f"{name}: {figures.cost:.0f} µs server CPU for one {kind}, {counts.total()} samples")
    for line, count in counts.most_common():
        print(f"  {count / counts.total() * figures.cost:6.0f} µs  {line}", flush=True)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description="Where the time of a move goes.")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--kind", choices=["move", "nothing", "intent"], default="move")
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    asked = parser.parse_args()
    for name, opened in {"sqlite": sqlite_file, "postgresql": postgresql_server}.items():
        if asked.database in {name, "both"}:
            with opened() as place:
                measure(name, place.url, asked.kind, asked.seconds)


if __name__ == "__main__":
    main()
