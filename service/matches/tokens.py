"""Seat tokens: a MAC over match, seat and generation. Nothing is stored but the generation."""

from typing import Final
from uuid import UUID

from msgspec import Struct

from service.http.keys import Keyring, Purpose

PREFIX: Final = "gst_"

_SIZE: Final = 16 + 1 + 4


class Claim(Struct, frozen=True):
    """What a seat token says; it is current while the match still has that generation for the seat."""

    match_id: UUID
    seat: int
    generation: int


def issue(keyring: Keyring, claim: Claim) -> str:
    """Return the bearer token of a claim."""
    payload = claim.match_id.bytes + claim.seat.to_bytes(1) + claim.generation.to_bytes(4)
    return PREFIX + keyring.seal(Purpose.SEAT, payload)


def read(keyring: Keyring, token: str) -> Claim | None:
    """Return what a token says, or None if this deployment never said it."""
    payload = keyring.unseal(Purpose.SEAT, token.removeprefix(PREFIX)) if token.startswith(PREFIX) else None
    if payload is None or len(payload) != _SIZE:
        return None
    return Claim(UUID(bytes=payload[:16]), payload[16], int.from_bytes(payload[17:]))
