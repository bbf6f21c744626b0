"""Keys derived from the master secrets, one for each purpose, and the MACs made with them."""

import base64
import binascii
import hmac
from enum import StrEnum
from functools import lru_cache
from typing import Final

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec import Struct

MAC_SIZE: Final = 32

_KID_LIMIT: Final = 16


class Purpose(StrEnum):
    """What a derived key is for: a MAC made for one purpose is worthless for every other."""

    SEAT = "seat-token"
    INTENT = "intent"
    JOIN = "join-code"
    BOT = "bot-seed"


class MasterSecret(Struct, frozen=True):
    """A master secret under the short id that travels with what it signed."""

    kid: str
    value: bytes

    def __repr__(self) -> str:
        """Show no secret."""
        return f"MasterSecret({self.kid})"


class Keyring:
    """The master secrets of a deployment: the first signs, all verify."""

    def __init__(self, secrets: tuple[MasterSecret, ...]) -> None:
        if not secrets:
            raise ValueError("a keyring holds at least one secret")
        self._signing = secrets[0]
        self._values = {secret.kid: secret.value for secret in secrets}

    def __repr__(self) -> str:
        """Show no secret."""
        return f"Keyring({', '.join(self._values)})"

    def mac(self, purpose: Purpose, message: bytes) -> bytes:
        """Return the 32-byte MAC of a message under the signing secret."""
        return hmac.digest(_derived(self._signing.value, purpose), message, "sha256")

    def macs(self, purpose: Purpose, message: bytes) -> tuple[bytes, ...]:
        """Return the MAC of a message under every secret, the signing one first."""
        return tuple(
            hmac.digest(_derived(value, purpose), message, "sha256") for value in self._values.values()
        )

    def seal(self, purpose: Purpose, payload: bytes) -> str:
        """Return text that carries a payload, the kid and a MAC over both."""
        kid = self._signing.kid.encode()
        signed = bytes((len(kid),)) + kid + payload
        return _text(signed + self.mac(purpose, signed))

    def unseal(self, purpose: Purpose, sealed: str) -> bytes | None:
        """Return the payload of a sealed text, or None where anything about it is wrong."""
        try:
            raw = base64.b64decode(sealed + "=" * (-len(sealed) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError):
            return None
        # One text for one payload: the spare bits of the last character are not a second spelling.
        if len(raw) <= MAC_SIZE or _text(raw) != sealed:
            return None
        signed, mac = raw[:-MAC_SIZE], raw[-MAC_SIZE:]
        end = 1 + signed[0]
        value = self._values.get(signed[1:end].decode("ascii", "replace"), b"")
        right = hmac.digest(_derived(value, purpose), signed, "sha256")
        if not hmac.compare_digest(mac, right) or not value:
            return None
        return signed[end:]


def parse_secrets(text: str) -> tuple[MasterSecret, ...]:
    """Return the secrets of ``kid:value,kid:value…``; raise ValueError, naming no value, if it is malformed.

    A kid is 1–16 letters, digits, ``-`` or ``_`` in ASCII; a value has at least 32 characters.
    """
    secrets: list[MasterSecret] = []
    for number, part in enumerate(text.split(","), start=1):
        kid, colon, value = part.strip().partition(":")
        if not (colon and kid.isascii() and kid.replace("-", "").replace("_", "").isalnum()):
            raise ValueError(f"secret {number} is not of the form kid:value")
        if len(kid) > _KID_LIMIT:
            raise ValueError(f"the kid of secret {number} is longer than {_KID_LIMIT} characters")
        if len(value) < MAC_SIZE:
            raise ValueError(f"the value of secret {number} is shorter than {MAC_SIZE} characters")
        secrets.append(MasterSecret(kid, value.encode()))
    if len({secret.kid for secret in secrets}) != len(secrets):
        raise ValueError("two secrets have the same kid")
    return tuple(secrets)


@lru_cache(maxsize=64)
def _derived(value: bytes, purpose: Purpose) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=b"ginrummy", info=purpose.encode()).derive(value)


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")
