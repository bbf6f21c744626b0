"""The database fails at one statement after another: nothing is half done, and asking again is safe."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from service.db.errors import DatabaseUnavailableError, RowRefusedError
from service.db.session import Point
from tests.service.knowledge import CARD
from tests.service.players import audit
from tests.service.table_talk import BOT, PUBLIC, SELVES, Answer, House, Party, Person, code_of, house, ok

pytestmark = pytest.mark.anyio

POINTS: dict[str, tuple[Point, ...]] = {
    "sqlite": ("read", "begin", "matches", "events", "commit", "done"),
    "postgresql": ("read", "matches", "done"),
}
SIMPLE: dict[str, Any] = {"ruleset": "simple", "first_dealer": 1}
SPOKEN = "QH of the hand 7D"
OPEN = {"kind": "open"}


class Outage:
    """A probe that breaks the connection, or raises something else, at one point."""

    def __init__(self) -> None:
        self.point: Point | None = None
        self.error: Exception = ConnectionResetError(SPOKEN)

    def __call__(self, point: Point) -> None:
        if point == self.point:
            raise self.error


def points(url: str) -> tuple[Point, ...]:
    return POINTS[url.partition(":")[0]]


def unavailable(answer: Answer) -> None:
    assert code_of(answer) == (503, "database-unavailable")
    assert answer.headers["retry-after"] == "1"
    assert not CARD.search(answer.text)


def failed(answer: Answer) -> None:
    assert code_of(answer) == (500, "internal-error")
    assert answer.json().keys() == {"type", "title", "status", "code", "detail", "instance"}
    assert not CARD.search(answer.text)


async def about_to_throw(table: House) -> tuple[Party, dict[str, Any]]:
    """A match against the bot in which the caller has drawn: his throw brings the bot's turn with it."""
    party = await table.create(SELVES[0], BOT, **SIMPLE)
    view = ok(await party[0].act({"type": "draw_stock"}, 1), 201)["view"]
    return party, {"type": "discard", "card": view["taken"]["card"]}


@pytest.mark.parametrize("form", ["intent", "action"])
@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ConnectionResetError(SPOKEN), unavailable),
        (DatabaseUnavailableError(SPOKEN), unavailable),
        (RowRefusedError(SPOKEN), failed),
        (ZeroDivisionError(SPOKEN), failed),
    ],
    ids=["connection", "unavailable", "refused", "unexpected"],
)
async def test_a_move_and_its_replies_are_played_whole_or_not_at_all(
    database_url: str, form: str, error: Exception, expected: Callable[[Answer], None]
) -> None:
    outage = Outage()
    outage.error = error
    async with house(database_url, probe=outage) as table:
        for point in points(database_url):
            party, thrown = await about_to_throw(table)
            person = party[0]
            intent = await person.intent(thrown, 2)

            async def move(person: Person = person, intent: str = intent, thrown: object = thrown) -> Answer:
                return await (person.confirm(intent) if form == "intent" else person.act(thrown, 2))

            outage.point = point
            expected(await move())
            outage.point = None
            match = await audit(table, party.id)
            assert match.version == (5 if point == "done" else 2)
            again = await move()
            assert again.status_code == (200 if point == "done" else 201)
            told = again.json()
            assert told["move"]["version"] == 3
            assert [reply["version"] for reply in told["replies"]] == [4, 5]
            assert (await audit(table, party.id)).version == 5
        assert not CARD.search(table.log.getvalue().decode())


@pytest.mark.parametrize("seats", [SELVES, (SELVES[0], BOT), (BOT, BOT), (SELVES[0], OPEN)])
async def test_a_match_is_created_whole_or_not_at_all(
    database_url: str, seats: tuple[dict[str, str], ...]
) -> None:
    outage = Outage()
    async with house(database_url, probe=outage) as table:
        body = {"seats": seats, **PUBLIC, "overrides": {"target": 1}}
        there = 0
        for point in points(database_url)[1:]:
            outage.point = point
            unavailable(await table.call("POST", "/matches", json=body))
            outage.point = None
            there += point == "done"
            listed = ok(await table.call("GET", "/matches", params={"limit": 100}))["items"]
            assert len(listed) == there
            for match in listed:
                await audit(table, match["id"])
            ok(await table.call("POST", "/matches", json=body), 201)
            there += 1


async def test_a_seat_is_taken_whole_or_not_at_all(database_url: str) -> None:
    outage = Outage()
    async with house(database_url, probe=outage) as table:
        for point in points(database_url):
            party = await table.create(OPEN, BOT, first_dealer=0)
            join = {"code": party.code, "name": "Ana"}
            outage.point = point
            unavailable(await table.call("POST", "/joins", json=join))
            outage.point = None
            match = await audit(table, party.id)
            assert (match.version > 1) == (point == "done")
            again = await table.call("POST", "/joins", json=join)
            assert again.status_code == (404 if point == "done" else 201)
            assert (await audit(table, party.id)).version > 2


async def test_a_token_is_replaced_or_it_is_not(database_url: str) -> None:
    outage = Outage()
    async with house(database_url, probe=outage) as table:
        for point in points(database_url):
            party = await table.create()
            outage.point = point
            unavailable(await party[0].rotate())
            outage.point = None
            assert (await party[0].view()).status_code == (401 if point == "done" else 200)
            assert (await party[1].view()).status_code == 200
            if point != "done":
                ok(await party[0].rotate())


async def test_reading_and_proposing_say_that_the_database_is_away(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with house(database_url) as table:
        party = await table.create(**PUBLIC, **SIMPLE)
        stranger = table.stranger(party.id)
        calls: tuple[tuple[Callable[[], Awaitable[Answer]], int], ...] = (
            (party[0].view, 200),
            (party[0].events, 200),
            (party[0].match, 200),
            (stranger.match, 200),
            (stranger.public_events, 200),
            (lambda: table.call("GET", "/matches"), 200),
            (lambda: party[0].propose({"type": "draw_stock"}, 1), 201),
            (lambda: party[0].confirm("gin_AAAA"), 409),
            (lambda: table.call("POST", "/joins", json={"code": "00000000"}), 404),
        )
        fetch = table.session.fetch
        for error, expected in ((DatabaseUnavailableError(SPOKEN), unavailable), (KeyError(SPOKEN), failed)):
            for call, status in calls:
                remaining = [0]
                while True:
                    passing = iter(range(remaining[0]))

                    async def broken(*given: Any, **values: Any) -> Any:  # noqa: ANN401  as `fetch` does
                        if next(passing, None) is None:  # noqa: B023  called before the next round
                            raise error  # noqa: B023  likewise
                        return await fetch(*given, **values)

                    with monkeypatch.context() as outage:
                        outage.setattr(table.session, "fetch", broken)
                        answer = await call()
                    if answer.status_code == status:
                        break
                    expected(answer)
                    remaining[0] += 1
                assert remaining[0] > 0
                assert (await call()).status_code == status
        assert (await audit(table, party.id)).version == 1
        assert not CARD.search(table.log.getvalue().decode())
