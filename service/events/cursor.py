"""Cursors: after which event a client goes on, and what a number means that the log has not reached."""

import re
from typing import Final

from msgspec import UNSET, Struct, UnsetType

_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,7}", re.ASCII)


class Cursor(Struct, frozen=True):
    """The event after which a client goes on; `after` is None where it named none.

    A cursor is from nowhere if it is no number, or one that the log has not reached. Whoever shows one has
    nothing to go on from: he is told `reset`, and begins anew at the last event.
    """

    after: int | None
    is_number: bool = True

    def is_from_nowhere(self, last: int) -> bool:
        """Return whether the log, whose last event has that number, has never told this cursor."""
        return not self.is_number or (self.after is not None and self.after > last)


def parse_cursor(last_event_id: str | None, after: int | UnsetType = UNSET) -> Cursor:
    """Return where a stream goes on: where it broke off, or else where its first request began."""
    if last_event_id is None:
        return Cursor(None if after is UNSET else after)
    if _NUMBER.fullmatch(last_event_id) is None:
        return Cursor(None, is_number=False)
    return Cursor(int(last_event_id))
