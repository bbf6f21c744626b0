from itertools import product
from typing import Any

import pytest

from engine.cards import CODES, parse_all, set_of
from engine.deadwood import solver_for
from service.http.release import VERSION
from tests.playbook import CLASSIC, LOOSE, MELDED, deck_of
from tests.service.table_talk import Person, code_of, codes, house, ok

pytestmark = pytest.mark.anyio

KEPT = {"cache-control": "private, no-cache", "vary": "Authorization, Accept"}
DECKS = {"mode": "decks", "decks": [codes(deck_of(f"{MELDED} KS", LOOSE, "KD", "QC TD"))]}
PASS = {"type": "pass"}


async def readings(person: Person, headers: dict[str, str]) -> list[Any]:
    return [await person.view(headers=headers), await person.match(headers=headers)]


async def test_each_audience_has_a_tag_of_its_own_that_moves_with_the_version(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(visibility="link")
        tags = []
        for _ in range(2):
            for person in (party[0], party[1]):
                view, match = await readings(person, {})
                now = f"{party.id}.{view.json()['version']}"
                assert view.headers["etag"] == f'"{now}.{person.seat}.{VERSION}"'
                assert match.headers["etag"] == f'"{now}.public.{VERSION}"'
                for answer in (view, match):
                    assert KEPT.items() <= answer.headers.items()
                tags += [view.headers["etag"], match.headers["etag"]]
            await party.play(PASS)
        assert len(set(tags)) == 6


async def test_who_has_the_version_gets_304(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(visibility="link")
        own, public = (answer.headers["etag"] for answer in await readings(party[0], {}))
        theirs = (await party[1].view()).headers["etag"]
        for tag, known in (
            (own, (304, 200)),
            (public, (200, 304)),
            (theirs, (200, 200)),
            (f"W/{own}", (304, 200)),
            (f'"x", W/{public} , {own}', (304, 304)),
            ("*", (304, 304)),
            (own.strip('"'), (200, 200)),
            ("", (200, 200)),
        ):
            answers = await readings(party[0], {"If-None-Match": tag})
            assert tuple(answer.status_code for answer in answers) == known, tag
            for answer, current in zip(answers, (own, public), strict=True):
                assert answer.headers["etag"] == current
                assert KEPT.items() <= answer.headers.items()
                assert answer.status_code == 200 or answer.content == b""
        await party.play(PASS)
        for answer in await readings(party[0], {"If-None-Match": f"{own}, {public}"}):
            assert answer.status_code == 200


async def test_a_stranger_with_a_tag_learns_nothing_of_a_private_match(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create()
        tag = {"If-None-Match": f'"{party.id}.1.public", *'}
        assert code_of(await table.stranger(party.id).match(headers=tag)) == (404, "not-found")


async def test_a_view_tells_the_seat_in_turn_what_it_may_do(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(shuffle=DECKS, first_dealer=1)
        assert (await party[0].seen())["actions"] == [{"type": "take_upcard"}, {"type": "pass"}]
        assert (await party[1].seen())["actions"] == []
        await party.play(PASS, PASS)
        assert (await party[0].seen())["actions"] == [{"type": "draw_stock"}]
        await party.play({"type": "draw_stock"})
        view = await party[0].seen()
        held = [*MELDED.split(), "KS", "QC"]
        assert view["hand"] == sorted(held, key=CODES.index)
        assert view["phase"] == "discard"
        assert view["taken"] == {"card": "QC", "from": "stock"}
        assert view["actions"] == [
            {"type": "discard", "cards": view["hand"]},
            {"type": "knock", "cards": ["KS", "QC"], "gin": []},
        ]
        left = solver_for(CLASSIC).throws(set_of(parse_all(" ".join(held))))
        assert view["hints"]["deadwood_after"] == {CODES[card]: points for card, points in left.items()}
        assert view["arrangement"]["deadwood"] == 20
        assert view["arrangement"]["unmatched"] == ["KS", "QC"]
        other = await party[1].seen()
        assert (other["taken"], other["actions"], other["hints"]) == (None, [], {"deadwood_after": {}})
        assert other["opponents"][0] | {"name": None} == {
            "seat": 0,
            "name": None,
            "hand_count": 11,
            "known_cards": [],
        }


async def test_a_card_taken_face_up_is_known_until_it_is_thrown(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(shuffle=DECKS, first_dealer=1, visibility="link")

        async def known() -> list[Any]:
            match = ok(await table.stranger(party.id).match())
            views = [(await party[1].seen())["opponents"][0]["known_cards"]]
            return [*views, match["hands"][0]["known_cards"]]

        assert await known() == [[], []]
        await party.play({"type": "take_upcard"})
        assert await known() == [["KD"], ["KD"]]
        view = await party[0].seen()
        assert view["taken"] == {"card": "KD", "from": "discard_pile"}
        assert "KD" not in view["actions"][0]["cards"]
        await party.play({"type": "discard", "card": "KS"}, {"type": "draw_stock"})
        await party.play({"type": "discard", "card": "QC"}, {"type": "draw_stock"})
        assert await known() == [["KD"], ["KD"]]
        await party.play({"type": "discard", "card": "KD"})
        assert await known() == [[], []]
        view = await party[1].seen()
        assert (view["discard_pile"], view["upcard"]) == (["KS", "QC", "KD"], "KD")
        assert view["seen"] == [
            {"seat": 0, "thrown": ["KS", "KD"], "declined": ["QC"]},
            {"seat": 1, "thrown": ["QC"], "declined": ["KS"]},
        ]


async def test_a_finished_deal_is_open_to_everybody_alike(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(shuffle=DECKS, first_dealer=1, visibility="link")
        await party.play(PASS, PASS, {"type": "draw_stock"}, {"type": "knock", "card": "QC"})
        rows = [(await party[seat].seen())["last_deal"] for seat in (0, 1)]
        rows.append(ok(await table.stranger(party.id).match())["last_deal"])
        assert rows[0] == rows[1] == rows[2]
        row = rows[0]
        assert (row["deal"], row["dealer"], row["upcard"], row["knocker"]) == (1, 1, "KD", 0)
        assert (row["result"], row["winner"], row["penalties"], row["multiplier"]) == ("knock", 0, None, 1)
        assert row["hands"][0]["cards"] == sorted([*MELDED.split(), "KS"], key=CODES.index)
        assert row["hands"][0]["unmatched"] == ["KS"]
        assert row["hands"][1]["cards"] == sorted(LOOSE.split(), key=CODES.index)
        assert row["points"] == row["hands"][1]["deadwood"] - 10
        for version, seat in product((None, 5), (0, 1)):
            view = await party[seat].seen()
            assert version is None or view["version"] == version
            assert (view["deal"], view["dealer"], view["scores"]) == (2, 0, [row["points"], 0])
