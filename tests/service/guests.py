"""Clients of a real server: they play whole matches, and ask again about what they did not hear."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import httpx
from msgspec import Struct

from tests.service.table_talk import BOT, PUBLIC, SELVES, Answer, ok

Json: TypeAlias = dict[str, Any]

OPEN: Final = {"kind": "open"}
SHORT: Final = {"target": 10}
TABLES: Final[tuple[Json, ...]] = (
    {"ruleset": "classic", "seats": SELVES, "overrides": SHORT},
    {"ruleset": "declared", "seats": SELVES, "overrides": SHORT},
    {"ruleset": "classic", "seats": [SELVES[0], BOT], "overrides": SHORT},
    {"ruleset": "declared", "seats": [SELVES[0], BOT], "overrides": SHORT},
    {"ruleset": "simple", "seats": [SELVES[0], OPEN], "overrides": SHORT},
    {"ruleset": "penalty", "seats": [SELVES[0], BOT, SELVES[1]], "overrides": {"melds": "declared"}},
)
"""Tables that a guest sits down at; he takes the open seat too. A short match has a deal or two."""


class Confirmed(Struct, frozen=True):
    """An intent whose confirmation was heard, and what it was answered."""

    seat: int
    intent: str
    move: Json
    replies: list[Json]


class Guest:
    """Plays every seat of a match that no bot plays, and remembers what he was told.

    Where the server is gone, whatever he was doing raises `httpx.TransportError`; he can go on at another.
    """

    def __init__(self, table: Json, heard: Callable[[], None]) -> None:
        self._table = table
        self._heard = heard
        self._sit_again()

    def _sit_again(self) -> None:
        self.match_id: str | None = None
        self.tokens: dict[int, str] = {}
        self.code: str | None = None
        self.version = 0
        """The newest version that he was told."""
        self.asked: tuple[int, str] | None = None
        """A seat and its intent whose confirmation he has not heard."""
        self.confirmed: list[Confirmed] = []

    async def play(self, client: httpx.AsyncClient) -> None:
        """Play match after match until the server is gone."""
        while True:
            await self.finish(client)
            self._sit_again()

    async def finish(self, client: httpx.AsyncClient) -> None:
        """Play the match to its end, and see that every step that was confirmed is in its log."""
        while await self.step(client):
            pass
        await self.look_back(client)

    async def step(self, client: httpx.AsyncClient) -> bool:
        """Do the next thing: sit down, confirm, or propose and confirm; False where the match is over."""
        if self.match_id is None:
            await self._create(client)
        if self.code is not None:
            await self._join(client)
        if self.asked is None:
            view = await self.view(client)
            if view["status"] == "finished":
                return False
            await self.propose(client, view)
        await self.confirm(client)
        return True

    async def call(
        self,
        client: httpx.AsyncClient,
        method: str,
        seat: int,
        what: str,
        **parts: Any,  # noqa: ANN401
    ) -> Answer:
        answer = await client.request(
            method,
            f"/v1/matches/{self.match_id}/seats/{seat}/{what}",
            headers={"Authorization": f"Bearer {self.tokens[seat]}"},
            **parts,
        )
        self._heard()
        return answer

    async def view(self, client: httpx.AsyncClient) -> Json:
        """The view of the seat in turn; of any once the match is over."""
        view = ok(await self.call(client, "GET", min(self.tokens), "view"))
        if view["turn"] in {None, view["seat"]}:
            return view
        return ok(await self.call(client, "GET", view["turn"], "view"))

    async def propose(self, client: httpx.AsyncClient, view: Json) -> None:
        asked = {"action": simplest(view), "expected_version": view["version"]}
        intent = ok(await self.call(client, "POST", view["seat"], "intents", json=asked), 201)
        self.asked = view["seat"], intent["intent"]

    async def send(self, client: httpx.AsyncClient) -> Answer:
        """Send the confirmation of what was asked, whatever is answered."""
        assert self.asked is not None
        seat, intent = self.asked
        return await self.call(client, "POST", seat, "moves", json={"intent": intent})

    async def confirm(self, client: httpx.AsyncClient) -> Answer:
        """Confirm what was asked; it may have been played before without his hearing of it."""
        answer = await self.send(client)
        assert self.asked is not None
        told = ok(answer, 200 if "move-replayed" in answer.headers else 201)
        self.version = told["view"]["version"]
        self.confirmed.append(Confirmed(*self.asked, told["move"], told["replies"]))
        self.asked = None
        return answer

    async def confirm_again(self, client: httpx.AsyncClient) -> None:
        """Confirm everything once more: it is told as it was told before."""
        for one in self.confirmed:
            answer = await self.call(client, "POST", one.seat, "moves", json={"intent": one.intent})
            again = ok(answer)
            assert answer.headers["move-replayed"] == "true"
            assert (again["move"], again["replies"]) == (one.move, one.replies)

    async def look_back(self, client: httpx.AsyncClient) -> None:
        """See that the log holds every event of every step that was confirmed."""
        logs = {}
        for seat in self.tokens:
            page = await self.call(client, "GET", seat, "events", params={"limit": 1000})
            logs[seat] = ok(page)["items"]
            assert [event["seq"] for event in logs[seat]] == list(range(1, len(logs[seat]) + 1))
        for one in self.confirmed:
            for step in (one.move, *one.replies):
                first = step["events"][0]["seq"]
                assert logs[one.seat][first - 1 : first - 1 + len(step["events"])] == step["events"]

    async def _create(self, client: httpx.AsyncClient) -> None:
        answer = await client.post("/v1/matches", json={**self._table, **PUBLIC})
        self._heard()
        created = ok(answer, 201)
        self.match_id = created["match"]["id"]
        self.tokens = {seat["seat"]: seat["token"] for seat in created["seats"]}
        self.code = created["join"] and created["join"]["code"]
        self.version = created["match"]["version"]

    async def _join(self, client: httpx.AsyncClient) -> None:
        answer = await client.post("/v1/joins", json={"code": self.code})
        self._heard()
        if answer.status_code == 404:
            # The seat was taken and the answer lost: a token is told once only.
            self._sit_again()
            await self.step(client)
            return
        joined = ok(answer, 201)
        self.tokens[joined["seat"]] = joined["token"]
        self.code = None
        self.version += 1


def simplest(view: Json) -> Json:
    """Draw from the stock, end the deal where that is open, else throw what leaves the least."""
    offers = {offer["type"]: offer for offer in view["actions"]}
    for kind in ("big_gin", "lay_off", "pass", "draw_stock", "draw_discard", "take_upcard"):
        if kind in offers:
            return {"type": kind}
    kind = "knock" if "knock" in offers else "discard"
    left = view["hints"]["deadwood_after"]
    return {"type": kind, "card": min(offers[kind]["cards"], key=left.__getitem__)}
