"""Join codes: eight symbols, forty bits, stored only as a MAC."""

from collections.abc import Callable
from typing import Final

from service.http.keys import Keyring, Purpose

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U, so that a code survives being read aloud."""

LENGTH: Final = 8

_BITS: Final = 5


def new_code(entropy: Callable[[int], bytes]) -> str:
    """Return a fresh code; `entropy` gives that many random bytes."""
    number = int.from_bytes(entropy(LENGTH * _BITS // 8))
    return "".join(ALPHABET[number >> _BITS * place & 31] for place in range(LENGTH))


def digest(keyring: Keyring, code: str) -> bytes:
    """Return what the match keeps of its code."""
    return keyring.mac(Purpose.JOIN, code.encode())


def digests(keyring: Keyring, code: str) -> tuple[bytes, ...]:
    """Return every digest that a match may have kept of this code, one a secret."""
    return keyring.macs(Purpose.JOIN, code.encode())
