"""A bot's dice: a hash of its seed and of what it sees, so that the same view has the same throw."""

import hashlib

from engine.cards import CODES, Card, cards_of
from engine.view import View


def noise(view: View, seed: bytes, card: Card) -> bytes:
    """Return 32 bytes that depend on the seed, the version, the own hand and this card."""
    held = " ".join(CODES[each] for each in cards_of(view.hand))
    return hashlib.sha256(b"%b %d %b %b" % (seed, view.version, held.encode(), CODES[card].encode())).digest()


def happens(view: View, seed: bytes, percent: int) -> bool:
    """Return whether something that happens so often, in percent, happens in this view."""
    held = " ".join(CODES[each] for each in cards_of(view.hand))
    drawn = hashlib.sha256(b"%b %d %b" % (seed, view.version, held.encode())).digest()
    return int.from_bytes(drawn[:8], "big") % 100 < percent
