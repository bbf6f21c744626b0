import hashlib
import hmac
import itertools
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from engine.cards import CODES
from tests.playbook import LOOSE, MELDED, deck_of
from tests.service.table_talk import BOT, PUBLIC, SELVES, codes, house, ok

pytestmark = pytest.mark.anyio

DECK = codes(deck_of(f"{MELDED} KS", LOOSE, "KD"))
OTHER = codes(deck_of(LOOSE, f"{MELDED} KS", "KD"))


@pytest.mark.parametrize("dealer", [0, 1])
async def test_the_named_seat_deals_first(sqlite_url: str, dealer: int) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(first_dealer=dealer)
        assert party.created["match"]["dealer"] == dealer
        assert party.created["match"]["turn"] == 1 - dealer


async def test_the_shuffle_chooses_the_dealer_where_none_is_named(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        dealers = {(await table.create()).created["match"]["dealer"] for _ in range(20)}
        assert dealers == {0, 1}


async def test_decks_deal_one_card_at_a_time_from_the_seat_after_the_dealer(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(shuffle={"mode": "decks", "decks": [DECK, OTHER]}, first_dealer=1)
        match = party.created["match"]
        assert (match["cards_known"], match["commitment"]) == (True, None)
        assert DECK[21:] not in list(everything(party.created))
        views = [await party[seat].seen() for seat in (0, 1)]
        for view, dealt in zip(views, (DECK[:20:2], DECK[1:20:2]), strict=True):
            assert view["hand"] == sorted(dealt, key=CODES.index)
            assert view["upcard"] == DECK[20]
        await party.play({"type": "pass"}, {"type": "pass"}, {"type": "draw_stock"})
        assert (await party[0].seen())["taken"] == {"card": DECK[21], "from": "stock"}
        await party.play({"type": "knock", "card": DECK[21]})
        view = await party[1].seen()
        assert (view["deal"], view["dealer"]) == (2, 0)
        assert view["hand"] == sorted(OTHER[:20:2], key=CODES.index)


async def test_a_seed_makes_the_same_match_again_and_its_bot_plays_the_same(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        told = []
        for text in ("any text", "any text", "another"):
            party = await table.create(SELVES[0], BOT, shuffle={"mode": "seed", "seed": text})
            assert party.created["match"]["commitment"] is None
            while (view := await party[0].seen())["deal"] == 1:
                ok(await party[0].act(simplest(view), view["version"]), 201)
            told.append((ok(await party[0].events())["items"], await party[0].deals()))
        assert told[0] == told[1]
        assert told[0] != told[2]


async def test_the_commitment_binds_every_deal(sqlite_url: str) -> None:
    async with house(sqlite_url) as table:
        party = await table.create(first_dealer="random", **PUBLIC)
        match = party.created["match"]
        assert match["cards_known"] is False
        for action in [{"type": "pass"}, {"type": "pass"}, {"type": "draw_stock"}]:
            await party.play(action)
        views = {seat: await party[seat].seen() for seat in (0, 1)}
        ok(await party[0].act({"type": "resign"}, 4), 201)
        events = ok(await table.stranger(party.id).public_events())["items"]
        seed = bytes.fromhex(events[-1]["server_seed"])
        committed = hashlib.sha256(b"gin-shuffle-1" + UUID(party.id).bytes + seed).hexdigest()
        assert match["commitment"] == committed
        assert match["dealer"] == next(indexes(seed, "dealer", [2]))
        deck = shuffled(seed, "deal:1")
        first = 1 - match["dealer"]
        assert match["upcard"] == deck[20]
        assert set(views[first]["hand"]) == {*deck[:20:2], deck[21]}
        assert set(views[1 - first]["hand"]) == set(deck[1:20:2])


def indexes(seed: bytes, label: str, bounds: list[int]) -> Iterator[int]:
    """Read ``gin-shuffle-1`` as its page describes it, not as the engine does."""
    key = hmac.new(seed, label.encode(), hashlib.sha256).digest()
    blocks = (hmac.new(key, count.to_bytes(4, "big"), hashlib.sha256).digest() for count in itertools.count())
    words = (int.from_bytes(block[at : at + 4], "big") for block in blocks for at in range(0, 32, 4))
    for bound in bounds:
        yield next(word for word in words if word < 2**32 - 2**32 % bound) % bound


def shuffled(seed: bytes, label: str) -> list[str]:
    order = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    places = range(51, 0, -1)
    for place, other in zip(places, indexes(seed, label, [place + 1 for place in places]), strict=True):
        order[place], order[other] = order[other], order[place]
    return order


def simplest(view: dict[str, Any]) -> dict[str, Any]:
    """Draw from the stock, knock if it is open, else throw what leaves the least."""
    offers = {offer["type"]: offer for offer in view["actions"]}
    if "knock" in offers:
        return {"type": "knock", "card": offers["knock"]["cards"][0]}
    if "discard" in offers:
        left = view["hints"]["deadwood_after"]
        return {"type": "discard", "card": min(offers["discard"]["cards"], key=left.__getitem__)}
    return {"type": "pass" if "pass" in offers else "draw_stock"}


def everything(value: object) -> Iterator[object]:
    """Every part of a JSON value."""
    yield value
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from everything(part)
