"""Intents: signed statements of one action. Nothing is stored; any replica can confirm one."""

from typing import Final
from uuid import UUID

import msgspec
from msgspec import DecodeError, Struct

from engine.actions import Move
from service.db.errors import NewerFormatError
from service.http.keys import Keyring, Purpose
from service.matches.tokens import Claim

PREFIX: Final = "gin_"
NONCE_SIZE: Final = 16


class Intent(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One action of one seat on one version; `expires_at` is in seconds since 1970."""

    match_id: bytes
    seat: int
    generation: int
    version: int
    action: Move
    nonce: bytes
    expires_at: int

    def __repr__(self) -> str:
        """Show no action: it may name hidden cards."""
        return f"Intent(seat={self.seat}, version={self.version})"

    def is_bound_to(self, claim: Claim) -> bool:
        """Return whether the seat that asked for this intent is the one that confirms it."""
        return Claim(UUID(bytes=self.match_id), self.seat, self.generation) == claim


def issue(keyring: Keyring, intent: Intent) -> str:
    """Return the text that confirms this intent."""
    return PREFIX + keyring.seal(Purpose.INTENT, _ENCODER.encode(intent))


def read(keyring: Keyring, text: str) -> Intent | None:
    """Return the intent of a text, or None if this deployment never issued it.

    Raise `NewerFormatError` for one that was signed here and does not decode: a newer version made it.
    """
    payload = keyring.unseal(Purpose.INTENT, text.removeprefix(PREFIX)) if text.startswith(PREFIX) else None
    if payload is None:
        return None
    try:
        return _DECODER.decode(payload)
    except DecodeError:
        raise NewerFormatError from None


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(Intent)
