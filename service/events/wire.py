"""Pages of events."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta, Struct

from service.matches.play import SeenEvent
from service.matches.wire.events import AnyEventOut
from service.matches.wire.moves import seen_to_wire

LATEST = 10_000_000
"""The greatest number that an event may have."""


class PageParams(Struct, frozen=True, forbid_unknown_fields=True):
    """Which events to read."""

    after: Annotated[int, Meta(ge=0, le=LATEST)] = 0
    limit: Annotated[int, Meta(ge=1, le=1000)] = 100


class EventsOut(Struct, frozen=True):
    """Events in order; ask for those after `next_after` next. An empty page means: nothing new."""

    items: list[AnyEventOut]
    next_after: Annotated[int, Meta(ge=0, le=LATEST)]


def page_to_wire(seen: Sequence[SeenEvent], after: int) -> EventsOut:
    """Return a page that was asked for after a number."""
    return EventsOut([seen_to_wire(event) for event in seen], seen[-1].seq if seen else after)
