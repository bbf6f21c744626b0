"""The use cases around a match: create it, find it, join it, replace a token."""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import islice
from typing import Final
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from engine import Reason, Refusal, apply, start_match
from engine.actions import Abort, Join, Seat
from engine.bots import Level, replies
from engine.cards import Card, text
from engine.play import Transition
from engine.rules import RuleSet
from engine.shuffle import SEED_SIZE, Shuffle, ShuffleMode, seed_of_text
from engine.state import Match, Player, PlayerKind, Status, put
from service.db.codec import Clock, Snapshot, decode_generations, encode_generations, refuse_newer
from service.db.errors import BusyError, MatchMissingError, RowRefusedError
from service.db.rows import StoredEvent, StoredMatch, Write, untimed
from service.http.keys import Keyring, Purpose
from service.http.problems import Code, Problem
from service.matches import codes, table, tokens
from service.matches.access import Access, require_current
from service.matches.store import Store
from service.matches.table import Step, Table, advanced, opened
from service.matches.tokens import Claim

PUBLIC: Final = "public"
DEMONSTRATED_STEPS: Final = 10_000
"""The most steps of a match of bots only: every preset's is over long before."""
DRAWS: Final = 5
"""How often a new match draws its id and its code, if one of them is taken."""
DEMONSTRATIONS: Final = 8
"""The most matches of bots only that may wait for their turn to be played out."""


class NewSeat(Struct, frozen=True):
    """A seat as its match's creator asks for it; `level` makes it a bot's, `own` the creator's."""

    own: bool
    name: str | None = None
    level: Level | None = None


class NewShuffle(Struct, frozen=True):
    """The shuffle asked for: a text, decks, or neither, where the server draws a seed."""

    text: str | None = None
    decks: tuple[tuple[Card, ...], ...] = ()

    def __repr__(self) -> str:
        """Show no text and no card."""
        return "NewShuffle(…)"


class NewMatch(Struct, frozen=True, kw_only=True):
    """A match as its creator asks for it."""

    ruleset: str
    """The preset as ``id@version``."""
    rules: RuleSet
    seats: tuple[NewSeat, ...]
    shuffle: NewShuffle
    first_dealer: Seat | None
    visibility: str
    hints: bool
    clock: Clock | None
    metadata: dict[str, str]


class Created(Struct, frozen=True):
    """A match that was made, with the tokens of its creator's seats."""

    table: Table
    tokens: tuple[tuple[Seat, str], ...]
    code: str | None

    def __repr__(self) -> str:
        """Show no token and no code."""
        return f"Created({self.table.row!r})"


class Joined(Struct, frozen=True):
    """A seat that was taken, and its token."""

    match_id: UUID
    seat: Seat
    token: str

    def __repr__(self) -> str:
        """Show no token."""
        return f"Joined({self.match_id}, seat={self.seat})"


class Lobby:
    """Makes matches and fills their seats."""

    def __init__(
        self,
        store: Store,
        keyring: Keyring,
        *,
        clock: Callable[[], datetime],
        entropy: Callable[[int], bytes],
        new_id: Callable[[], UUID],
    ) -> None:
        self._store = store
        self._keyring = keyring
        self._clock = clock
        self._entropy = entropy
        self._new_id = new_id
        self._demonstrating = asyncio.Lock()
        self._waiting = 0

    async def create(self, asked: NewMatch) -> Created:
        """Make a match; where no seat is open it is dealt, and bots that act first have acted.

        Raise `Problem`: 503 where too many matches of bots only wait to be played out, 413 for one that
        would take too long. Raise `BusyError` if each id or code that was drawn is taken.
        """
        own = [number for number, seat in enumerate(asked.seats) if seat.own]
        for _ in range(DRAWS):
            made, events, code = await self._made(asked)
            created = await self._inserted(made, events)
            if created is not None:
                claims = [Claim(created.row.id, seat, 0) for seat in own]
                issued = tuple((claim.seat, tokens.issue(self._keyring, claim)) for claim in claims)
                return Created(created, issued, code)
        raise BusyError

    async def _made(self, asked: NewMatch) -> tuple[Table, tuple[StoredEvent, ...], str | None]:
        """Return a new match, its events, and the code that opens its seats; nothing is stored yet."""
        match_id = self._new_id()
        shuffle = self._shuffle(asked.shuffle)
        bot_seeds = self._bot_seeds(match_id, asked)
        players = tuple(_player(seat) for seat in asked.seats)
        started = start_match(asked.rules, players, shuffle, asked.first_dealer)
        blank, code = self._blank(match_id, asked, started, bot_seeds)
        if all(player.kind is PlayerKind.BOT for player in players):
            made, events = await self._demonstration(blank, started)
        else:
            made, events = _written(blank, started)
        return made, events, code

    async def _inserted(self, made: Table, events: Sequence[StoredEvent]) -> Table | None:
        """Save a new match and return it with its deadline; None if its id or its code is taken."""
        row = made.row
        try:
            return table.dated(made, await self._store.insert(row, events))
        except RowRefusedError:
            same = await self._store.load(row.id)
            if same is not None and untimed(same) == untimed(row):
                return table.dated(made, same.deadline)  # an attempt whose answer was lost has saved it
            code = row.join_digest
            taken = same is not None or (code is not None and await self._store.find_by_code([code]))
            if not taken:
                raise
            return None

    async def join_by_code(self, code: str, name: str | None) -> Joined:
        """Take the first open seat of the match with this code; raise `Problem` 404 if there is none."""
        row = await self._store.find_by_code(codes.digests(self._keyring, code))
        if row is None:
            raise Problem(Code.NOT_FOUND)
        try:
            return await self._join(row.id, name)
        except Refusal:
            # The last seat was filled meanwhile, and the code died with it.
            raise Problem(Code.NOT_FOUND) from None

    async def join_public(self, match_id: UUID, name: str | None) -> Joined:
        """Take the first open seat of a public match; raise `Problem` 404, and `Refusal` if it is full."""
        row = await self._store.load(match_id)
        if row is None or row.visibility != PUBLIC:
            raise Problem(Code.NOT_FOUND)
        return await self._join(match_id, name)

    async def abort(self, access: Access) -> Table:
        """Give a match up before its cards are dealt, and return it; the code that opened its seats dies.

        Raise `Problem` 401 for a replaced token, and `Refusal` for one that has started.
        """
        at = self._clock()
        seat = access.claim.seat

        def judge(row: StoredMatch) -> Write[Table]:
            require_current(row, access.claim)
            before = opened(row)
            after, events = advanced(before, [Step(apply(before.match, seat, Abort()), seat, Abort())], at)
            return Write(after, after.row, events)

        try:
            return await table.change(self._store, access.claim.match_id, judge)
        except MatchMissingError:
            raise Problem(Code.UNAUTHENTICATED) from None

    async def rotate(self, access: Access) -> str:
        """Return a new token for a seat; the old one is worthless from now on."""

        def judge(row: StoredMatch) -> Write[str]:
            require_current(row, access.claim)
            refuse_newer(row.snapshot)
            claim = replace(access.claim, generation=access.claim.generation + 1)
            generations = put(decode_generations(row.generations), claim.seat, claim.generation)
            renewed = replace(row, generations=encode_generations(generations))
            return Write(tokens.issue(self._keyring, claim), renewed)

        try:
            return await table.change(self._store, access.claim.match_id, judge)
        except MatchMissingError:
            raise Problem(Code.UNAUTHENTICATED) from None

    async def public_tables(
        self, *, status: str | None, ruleset: str | None, cursor: UUID | None, limit: int
    ) -> list[Table]:
        """Return at most `limit` public tables older than `cursor`, newest first."""
        rows = await self._store.list_public(status=status, ruleset=ruleset, cursor=cursor, limit=limit)
        tables: list[Table] = []
        for row in rows:
            tables.append(await table.read(self._store, row))
            await asyncio.sleep(0)  # a match of many deals takes its time; others go on meanwhile
        return tables

    async def _join(self, match_id: UUID, name: str | None) -> Joined:
        at = self._clock()

        def judge(row: StoredMatch) -> Write[Joined]:
            before = opened(row)
            seat = _first_open(before.match)
            joined = apply(before.match, seat, Join(name))
            steps = [Step(joined, seat, Join(name)), *_replies(joined.match, before.snapshot.bot_seeds)]
            after, events = advanced(before, steps, at)
            claim = Claim(match_id, seat, before.generations[seat])
            return Write(Joined(match_id, seat, tokens.issue(self._keyring, claim)), after.row, events)

        return await table.change(self._store, match_id, judge)

    def _shuffle(self, asked: NewShuffle) -> Shuffle:
        if asked.text is not None:
            return Shuffle(ShuffleMode.SEED, seed_of_text(asked.text))
        mode = ShuffleMode.DECKS if asked.decks else ShuffleMode.SERVER
        return Shuffle(mode, self._entropy(SEED_SIZE), asked.decks)

    def _bot_seeds(self, match_id: UUID, asked: NewMatch) -> tuple[bytes, ...]:
        """Return the secret of each bot, independent of the shuffle's; a repeat meets the same bot."""
        given = asked.shuffle.text
        if asked.shuffle.decks:
            given = "\n".join(text(deck) for deck in asked.shuffle.decks)

        def seed(seat: Seat) -> bytes:
            if given is None:
                return self._keyring.mac(Purpose.BOT, match_id.bytes + bytes((seat,)))
            return hashlib.sha256(b"gin-bot-1" + given.encode() + bytes((seat,))).digest()

        return tuple(seed(number) if seat.level else b"" for number, seat in enumerate(asked.seats))

    async def _demonstration(
        self, blank: Table, started: Transition
    ) -> tuple[Table, tuple[StoredEvent, ...]]:
        """Play a match of bots only to its end, off the event loop, one match at a time."""
        if self._waiting >= DEMONSTRATIONS:
            raise Problem(Code.BUSY)
        self._waiting += 1
        try:
            async with self._demonstrating:
                return await asyncio.to_thread(_written, blank, started)
        finally:
            self._waiting -= 1

    def _blank(
        self, match_id: UUID, asked: NewMatch, started: Transition, bot_seeds: tuple[bytes, ...]
    ) -> tuple[Table, str | None]:
        """Return the table before its first step is stored, and the code that opens its seats."""
        at = self._clock()
        match = started.match
        code = codes.new_code(self._entropy) if match.status is Status.OPEN else None
        snapshot = Snapshot(
            match=match,
            seq=0,
            hints=asked.hints,
            metadata=asked.metadata,
            creator_seats=tuple(number for number, seat in enumerate(asked.seats) if seat.own),
            bot_seeds=bot_seeds,
            clock=asked.clock,
        )
        row = StoredMatch(
            id=match_id,
            status=match.status.value,
            visibility=asked.visibility,
            ruleset=asked.ruleset,
            version=match.version,
            generations=encode_generations((0,) * len(asked.seats)),
            snapshot=b"",
            join_digest=None if code is None else codes.digest(self._keyring, code),
            created_at=at,
            updated_at=at,
            finished_at=None,
        )
        return Table(row, snapshot), code


def _player(seat: NewSeat) -> Player:
    if seat.level is not None:
        return Player(PlayerKind.BOT, seat.name or f"Bot ({seat.level.value})", seat.level.value)
    return Player(PlayerKind.PLAYER if seat.own else PlayerKind.OPEN, seat.name)


def _first_open(match: Match) -> Seat:
    for seat, player in enumerate(match.seats):
        if player.kind is PlayerKind.OPEN:
            return seat
    raise Refusal(Reason.MATCH_FULL)


def _written(blank: Table, started: Transition) -> tuple[Table, tuple[StoredEvent, ...]]:
    """Return a new match and its events, after the bots that act first have acted.

    Raise `Problem` 413 where bots alone would go on for more than `DEMONSTRATED_STEPS`.
    """
    played = islice(replies(started.match, blank.snapshot.bot_seeds), DEMONSTRATED_STEPS + 1)
    steps = [Step(started), *(Step(reply, bot) for bot, reply in played)]
    if len(steps) > DEMONSTRATED_STEPS:
        raise Problem(Code.TOO_MUCH_WORK, limit=DEMONSTRATED_STEPS)
    return advanced(blank, steps, blank.row.created_at)


def _replies(match: Match, bot_seeds: tuple[bytes, ...]) -> list[Step]:
    return [Step(played, bot) for bot, played in replies(match, bot_seeds)]
