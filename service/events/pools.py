"""How many may follow at once in a process."""

from collections import deque
from typing import Final, TypeAlias
from uuid import UUID

from engine.actions import Seat
from service.events.channel import Bye, Follower
from service.http.problems import Code, Problem

OF_A_SEAT: Final = 4
"""How many places a seat has for streams and for pages that wait; one more ends the oldest."""

_Seat: TypeAlias = tuple[UUID, Seat]


class Pools:
    """Places for each seat, and places that all spectators of all matches share.

    A stream and a page that waits take a place alike.
    """

    def __init__(self, spectators: int) -> None:
        self._spectators = spectators
        self._watching: set[Follower] = set()
        self._seats: dict[_Seat, deque[Follower]] = {}

    def require_room(self, audience: Seat | None) -> None:
        """Raise `Problem` 503 where a spectator would be one too many."""
        if audience is None and len(self._watching) >= self._spectators:
            raise Problem(Code.BUSY)

    def add(self, follower: Follower) -> None:
        """Give a place to a follower for whom there is room; a seat's oldest makes room for its newest."""
        if follower.audience is None:
            self._watching.add(follower)
            return
        line = self._seats.setdefault((follower.channel.match_id, follower.audience), deque())
        line.append(follower)
        if len(line) > OF_A_SEAT:
            line.popleft().close(Bye.REPLACED)

    def remove(self, follower: Follower) -> None:
        """Take the place back; one that has been replaced has none."""
        if follower.audience is None:
            self._watching.discard(follower)
            return
        place = follower.channel.match_id, follower.audience
        line = self._seats.get(place, deque())
        if follower in line:
            line.remove(follower)
        if not line:
            self._seats.pop(place, None)
