"""What the answers of a match have in common: for whom they are kept, and by which tag."""

from typing import Any, Final, TypeVar

from litestar import Request, Response

from engine import Reason
from engine.shuffle import ShuffleMode
from service.http.etag import IMMUTABLE, PRIVATE_IMMUTABLE, conditional
from service.http.etag import matches as has_tag
from service.http.operation import Link
from service.http.problems import Code
from service.http.release import VERSION
from service.matches.lobby import PUBLIC
from service.matches.table import Table

T = TypeVar("T")

PER_AUDIENCE: Final = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept"}
"""What depends on who asks is kept by nobody but the one who asked, and asked for again each time."""
SECRET: Final = {"Cache-Control": "no-store"}
"""Answers with tokens are kept by nobody."""

REFUSALS: Final[tuple[Reason, ...]] = tuple(
    reason for reason in Reason if reason not in {Reason.MATCH_FULL, Reason.MATCH_STARTED}
)
"""What the rules may answer to an action."""
READS: Final[tuple[Code, ...]] = (Code.DATABASE_UNAVAILABLE, Code.REPLICA_OUTDATED)
"""What an operation may answer that reads a match."""
CREATES: Final[tuple[Code, ...]] = (Code.BUSY, Code.DRAINING, Code.DATABASE_UNAVAILABLE)
"""What an operation may answer that writes a new match."""
STORE: Final[tuple[Code, ...]] = (Code.BUSY, Code.DRAINING, *READS)
"""What an operation may answer that changes or follows a match."""
WHAT_WAS_SEEN: Final = {
    "events": Link(
        operation="listSeatEvents",
        parameters={"match_id": "$request.path.match_id", "seat": "$request.path.seat"},
        description="The events that the seat has seen.",
    )
}
"""Where a step leads."""


def unless_known(request: Request[Any, Any, Any], table: Table, audience: str) -> Response[Any] | None:
    """Return 304 where the caller has the answer for this version already."""
    own = tag(table, audience)
    if not has_tag(request.headers.get("if-none-match"), own):
        return None
    return Response(content=None, status_code=304, headers={"ETag": own, **PER_AUDIENCE})


def told(table: Table, audience: str, content: T) -> Response[T]:
    """Return an answer with its tag."""
    return Response(content=content, headers={"ETag": tag(table, audience), **PER_AUDIENCE})


def of_finished_deals(
    request: Request[Any, Any, Any], table: Table, name: str, content: T, *, fixed: bool
) -> Response[T]:
    """Return an answer about finished deals, or 304; `name` says which deals these are.

    One that is `fixed` never changes, and may be kept if the server shuffled: by shared caches too if the
    match is public. On a text or given decks another match may still be played with the same cards, so it is
    asked for again each time.
    """
    kept = "private, no-cache"
    if fixed and table.match.shuffle.mode is ShuffleMode.SERVER:
        kept = IMMUTABLE if table.row.visibility == PUBLIC else PRIVATE_IMMUTABLE
    answer = conditional(request, content, f'"{table.row.id}.{name}.{VERSION}"', kept)
    answer.headers["Vary"] = "Authorization"
    return answer


def tag(table: Table, audience: str) -> str:
    """Return the tag of an answer: match, version, audience and release, and nothing of the cards it shows.

    A running clock is part of it: an outage moves the deadline of a version. So is the release: the next one
    may compute another answer from the same match.
    """
    running = "" if table.row.deadline is None else f".{table.row.deadline:%Y%m%dT%H%M%S.%f}"
    return f'"{table.row.id}.{table.row.version}{running}.{audience}.{VERSION}"'
