"""What finished matches cost those that are played: the CPU of a move beside a million stored events.

    python benchmarks/growth.py [--events 1000000] [--runs 20] [--seconds 1.5] [--database …]

Two servers play on two databases of one kind, one of them empty and one filled with finished matches: a
few that bots have played, each copied under new ids until there are enough events. Runs on the two
alternate, and what is compared is the median CPU of a move, that of the server and of its database
together. Then every kind of list of public matches is asked for on both. It ends with status 1 where a
move beside the finished matches takes more than the promised share longer.
"""

import argparse
import asyncio
import http.client
import io
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final
from uuid import UUID

import asyncpg

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.moves import SECRETS, Bench, Figures, Place, postgresql_server, sqlite_file
from service.contract import client_of
from service.db.tables import events, matches
from service.http import log
from service.main import service_on
from service.settings import Settings

PROMISE: Final = 0.10
"""The greatest share by which a move may cost more beside the finished matches."""

PLAYED: Final = 40
"""Matches that bots play; the others are copies of them."""

BODY: Final = {
    "seats": [{"kind": "bot"}, {"kind": "bot"}],
    "overrides": {"target": 20},
    "visibility": "public",
    "clock": {"turn_seconds": 3600, "on_timeout": "play"},
}
LISTS: Final = {
    "all": "",
    "by status": "?status=open",
    "by rule set": "?ruleset=hollywood",
    "by both": "?status=playing&ruleset=hollywood",
}
"""Questions for public matches; of most of them there are only old answers, or none."""

_MATCH: Final = [one.name for one in matches.c if one.name != "id"]
_EVENT: Final = [one.name for one in events.c if one.name != "match_id"]
COPY: Final = f"""
    INSERT INTO matches (id, {", ".join(_MATCH)})
    SELECT copies.id, {", ".join(_MATCH)} FROM copies JOIN matches ON matches.id = source ORDER BY 1;
    INSERT INTO events (match_id, {", ".join(_EVENT)})
    SELECT copies.id, {", ".join(_EVENT)} FROM copies JOIN events ON match_id = source ORDER BY 1, seq;
"""  # noqa: S608  our own names


async def played(url: str) -> None:
    """Have bots play some matches, and keep quiet about it."""
    log.configure(io.BytesIO())
    service = service_on(Settings(database_url=url, secrets=SECRETS))
    async with service.application.lifespan(), client_of(service) as client:
        for number in range(PLAYED):
            answer = await client.post(
                "/v1/matches", json=BODY | {"ruleset": ("classic", "simple")[number % 2]}
            )
            if answer.status_code != 201:
                raise RuntimeError(answer.text)


def copies(sources: list[tuple[bytes, int]], wanted: int) -> Iterator[tuple[bytes, bytes]]:
    """Give new ids, each later than the last, and what is copied, until there are enough events."""
    instant, found = time.time_ns() // 1_000_000 - wanted, 0
    while found < wanted:
        for source, size in sources:
            instant, found = instant + 1, found + size
            chance = bytearray(os.urandom(10))
            chance[0] = 0x70 | chance[0] & 0x0F
            chance[2] = 0x80 | chance[2] & 0x3F
            yield instant.to_bytes(6) + bytes(chance), source


def fill_sqlite(path: str, wanted: int) -> int:
    """Copy matches until a file has enough events, and return how many it has."""
    file = sqlite3.connect(path)
    sources = file.execute("SELECT match_id, count(*) FROM events GROUP BY match_id").fetchall()
    file.execute("CREATE TEMPORARY TABLE copies (id BLOB PRIMARY KEY, source BLOB)")
    file.executemany("INSERT INTO copies VALUES (?, ?)", copies(sources, wanted))
    file.commit()
    file.executescript(COPY)
    file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    [(found,)] = file.execute("SELECT count(*) FROM events")
    file.close()
    return int(found)


async def fill_postgresql(url: str, wanted: int) -> int:
    """Copy matches until a database has enough events, and return how many it has."""
    server = await asyncpg.connect(url)
    rows = await server.fetch("SELECT match_id, count(*) FROM events GROUP BY match_id")
    sources = [(row[0].bytes, row[1]) for row in rows]
    await server.execute("CREATE TEMPORARY TABLE copies (id uuid PRIMARY KEY, source uuid)")
    given = [(UUID(bytes=made), UUID(bytes=source)) for made, source in copies(sources, wanted)]
    await server.copy_records_to_table("copies", records=given)
    await server.execute(COPY)
    await server.execute("VACUUM ANALYZE")
    found: int = await server.fetchval("SELECT count(*) FROM events")
    await server.close()
    return found


def listed(port: int, question: str) -> float:
    """Return the median time of a page of public matches, in milliseconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    times = []
    for _ in range(30):
        started = time.perf_counter()
        connection.request("GET", f"/v1/matches{question}")
        answer = connection.getresponse()
        answer.read()
        if answer.status != 200:
            raise RuntimeError(question)
        times.append(time.perf_counter() - started)
    connection.close()
    return median(times) * 1000


def told(name: str, runs: list[Figures]) -> float:
    """Print a line for the runs on one database and return the median cost of a move."""
    costs = [(one.server + one.database) / one.answered * 1e6 for one in runs]
    database = median(one.database / one.answered for one in runs) * 1e6
    print(f"  {name:6} {median(costs):7.0f} µs CPU a move, {database:5.0f} µs of it the database's")
    return median(costs)


def measure(empty: Place, full: Place, runs: int, seconds: float) -> float:
    """Print the figures of two databases of one kind, and return by which share the full one costs more."""
    benches = [Bench(place.url, place.database) for place in (empty, full)]
    try:
        for bench in benches:
            bench.round("move", seconds)
        figures = [[bench.round("move", seconds) for bench in benches] for _ in range(runs)]
        without, beside = (
            told(name, [pair[number] for pair in figures]) for number, name in enumerate(("empty", "full"))
        )
        share = beside / without - 1
        print(f"  beside finished matches: {share:+.1%} (promised: at most {PROMISE:+.0%})")
        for name, question in LISTS.items():
            times = [listed(bench.port, question) for bench in benches]
            print(
                f"  list of matches, {name:12} {times[0]:6.2f} ms empty  {times[1]:6.2f} ms full", flush=True
            )
    finally:
        for bench in benches:
            bench.close()
    return share


@contextmanager
def sqlite_pair(wanted: int) -> Iterator[tuple[Place, Place]]:
    """Give an empty file and a full one."""
    with sqlite_file() as empty, sqlite_file() as full:
        asyncio.run(played(full.url))
        print(f"sqlite: {fill_sqlite(full.url.removeprefix('sqlite:///'), wanted)} events", flush=True)
        yield empty, full


@contextmanager
def postgresql_pair(wanted: int) -> Iterator[tuple[Place, Place]]:
    """Give an empty database and a full one, each of a server of its own."""
    with postgresql_server() as empty, postgresql_server() as full:
        asyncio.run(played(full.url))
        print(f"postgresql: {asyncio.run(fill_postgresql(full.url, wanted))} events", flush=True)
        yield empty, full


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description="What finished matches cost a move.")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    asked = parser.parse_args()
    shares = []
    for name, opened in {"sqlite": sqlite_pair, "postgresql": postgresql_pair}.items():
        if asked.database in {name, "both"}:
            with opened(asked.events) as pair:
                shares.append(measure(*pair, asked.runs, asked.seconds))
    return 0 if max(shares) <= PROMISE else 1


if __name__ == "__main__":
    sys.exit(main())
