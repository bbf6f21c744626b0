import pytest

from tests.service.table_talk import BOT, PUBLIC, SELVES, but_for_the_instance, code_of, house, ok

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
            {"code": party.code.lower()} if party.code.lower() != party.code else {"code": "k7q2mxwp"},
            {"code": party.code[:7]},
            {"code": f"{party.code}0"},
            {"code": "ILOU0000"},
            {"match_id": "7"},
        ):
            answer = await table.call("POST", "/joins", json=body)
            assert code_of(answer) == (400, "body-invalid"), body
        assert (await party[0].seen())["version"] == 1
