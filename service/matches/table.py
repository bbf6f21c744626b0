"""A match as it is stored: the engine's match, what lies beside it, and the rows of a step."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Final, TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from engine import Transition, replay
from engine.actions import AnyAction, Seat, wire_name
from engine.events import Act, Notice
from engine.state import Match, PlayerKind, Status
from service.db.codec import (
    Snapshot,
    decode_beside,
    decode_event,
    decode_generations,
    decode_snapshot,
    encode_event,
    encode_snapshot,
)
from service.db.errors import MatchMissingError, OldFormatError
from service.db.rows import Change, StoredEvent, StoredMatch, Write, untimed
from service.matches.store import Store

T = TypeVar("T")

_encode_action: Final = msgspec.json.Encoder().encode


class Step(Struct, frozen=True):
    """An accepted step: who asked for what, by which intent, and what came of it.

    `seat`, `action` and `nonce` are None where nobody asked: a creation. `nonce` is None too where an
    action came without an intent, and for what a bot plays.
    """

    played: Transition
    seat: Seat | None = None
    action: AnyAction | None = None
    nonce: bytes | None = None


class Table(Struct, frozen=True):
    """A stored match and what its snapshot says."""

    row: StoredMatch
    snapshot: Snapshot

    @property
    def match(self) -> Match:
        """The engine's match."""
        return self.snapshot.match

    @property
    def generations(self) -> tuple[int, ...]:
        """The current token generation of each seat."""
        return decode_generations(self.row.generations)


def opened(row: StoredMatch) -> Table:
    """Return the table of a row; raise `OldFormatError` if it is to be rebuilt, or `NewerFormatError`."""
    return Table(row, decode_snapshot(row.snapshot))


async def read(store: Store, row: StoredMatch) -> Table:
    """Return the table of a row, rebuilt if its format is older; raise `NewerFormatError`."""
    try:
        return opened(row)
    except OldFormatError:
        return _rebuilt(row, await store.steps(row.id, 0, row.version))


async def change(store: Store, match_id: UUID, judge: Callable[[StoredMatch], Write[T]]) -> T:
    """Have a match judged and saved; one in an older format is renewed first.

    Raise what the judge raises, `MatchMissingError`, `NewerFormatError`, and what else `Store.submit` raises.
    """
    try:
        return await store.submit(Change(match_id, judge))
    except OldFormatError:
        await _renew(store, match_id)
        return await store.submit(Change(match_id, judge))


async def _renew(store: Store, match_id: UUID) -> None:
    row = await store.load(match_id)
    if row is None:
        raise MatchMissingError
    renewed = (await read(store, row)).row

    def judge(current: StoredMatch) -> Write[None]:
        return Write(None, renewed if untimed(current) == untimed(row) else None)

    await store.submit(Change(match_id, judge))


def _rebuilt(row: StoredMatch, events: Sequence[StoredEvent]) -> Table:
    beside = decode_beside(row.snapshot)
    match = replay(decode_event(event.body) for event in events)
    snapshot = Snapshot(
        match=match,
        seq=events[-1].seq,
        **msgspec.structs.asdict(beside),
    )
    return Table(replace(row, snapshot=encode_snapshot(snapshot)), snapshot)


def advanced(table: Table, steps: Sequence[Step], at: datetime) -> tuple[Table, tuple[StoredEvent, ...]]:
    """Return the table after these steps, and the events to append.

    They happened at `at`, or when the match last changed if that is later: clocks of processes differ, and
    each may be set back.
    """
    at = max(at, table.row.updated_at)
    events: list[StoredEvent] = []
    seq = table.snapshot.seq
    for step in steps:
        for stored in _stored(table.row.id, seq, step, at):
            events.append(stored)
            seq = stored.seq
    match = steps[-1].played.match
    snapshot = replace(table.snapshot, match=match, seq=seq)
    row = replace(
        table.row,
        status=match.status.value,
        version=match.version,
        snapshot=encode_snapshot(snapshot),
        join_digest=table.row.join_digest if match.status is Status.OPEN else None,
        updated_at=at,
        finished_at=at if match.status is Status.FINISHED else None,
        turn_seconds=_turn_seconds(snapshot),
        deadline=None,
        overtime=None,
    )
    return Table(row, snapshot), tuple(events)


def dated(table: Table, deadline: datetime | None) -> Table:
    """Return a table that was saved, with the deadline that the database has written."""
    return replace(table, row=replace(table.row, deadline=deadline))


def _turn_seconds(snapshot: Snapshot) -> int | None:
    """Return how long the seat in turn may take: bots take no time, and without a clock it may take any."""
    deal, clock = snapshot.match.deal, snapshot.clock
    if deal is None or clock is None or snapshot.match.seats[deal.turn].kind is not PlayerKind.PLAYER:
        return None
    return clock.turn_seconds


def action_bytes(action: AnyAction) -> bytes:
    """Return the canonical bytes of an action, as the first event of its step keeps them."""
    return _encode_action(action)


def _stored(match_id: UUID, seq: int, step: Step, at: datetime) -> Iterable[StoredEvent]:
    first = step.played.match.version
    for number, event in enumerate(step.played.events):
        yield StoredEvent(
            match_id=match_id,
            seq=seq + number + 1,
            version=first,
            type=wire_name(type(event).__name__),
            seat=step.seat if isinstance(event, Act | Notice) else None,
            at=at,
            action=action_bytes(step.action) if step.action is not None and not number else None,
            nonce=step.nonce if not number else None,
            body=encode_event(event),
        )
