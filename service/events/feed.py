"""The log of a match as each audience may read it."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from engine.actions import Seat
from service.matches.play import SeenEvent, seen_event
from service.matches.store import Store


class Page(Struct, frozen=True):
    """Some events, and after which number to go on; `reset` if what was asked for was from nowhere."""

    events: Sequence[SeenEvent]
    next_after: int
    reset: bool = False


class Feed:
    """Reads events in pages; every audience sees the same numbers without gaps."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def page(self, match_id: UUID, audience: Seat | None, after: int, limit: int) -> list[SeenEvent]:
        """Return at most `limit` events after the one numbered `after`, as the audience sees them."""
        stored = await self._store.events(match_id, after, limit)
        return [seen_event(event, audience) for event in stored]
