"""What the columns ``snapshot``, ``body`` and ``generations`` hold.

A snapshot is a cache and read with every move, so it is MessagePack: a third smaller than JSON and
quicker by 5 µs a move. An event is the record itself, so it is JSON that anyone can read.
"""

from typing import Final, get_args

from msgspec import DecodeError, Struct, ValidationError, json, msgpack

from engine.actions import OnTimeout, wire_name
from engine.events import AnyEvent
from engine.state import Match
from service.db.errors import NewerFormatError, OldFormatError

FORMAT: Final = 4
"""The number of this shape of a snapshot. An older one is rebuilt from the events, a newer one refused."""


class Clock(Struct, frozen=True):
    """How long the seat in turn may take for each of its moves, and what happens where it takes longer."""

    turn_seconds: int
    on_timeout: OnTimeout


class Beside(Struct, frozen=True, kw_only=True):
    """What a snapshot keeps beside the match, for the events do not tell it; it keeps its shape for good."""

    hints: bool
    metadata: dict[str, str]
    creator_seats: tuple[int, ...]
    """The seats that the match's creator took; they see `metadata`."""
    bot_seeds: tuple[bytes, ...]
    """One a seat; a player's is empty."""
    clock: Clock | None = None

    def __repr__(self) -> str:
        """Show nothing."""
        return f"{type(self).__name__}(…)"


class Snapshot(Beside, frozen=True, kw_only=True):
    """A match as it is after its last step; `format` is the number of its shape."""

    format: int = FORMAT
    match: Match
    seq: int
    """The number of the last event."""

    def __repr__(self) -> str:
        """Show no more than the match does."""
        return f"Snapshot({self.match!r})"


class _Number(Struct):
    format: int


class _Type(Struct):
    type: str


_encode_snapshot = msgpack.Encoder().encode
_decode_snapshot = msgpack.Decoder(Snapshot).decode
_decode_number = msgpack.Decoder(_Number).decode
_encode_event = json.Encoder().encode
_decode_event = json.Decoder(AnyEvent).decode
_decode_type = json.Decoder(_Type).decode
_EVENT_TYPES: Final = frozenset(wire_name(kind.__name__) for kind in get_args(AnyEvent))


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """Return a snapshot as its column holds it."""
    return _encode_snapshot(snapshot)


def decode_snapshot(raw: bytes) -> Snapshot:
    """Return the snapshot that a column holds; raise `OldFormatError` or `NewerFormatError`."""
    try:
        snapshot = _decode_snapshot(raw)
    except ValidationError:
        number = _decode_number(raw).format
        if number == FORMAT:
            raise
        raise _other_format(number) from None
    if snapshot.format != FORMAT:
        raise _other_format(snapshot.format)
    return snapshot


def refuse_newer(raw: bytes) -> None:
    """Raise `NewerFormatError` if a newer version wrote a snapshot; nothing else of it is decoded."""
    try:
        number = _decode_number(raw).format
    except DecodeError:
        return  # not a snapshot at all: `decode_snapshot` raises for it
    if number > FORMAT:
        raise NewerFormatError


def _other_format(number: int) -> Exception:
    return NewerFormatError() if number > FORMAT else OldFormatError()


def decode_beside(raw: bytes) -> Beside:
    """Return what a snapshot of any format keeps beside the match."""
    return msgpack.decode(raw, type=Beside)


def encode_event(event: AnyEvent) -> bytes:
    """Return an event as its column holds it, hidden cards and all."""
    return _encode_event(event)


def decode_event(raw: bytes) -> AnyEvent:
    """Return the event that a column holds; raise `NewerFormatError` if this version has no such type."""
    try:
        return _decode_event(raw)
    except ValidationError:
        if _decode_type(raw).type in _EVENT_TYPES:
            raise
        raise NewerFormatError from None


def encode_generations(generations: tuple[int, ...]) -> str:
    """Return the token generation of each seat as its column holds it: ``0,0``."""
    return ",".join(map(str, generations))


def decode_generations(raw: str) -> tuple[int, ...]:
    """Return the token generation of each seat."""
    return tuple(map(int, raw.split(",")))
