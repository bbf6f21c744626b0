"""The use cases of a seat: look, propose, play."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from engine import apply, complete, permit, preview, redact, view
from engine.actions import Move, Seat
from engine.bots import replies
from engine.events import AnyEvent
from engine.preview import Preview
from engine.redact import Seen
from service.db.codec import decode_event
from service.db.errors import MatchMissingError
from service.db.rows import StoredEvent, StoredMatch, Write
from service.http.keys import Keyring
from service.http.problems import Code, Problem
from service.matches import intents
from service.matches.access import Access, require_current
from service.matches.intents import NONCE_SIZE, Intent
from service.matches.store import Store
from service.matches.table import Step, Table, action_bytes, advanced, change, dated, opened, read
from service.matches.timeouts import is_late, timed_out

PAGE: Final = 64
"""How many steps of a log are read at once: more than bots take in a row, unless deal after deal is void."""


class Proposed(Struct, frozen=True):
    """An intent that was made, and what confirming it would do."""

    text: str
    intent: Intent
    preview: Preview


class SeenEvent(Struct, frozen=True):
    """An event as its audience sees it, and where it stands in the log."""

    seq: int
    version: int
    at: datetime
    event: Seen


class PlayedStep(Struct, frozen=True):
    """A step as its audience sees it; `seat` is whose it was."""

    seat: Seat | None
    version: int
    events: tuple[SeenEvent, ...]


class Played(Struct, frozen=True):
    """A move, the bots' replies, and the table after them; `replayed` if it had been played before."""

    move: PlayedStep
    replies: tuple[PlayedStep, ...]
    table: Table
    replayed: bool


class Asked(Struct, frozen=True):
    """An action on the version for which it was chosen; `nonce` is the intent's, None without one."""

    action: Move
    version: int
    nonce: bytes | None
    expires_at: int | None


class _Late(Struct, frozen=True):
    """The answer to a move that came too late: the house has acted, and the match is at `version`."""

    version: int


class Play:
    """Plays matches for seats whose callers have been admitted."""

    def __init__(
        self,
        store: Store,
        keyring: Keyring,
        *,
        clock: Callable[[], datetime],
        monotonic: Callable[[], float],
        entropy: Callable[[int], bytes],
        intent_seconds: int,
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._clock = clock
        self._monotonic = monotonic
        self._entropy = entropy
        self._intent_seconds = intent_seconds

    async def look(self, row: StoredMatch) -> Table:
        """Return the table of a row."""
        return await read(self._store, row)

    async def table_of(self, access: Access) -> Table:
        """Return the table of an admitted caller's match."""
        row = access.row or await self._store.load(access.claim.match_id)
        if row is None:
            raise Problem(Code.UNAUTHENTICATED)
        return await self.look(row)

    async def propose(self, access: Access, action: Move, version: int) -> Proposed:
        """Return a signed intent for an action that the rules accept now.

        Raise `Problem` 409 for another version, and `engine.Refusal`.
        """
        table = await self.table_of(access)
        _require_version(table, version, Code.VERSION_CONFLICT)
        seat = access.claim.seat
        permit(table.match, seat, action)
        seen = view(table.match, seat)
        action = complete(seen, action)
        intent = Intent(
            match_id=table.row.id.bytes,
            seat=seat,
            generation=access.claim.generation,
            version=version,
            action=action,
            nonce=self._entropy(NONCE_SIZE),
            expires_at=int((self._clock() + timedelta(seconds=self._intent_seconds)).timestamp()),
        )
        return Proposed(intents.issue(self._keyring, intent), intent, preview(seen, action))

    async def confirm(self, access: Access, text: str, arrived: float) -> Played:
        """Play an intent that arrived at a monotonic time, or tell again how it was played.

        Raise `Problem`: 401 for a replaced token, 409 `intent-invalid`, 410, 409 `intent-stale`; 409
        `turn-timed-out` for one that came too late, after the house has acted for the seat.
        """
        intent = intents.read(self._keyring, text)
        bound = intent is not None and intent.is_bound_to(access.claim)
        if intent is None or not bound:
            await self._refuse(access)
        asked = Asked(intent.action, intent.version, intent.nonce, intent.expires_at)
        return await self._play(access, asked, Code.INTENT_STALE, arrived)

    async def act(self, access: Access, action: Move, version: int, arrived: float) -> Played:
        """Play an action on the version for which it was chosen, or tell again how it was played.

        Raise `Problem`: 401 for a replaced token, 409 `version-conflict`, 409 `turn-timed-out` as in
        `confirm`; `engine.Refusal`.
        """
        return await self._play(access, Asked(action, version, None, None), Code.VERSION_CONFLICT, arrived)

    async def _refuse(self, access: Access) -> NoReturn:
        row = await self._store.load(access.claim.match_id)
        if row is None:
            raise Problem(Code.UNAUTHENTICATED)
        require_current(row, access.claim)
        raise Problem(Code.INTENT_INVALID)

    async def _play(self, access: Access, asked: Asked, stale: Code, arrived: float) -> Played:
        at = self._clock()

        def judge(row: StoredMatch) -> Write[Played | Table | _Late]:
            require_current(row, access.claim)
            table = opened(row)
            if table.match.version != asked.version:
                return Write(table)
            _require_unexpired(asked, at)
            if is_late(row, table, access.claim.seat, self._monotonic() - arrived):
                after, _, rows = timed_out(table, at)
                return Write(_Late(after.match.version), after.row, rows)
            return self._judged(table, access.claim.seat, asked, at)

        try:
            answer = await change(self._store, access.claim.match_id, judge)
        except MatchMissingError:
            raise Problem(Code.UNAUTHENTICATED) from None
        if isinstance(answer, Played):
            return answer
        if isinstance(answer, _Late):
            raise Problem(Code.TURN_TIMED_OUT, current_version=answer.version)
        replayed = await self._replayed(answer, access.claim.seat, asked)
        if replayed is not None:
            return replayed
        _require_unexpired(asked, at)
        _require_version(answer, asked.version, stale)
        raise AssertionError("a match at the version asked for was judged")

    def _judged(self, table: Table, seat: Seat, asked: Asked, at: datetime) -> Write[Played | Table | _Late]:
        played = apply(table.match, seat, asked.action)
        steps = [Step(played, seat, asked.action, asked.nonce)]
        steps.extend(Step(reply, bot) for bot, reply in replies(played.match, table.snapshot.bot_seeds))
        after, rows = advanced(table, steps, at)
        return Write(told(after, steps, rows, seat), after.row, rows, dated=_dated)

    async def _replayed(self, table: Table, seat: Seat, asked: Asked) -> Played | None:
        """Return how this very action was played before, or None if the step was something else."""
        stored = await self._store.step(table.row.id, asked.version + 1)
        if not stored or not _is_the_step(stored[0], seat, asked):
            return None
        stored += await self._replies_to(table, asked.version + 1)
        taken = _told(stored, [decode_event(row.body) for row in stored], seat)
        return Played(taken[0], taken[1:], table, replayed=True)

    async def _replies_to(self, table: Table, version: int) -> list[StoredEvent]:
        """Return the events of the bots' steps that came right after a step."""
        bots = table.snapshot.bot_seeds
        found: list[StoredEvent] = []
        while version < table.match.version:
            upto = min(version + PAGE, table.match.version)
            for event in await self._store.steps(table.row.id, version, upto):
                if event.version > version:
                    if event.seat is None or not bots[event.seat]:
                        return found
                    version = event.version
                found.append(event)
        return found


def told(table: Table, steps: Sequence[Step], rows: Sequence[StoredEvent], audience: Seat) -> Played:
    """Return steps whose events are these rows, as a seat sees them, with the table after them."""
    taken = _told(rows, [event for step in steps for event in step.played.events], audience)
    return Played(taken[0], taken[1:], table, replayed=False)


def played_at(played: Played, deadline: datetime | None) -> Played:
    """Return what was played, with the deadline that the database has written."""
    return replace(played, table=dated(played.table, deadline))


def _dated(answer: Played | Table | _Late, deadline: datetime | None) -> Played | Table | _Late:
    return played_at(answer, deadline) if isinstance(answer, Played) else answer


def seen_event(row: StoredEvent, audience: Seat | None) -> SeenEvent:
    """Return the audience's copy of a stored event."""
    return _seen(row, decode_event(row.body), audience)


def _seen(row: StoredEvent, event: AnyEvent, audience: Seat | None) -> SeenEvent:
    return SeenEvent(row.seq, row.version, row.at, redact(event, audience))


def _told(rows: Sequence[StoredEvent], events: Sequence[AnyEvent], audience: Seat) -> tuple[PlayedStep, ...]:
    """Return the steps of these rows, whose bodies are these events, as an audience sees them."""
    steps: dict[int, list[SeenEvent]] = {}
    seats: dict[int, Seat | None] = {}
    for row, event in zip(rows, events, strict=True):
        seats.setdefault(row.version, row.seat)
        steps.setdefault(row.version, []).append(_seen(row, event, audience))
    return tuple(PlayedStep(seats[version], version, tuple(seen)) for version, seen in steps.items())


def _is_the_step(first: StoredEvent, seat: Seat, asked: Asked) -> bool:
    if first.version != asked.version + 1 or first.seat != seat:
        return False
    if asked.nonce is not None:
        return first.nonce == asked.nonce
    return first.action == action_bytes(asked.action)


def _require_unexpired(asked: Asked, at: datetime) -> None:
    if asked.expires_at is not None and at.timestamp() >= asked.expires_at:
        raise Problem(Code.INTENT_EXPIRED)


def _require_version(table: Table, version: int, code: Code) -> None:
    if table.match.version != version:
        raise Problem(code, current_version=table.match.version)
