"""The log of a match as each audience may read it."""

from uuid import UUID

from engine.actions import Seat
from service.matches.play import SeenEvent, seen_event
from service.matches.store import Store


class Feed:
    """Reads events in pages; every audience sees the same numbers without gaps."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def page(self, match_id: UUID, audience: Seat | None, after: int, limit: int) -> list[SeenEvent]:
        """Return at most `limit` events after the one numbered `after`, as the audience sees them."""
        stored = await self._store.events(match_id, after, limit)
        return [seen_event(event, audience) for event in stored]
