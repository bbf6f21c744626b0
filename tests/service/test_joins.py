import asyncio
from collections.abc import Callable
from uuid import UUID

import pytest
from msgspec.structs import replace

from service.app import Outside
from service.db.errors import RowRefusedError
from service.db.rows import StoredEvent, StoredMatch
from service.http.decoding import decode
from service.matches.codes import read_code
from service.matches.lobby import DRAWS
from service.matches.store import Store
from service.matches.wire.creation import JoinIn
from tests.service.table_talk import (
    BOT,
    PUBLIC,
    SELVES,
    Chance,
    but_for_the_instance,
    code_of,
    house,
    ok,
)

pytestmark = pytest.mark.anyio

OPEN = {"kind": "open"}
NOBODY = "01890a5d-ac96-774b-bcce-b302099a8057"


async def test_the_code_takes_the_open_seats_and_dies_with_the_last(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(OPEN, OPEN)
        assert party.created["seats"] == []
        first = await table.call("POST", "/joins", json={"code": party.code, "name": "Ana"})
        assert first.headers["location"] == f"/v1/matches/{party.id}"
        assert first.headers["cache-control"] == "no-store"
        assert ok(first, 201) | {"token": ""} == {"match_id": party.id, "seat": 0, "token": ""}
        second = await party.join()
        assert second.seat == 1
        view = await second.seen()
        assert (view["status"], view["version"], view["deal"]) == ("playing", 3, 1)
        assert len(view["hand"]) == 10
        assert view["opponents"][0]["name"] == "Ana"
        dead = await table.call("POST", "/joins", json={"code": party.code})
        assert code_of(dead) == (404, "not-found")
        assert (await table.row(party.id)).join_digest is None


async def test_a_bot_that_acts_first_has_acted_when_the_last_seat_is_filled(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(OPEN, BOT, first_dealer=0, ruleset="simple")
        person = await party.join("Ana")
        view = await person.seen()
        assert view["turn"] == 0
        assert view["version"] == 4
        events = ok(await person.events())["items"]
        assert [event["version"] for event in events] == list(range(1, 5)) or len(events) > 4
        assert {event["seat"] for event in events if event["version"] > 2} == {1}


class Repeating(Chance):
    """Random bytes that begin again after every few draws: ``codes`` different codes, over and over."""

    def __init__(self, codes: int, ids: Callable[[], UUID] | None = None) -> None:
        super().__init__()
        self._codes = codes
        self._new_ids = ids
        self.drawn = 0

    def repeated(self, size: int) -> bytes:
        if size != CODE_BYTES:
            return self.entropy(size)
        self.drawn += 1
        return bytes([(self.drawn - 1) % self._codes]) * size

    def outside(self) -> Outside:
        given = super().outside()
        return replace(given, entropy=self.repeated, new_id=self._new_ids or given.new_id)


CODE_BYTES = 5


async def test_a_code_that_is_taken_is_drawn_again(database_url: str) -> None:
    chance = Repeating(2)
    async with house(database_url, chance) as table:
        first = await table.create(SELVES[0], OPEN)
        chance.drawn = 0
        second = await table.create(SELVES[0], OPEN)
        assert chance.drawn == 2
        assert first.code != second.code
        for party in (first, second):
            assert (await party.join("Ben")).match_id == party.id
            assert (await party[0].seen())["status"] == "playing"


async def test_after_so_many_draws_a_creator_is_asked_to_come_again(database_url: str) -> None:
    chance = Repeating(1)
    async with house(database_url, chance) as table:
        first = await table.create(SELVES[0], OPEN)
        body = {"seats": [SELVES[0], OPEN]}
        chance.drawn = 0
        assert code_of(await table.call("POST", "/matches", json=body)) == (503, "busy")
        assert chance.drawn == DRAWS
        await first.join()  # the code dies with the last seat
        ok(await table.call("POST", "/matches", json=body), 201)


async def test_processes_that_draw_the_same_ids_and_codes_make_matches_of_their_own(
    database_url: str,
) -> None:
    late = Repeating(64)
    late.later(1)
    async with house(database_url, Repeating(64)) as one, house(database_url, late) as other:
        for _ in range(3):
            made = await asyncio.gather(one.create(SELVES[0], OPEN), other.create(SELVES[0], OPEN))
            assert len({party.id for party in made}) == len({party.code for party in made}) == 2
            for party in made:
                assert (await party.join("Ben")).match_id == party.id


async def test_an_id_that_is_taken_is_drawn_again(database_url: str) -> None:
    ids = iter([UUID(int=7), UUID(int=7), UUID(int=8)])
    async with house(database_url, Repeating(64, ids.__next__)) as table:
        first, second = [await table.create() for _ in range(2)]
        assert (UUID(first.id).int, UUID(second.id).int) == (7, 8)
        for party in (first, second):
            assert (await party[0].seen())["match_id"] == party.id


async def test_a_match_that_was_saved_though_its_answer_was_lost_is_not_made_twice(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert = Store.insert

    async def lost(store: Store, row: StoredMatch, first: tuple[StoredEvent, ...]) -> object:
        await insert(store, row, first)
        return await insert(store, row, first)

    monkeypatch.setattr(Store, "insert", lost)
    async with house(database_url) as table:
        party = await table.create(SELVES[0], OPEN, **PUBLIC)
        assert [one["id"] for one in ok(await table.call("GET", "/matches"))["items"]] == [party.id]
        await party.join("Ben")


async def test_a_new_match_that_is_refused_for_another_reason_is_a_fault(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object) -> None:
        raise RowRefusedError

    monkeypatch.setattr(Store, "insert", refused)
    async with house(sqlite_url) as table:
        answer = await table.call("POST", "/matches", json={"seats": [SELVES[0], OPEN]})
        assert code_of(answer) == (500, "internal-error")


async def test_every_way_to_join_nothing_is_one_answer(database_url: str) -> None:
    async with house(database_url) as table:
        waiting = await table.create(OPEN, SELVES[0], visibility="link")
        private = await table.create(OPEN, SELVES[0])
        full = await table.create(OPEN, SELVES[0])
        await full.join()
        wrong = "0" * 8 if waiting.code != "0" * 8 else "1" * 8
        answers = [
            await table.call("POST", "/joins", json=body)
            for body in (
                {"code": wrong},
                {"code": full.code},
                {"match_id": NOBODY},
                {"match_id": private.id},
                {"match_id": waiting.id},
                {"match_id": full.id},
                {"match_id": NOBODY, "name": "Ana"},
            )
        ]
        assert code_of(answers[0]) == (404, "not-found")
        assert len({str(but_for_the_instance(answer)) for answer in answers}) == 1
        unknown = await table.call("GET", f"/matches/{NOBODY}")
        assert but_for_the_instance(unknown) == but_for_the_instance(answers[0])


async def test_a_public_table_is_joined_by_its_id_until_it_is_full(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], OPEN, **PUBLIC)
        joined = await table.call("POST", "/joins", json={"match_id": party.id, "name": "Eva"})
        assert ok(joined, 201)["seat"] == 1
        again = await table.call("POST", "/joins", json={"match_id": party.id, "name": "Eva"})
        assert code_of(again) == (409, "match-full")
        by_code = await table.call("POST", "/joins", json={"code": party.code})
        assert code_of(by_code) == (404, "not-found")


async def test_a_body_is_of_one_form(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(SELVES[0], OPEN, **PUBLIC)
        for body in (
            {},
            {"name": "Eva"},
            {"code": party.code, "match_id": party.id},
            {"code": party.code[:7]},
            {"code": f"{party.code}0"},
            {"code": f"{party.code}\n"},
            {"code": f" {party.code}"},
            {"code": f"{party.code[:4]} {party.code[4:]}"},
            {"code": f"{party.code}{'-' * 25}"},
            {"code": "--------"},
            {"code": "ILOU0000"},
            {"code": "ilou0000"},
            {"code": "ÎLO00000"},
            {"code": "\u0660" * 8},
            {"match_id": "7"},
        ):
            answer = await table.call("POST", "/joins", json=body)
            assert code_of(answer) == (400, "body-invalid"), body
        assert (await party[0].seen())["version"] == 1


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("K7Q2MXWP", "K7Q2MXWP"),
        ("k7q2mxwp", "K7Q2MXWP"),
        ("k7q2-MXWP", "K7Q2MXWP"),
        ("--K-7-Q-2--mxwp-", "K7Q2MXWP"),
        ("oO0iIlL1", "00011111"),
    ],
)
def test_a_code_is_read_as_crockford_says(written: str, code: str) -> None:
    assert read_code(written) == code
    assert decode(b'{"code":"%b"}' % written.encode(), JoinIn).code == written


async def test_a_code_opens_its_match_however_it_is_written(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        for seats in (OPEN, OPEN), (OPEN, OPEN, OPEN), (OPEN,) * 4:
            party = await table.create(*seats, ruleset="penalty")
            confused = str.maketrans("01", "oL")
            for written in (party.code.lower(), f"{party.code[:4]}-{party.code[4:]}".translate(confused)):
                joined = await table.call("POST", "/joins", json={"code": written})
                assert ok(joined, 201)["match_id"] == party.id
