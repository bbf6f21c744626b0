"""The service as its next version might be: run by ``python -m tests.service.next_version serve …``.

It writes snapshots in the next format, with a field that this version does not know, and events of a type
that this version does not know. It reads what this version wrote. Add to `become` what a test needs of it.
"""

import importlib
from typing import Final

from msgspec import msgpack
from msgspec.structs import replace

from engine.events import AnyEvent
from service.db import codec

FORMAT: Final = codec.FORMAT + 1
THIS: Final = b'{"type":"stock_drawn",'
NEXT: Final = b'{"type":"card_drawn",'
"""How the event of a draw begins in this version and in the next one."""


class Snapshot(codec.Snapshot, frozen=True, kw_only=True):
    """A snapshot of the next version."""

    format: int = FORMAT
    written: int = 0
    """How often the next version has written it: it begins again where another version drops the field."""


_encode_event = codec.encode_event
_decode_event = codec.decode_event
_encode = msgpack.Encoder().encode


def encode_snapshot(snapshot: Snapshot) -> bytes:
    return _encode(replace(snapshot, written=snapshot.written + 1))


def encode_event(event: AnyEvent) -> bytes:
    raw = _encode_event(event)
    return NEXT + raw.removeprefix(THIS) if raw.startswith(THIS) else raw


def decode_event(raw: bytes) -> AnyEvent:
    return _decode_event(THIS + raw.removeprefix(NEXT) if raw.startswith(NEXT) else raw)


def written(raw: bytes) -> int:
    """How often the next version has written a snapshot of its own."""
    return msgpack.decode(raw, type=Snapshot).written


def become() -> None:
    """Let this process be of the next version; nothing but the codec has been imported yet."""
    vars(codec).update(
        FORMAT=FORMAT,
        Snapshot=Snapshot,
        encode_snapshot=encode_snapshot,
        _decode_snapshot=msgpack.Decoder(Snapshot).decode,
        encode_event=encode_event,
        decode_event=decode_event,
    )


if __name__ == "__main__":
    become()
    importlib.import_module("service.cli").main()
