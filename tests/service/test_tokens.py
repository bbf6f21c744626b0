import base64

import pytest

from tests.service.table_talk import (
    SELVES,
    Party,
    Person,
    but_for_the_instance,
    code_of,
    flipped,
    house,
    ok,
)

pytestmark = pytest.mark.anyio

UNKNOWN = (401, "unauthenticated")
DRAW = {"type": "draw_stock"}


async def test_only_a_current_token_for_the_seat_opens_it(database_url: str) -> None:
    async with house(database_url) as table:
        private, link, other = [
            await table.create(visibility=seen) for seen in ("private", "link", "private")
        ]
        calls = (
            ("GET", "view", None),
            ("GET", "events", None),
            ("POST", "intents", {"action": DRAW, "expected_version": 1}),
            ("POST", "moves", {"action": DRAW, "expected_version": 1}),
            ("POST", "token", None),
        )
        for method, what, body in calls:
            parts = {"json": body} if body else {}
            for party in (private, link):
                nobody = await table.stranger(party.id).of_seat(method, what, **parts)
                assert code_of(nobody) == UNKNOWN
                assert nobody.headers["www-authenticate"] == "Bearer"
                wrong_seat = await party[1].of_seat(method, what, seat=0, **parts)
                assert code_of(wrong_seat) == (403, "forbidden")
                no_seat = await party[1].of_seat(method, what, seat=3, **parts)
                assert code_of(no_seat) == (403, "forbidden")
            foreign = await table.stranger(private.id, other[0].token).of_seat(method, what, **parts)
            assert code_of(foreign) == (404, "not-found")
            nowhere = await table.stranger("01890a5d-ac96-774b-bcce-b302099a8057", other[0].token).of_seat(
                method, what, **parts
            )
            assert but_for_the_instance(nowhere) == but_for_the_instance(foreign)
            known = await table.stranger(link.id, other[0].token).of_seat(method, what, **parts)
            assert code_of(known) == (403, "forbidden")
        assert {(await table.row(party.id)).version for party in (private, link, other)} == {1}


async def test_a_token_is_read_strictly(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create()
        token = str(party[0].token)
        path = f"/matches/{party.id}/seats/0/view"
        for header in (
            token,
            f"Basic {token}",
            "Bearer",
            "Bearer ",
            f"Bearer {token} {token}",
            f"Bearer {token}=",
            f"Bearer {token.removeprefix('gst_')}",
            f"Bearer gin_{token.removeprefix('gst_')}",
            f"Bearer {token[:-1]}",
            f"Bearer {token}A",
            "Bearer gst_",
            f"Bearer gst_{'A' * 500}",
            f"Bearer gst_{base64.urlsafe_b64encode(bytes(60)).decode()}",
        ):
            refused = await table.call("GET", path, headers={"Authorization": header})
            assert code_of(refused) == UNKNOWN, header
        for scheme in ("bearer", "BEARER", "Bearer"):
            assert ok(await table.call("GET", path, headers={"Authorization": f"{scheme} {token}"}))


async def test_a_token_with_any_character_changed_is_no_token(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create()
        answers = set()
        for changed in flipped(str(party[0].token)):
            person = Person(table, party.id, 0, changed)
            answers.add(str(but_for_the_instance(await person.view())))
            answers.add(str(but_for_the_instance(await person.act({"type": "pass"}, 1))))
        assert len(answers) == 1
        assert code_of(await person.view()) == UNKNOWN


async def test_a_rotated_token_is_worthless_at_once_on_every_replica(database_url: str) -> None:
    async with house(database_url) as one, house(database_url) as other:
        party = await one.create()
        old = party[0]
        answer = await old.rotate()
        assert answer.headers["cache-control"] == "no-store"
        new = Person(one, party.id, 0, ok(answer)["token"])
        for table in (other, one):
            await nothing_is_open_to(old.at(table))
            assert ok(await new.at(table).view())["version"] == 1
            assert ok(await party[1].at(table).view())["version"] == 1
        newest = Person(other, party.id, 0, ok(await new.at(other).rotate())["token"])
        for table in (one, other):
            await nothing_is_open_to(new.at(table))
            assert ok(await newest.at(table).view())["version"] == 1


async def nothing_is_open_to(person: Person) -> None:
    for answer in (
        await person.view(),
        await person.events(),
        await person.match(),
        await person.public_events(),
        await person.propose(DRAW, 1),
        await person.act(DRAW, 1),
        await person.act(DRAW, 7),
        await person.confirm("gin_AAAA"),
        await person.rotate(),
    ):
        assert code_of(answer) == UNKNOWN


async def test_authentication_comes_before_everything_about_the_request(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(visibility="link")
        replaced = party[0]
        ok(await replaced.rotate())
        nobody = table.stranger(party.id)
        twice = {"type": "knock", "card": "AS", "melds": [["2S", "2S", "2S"]]}
        bad: tuple[dict[str, object], ...] = (
            {"content": b"{", "headers": {"Content-Type": "application/json"}},
            {"content": b"", "headers": {"Content-Type": "application/json"}},
            {"json": {"intent": 7}},
            {"json": {"action": twice, "expected_version": 1}},
            {"json": {}, "headers": {"Accept": "text/html"}},
            {"content": b"{}", "headers": {"Content-Type": "text/plain"}},
            {"json": {}, "params": {"unknown": "1"}},
        )
        for person in (replaced, nobody):
            for parts in bad:
                for what in ("intents", "moves"):
                    assert code_of(await person.of_seat("POST", what, **parts)) == UNKNOWN, (what, parts)
            for what in ("view", "events"):
                assert code_of(await person.of_seat("GET", what, params={"after": "x"})) == UNKNOWN
            for headers in ({"Accept": "text/html"}, {"If-None-Match": "*"}):
                assert code_of(await person.view(headers=headers)) == UNKNOWN
        assert code_of(await replaced.match(params={"after": "x"})) == UNKNOWN
        assert code_of(await replaced.public_events(params={"after": "x"})) == UNKNOWN


async def test_preconditions_come_after_authentication_and_validation(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(first_dealer=1)
        wrong = {"action": {"type": "discard", "card": "10H"}, "expected_version": 9}
        for what in ("intents", "moves"):
            answer = await party[0].of_seat("POST", what, json=wrong)
            assert code_of(answer) == (400, "body-invalid")
            assert "10H" in answer.json()["errors"][0]["message"]
            late = {"action": {"type": "discard", "card": "TH"}, "expected_version": 9}
            answer = await party[0].of_seat("POST", what, json=late)
            assert code_of(answer) == (409, "version-conflict")
            assert answer.json()["current_version"] == 1


async def test_a_rotation_is_no_step(database_url: str) -> None:
    async with house(database_url) as table:
        party: Party = await table.create(SELVES[0], {"kind": "open"})
        ok(await party[0].rotate())
        person = await party.join()
        assert (await person.seen())["version"] == 2
        row = await table.row(party.id)
        assert (row.generations, row.version) == ("1,0", 2)
        assert [event.version for event in await table.log_of(party.id)] == [1, 2, 2, 2]
