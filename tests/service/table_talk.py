"""The service in this process on a real database, and the people who call it."""

import hashlib
import io
import itertools
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

import httpx
import msgspec

from engine.actions import Move
from engine.cards import CODES, Card
from service.app import Outside, Service, create_app
from service.contract import client_of
from service.db.rows import StoredEvent, StoredMatch
from service.db.schema import is_current
from service.db.session import Probe, Session, unwatched
from service.db.urls import session_on
from service.http.keys import Keyring, MasterSecret
from service.http.log import configure
from service.matches.store import Store
from service.matches.table import Table, opened
from service.matches.wire.actions import action_to_wire

SECRET: Final = MasterSecret("first", b"a master secret of these tests only")
OTHER_SECRET: Final = MasterSecret("second", b"another master secret of these tests")
KEYRING: Final = Keyring((SECRET,))
START: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
SELVES: Final = ({"kind": "self", "name": "Ana"}, {"kind": "self", "name": "Ben"})
BOT: Final = {"kind": "bot", "level": "club"}
PUBLIC: Final = {"visibility": "public", "clock": {"turn_seconds": 86_400}}
"""A public table; nobody's time is up while a test lasts."""
BASE64: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
PROBLEM: Final = "application/problem+json"

Answer = httpx.Response


class Chance:
    """The outside as a test has it: the same numbers again, and a clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = START
        self.seconds = 0.0
        self._draws = itertools.count()
        self._ids = itertools.count(0x01890A5D_AC96_7000_8000_000000000000)
        self._requests = itertools.count()

    def entropy(self, size: int) -> bytes:
        return hashlib.shake_128(b"draw %d" % next(self._draws)).digest(size)

    def later(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def outside(self) -> Outside:
        return Outside(
            clock=lambda: self.now,
            entropy=self.entropy,
            new_id=lambda: UUID(int=next(self._ids)),
            new_request_id=lambda: f"request-{next(self._requests):08}",
            monotonic=lambda: self.seconds,
        )


class House:
    """A replica of the service on a database, and what it wrote to its log."""

    def __init__(
        self, service: Service, session: Session, client: httpx.AsyncClient, chance: Chance, log: io.BytesIO
    ) -> None:
        self.service = service
        self.session = session
        self.store = Store(session)
        self.chance = chance
        self.log = log
        self._client = client

    async def call(
        self,
        method: str,
        path: str,
        *,
        token: str | None = None,
        headers: Mapping[str, str] | None = None,
        **parts: Any,  # noqa: ANN401  whatever httpx takes
    ) -> Answer:
        credential = {} if token is None else {"Authorization": f"Bearer {token}"}
        return await self._client.request(
            method, f"/v1{path}", headers={**credential, **(headers or {})}, **parts
        )

    async def create(self, *seats: Mapping[str, object], **body: object) -> "Party":
        """Create a match, for two seats of the caller's where none are given."""
        asked = {"seats": seats or SELVES, **body}
        answer = await self.call("POST", "/matches", json=asked)
        assert answer.status_code == 201, answer.text
        return Party(self, answer.json())

    async def row(self, match_id: str) -> StoredMatch:
        row = await self.store.load(UUID(match_id))
        assert row is not None
        return row

    async def table(self, match_id: str) -> Table:
        return opened(await self.row(match_id))

    async def log_of(self, match_id: str) -> list[StoredEvent]:
        """Every stored event of a match."""
        return await self.store.events(UUID(match_id), 0, 1_000_000)

    def stranger(self, match_id: str, token: str | None = None) -> "Person":
        """Somebody without a seat, or with a token for another match."""
        return Person(self, match_id, None, token)


class Person:
    """A caller at a table: the holder of a seat, or a stranger; what he hears is kept if he has an ear."""

    def __init__(self, house: House, match_id: str, seat: int | None, token: str | None) -> None:
        self.house = house
        self.match_id = match_id
        self.seat = seat
        self.token = token

    def at(self, house: House) -> "Person":
        """The same person, calling another replica."""
        return Person(house, self.match_id, self.seat, self.token)

    async def call(self, method: str, path: str, **parts: Any) -> Answer:  # noqa: ANN401  whatever httpx takes
        return await self.house.call(method, path, **{"token": self.token} | parts)

    async def match(self, **parts: Any) -> Answer:  # noqa: ANN401  likewise
        return await self.call("GET", f"/matches/{self.match_id}", **parts)

    async def deals(self) -> list[dict[str, Any]]:
        """Every finished deal, page by page."""
        rows: list[dict[str, Any]] = []
        cursor: int | None = 0
        while cursor is not None:
            asked = {"cursor": cursor, "limit": 7}
            page = ok(await self.call("GET", f"/matches/{self.match_id}/deals", params=asked))
            rows += page["items"]
            cursor = page["next_cursor"]
        return rows

    async def public_events(self, **parts: Any) -> Answer:  # noqa: ANN401  likewise
        return await self.call("GET", f"/matches/{self.match_id}/events", **parts)

    async def of_seat(self, method: str, what: str, **parts: Any) -> Answer:  # noqa: ANN401  likewise
        seat = parts.pop("seat", 0 if self.seat is None else self.seat)
        return await self.call(method, f"/matches/{self.match_id}/seats/{seat}/{what}", **parts)

    async def view(self, **parts: Any) -> Answer:  # noqa: ANN401  likewise
        return await self.of_seat("GET", "view", **parts)

    async def events(self, after: int = 0, limit: int = 1000, wait: int = 0) -> Answer:
        asked = {"after": after, "limit": limit} | ({"wait": wait} if wait else {})
        return await self.of_seat("GET", "events", params=asked)

    async def propose(self, action: object, version: int) -> Answer:
        return await self.of_seat(
            "POST", "intents", json={"action": action_body(action), "expected_version": version}
        )

    async def confirm(self, intent: str) -> Answer:
        return await self.of_seat("POST", "moves", json={"intent": intent})

    async def act(self, action: object, version: int) -> Answer:
        return await self.of_seat(
            "POST", "moves", json={"action": action_body(action), "expected_version": version}
        )

    async def claim(self) -> Answer:
        return await self.of_seat("POST", "claims")

    async def abort(self) -> Answer:
        return await self.of_seat("POST", "abort")

    async def rotate(self) -> Answer:
        return await self.of_seat("POST", "token")

    async def seen(self) -> dict[str, Any]:
        """The view, which is there."""
        return ok(await self.view())

    async def intent(self, action: object, version: int) -> str:
        """The text of an intent that is granted."""
        return str(ok(await self.propose(action, version), 201)["intent"])


class Party:
    """A match that was created, and the creator's persons by seat."""

    def __init__(self, house: House, created: dict[str, Any]) -> None:
        self.house = house
        self.created = created
        self.id: str = created["match"]["id"]
        self.people = {
            seat["seat"]: Person(house, self.id, seat["seat"], seat["token"]) for seat in created["seats"]
        }

    def __getitem__(self, seat: int) -> Person:
        return self.people[seat]

    @property
    def code(self) -> str:
        return str(self.created["join"]["code"])

    async def join(self, name: str | None = None) -> Person:
        """Take the next open seat by the code."""
        body = {"code": self.code} if name is None else {"code": self.code, "name": name}
        joined = ok(await self.house.call("POST", "/joins", json=body), 201)
        person = Person(self.house, self.id, joined["seat"], joined["token"])
        self.people[joined["seat"]] = person
        return person

    async def in_turn(self) -> Person:
        deal = (await self.house.table(self.id)).match.deal
        assert deal is not None
        return self[deal.turn]

    async def version(self) -> int:
        return (await self.house.row(self.id)).version

    async def play(self, *actions: object) -> Answer:
        """Play these, each by the seat then in turn, and return the last answer."""
        for action in actions:
            person = await self.in_turn()
            answer = await person.act(action, await self.version())
            assert answer.status_code == 201, answer.text
        return answer


@asynccontextmanager
async def house(
    url: str,
    chance: Chance | None = None,
    *,
    keyring: Keyring = KEYRING,
    probe: Probe = unwatched,
    intent_seconds: int = 600,
    **further: Any,  # noqa: ANN401  as `create_app` takes them
) -> AsyncIterator[House]:
    """Open a replica on a migrated database; its log is the one that everything is written to."""
    chance = chance or Chance()
    log = io.BytesIO()
    configure(log)
    session = session_on(url, probe)
    service = create_app(
        store=Store(session),
        ready=partial(is_current, session),
        keyring=keyring,
        intent_seconds=intent_seconds,
        outside=chance.outside(),
        **further,
    )
    async with service.application.lifespan(), client_of(service) as client:
        yield House(service, session, client, chance, log)


def ok(answer: Answer, status: int = 200) -> dict[str, Any]:
    """The body of an answer that has this status."""
    assert answer.status_code == status, answer.text
    body: dict[str, Any] = answer.json()
    return body


def code_of(answer: Answer) -> tuple[int, str]:
    """The status and the code of a refusal, which is a problem document that nobody keeps."""
    assert answer.headers["content-type"] == PROBLEM, answer.text
    assert answer.headers["cache-control"] == "no-store"
    problem = answer.json()
    assert problem["status"] == answer.status_code
    return answer.status_code, problem["code"]


def but_for_the_instance(answer: Answer) -> tuple[int, list[tuple[str, str]], bytes]:
    """All of an answer but the request's id."""
    instance = answer.headers["x-request-id"]
    headers = [(name, text) for name, text in answer.headers.items() if name != "x-request-id"]
    return answer.status_code, headers, answer.content.replace(instance.encode(), b"")


def action_body(action: object) -> object:
    """An engine's action as a client writes it; anything else as it is."""
    return msgspec.to_builtins(action_to_wire(action)) if isinstance(action, Move) else action


def codes(cards: Sequence[Card]) -> list[str]:
    return [CODES[card] for card in cards]


def flipped(text: str) -> list[str]:
    """The text with each of its characters in turn replaced by another of base64."""
    return [text[:at] + BASE64[BASE64.index(text[at]) ^ 1] + text[at + 1 :] for at in range(len(text))]
