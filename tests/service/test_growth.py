"""Neither the answer to a move nor the row that it writes grows with the deals of a match."""

import random
from collections import defaultdict
from collections.abc import Mapping
from statistics import median
from typing import Any, Final

import pytest
from msgspec import Struct

from tests.service.players import choose
from tests.service.table_talk import House, Party, house, ok
from tests.sizes import size

pytestmark = pytest.mark.anyio

APART: Final = 0.1
"""How far two medians of the same kind of action may be apart."""

ENOUGH: Final = 5
"""The fewest moves of a kind that a median is taken of."""


class Long(Struct, frozen=True):
    """Rules under which a match comes to its hundredth deal; small hands make the deals short."""

    ruleset: str
    seats: int
    overrides: Mapping[str, Any]


LONG: Final = {
    "points": Long("classic", 2, {"hand_size": 4, "deals": 100}),
    "declared": Long("openspiel", 2, {"hand_size": 4, "deals": 100}),
    "penalties of 4": Long("penalty", 4, {"hand_size": 4, "deals": 100}),
    "columns": Long("hollywood", 2, {"hand_size": 4, "target": 1000, "gin_bonus": 0, "undercut_bonus": 0}),
    "void deals": Long("simple", 2, {"knock_limit": 0, "max_turns": 20, "target": 1000}),
    "ten cards": Long("classic", 2, {"deals": 100}),
    "three declare": Long("penalty", 3, {"melds": "declared", "deals": 100}),
}
SHORT: Final = ("classic", "declared", "straight", "oklahoma", "traditional", "eaai")


class Sizes:
    """The bytes of answers and of rows, by kind of action and deal."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)

    def add(self, kind: str, deal: int, answer: int, row: int) -> None:
        self._of["answer", kind].append((deal, answer))
        self._of["row", kind].append((deal, row))

    def assert_alike(self, early: range, late: range) -> None:
        compared = 0
        for what, sizes in self._of.items():
            first = [bytes_ for deal, bytes_ in sizes if deal in early]
            last = [bytes_ for deal, bytes_ in sizes if deal in late]
            if min(len(first), len(last)) >= ENOUGH:
                compared += 1
                assert median(last) == pytest.approx(median(first), rel=APART), what
        assert compared >= 4


async def measure(host: House, party: Party, dice: random.Random, sizes: Sizes) -> None:
    """Play a match out, and measure each move that leaves its deal running.

    The move that ends a deal tells of it and deals the next one: it is of a kind of its own.
    """
    view = await (await party.in_turn()).seen()
    while view["turn"] is not None:
        person = party[view["turn"]]
        if view["seat"] != view["turn"]:
            view = await person.seen()
        action = choose(view, dice)
        answer = await person.act(action, view["version"])
        after = ok(answer, 201)["view"]
        ended = after["deal_count"] > view["deal_count"]
        row = await host.row(party.id)
        kind = f"{action['type']}{', the last of its deal' if ended else ''}"
        sizes.add(kind, view["deal"], len(answer.content), len(row.snapshot))
        view = after


@pytest.mark.parametrize("name", list(LONG)[: size(1, len(LONG))])
async def test_moves_of_the_hundredth_deal_are_as_large_as_those_of_the_third(
    sqlite_url: str, name: str
) -> None:
    rules, sizes = LONG[name], Sizes()
    async with house(sqlite_url) as host:
        for number in range(size(1, 2)):
            party = await host.create(
                *[{"kind": "self"}] * rules.seats,
                ruleset=rules.ruleset,
                overrides=dict(rules.overrides),
                shuffle={"mode": "seed", "seed": f"{name} {number}"},
            )
            await measure(host, party, random.Random(number), sizes)
    sizes.assert_alike(range(2, 6), range(90, 101))


@pytest.mark.parametrize("preset", SHORT[: size(1, len(SHORT))])
async def test_where_matches_are_shorter_moves_do_not_grow_with_the_deals(
    sqlite_url: str, preset: str
) -> None:
    sizes = Sizes()
    async with house(sqlite_url) as host:
        for number in range(size(2, 20)):
            seed = {"mode": "seed", "seed": f"{preset} {number}"}
            party = await host.create(ruleset=preset, shuffle=seed)
            await measure(host, party, random.Random(number), sizes)
    sizes.assert_alike(range(2, 4), range(5, 201))
