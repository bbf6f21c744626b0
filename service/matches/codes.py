"""Join codes: eight symbols, forty bits, stored only as a MAC."""

from collections.abc import Callable
from typing import Final

from service.http.keys import Keyring, Purpose

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O or U, so that a code survives being read aloud."""

SYMBOLS: Final = "0-9A-TV-Za-tv-z"
"""What may stand for a symbol, as a part of a regular expression: any digit, any letter but U."""

LENGTH: Final = 8

_BITS: Final = 5
_READ_AS: Final = str.maketrans("ILO", "110", "-")
"""How Crockford's base 32 reads what it does not write."""


def new_code(entropy: Callable[[int], bytes]) -> str:
    """Return a fresh code; `entropy` gives that many random bytes."""
    number = int.from_bytes(entropy(LENGTH * _BITS // 8))
    return "".join(ALPHABET[number >> _BITS * place & 31] for place in range(LENGTH))


def read_code(text: str) -> str:
    """Return the code that a client wrote, as it was given out: in capitals, without hyphens."""
    return text.upper().translate(_READ_AS)


def digest(keyring: Keyring, code: str) -> bytes:
    """Return what the match keeps of its code."""
    return keyring.mac(Purpose.JOIN, code.encode())


def digests(keyring: Keyring, code: str) -> tuple[bytes, ...]:
    """Return every digest that a match may have kept of this code, one a secret."""
    return keyring.macs(Purpose.JOIN, code.encode())
