import random
from importlib import import_module
from typing import Any

import msgspec
import pytest

import engine
from engine.cards import CODES
from engine.known import held
from engine.state import Deal, DealResult, DealRow, HandShown, Match, unscored
from service.matches.wire.actions import AnyActionBody, action_from_wire
from tests.service.games import GAMES, PRESET_GAMES, Game
from tests.service.hours import run_out
from tests.service.knowledge import Listener, truth_of
from tests.service.players import choose
from tests.service.table_talk import BOT, SELVES, House, Party, house, ok
from tests.sizes import SOAK, size

pytestmark = pytest.mark.anyio

OPEN = {"kind": "open"}
PLAIN = ("take_upcard", "pass", "draw_stock", "draw_discard", "big_gin", "lay_off")
TEXT = "a text that nobody is told"
SHUFFLES: tuple[dict[str, Any], ...] = (
    {"mode": "server"},
    {"mode": "seed", "seed": TEXT},
    {"mode": "decks", "decks": [random.Random(n).sample(CODES, 52) for n in range(3)]},
)
LENGTHS: dict[str, dict[str, int]] = {
    "simple": {"target": 20},
    "straight": {"target": 25},
    "hollywood": {"target": 20},
    "openspiel": {"deals": 2},
    "penalty": {"deals": 1},
}
"""What these are played to; the others go to forty points."""
FURTHER = ("eleven", "declared of 3", "declared of 4", "knock only", "reshuffled")
COMPANIES = [
    (name, others)
    for number, name in enumerate((*PRESET_GAMES, *FURTHER))
    for others in ("joined", "bots")
    if SOAK or others == ("joined", "bots")[number % 2]
]
"""Every game among callers and against bots; either of them where time is short."""
CURIOSITY = 1.0 if SOAK else 0.3
"""How likely each person is to pry at each version."""

LATE = 0.1
"""How likely the house moves for the seat in turn."""

REDACT = import_module("engine.redact")
VIEW = import_module("engine.view")
ENDING = import_module("engine.ending")
"""Modules behind functions of the same name."""


def any_action(dice: random.Random) -> dict[str, Any]:
    """Any action with any cards, seldom one that may be played."""
    kind = dice.choice((*PLAIN, "discard", "discard", "knock", "knock", "lay_off"))
    action: dict[str, Any] = {"type": kind}
    if kind in ("discard", "knock"):
        action["card"] = dice.choice(CODES)
    if kind in ("knock", "big_gin", "lay_off") and dice.random() < 0.3:
        action["melds"] = [dice.sample(CODES, 3)]
    if kind == "lay_off" and dice.random() < 0.5:
        action["layoffs"] = [{"card": dice.choice(CODES), "meld": dice.randrange(3)}]
    return action


async def pry(person: Listener, version: int, dice: random.Random) -> None:
    """Ask for everything, and for much that is refused; play nothing."""
    await person.match()
    await person.public_events(params={"after": max(0, version - 2)})
    await person.view()
    await person.of_seat("GET", "advice")
    await person.events(max(0, version - 2))
    await person.call("GET", f"/matches/{person.match_id}/{dice.choice(('deals', 'deals/1', 'deals/2'))}")
    for _ in range(3):
        await person.propose(any_action(dice), version)
        await person.act(any_action(dice), dice.choice((version - 1 or 2, version + 1)))
    headers = {"Content-Type": "application/json"}
    requests: tuple[tuple[str, dict[str, Any]], ...] = (
        ("moves", {"content": b"[" * 50, "headers": headers}),
        ("moves", {"json": {"intent": "gin_" + "A" * 90}}),
        ("moves", {"json": {"action": {"type": "discard", "card": "10H"}, "expected_version": version}}),
        ("intents", {"json": {"action": {"type": "cheat"}, "expected_version": version}}),
        ("intents", {"json": any_action(dice)}),
        ("view", {"seat": ((person.seat or 0) + 1) % 3}),
        ("moves", {"seat": 1, "json": {"action": {"type": "resign"}, "expected_version": version + 9}}),
        ("token", {"seat": ((person.seat or 0) + 1) % 3}),
        ("claims", {}),
        ("abort", {}),
    )
    for what, parts in dice.sample(requests, 2):
        await person.of_seat("GET" if what == "view" else "POST", what, **parts)


async def listened(
    house: House, party: Party, dice: random.Random, care: float, *, resigned_at: int | None = None
) -> list[Listener]:
    """Play a match to its end, or up to a version, while everybody pries, and return all who listened."""
    seats = {seat: Listener(person) for seat, person in party.people.items()}
    everybody = [*seats.values(), Listener(house.stranger(party.id))]
    while (match := (await house.table(party.id)).match).deal is not None:
        for person in everybody:
            if dice.random() < CURIOSITY:
                await pry(person, match.version, dice)
        if resigned_at is not None and match.version >= resigned_at:
            loser = seats[dice.choice(list(seats))]
            ok(await loser.act({"type": "resign"}, match.version), 201)
            continue
        if dice.random() < LATE:
            await run_out(house.session)
            ok(await dice.choice(list(seats.values())).claim(), 201)
            continue
        mover = seats[match.deal.turn]
        for action in (any_action(dice) for _ in range(3)):
            if refuses(match, action):
                assert (await mover.act(action, match.version)).status_code == 409
        action = choose(await mover.seen(), dice, care)
        if dice.random() < 0.5:
            ok(await mover.confirm(await mover.intent(action, match.version)), 201)
        else:
            ok(await mover.act(action, match.version), 201)
    for person in everybody:
        await pry(person, match.version, dice)
        await person.events()
        await person.public_events(params={"limit": 1000})
    return everybody


def refuses(match: Match, action: dict[str, Any]) -> bool:
    assert match.deal is not None
    try:
        engine.decide(match, match.deal.turn, action_from_wire(msgspec.convert(action, AnyActionBody)))
    except engine.Refusal:
        return True
    return False


def shortened(game: Game) -> dict[str, Any]:
    kept = {knob: value for knob, value in game.overrides.items() if knob != "penalty_limit"}
    return game.body | {"overrides": kept | LENGTHS.get(game.ruleset, {"target": 40})}


async def leaks(
    table: House,
    name: str,
    shuffle: dict[str, Any],
    seed: int,
    others: str,
    *,
    resigned_at: int | None = None,
) -> list[str]:
    """What leaks in a match of this game that is played by chance."""
    game = GAMES[name]
    seats: list[dict[str, str]] = [SELVES[0], *[OPEN if others == "joined" else BOT] * (game.seats - 1)]
    party = await table.create(
        *seats,
        **shortened(game),
        shuffle=shuffle,
        clock={"turn_seconds": 86_400},
        visibility="private" if seed % 3 else "link",
    )
    for _ in range(seats.count(OPEN)):
        await party.join("Eva")
    code = party.code if OPEN in seats else None
    found = []
    for listener in await listened(table, party, random.Random(seed), game.care, resigned_at=resigned_at):
        tokens = [person.token for person in party.people.values() if person.seat != listener.seat]
        truth = await truth_of(table, party.id, TEXT, code, *tokens)
        found += list(truth.leaks(listener))
    return found


@pytest.mark.parametrize(("game", "others"), COMPANIES)
async def test_nobody_is_told_what_he_may_not_know(sqlite_url: str, game: str, others: str) -> None:
    async with house(sqlite_url) as table:
        for seed in range(size(1, 3)):
            shuffle = SHUFFLES[(seed + list(GAMES).index(game)) % 3]
            assert await leaks(table, game, shuffle, seed, others) == []


@pytest.mark.parametrize("game", ["classic", "declared of 3"])
async def test_a_resignation_tells_no_more_than_it_may(sqlite_url: str, game: str) -> None:
    async with house(sqlite_url) as table:
        for seed, shuffle in enumerate(SHUFFLES * size(1, 3)):
            assert await leaks(table, game, shuffle, seed, "joined", resigned_at=5 + 9 * seed) == []


async def test_the_search_finds_what_leaks(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with house(sqlite_url) as table:
        with monkeypatch.context() as mutant:
            mutant.setattr(REDACT, "sees_card", lambda _event, _audience: True)
            found = await leaks(table, "simple", SHUFFLES[0], 0, "joined")
            assert any("in event" in leak for leak in found)
        with monkeypatch.context() as mutant:
            mutant.setattr(VIEW, "held", lambda deal, _audience: held(deal, 0))
            found = await leaks(table, "simple", SHUFFLES[2], 2, "joined")
            assert any("in the state" in leak for leak in found)
        with monkeypatch.context() as mutant:
            mutant.setattr("service.http.answers.request_id_of", lambda _request: TEXT)
            found = await leaks(table, "simple", SHUFFLES[1], 1, "joined")
            assert any("a secret" in leak for leak in found)
        with monkeypatch.context() as mutant:
            mutant.setattr(ENDING, "unscored", with_hands)
            found = await leaks(table, "simple", SHUFFLES[1], 1, "joined", resigned_at=9)
            assert any("a deal that is not the match's" in leak for leak in found)
            assert any("in event" in leak for leak in found)


def with_hands(deal: Deal, result: DealResult, _hands: tuple[HandShown, ...] = ()) -> DealRow:
    """The row of a deal without a score, which shows every hand, whatever the shuffle."""
    shown = (HandShown(seat, cards, (), (), cards, 0) for seat, cards in enumerate(deal.hands))
    return unscored(deal, result, tuple(shown))
