"""How many may follow at once in a process."""

from collections import deque
from typing import Final, TypeAlias
from uuid import UUID

from engine.actions import Seat
from service.events.channel import Bye, Follower
from service.http.problems import Code, Problem

OF_A_SEAT: Final = 4
"""How many streams a seat has, and how many requests that wait; one more closes the oldest."""

_Place: TypeAlias = tuple[UUID, Seat, type[Follower]]


class Pools:
    """Room for each seat, and room that all spectators of all matches share."""

    def __init__(self, spectators: int) -> None:
        self._spectators = spectators
        self._watching: set[Follower] = set()
        self._seats: dict[_Place, deque[Follower]] = {}

    def require_room(self, audience: Seat | None) -> None:
        """Raise `Problem` 503 where a spectator would be one too many."""
        if audience is None and len(self._watching) >= self._spectators:
            raise Problem(Code.BUSY)

    def add(self, follower: Follower) -> None:
        """Give room to a follower; a seat's oldest of that kind makes room for its newest."""
        if follower.audience is None:
            self._watching.add(follower)
            return
        line = self._seats.setdefault(_place_of(follower, follower.audience), deque())
        line.append(follower)
        if len(line) > OF_A_SEAT:
            line.popleft().close(Bye.REPLACED)

    def remove(self, follower: Follower) -> None:
        """Take the room back; one that has been replaced has none."""
        if follower.audience is None:
            self._watching.discard(follower)
            return
        place = _place_of(follower, follower.audience)
        line = self._seats.get(place, deque())
        if follower in line:
            line.remove(follower)
        if not line:
            self._seats.pop(place, None)


def _place_of(follower: Follower, seat: Seat) -> _Place:
    return follower.channel.match_id, seat, type(follower)
