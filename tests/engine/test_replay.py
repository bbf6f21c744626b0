"""The same history gives the same match: rebuilt from its events, through JSON, in another process."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec
import pytest

import engine
from engine.actions import AnyAction
from engine.events import AnyEvent
from engine.state import Match
from tests.engine.tables import TABLES, Table
from tests.sizes import size

DIGESTS: Final = "from tests.engine.test_replay import digest_of_all; print(digest_of_all())"


def history(table: Table, number: int) -> tuple[list[AnyEvent], list[tuple[int, Match]]]:
    """Return a match's events, and the match after each step with how many events it took."""
    opened = table.opening(number)
    events = list(opened.events)
    states = [(len(events), opened.match)]
    for step in table.steps(number):
        events += step.events
        states.append((len(events), step.match))
    return events, states


def digest_of_all() -> str:
    """Return one digest of a match of every table: its events and its last state."""
    digest = hashlib.sha256()
    for table in TABLES.values():
        events, states = history(table, 0)
        digest.update(msgspec.json.encode(events))
        digest.update(msgspec.json.encode(states[-1][1]))
    return digest.hexdigest()


@pytest.mark.parametrize("name", TABLES)
def test_replaying_the_events_so_far_gives_the_match_at_every_step(name: str) -> None:
    for number in range(size(1, 5)):
        events, states = history(TABLES[name], number)
        for count, match in states[:: size(7, 1)]:
            assert engine.replay(events[:count]) == match


@pytest.mark.parametrize("name", TABLES)
def test_every_event_and_state_survives_being_written_down(name: str) -> None:
    events, states = history(TABLES[name], 0)
    for read, write in (
        (msgspec.json.decode, msgspec.json.encode),
        (msgspec.msgpack.decode, msgspec.msgpack.encode),
    ):
        assert read(write(events), type=list[AnyEvent]) == events
        for _, match in states[:: size(7, 1)]:
            assert read(write(match), type=Match) == match


@pytest.mark.parametrize("name", TABLES)
def test_every_action_survives_being_written_down(name: str) -> None:
    for step in TABLES[name].steps(0):
        assert msgspec.json.decode(msgspec.json.encode(step.action), type=AnyAction) == step.action


def test_a_history_begins_with_the_creation() -> None:
    with pytest.raises(ValueError, match="at least one event"):
        engine.replay(())


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_nothing_depends_on_the_order_of_hashes(hash_seed: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", DIGESTS],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == digest_of_all()
