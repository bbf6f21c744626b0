"""What a stream tells, from its first event to its last."""

import random
from typing import Any

import pytest

from service.events.stream import BEHIND
from tests.service.listening import Told, listening
from tests.service.players import choose, play_out
from tests.service.table_talk import BOT, SELVES, Party, Person, code_of, house, ok
from tests.sizes import size

pytestmark = pytest.mark.anyio

RESIGN = {"type": "resign"}
PASS = {"type": "pass"}


async def log_of(person: Person) -> list[Any]:
    """The whole log as pages tell it to somebody."""
    answer = await (
        person.events() if person.seat is not None else person.public_events(params={"limit": 1000})
    )
    items: list[Any] = ok(answer)["items"]
    return items


def assert_told(told: list[Told], events: list[Any]) -> None:
    """A stream told of just these events, each as a page does."""
    assert [one.data for one in told] == events
    assert [(one.event, one.id) for one in told] == [(event["type"], event["seq"]) for event in events]


async def test_a_stream_begins_with_what_the_view_tells_and_goes_on_with_events(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(first_dealer=1)
        async with listening(party[0]) as ear:
            assert (ear.status, ear.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
            assert ear.headers["cache-control"] == "private, no-cache"
            assert ear.headers["x-accel-buffering"] == "no"
            first = await ear.event()
            assert (first.event, first.id) == ("snapshot", first.data["seq"])
            assert first.data["view"] == await party[0].seen()
            await party.play(PASS)
            assert_told([await ear.event()], (await log_of(party[0]))[first.id :])
            ok(await party[1].act(RESIGN, await party.version()), 201)
            rest = await ear.until("bye")
            assert [told.event for told in rest] == ["resigned", "deal_unfinished", "match_finished", "bye"]
            assert (rest[-1].data, rest[-1].id, ear.ended) == ({"reason": "finished"}, None, True)


async def test_a_spectator_is_told_what_everybody_may_know(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(visibility="link", first_dealer=1)
        stranger = table.stranger(party.id)
        async with listening(stranger) as ear:
            first = await ear.event()
            assert first.data["match"] == ok(await stranger.match())
            assert "view" not in first.data
            await party.play(PASS, {"type": "pass"}, {"type": "draw_stock"})
            told = [await ear.event() for _ in range(3)]
            assert_told(told, (await log_of(stranger))[first.id :])
            assert told[-1].data["card"] is None


async def test_a_stream_goes_on_where_it_broke_off(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(first_dealer=1)
        await party.play(PASS, PASS)
        log = await log_of(party[0])
        for after in range(len(log)):
            for query, header in ((after, None), (None, after), (1, after)):
                async with listening(party[0], after=query, last=header) as ear:
                    assert_told([await ear.event() for _ in log[after:]], log[after:])
        async with listening(party[0], last=len(log)) as ear:
            await party.play({"type": "draw_stock"})
            assert_told([await ear.event()], (await log_of(party[0]))[len(log) :])


async def test_nothing_is_lost_and_nothing_told_twice_however_often_a_line_breaks(database_url: str) -> None:
    """Every audience reconnects at random points while the match is played."""
    dice = random.Random(database_url.partition(":")[0])
    breaks = 0
    async with house(database_url) as table:
        while breaks < size(60, 1000):
            party = await table.create(
                SELVES[0], BOT, visibility="link", ruleset=dice.choice(("simple", "declared", "penalty"))
            )
            person = dice.choice((party[0], table.stranger(party.id)))
            heard: list[Told] = []
            playing = Playing(party, dice)
            while not heard or heard[-1].event != "bye":
                last = heard[-1].id if heard else 0
                async with listening(person, last=last) as ear:
                    for _ in range(dice.randrange(12)):
                        if dice.random() < 0.5:
                            await playing.on()
                        elif ear.ended or not await playing.has_more_than(heard):
                            break
                        else:
                            heard.append(await ear.event())
                breaks += 1
                if playing.over and len(heard) == await playing.length():
                    async with listening(person, last=heard[-1].id) as ear:
                        heard.append(await ear.event())
            assert_told(heard[:-1], await log_of(person))


class Playing:
    """A match against a bot, played a move at a time."""

    def __init__(self, party: Party, dice: random.Random) -> None:
        self._party = party
        self._moves = self._play(dice)
        self.over = False

    async def _play(self, dice: random.Random) -> Any:  # noqa: ANN401  moves, one after another
        view = await self._party[0].seen()
        while view["turn"] is not None:
            answer = await self._party[0].act(choose(view, dice), view["version"])
            view = ok(answer, 201)["view"]
            yield

    async def on(self) -> None:
        if await anext(self._moves, self) is self:
            self.over = True

    async def length(self) -> int:
        return (await self._party.house.table(self._party.id)).snapshot.seq

    async def has_more_than(self, heard: list[Told]) -> bool:
        return await self.length() > len(heard)


async def test_a_match_that_is_over_says_so(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create()
        ok(await party[0].act(RESIGN, 1), 201)
        log = await log_of(party[1])
        async with listening(party[1]) as ear:
            assert [(await ear.event()).event, (await ear.event()).data] == [
                "snapshot",
                {"reason": "finished"},
            ]
            assert ear.ended
        async with listening(party[1], after=1) as ear:
            told = await ear.until("bye")
            assert_told(told[:-1], log[1:])
        async with listening(party[1], last=len(log)) as ear:
            assert (await ear.event()).data == {"reason": "finished"}


async def test_who_reads_too_slowly_is_told_all_anew(database_url: str) -> None:
    async with house(database_url) as table:
        party = await table.create(SELVES[0], BOT, ruleset="classic")
        async with listening(party[0]) as ear:
            first = await ear.event()
            await play_out(party, random.Random(1), by_intent=0)
            log = await log_of(party[0])
            assert len(log) > 2 * BEHIND
            told = await ear.until("reset")
            waited = told[:-1]
            assert len(waited) < BEHIND  # what was on its way while nobody read
            assert_told(waited, log[first.id :][: len(waited)])
            assert told[-1].id == len(log)
            assert told[-1].data["view"] == await party[0].seen()
            assert (await ear.event()).data == {"reason": "finished"}


async def test_what_refuses_a_stream_is_a_problem_document(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party, other = await table.create(), await table.create()
        place = f"/matches/{party.id}/seats/0/events/stream"
        own = party[0].token
        for token, status, code in (
            (None, 401, "unauthenticated"),
            ("gst_nonsense", 401, "unauthenticated"),
            (party[1].token, 403, "forbidden"),
            (other[0].token, 404, "not-found"),
        ):
            assert code_of(await table.call("GET", place, token=token)) == (status, code)
        for query in ("after=-1", "after=01", "after=x", "after=", "after=1&after=1", "before=1"):
            refused = await table.call("GET", f"{place}?{query}", token=own)
            assert code_of(refused) == (400, "parameter-invalid")
        refused = await table.call("GET", place, token=own, headers={"Accept": "application/json"})
        assert code_of(refused) == (406, "not-acceptable")
        ticket = await table.call("GET", f"{place}?token={own}")
        assert code_of(ticket) == (401, "unauthenticated")


async def test_head_and_options_of_a_stream(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(visibility="link")
        for person, place in ((party[0], "/seats/0"), (table.stranger(party.id), "")):
            async with listening(person, method="HEAD") as ear:
                assert (ear.status, await ear.body()) == (200, b"")
                assert ear.headers["content-type"].startswith("text/event-stream")
            path = f"/matches/{party.id}{place}/events/stream"
            options = await table.call("OPTIONS", path)
            assert (options.status_code, options.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
