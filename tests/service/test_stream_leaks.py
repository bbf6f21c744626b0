"""The search for leaks, in what streams tell."""

import asyncio
import random
from typing import Any

import httpx
import pytest

from engine.actions import Seat
from service.events import channel as channels
from service.events import follow
from service.events.channel import frame_of
from service.events.wire import snapshot_to_wire
from tests.service.games import GAMES
from tests.service.hours import run_out
from tests.service.knowledge import Heard, Listener, truth_of
from tests.service.listening import Ear, Told, listening
from tests.service.players import choose
from tests.service.table_talk import BOT, SELVES, House, Party, house, ok
from tests.service.test_leaks import COMPANIES, CURIOSITY, LATE, OPEN, SHUFFLES, TEXT, shortened
from tests.sizes import size

pytestmark = pytest.mark.anyio


class Overhearing(Listener):
    """A listener who follows the match from its beginning, and looks in now and then besides."""

    async def follow(self) -> None:
        """Listen to the end."""
        async with listening(self, after=0) as ear:
            while not ear.ended:
                self.keep(ear, await ear.next())

    async def look_in(self, after: int | None) -> None:
        """Open another stream for its first events."""
        async with listening(self, after=after) as ear:
            self.keep(ear, await ear.event())

    def keep(self, ear: Ear, told: Told) -> None:
        if told.event:
            data = told.raw.split(b"data: ", 1)[1]
            answer = httpx.Response(200, headers=ear.headers, content=data)
            self.heard.append(Heard(version_of(told.data, self.heard), f"a {told.event}", answer))


def version_of(data: dict[str, Any], heard: list[Heard]) -> int:
    """The version at which something was told; what has none is told at the newest that was."""
    state = data.get("view") or data.get("match") or data
    return int(state.get("version") or max((one.version for one in heard), default=1))


async def leaks(table: House, name: str, shuffle: dict[str, Any], seed: int, others: str) -> list[str]:
    """What leaks in the streams of a match of this game that is played by chance."""
    game, dice = GAMES[name], random.Random(seed)
    seats: list[dict[str, str]] = [SELVES[0], *[OPEN if others == "joined" else BOT] * (game.seats - 1)]
    party = await table.create(
        *seats,
        **shortened(game),
        shuffle=shuffle,
        clock={"turn_seconds": 86_400},
        visibility="link",
    )
    guests = [await party.join("Eva") for _ in range(seats.count(OPEN))]
    everybody = [Overhearing(one) for one in (party[0], *guests, table.stranger(party.id))]
    async with asyncio.TaskGroup() as following:
        for person in everybody:
            following.create_task(person.follow())
        await played(table, party, everybody, dice, game.care)
    code = party.code if OPEN in seats else None
    found = []
    for listener in everybody:
        tokens = [person.token for person in party.people.values() if person.seat != listener.seat]
        truth = await truth_of(table, party.id, TEXT, code, *tokens)
        assert len(listener.heard) > len(await table.log_of(party.id))
        found += list(truth.leaks(listener))
    return found


async def played(
    table: House, party: Party, everybody: list[Overhearing], dice: random.Random, care: float
) -> None:
    """Play a match to its end while everybody looks in."""
    while (match := (await table.table(party.id)).match).deal is not None:
        for person in everybody:
            if dice.random() < CURIOSITY / 3:
                await person.look_in(dice.choice((None, 0, match.version - 1)))
        mover = party[match.deal.turn]
        if dice.random() < LATE:
            await run_out(table.session)
            ok(await mover.claim(), 201)
        else:
            ok(await mover.act(choose(await mover.seen(), dice, care), match.version), 201)


@pytest.mark.parametrize(("game", "others"), COMPANIES)
async def test_no_stream_tells_what_its_audience_may_not_know(
    sqlite_url: str, game: str, others: str
) -> None:
    async with house(sqlite_url) as table:
        for seed in range(size(1, 3)):
            shuffle = SHUFFLES[(seed + list(GAMES).index(game)) % 3]
            assert await leaks(table, game, shuffle, seed, others) == []


async def test_the_search_finds_frames_that_are_mixed_up(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def anybodys(row: Any, _audience: Seat | None) -> bytes:  # noqa: ANN401  as it is
        return frame_of(row, 0)

    def of_the_first(table: Any, audience: Seat | None, present: Any) -> Any:  # noqa: ANN401  likewise
        return snapshot_to_wire(table, None if audience is None else 0, present)

    async with house(sqlite_url) as table:
        with monkeypatch.context() as mutant:
            mutant.setattr(channels, "frame_of", anybodys)
            mutant.setattr(follow, "frame_of", anybodys)
            assert any("in event" in leak for leak in await leaks(table, "simple", SHUFFLES[0], 0, "joined"))
        with monkeypatch.context() as mutant:
            mutant.setattr(follow, "snapshot_to_wire", of_the_first)
            found = await leaks(table, "simple", SHUFFLES[2], 2, "joined")
            assert any("in the state" in leak for leak in found)
