"""Matches that an earlier version stored go on, and end as they would have ended there."""

from typing import Any

import msgspec
import pytest

from service.db.codec import FORMAT, decode_event
from service.matches import tokens
from service.matches.tokens import Claim
from tests.playbook import rows_of
from tests.service.players import audit
from tests.service.stored import StoredGame, games
from tests.service.table_talk import KEYRING, House, Person, house, ok
from tests.sizes import size

pytestmark = pytest.mark.anyio

GAMES = {game.name: game for game in games()}


async def put_in(host: House, game: StoredGame) -> list[Person]:
    """Put the rows of a match into a database; return who plays it."""
    await host.store.insert(game.row, game.events)
    claims = [
        Claim(game.row.id, seat, int(generation))
        for seat, generation in enumerate(game.row.generations.split(","))
    ]
    return [Person(host, str(game.row.id), claim.seat, tokens.issue(KEYRING, claim)) for claim in claims]


def plain(value: object) -> Any:  # noqa: ANN401  JSON
    return msgspec.json.decode(msgspec.json.encode(value))


PLAYED_ON = [name for name, game in GAMES.items() if game.moves]
ON_POSTGRESQL = PLAYED_ON[:: size(5, 1)]
"""What is rebuilt does not depend on the database, so few matches show that both can hold it."""


@pytest.mark.parametrize(
    ("database_url", "name"),
    [("sqlite", name) for name in PLAYED_ON] + [("postgresql", name) for name in ON_POSTGRESQL],
    indirect=["database_url"],
)
async def test_a_match_of_format_3_goes_on_and_ends_as_it_would_have(database_url: str, name: str) -> None:
    game = GAMES[name]
    async with house(database_url) as host:
        people = await put_in(host, game)
        before = await people[0].seen()
        assert before["version"] == game.row.version
        for move in game.moves:
            version = (await host.row(people[0].match_id)).version
            ok(await people[move.seat].act(move.action, version), 201)
        match = await audit(host, people[0].match_id)
        assert list(match.scores) == game.end.scores
        assert match.deal_count == game.end.deals
        assert plain(match.result) == game.end.result
        assert plain(match.columns) == game.end.columns
        shown = await people[0].deals()
        assert len(shown) == game.end.deals
        logged = rows_of(decode_event(event.body) for event in await host.log_of(people[0].match_id))
        for row, old in zip(logged, game.end.rows, strict=False):
            assert plain(row) == {**old, "parts": plain(row)["parts"]}


async def test_the_rows_are_of_format_3() -> None:
    assert FORMAT > 3
    assert {msgspec.msgpack.decode(game.row.snapshot)["format"] for game in GAMES.values()} == {3}
    assert sum(game.end.result["reason"] == "resigned" for game in GAMES.values()) == 3


@pytest.mark.parametrize("name", [name for name in GAMES if "resigned" in name])
async def test_a_deal_cut_off_before_it_was_logged_is_still_listed(database_url: str, name: str) -> None:
    game = GAMES[name]
    async with house(database_url) as host:
        people = await put_in(host, game)
        rows = await people[0].deals()
        assert [row["result"] for row in rows] == [row["result"] for row in game.end.rows]
        assert (rows[-1]["result"], rows[-1]["hands"]) == ("unfinished", [])
        path = f"/matches/{people[0].match_id}/deals/{len(rows)}"
        assert ok(await people[0].call("GET", path)) == rows[-1]
        assert (await people[0].seen())["last_deal"] == rows[-1]


@pytest.mark.parametrize("name", list(GAMES)[: size(3, len(GAMES))])
async def test_what_is_read_of_it_is_not_written(sqlite_url: str, name: str) -> None:
    game = GAMES[name]
    async with house(sqlite_url) as host:
        people = await put_in(host, game)
        for person in people:
            await person.seen()
            await person.deals()
            ok(await person.match())
        assert (await host.row(people[0].match_id)).snapshot == game.row.snapshot
