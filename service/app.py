"""The composition root: real randomness, clock and store meet the code that uses them here."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Final
from uuid import UUID

from litestar import Litestar
from msgspec import Struct
from uuid_utils.compat import uuid7

from service.analysis.api import HANDLERS as ANALYSIS
from service.analysis.slices import Slices
from service.coaching.api import HANDLERS as COACHING
from service.coaching.coach import Coach
from service.db.errors import BusyError, DatabaseUnavailableError, DrainingError, NewerFormatError
from service.events.api import HANDLERS as EVENTS
from service.events.fanout import Fanout, Pace
from service.events.feed import Feed
from service.events.follow import Follow
from service.events.hints import Hints
from service.events.store import PresenceStore
from service.http.application import build
from service.http.envelope import Envelope
from service.http.keys import Keyring
from service.http.pages import HANDLERS as PAGES
from service.http.problems import Code
from service.http.system import HANDLERS as SYSTEM
from service.http.system import Ready
from service.matches.access import Gate
from service.matches.api import HANDLERS as MATCHES
from service.matches.history import History
from service.matches.house import House
from service.matches.lobby import Lobby
from service.matches.play import Play
from service.matches.store import Store
from service.rulesets.api import HANDLERS as RULESETS

CONTRACT: Final = Path(__file__).parent.parent / "openapi" / "openapi.json"
"""The committed document: beside the packages in a checkout and in an installed wheel alike."""

FAILURES: Final[dict[type[Exception], Code]] = {
    BusyError: Code.BUSY,
    DrainingError: Code.DRAINING,
    DatabaseUnavailableError: Code.DATABASE_UNAVAILABLE,
    NewerFormatError: Code.REPLICA_OUTDATED,
}
"""What the database's errors are to a client."""


class Outside(Struct, frozen=True):
    """What no code can make up: the time, chance and names. A test brings its own.

    `clock` gives aware times in UTC; it stamps, and judges no deadline: that is the database's. `monotonic`
    gives seconds that only grow; `entropy` as many unpredictable bytes as it is asked for.
    """

    clock: Callable[[], datetime]
    entropy: Callable[[int], bytes]
    new_id: Callable[[], UUID]
    new_request_id: Callable[[], str]
    monotonic: Callable[[], float] = monotonic


class Service(Struct, frozen=True):
    """What a server runs, and the application inside it, whose routes the contract is written from."""

    asgi: Envelope
    application: Litestar
    drain: Callable[[], None]
    """Says goodbye to every stream and answers whoever waits; a server that stops calls it first."""


REAL: Final = Outside(
    clock=lambda: datetime.now(UTC),
    entropy=os.urandom,
    new_id=uuid7,
    new_request_id=lambda: str(uuid7()),
)


PACE: Final = Pace(poll_seconds=2.0)
"""How a process follows an SQLite file, which other processes seldom write to."""


def create_app(
    *,
    store: Store,
    ready: Ready,
    keyring: Keyring,
    intent_seconds: int = 600,
    hints: Hints | None = None,
    pace: Pace = PACE,
    spectators: int = 1_000,
    public_url: str = "",
    outside: Outside = REAL,
    document: bytes | None = None,
    replica: str | None = None,
) -> Service:
    """Return the service; `document` replaces the committed contract while a new one is written.

    A `replica` with a name says that it serves, and acts for seats whose time is up on its own; without
    one the house acts where it is asked only.

    Addresses begin with `public_url`, which is never guessed from a request.
    """
    presence = PresenceStore(store.session, replica or "unnamed")
    hints = hints or Hints()
    fanout = Fanout(store, presence, hints, pace=pace, spectators=spectators)
    store.listen(fanout.heard)
    store.listen(hints.publish)
    lobby = Lobby(store, keyring, clock=outside.clock, entropy=outside.entropy, new_id=outside.new_id)
    play = Play(
        store,
        keyring,
        clock=outside.clock,
        monotonic=outside.monotonic,
        entropy=outside.entropy,
        intent_seconds=intent_seconds,
    )
    house = House(store, clock=outside.clock, monotonic=outside.monotonic, replica=replica or "")
    slices = Slices()
    application = build(
        (*SYSTEM, *PAGES, *RULESETS, *ANALYSIS, *MATCHES, *EVENTS, *COACHING),
        {
            "ready": ready,
            "document": CONTRACT.read_bytes() if document is None else document,
            "public_url": public_url.rstrip("/"),
            "slices": slices,
            "gate": Gate(store, keyring),
            "lobby": lobby,
            "play": play,
            "history": History(store),
            "house": house,
            "follow": Follow(store, Feed(store), fanout),
            "coach": Coach(store, slices),
        },
        FAILURES,
        [store.opened(), *([house.serving()] if replica else []), fanout.opened()],
    )
    return Service(
        Envelope(application, outside.new_request_id, outside.monotonic), application, fanout.drain
    )
