"""Every statement of a move is about one match, and finds its rows by an index however many there are."""

import asyncio
import itertools
import re
import sqlite3
from uuid import UUID

import asyncpg
import pytest
from msgspec.structs import replace

from tests.service.databases import Server
from tests.service.serving import CHECKOUT
from tests.service.statements import sent_to_postgresql, sent_to_sqlite
from tests.service.steps import event, new_match
from tests.service.table_talk import BOT, SELVES, House, house, ok

pytestmark = pytest.mark.anyio

PAGE = CHECKOUT / "docs" / "decisions" / "0010-sharding.md"
SORTED = re.compile(r"TEMP B-TREE(?! FOR (RIGHT PART|LAST TERM))")
"""Rows that are sorted, other than the few that share a deadline."""
NAMES_THE_MATCH = re.compile(r"WHERE (matches\.id|events\.match_id) ")
LISTS = {
    "ix_matches_public",
    "ix_matches_public_status",
    "ix_matches_public_ruleset",
    "ix_matches_public_ruleset_status",
}


async def play(table: House) -> None:
    """Look, propose, confirm, hear it again, play at once, lose a race, replace a token, read the log."""
    party = await table.create(SELVES[0], BOT, ruleset="simple", first_dealer=1)
    person = party[0]
    ok(await person.view())
    drawn = await person.intent({"type": "draw_stock"}, 1)
    view = ok(await person.confirm(drawn), 201)["view"]
    ok(await person.confirm(drawn))
    thrown = {"type": "discard", "card": view["taken"]["card"]}
    ok(await person.act(thrown, 2), 201)
    ok(await person.act(thrown, 2))
    assert (await person.act({"type": "big_gin"}, 1)).status_code == 409
    ok(await person.rotate())


async def look_around(table: House) -> None:
    """Read logs, every kind of list of public matches, and what the fan-out and the sweepers ask."""
    party = await table.create(visibility="link")
    ok(await party[0].events())
    ok(await party[0].public_events())
    await table.store.deal_ends(UUID(party.id), 1, 5)
    for status, ruleset, cursor in itertools.product(
        (None, "open"), (None, "simple@1"), (None, UUID(party.id))
    ):
        await table.store.list_public(status=status, ruleset=ruleset, cursor=cursor, limit=5)
    await table.store.moved({UUID(party.id): 1})
    await table.store.events_after({UUID(party.id): 0})
    await table.store.due(1, 10)


def written() -> dict[str, re.Pattern[str]]:
    """The statements on the page; an ellipsis stands for anything."""
    lines = re.findall(r"^    (\S.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {line: re.compile(".*".join(map(re.escape, line.split("…")))) for line in lines}


async def test_every_statement_of_a_move_is_on_the_page_and_names_the_match(
    postgresql_server: Server, postgresql_url: str
) -> None:
    async with sent_to_postgresql(postgresql_server) as sent, house(postgresql_url) as table:
        await play(table)
    patterns = written()
    assert all(NAMES_THE_MATCH.search(line) for line in patterns)
    named = {one: [line for line, pattern in patterns.items() if pattern.fullmatch(one)] for one in sent}
    assert [one for one in sent if len(named[one]) != 1] == []
    assert {lines[0] for lines in named.values()} == patterns.keys()


async def many(table: House) -> None:
    """So many public matches that a page of them is better found by an index."""
    rows = [
        replace(new_match(), visibility="public", status=status, ruleset=ruleset)
        for status in ("open", "playing", "finished")
        for ruleset in ("classic@1", "simple@1", "eaai@1", "oklahoma@1")
        for _ in range(40)
    ]
    await asyncio.gather(*(table.store.insert(row, [event(row, 1)]) for row in rows))


async def test_postgresql_finds_every_row_by_an_index(postgresql_server: Server, postgresql_url: str) -> None:
    async with sent_to_postgresql(postgresql_server) as sent, house(postgresql_url) as table:
        await many(table)
        await play(table)
        await look_around(table)
    connection = await asyncpg.connect(postgresql_url)
    await connection.execute("ANALYZE; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off")
    for number, statement in enumerate(sent):
        await connection.execute(f"PREPARE sent_{number} AS {statement}")
        nothing = ", ".join(["NULL"] * len(set(re.findall(r"\$\d+", statement))))
        rows = await connection.fetch(f"EXPLAIN EXECUTE sent_{number} ({nothing})")
        plan = "\n".join(row[0] for row in rows)
        assert not re.search(r"Seq Scan on (matches|events)", plan), plan
        if "ORDER BY matches.id DESC" in statement:
            assert "Sort" not in plan
            assert set(re.findall(r"using (\w+)", plan)) <= LISTS
        if "deal_scored" in statement:
            assert "ix_events_deals" in plan, plan
            assert "Sort" not in plan, plan
    await connection.close()


async def test_sqlite_finds_every_row_by_an_index(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with sent_to_sqlite(monkeypatch) as sent:
        async with house(sqlite_url) as table:
            await play(table)
            await look_around(table)
    file = sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))
    lists = set()
    for statement in sent:
        plan = "\n".join(row[3] for row in file.execute(f"EXPLAIN QUERY PLAN {statement}"))
        assert not SORTED.search(plan), plan
        if "ORDER BY matches.id DESC" in statement:
            lists |= set(re.findall(r"USING INDEX (\w+)", plan))
        elif "deal_scored" in statement:
            assert "ix_events_deals" in plan, plan
        else:
            assert not re.search(r"SCAN (matches|events)", plan), plan
    assert lists == LISTS
    file.close()
