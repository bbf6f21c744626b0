"""What the columns ``snapshot``, ``body`` and ``generations`` hold.

A snapshot is a cache and read with every move, so it is MessagePack: a third smaller than JSON and
quicker by 5 µs a move. An event is the record itself, so it is JSON that anyone can read.
"""

from typing import Final

from msgspec import Struct, ValidationError, json, msgpack

from engine.actions import OnTimeout
from engine.events import AnyEvent
from engine.state import Match
from service.db.errors import OldFormatError

FORMAT: Final = 4
"""The number of this shape of a snapshot's match; another one is rebuilt from the events."""


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


_encode_snapshot = msgpack.Encoder().encode
_decode_snapshot = msgpack.Decoder(Snapshot).decode
_encode_event = json.Encoder().encode
_decode_event = json.Decoder(AnyEvent).decode


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """Return a snapshot as its column holds it."""
    return _encode_snapshot(snapshot)


def decode_snapshot(raw: bytes) -> Snapshot:
    """Return the snapshot that a column holds; raise `OldFormatError` if its number is another."""
    try:
        snapshot = _decode_snapshot(raw)
    except ValidationError:
        if msgpack.decode(raw, type=_Number).format == FORMAT:
            raise
        raise OldFormatError from None
    if snapshot.format != FORMAT:
        raise OldFormatError
    return snapshot


def decode_beside(raw: bytes) -> Beside:
    """Return what a snapshot of any format keeps beside the match."""
    return msgpack.decode(raw, type=Beside)


def encode_event(event: AnyEvent) -> bytes:
    """Return an event as its column holds it, hidden cards and all."""
    return _encode_event(event)


def decode_event(raw: bytes) -> AnyEvent:
    """Return the event that a column holds."""
    return _decode_event(raw)


def encode_generations(generations: tuple[int, ...]) -> str:
    """Return the token generation of each seat as its column holds it: ``0,0``."""
    return ",".join(map(str, generations))


def decode_generations(raw: str) -> tuple[int, ...]:
    """Return the token generation of each seat."""
    return tuple(map(int, raw.split(",")))
