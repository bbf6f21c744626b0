"""What an audience was told, and whether it could know it then."""

import base64
import json
import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

import httpx
import msgspec
from msgspec import Struct

from engine import known
from engine.cards import CODES, CardSet, cards_of
from engine.events import AnyEvent, DealStarted, Discarded, Knocked
from engine.evolve import evolve
from engine.shuffle import ShuffleMode
from engine.state import DealResult, DealRow, Match, Status
from service.db.codec import decode_event
from service.db.rows import StoredEvent
from service.matches.table import Table
from service.matches.wire.deals import deal_to_wire
from tests.playbook import last_deal, rows_of
from tests.service.table_talk import SECRET, House, Person

CARD: Final = re.compile(r"(?<![A-Za-z0-9_-])[A2-9TJQK][SHDC](?![A-Za-z0-9_-])")
CREDENTIAL: Final = re.compile(r"g(?:in|st)_[A-Za-z0-9_-]+")
THROWS: Final = ("discarded", "knocked")
UNKNOWN_DEAL: Final = "a row that no finished deal has"
ROW: Final = {"deal", "dealer", "upcard", "knocker", "result", "hands"}


class Heard(Struct, frozen=True):
    """An answer as it came, what it answers, and the version of the match when it came."""

    version: int
    asked: str
    answer: httpx.Response

    @property
    def raw(self) -> bytes:
        """Every byte of it but the framing."""
        lines = (name + b": " + value for name, value in self.answer.headers.raw)
        return b"\n".join((*lines, self.answer.content))


class Listener(Person):
    """A person who forgets nothing."""

    def __init__(self, person: Person) -> None:
        super().__init__(person.house, person.match_id, person.seat, person.token)
        self.heard: list[Heard] = []

    async def call(self, method: str, path: str, **parts: Any) -> httpx.Response:  # noqa: ANN401
        answer = await super().call(method, path, **parts)
        asked = f"{path} {parts.get('json', parts.get('content', ''))}"
        self.heard.append(Heard((await self.house.row(self.match_id)).version, asked, answer))
        return answer


class Truth:
    """A match as it was at each version, and what nobody may be told of it."""

    def __init__(self, table: Table, events: Sequence[StoredEvent], secrets: Sequence[bytes]) -> None:
        self.matches: dict[int, Match] = {}
        self.face_up: dict[int, CardSet] = {}
        self.rows: list[dict[str, Any]] = []
        """The finished deals, as everybody may be told of them from the step on that ends each."""
        self._reusable = table.match.shuffle.mode is not ShuffleMode.SERVER
        match: Match | None = None
        lain = 0
        for version, step in groupby(events, lambda event: event.version):
            for stored in step:
                event = decode_event(stored.body)
                match = evolve(match, event)
                self.rows += [self._tellable_row(row) for row in rows_of([event])]
                lain = lain_face_up(lain, event)
            assert match is not None
            self.face_up[version] = lain
            self.matches[version] = match
        self.seed = forms(table.match.shuffle.server_seed)
        self.seed_is_told = table.match.shuffle.mode is not ShuffleMode.SEED
        hidden = (*secrets, *filter(None, table.snapshot.bot_seeds), SECRET.value)
        self.secrets = [form for secret in hidden for form in forms(secret)]

    def leaks(self, listener: Listener) -> Iterator[str]:
        """Tell of each thing that this listener heard and could not know."""
        for heard in listener.heard:
            for secret in self._secrets_at(heard.version):
                if secret in heard.raw:
                    yield f"a secret in the answer to {heard.asked}"
            for place, allowed, text in self._cards_at(heard, listener.seat):
                if UNKNOWN_DEAL in text:
                    yield f"a deal that is not the match's in {place} of the answer to {heard.asked}"
                allowed |= set(CARD.findall(heard.asked))
                for card in set(CARD.findall(CREDENTIAL.sub("", text))) - allowed:
                    yield f"{card} in {place} of the answer to {heard.asked}"

    def _secrets_at(self, version: int) -> list[bytes]:
        over = self.matches[version].status is Status.FINISHED
        return self.secrets if over and self.seed_is_told else [*self.secrets, *self.seed]

    def _cards_at(self, heard: Heard, seat: int | None) -> Iterator[tuple[str, set[str], str]]:
        now = self.matches[heard.version]
        headers = heard.raw[: len(heard.raw) - len(heard.answer.content)]
        yield "the headers", codes_in(known(now, seat)), headers.decode("latin-1")
        if not heard.answer.content:
            return
        events: list[dict[str, Any]] = []
        rest = self._without_history(heard.answer.json(), events, now.deal_count)
        yield "the state", codes_in(known(now, seat) | self.face_up[heard.version]), json.dumps(rest)
        for event in events:
            yield f"event {event['seq']}", self._tellable(event, seat), json.dumps(event)

    def _tellable(self, event: dict[str, Any], seat: int | None) -> set[str]:
        """The cards that an event may name: those known after its step in the deal it tells of."""
        after = self.matches[event["version"]]
        before = self.matches.get(event["version"] - 1)
        ended = before is not None and before.deal_count < after.deal_count
        if before is None or not ended or event["type"] == "deal_started":
            return codes_in(known(after, seat))
        shown = known(before, seat)
        row = last_deal(after)
        for hand in () if self._is_withheld(row) else row.hands:
            shown |= hand.cards
        return codes_in(shown) | ({event["card"]} if event["type"] in THROWS else set())

    def _is_withheld(self, row: DealRow) -> bool:
        """Whether the hands of a deal stay hidden: another match may be played with these cards (R3.4)."""
        return self._reusable and row.result is DealResult.UNFINISHED

    def _tellable_row(self, row: DealRow) -> dict[str, Any]:
        shown: dict[str, Any] = msgspec.to_builtins(deal_to_wire(row))
        return shown | {"hands": []} if self._is_withheld(row) else shown

    def _without_history(self, value: Any, events: list[dict[str, Any]], deals: int) -> Any:  # noqa: ANN401
        """A JSON value without its events, which are added to a list, and without finished deals."""
        match value:
            case {"seq": _, "type": _}:
                # The row of a deal is public from the step that it ends.
                events.append({name: None if part in self.rows else part for name, part in value.items()})
                return None
            case dict() if value.keys() >= ROW:
                return None if value in self.rows[:deals] else {UNKNOWN_DEAL: value}
            case dict():
                return {name: self._without_history(part, events, deals) for name, part in value.items()}
            case list():
                return [self._without_history(part, events, deals) for part in value]
            case _:
                return value


async def truth_of(house: House, match_id: str, *secrets: str | None) -> Truth:
    """The truth of a match; `secrets` are texts that nobody who listens may be told."""
    given = [secret.encode() for secret in secrets if secret]
    return Truth(await house.table(match_id), await house.log_of(match_id), given)


def lain_face_up(before: CardSet, event: AnyEvent) -> CardSet:
    """What has lain face up in a deal stands in its views, wherever a reshuffle may have put the card."""
    match event:
        case DealStarted(upcard=upcard):
            return 0 if upcard is None else 1 << upcard
        case Discarded(card=card) | Knocked(card=card):
            return before | 1 << card
        case _:
            return before


def codes_in(cards: CardSet) -> set[str]:
    return {CODES[card] for card in cards_of(cards)}


def forms(secret: bytes) -> list[bytes]:
    """The bytes of a secret, and how a text would show them."""
    encoded = (base64.b64encode(secret), base64.urlsafe_b64encode(secret))
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), *(e.rstrip(b"=") for e in encoded)]
