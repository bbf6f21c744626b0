from typing import Any, get_type_hints

import pytest

from engine.cards import CODES
from engine.rules import RuleSet
from service.http.release import VERSION
from tests.service.table_talk import BOT, PUBLIC, SELVES, Answer, code_of, house, ok

pytestmark = pytest.mark.anyio

DECK = list(CODES)
OPEN = {"kind": "open"}
PENALTY: dict[str, Any] = {"scoring": "penalty", "deals": 1}


REFUSED: list[tuple[dict[str, Any], str, dict[str, Any]]] = [
    ({"ruleset": "canasta"}, "ruleset-unknown", {}),
    ({"ruleset": "classic@2"}, "ruleset-unknown", {}),
    ({"overrides": {"hand_size": 10, "stock_floor": 10, "target": 0}}, "body-invalid", {}),
    ({"overrides": {"columns": 3, "deals": 2}}, "ruleset-refused", {"knob": "columns"}),
    ({"overrides": {"scoring": "penalty", "spade_doubles": True}}, "ruleset-refused", {}),
    ({"seats": [*SELVES, OPEN]}, "ruleset-refused", {"knob": "scoring"}),
    ({"seats": [*SELVES, OPEN], "overrides": PENALTY}, "seats-unsuitable", {}),
    *(
        ({"ruleset": "penalty", "overrides": overrides}, "ruleset-refused", {"knob": knob})
        for knob, overrides in (
            ("target", {"target": 50}),
            ("box_bonus", {"box_bonus": 25}),
            ("boxes_in_running_score", {"boxes_in_running_score": True}),
            ("columns", {"columns": 3}),
            ("spade_doubles", {"spade_doubles": True}),
            ("match_winner", {"match_winner": "first_to_target"}),
            ("deals", {"target": 50, "deals": 2, "scoring": "points"}),
            ("penalty_limit", {"scoring": "points", "penalty_limit": 50}),
        )
    ),
    *(
        ({"overrides": {"upcard_offer": "eleven"} | overrides}, "ruleset-refused", {"knob": knob})
        for knob, overrides in (
            ("knock_limit_source", {"knock_limit_source": "upcard"}),
            ("spade_doubles", {"spade_doubles": True}),
        )
    ),
    ({"ruleset": "penalty", "seats": [*SELVES, OPEN], "first_dealer": 3}, "seats-unsuitable", {}),
    ({"first_dealer": 2}, "seats-unsuitable", {}),
    ({"first_dealer": 4}, "body-invalid", {}),
    ({"seats": [OPEN]}, "body-invalid", {}),
    ({"seats": [OPEN, {"kind": "ghost"}]}, "body-invalid", {}),
    ({"seats": [OPEN, {"kind": "bot", "level": "grandmaster"}]}, "body-invalid", {}),
    ({"shuffle": {"mode": "decks", "decks": [DECK[:51]]}}, "body-invalid", {}),
    ({"shuffle": {"mode": "decks", "decks": [[*DECK[:51], DECK[0]]]}}, "duplicate-cards", {"card": DECK[0]}),
    ({"shuffle": {"mode": "decks", "decks": []}}, "body-invalid", {}),
    ({"shuffle": {"mode": "seed", "seed": ""}}, "body-invalid", {}),
    ({"shuffle": {"mode": "seed", "seed": "x"}, "visibility": "public"}, "cards-known-not-public", {}),
    ({"shuffle": {"mode": "decks", "decks": [DECK]}, "visibility": "public"}, "cards-known-not-public", {}),
    ({"visibility": "public"}, "clock-required", {}),
    ({"visibility": "public", "seats": [BOT, OPEN]}, "clock-required", {}),
    ({"visibility": "public", "clock": None}, "clock-required", {}),
    ({"clock": {"turn_seconds": 0}}, "body-invalid", {}),
    ({"clock": {"turn_seconds": 86_401}}, "body-invalid", {}),
    ({"clock": {"on_timeout": "play"}}, "body-invalid", {}),
    ({"clock": {"turn_seconds": 60, "on_timeout": "wait"}}, "body-invalid", {}),
    ({"clock": {"turn_seconds": 60, "increment": 5}}, "body-invalid", {}),
    ({"metadata": {f"key{n}": "v" * 100 for n in range(10)}}, "metadata-too-large", {"limit": 1024}),
    ({"metadata": {"table": "7"}, "seats": [OPEN, OPEN]}, "metadata-unreadable", {}),
    ({"metadata": {"table": "7"}, "seats": [BOT, OPEN]}, "metadata-unreadable", {}),
    ({"metadata": {"table": "7"}, "seats": [BOT, BOT]}, "metadata-unreadable", {}),
    ({"metadata": {"table": 7}}, "body-invalid", {}),
    ({"metadata": {"table": "7\n"}}, "body-invalid", {}),
    ({"metadata": {"table\n": "7"}}, "body-invalid", {}),
    ({"metadata": {"table": {"number": "7"}}}, "body-invalid", {}),
    ({"visibility": "secret"}, "body-invalid", {}),
]


async def test_what_does_not_go_together_is_refused_by_name(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        for body, code, facts in REFUSED:
            answer = await table.call("POST", "/matches", json={"seats": SELVES, **body})
            assert code_of(answer) == (400 if code == "body-invalid" else 422, code), body
            assert facts.items() <= answer.json().items(), body


RANGES: dict[str, tuple[int | None, ...]] = {
    "hand_size": (None, 3, 10),
    "ace_points": (1, 11, 15),
    "knock_limit": (0, 10),
    "stock_floor": (0, 10),
    "max_turns": (20, 500),
    **{f"{bonus}_bonus": (0, 1000) for bonus in ("gin", "undercut", "big_gin", "game", "box")},
    "target": (1, 1000),
    "deals": (1, 100),
    "penalty_limit": (1, 1000),
    "columns": (1, 3),
}
"""The knobs that are numbers, with the ends of their ranges or each of their values."""


def values_of(knob: str) -> tuple[object, ...]:
    kind = get_type_hints(RuleSet)[knob]
    if knob in RANGES:
        return RANGES[knob]
    return (True, False) if kind is bool else tuple(value.value for value in kind)


@pytest.mark.parametrize("knob", RuleSet.__struct_fields__)
async def test_a_match_is_played_by_every_value_of_a_knob(sqlite_url: str, knob: str) -> None:
    async with house(sqlite_url) as table:
        for value in values_of(knob):
            further: dict[str, Any] = PENALTY if value == "penalty" else {}
            if knob == "penalty_limit":
                further = {"scoring": "penalty"}
            party = await table.create(overrides=further | {knob: value})
            match = party.created["match"]
            assert (match["knobs"][knob], match["status"]) == (value, "playing")


async def test_a_match_of_one_caller_is_dealt_at_once(database_url: str) -> None:
    async with house(database_url) as table:
        answer = await table.call("POST", "/matches", json={"seats": SELVES, "first_dealer": 1})
        created = ok(answer, 201)
        match = created["match"]
        assert answer.headers["location"] == f"/v1/matches/{match['id']}"
        assert answer.headers["etag"] == f'"{match["id"]}.1.public.{VERSION}"'
        assert answer.headers["cache-control"] == "no-store"
        assert created["join"] is None
        assert [seat["seat"] for seat in created["seats"]] == [0, 1]
        assert (match["status"], match["phase"], match["version"]) == ("playing", "upcard_offer", 1)
        assert (match["deal"], match["dealer"], match["turn"]) == (1, 1, 0)
        assert [hand["hand_count"] for hand in match["hands"]] == [10, 10]
        assert (match["stock_count"], match["discard_pile"]) == (31, [match["upcard"]])


async def test_a_match_with_an_open_seat_waits(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], OPEN)
        match = party.created["match"]
        assert (match["status"], match["phase"], match["version"]) == ("open", "waiting", 1)
        view = await party[0].seen()
        assert view["opponents"] == [{"seat": 1, "name": None, "hand_count": None, "known_cards": []}]
        for part in (match, view):
            assert (part["discard_pile"], part["deal_count"], part["last_deal"]) == ([], 0, None)
            unknown = ("deal", "dealer", "turn", "upcard", "knock_limit", "stock_count", "spread", "result")
            assert [part[name] for name in unknown] == [None] * len(unknown)
        assert (view["hand"], view["actions"], view["seen"]) == ([], [], [])
        assert (view["taken"], view["arrangement"]) == (None, None)
        assert code_of(await party[0].act({"type": "draw_stock"}, 1)) == (409, "match-not-started")
        assert code_of(await party[0].act({"type": "resign"}, 1)) == (409, "match-not-started")


async def test_a_match_takes_an_open_and_a_bot_seat(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(OPEN, BOT)
        assert party.created["seats"] == []
        assert party.created["match"]["status"] == "open"
        assert [seat["kind"] for seat in party.created["match"]["seats"]] == ["open", "bot"]


ANYBODY = 'Ana Ñandú 安娜 😀 O\'Neill "x" \\'


NAMES = {
    "A": "A",
    "x" * 32: "x" * 32,
    "Zoe\u0308": "Zoë",
    "\u212b": "Å",
    "e\u0301" * 16: "é" * 16,
    ANYBODY: ANYBODY,
}


async def test_names_are_kept_in_nfc(database_url: str) -> None:
    async with house(database_url) as table:
        for name, kept in NAMES.items():
            party = await table.create({"kind": "self", "name": name}, {"kind": "bot", "name": name})
            assert [seat["name"] for seat in party.created["match"]["seats"]] == [kept, kept]
            assert (await party[0].seen())["opponents"][0]["name"] == kept


BAD_NAMES = ["", "x" * 33, "\u0958" * 17, "Ana\n", "A\nb", "\x00", "\x1f", "\x7f", "\x85"]
BAD_NAMES += ["\u061c", "\u200b", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029"]
BAD_NAMES += [" ", " Ana", "\u00ad", "\u3164", "\u2800", "\ufe0f", "A\U000e0041"]
BAD_NAMES += ["\u202a", "\u202e", "\u2060", "\u2066", "\u2069", "\ufeff"]


async def test_names_that_disguise_are_refused_wherever_they_are_given(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(SELVES[0], OPEN)
        for name in BAD_NAMES:
            asked: list[tuple[str, dict[str, Any], str]] = [
                ("/matches", {"seats": [{"kind": "self", "name": name}, OPEN]}, "/seats/0/name"),
                ("/matches", {"seats": [OPEN, {"kind": "bot", "name": name}]}, "/seats/1/name"),
                ("/joins", {"code": party.code, "name": name}, "/name"),
            ]
            for path, body, pointer in asked:
                answer = await table.call("POST", path, json=body)
                assert code_of(answer) == (400, "body-invalid"), body
                assert answer.json()["errors"][0]["pointer"] == pointer
        assert (await party[0].seen())["status"] == "open"


async def test_metadata_are_shown_to_the_creator_only(database_url: str) -> None:
    async with house(database_url) as table:
        noted = {"table": "7", "note": "left corner"}
        party = await table.create(SELVES[0], OPEN, metadata=noted, visibility="link")
        await party.join("Cem")
        assert (await party[0].seen())["metadata"] == noted
        assert (await party[1].seen())["metadata"] is None
        for person in (party[0], party[1], table.stranger(party.id)):
            assert "corner" not in (await person.match()).text
            assert "corner" not in (await person.public_events()).text
        assert "corner" not in (await party[1].events()).text


async def test_a_match_without_hints_gives_none(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(hints=False)
        assert party.created["match"]["hints"] is False
        assert (await (await party.in_turn()).seen())["hints"] == {}
        played = await party.play({"type": "pass"})
        assert ok(played, 201)["view"]["hints"] == {}
        party = await table.create(ruleset="simple")
        await party.play({"type": "draw_stock"})
        person = await party.in_turn()
        view = await person.seen()
        assert set(view["hints"]["deadwood_after"]) == set(view["hand"])


async def test_who_may_read_the_public_part(database_url: str) -> None:
    async with house(database_url) as table:
        parties = {
            seen: await table.create(**{**PUBLIC, "visibility": seen})
            for seen in ("private", "link", "public")
        }
        foreign = (await table.create())[0].token
        for seen, party in parties.items():
            for token in (None, foreign):
                for reading in ("match", "public_events"):
                    answer = await getattr(table.stranger(party.id, token), reading)()
                    if seen == "private":
                        assert code_of(answer) == (404, "not-found")
                    else:
                        assert answer.status_code == 200
            assert (await party[1].match()).status_code == 200
            assert (await party[1].public_events()).status_code == 200
        listed = ok(await table.call("GET", "/matches"))["items"]
        assert [match["id"] for match in listed] == [parties["public"].id]


async def test_public_tables_are_listed_newest_first_in_pages(database_url: str) -> None:
    async with house(database_url) as table:
        rules = ["classic", "simple", "classic", "straight", "classic"]
        made = [(await table.create(ruleset=each, **PUBLIC)).id for each in rules]
        await table.create(visibility="link")
        newest = made[::-1]
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = ok(await table.call("GET", "/matches", params={"limit": 2} | cursor))
            found += [match["id"] for match in page["items"]]
            if page["next_cursor"] is None:
                break
            assert len(page["items"]) == 2
            cursor = {"cursor": page["next_cursor"]}
        assert found == newest
        exact = ok(await table.call("GET", "/matches", params={"limit": 5}))
        assert (len(exact["items"]), exact["next_cursor"]) == (5, None)


async def test_public_tables_are_filtered_by_status_and_rule_set(database_url: str) -> None:
    async with house(database_url) as table:
        playing = await table.create(**PUBLIC)
        waiting = await table.create(SELVES[0], OPEN, ruleset="simple", **PUBLIC)
        over = await table.create(ruleset="simple", **PUBLIC)
        ok(await over[0].act({"type": "resign"}, 1), 201)
        wanted: list[tuple[dict[str, str], list[str]]] = [
            ({}, [over.id, waiting.id, playing.id]),
            ({"status": "open"}, [waiting.id]),
            ({"status": "playing"}, [playing.id]),
            ({"status": "finished"}, [over.id]),
            ({"ruleset": "simple"}, [over.id, waiting.id]),
            ({"ruleset": "simple@1", "status": "open"}, [waiting.id]),
            ({"ruleset": "straight"}, []),
        ]
        for params, ids in wanted:
            page = ok(await table.call("GET", "/matches", params=params))
            assert [match["id"] for match in page["items"]] == ids, params
        for params in ({"status": "won"}, {"limit": "0"}, {"limit": "101"}, {"cursor": "x"}):
            assert code_of(await table.call("GET", "/matches", params=params)) == (400, "parameter-invalid")
        unknown = await table.call("GET", "/matches", params={"ruleset": "canasta"})
        assert code_of(unknown) == (422, "ruleset-unknown")


async def test_head_and_options_are_right_everywhere(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(**PUBLIC)
        seat = f"/matches/{party.id}/seats/0"
        allowed = {
            "/matches": "GET, HEAD, OPTIONS, POST",
            "/joins": "OPTIONS, POST",
            f"/matches/{party.id}": "GET, HEAD, OPTIONS",
            f"/matches/{party.id}/events": "GET, HEAD, OPTIONS",
            f"{seat}/view": "GET, HEAD, OPTIONS",
            f"{seat}/events": "GET, HEAD, OPTIONS",
            f"{seat}/intents": "OPTIONS, POST",
            f"{seat}/moves": "OPTIONS, POST",
            f"{seat}/token": "OPTIONS, POST",
            f"{seat}/claims": "OPTIONS, POST",
            f"{seat}/abort": "OPTIONS, POST",
        }
        token = party[0].token
        for path, methods in allowed.items():
            options = await table.call("OPTIONS", path)
            assert (options.status_code, options.headers["allow"], options.content) == (204, methods, b"")
            refused = await table.call("DELETE", path, token=token)
            assert code_of(refused) == (405, "method-not-allowed")
            assert refused.headers["allow"] == methods
            if "HEAD" in methods:
                head = await table.call("HEAD", path, token=token)
                assert head.content == b""
                assert but_for_the_id(head) == but_for_the_id(await table.call("GET", path, token=token))


def but_for_the_id(answer: Answer) -> tuple[int, dict[str, str]]:
    return answer.status_code, {**answer.headers, "x-request-id": ""}
