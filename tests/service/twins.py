"""Two matches that differ only in cards that an audience cannot know, and one script played on both."""

import random
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

import engine
from engine.actions import (
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Layoff,
    Move,
    Pass,
    Resign,
    Seat,
    TakeUpcard,
)
from engine.cards import DECK_SIZE, Card, CardSet, cards_of, set_of
from engine.known import Audience
from engine.shuffle import SEED_SIZE, Shuffle, ShuffleMode
from engine.state import Match, Phase
from tests.playbook import FOUR, Habits, Step, steps
from tests.service.games import GAMES
from tests.service.table_talk import Answer, Chance, House, Party, Person, codes, house
from tests.sizes import SOAK

Deck: TypeAlias = tuple[Card, ...]
Heard: TypeAlias = tuple[str, int, tuple[tuple[bytes, bytes], ...], bytes]
"""What was asked, and all of the answer: status, headers, body."""

NEXT_DECK: Final[Deck] = tuple(random.Random("next").sample(range(DECK_SIZE), DECK_SIZE))
LONGEST: Final = 200 if SOAK else 10
"""How many moves a script has at most, but for those that lead to a layoff or to the stock's end."""
INTO_THE_SECOND: Final = 5
"""How many moves of a second deal are looked at."""
PRY: Final = 52 if SOAK else 2
"""How many cards are asked for beside those that matter most."""


def second_seed() -> bytes:
    """The secret of the second match that a house makes, by which it shuffles a stock anew."""
    chance = Chance()
    chance.entropy(SEED_SIZE)
    return chance.entropy(SEED_SIZE)


SEED: Final = second_seed()


class Twins(Struct, frozen=True):
    """A moment at which two matches look alike to an audience: `swapped` are told apart by others only."""

    game: str
    dealer: Seat
    decks: tuple[Deck, Deck]
    script: tuple[tuple[Seat, Move], ...]
    audience: Audience
    swapped: tuple[Card, ...]
    moment: Match
    """The first of the two after the script."""

    def __repr__(self) -> str:
        """Show what is asked for."""
        return f"Twins({self.game}, {self.audience}, {self.moment!r}, {codes(self.swapped)})"


def begun(game: str, dealer: Seat, deck: Deck) -> Match:
    shuffle = Shuffle(ShuffleMode.DECKS, SEED, (deck, NEXT_DECK))
    return engine.start_match(GAMES[game].rules, FOUR[: GAMES[game].seats], shuffle, dealer).match


def course_of(match: Match, dice: random.Random, *, ends: float = 0.95) -> Iterator[Step]:
    """Play a match by chance; `ends` is how likely its players are to knock."""
    return steps(match, dice, (Habits(ends=ends),) * len(match.seats))


def twins_at(
    game: str, audience: Audience, phase: Phase, *, own_turn: bool, reshuffled: bool, dice: random.Random
) -> Twins:
    """Return twins that have come to a phase by chance, in the audience's turn or in another's.

    `reshuffled` are those whose stock was shuffled anew before.
    """
    late = reshuffled or phase is Phase.LAST_DISCARD
    while True:
        deck = tuple(dice.sample(range(DECK_SIZE), DECK_SIZE))
        dealer = dice.randrange(GAMES[game].seats)
        played: list[tuple[Seat, Move]] = []
        moments: list[tuple[Twins, CardSet]] = []
        shown = 0
        for step in course_of(begun(game, dealer, deck), dice, ends=0.0 if late else 0.95):
            before = step.before
            if before.deal_count or (not late and phase is not Phase.LAYOFF and len(played) > LONGEST):
                break
            assert before.deal is not None
            shown |= set_of(before.deal.discard_pile)
            at = _is_at(before, phase, audience, own_turn=own_turn)
            if at and bool(before.deal.reshuffles) == reshuffled:
                twins = Twins(game, dealer, (deck, deck), tuple(played), audience, (), before)
                moments.append((twins, shown))
            played.append((step.seat, step.move))
        dice.shuffle(moments)
        for identical, seen in moments:
            found = _told_apart(identical, seen, dice)
            if found is not None:
                return found


def twins_undealt(game: str, audience: Audience, dice: random.Random) -> Twins:
    """Return twins some moves into the second deal; cards left in the first one's stock tell them apart."""
    while True:
        deck = tuple(dice.sample(range(DECK_SIZE), DECK_SIZE))
        dealer = dice.randrange(GAMES[game].seats)
        course = list(islice(course_of(begun(game, dealer, deck), dice), 80))
        second = [number for number, step in enumerate(course) if step.before.deal_count == 1]
        if len(second) <= INTO_THE_SECOND:
            continue
        ended = course[second[0] - 1].before.deal
        assert ended is not None
        if len(ended.stock) < 2 or ended.reshuffles:
            continue
        one, two = ended.stock[-2:]
        swap = {one: two, two: one}
        script = tuple((step.seat, step.move) for step in course[: second[INTO_THE_SECOND]])
        moment = course[len(script)].before
        other = tuple(swap.get(card, card) for card in deck)
        assert _looks_alike(begun(game, dealer, other), script, moment, audience)
        return Twins(game, dealer, (deck, other), script, audience, (one, two), moment)


def _is_at(match: Match, phase: Phase, audience: Audience, *, own_turn: bool) -> bool:
    return match.deal is not None and match.deal.phase is phase and (match.deal.turn == audience) == own_turn


def _told_apart(twins: Twins, shown: CardSet, dice: random.Random) -> Twins | None:
    """Swap two pairs of hidden cards so that the script stays legal; the next card of the stock is one.

    Cards that were `shown` before the stock was shuffled anew told the matches apart then.
    """
    deal = twins.moment.deal
    assert deal is not None
    known = engine.known(twins.moment, twins.audience) | shown
    held = [card for hand in deal.hands for card in cards_of(hand & ~known)]
    stock = [card for card in deal.stock if not known >> card & 1]
    if len(stock) < 2:
        return None
    for _ in range(40):
        hidden = dice.sample(held, min(2, len(held)))
        others = [stock[0], *dice.sample(stock, min(5, len(stock)))]
        chosen = [*hidden, *dict.fromkeys(others)][:4]
        swap = dict(zip(chosen, chosen[2:] + chosen[:2], strict=True))
        other = tuple(swap.get(card, card) for card in twins.decks[0])
        if _looks_alike(begun(twins.game, twins.dealer, other), twins.script, twins.moment, twins.audience):
            return replace(twins, decks=(twins.decks[0], other), swapped=tuple(chosen))
    return None


def _looks_alike(
    match: Match, script: tuple[tuple[Seat, Move], ...], moment: Match, audience: Audience
) -> bool:
    """Whether the script is legal on a match and comes to the moment with the same cards known."""
    try:
        for seat, action in script:
            match = engine.apply(match, seat, action).match
    except engine.Refusal:
        return False
    same = match.deal is not None and moment.deal is not None and match.deal.phase is moment.deal.phase
    return same and engine.known(match, audience) == engine.known(moment, audience)


async def differences(files: Iterator[Path], twins: Twins) -> list[tuple[Heard, Heard]]:
    """Play the script on both matches, each in a world of its own, and return what was not told alike."""
    told = []
    for deck in twins.decks:
        async with house(f"sqlite:///{next(files)}") as table:
            told.append(await overheard(table, twins, deck))
    assert len(told[0]) == len(told[1])
    return [(one, other) for one, other in zip(*told, strict=True) if one != other]


def copies(migrated: Path, folder: Path) -> Iterator[Path]:
    """Migrated files without end."""
    number = 0
    while True:
        number += 1
        yield Path(shutil.copy(migrated, folder / f"{number}.db"))


class Ear(Person):
    """A person who writes down every answer to the last byte."""

    def __init__(self, person: Person) -> None:
        super().__init__(person.house, person.match_id, person.seat, person.token)
        self.heard: list[Heard] = []

    async def call(self, method: str, path: str, **parts: Any) -> Answer:  # noqa: ANN401  as httpx takes
        answer = await super().call(method, path, **parts)
        asked = f"{method} {path} {parts}"
        self.heard.append((asked, answer.status_code, tuple(answer.headers.raw), answer.content))
        return answer


async def overheard(table: House, twins: Twins, deck: Deck) -> list[Heard]:
    """Play the script on a deck and return all that the audience hears, up to the moment and at it."""
    other = await table.create()
    game = GAMES[twins.game]
    party = await table.create(
        *game.selves(),
        **game.body,
        first_dealer=twins.dealer,
        shuffle={"mode": "decks", "decks": [codes(deck), codes(NEXT_DECK)]},
        visibility="link",
    )
    assert (await table.table(party.id)).match.shuffle.server_seed == SEED
    if twins.audience is None:
        ear = Ear(table.stranger(party.id))
    else:
        ear = Ear(party[twins.audience])
        party.people[twins.audience] = ear
    mine = await _played(party, ear, twins)
    await _looked(ear, len(twins.script) + 1)
    await _pried(ear, other[0], twins, mine)
    return ear.heard


async def _played(party: Party, ear: Ear, twins: Twins) -> list[tuple[Move, int, str | None]]:
    """Play the script, by intents and without, and return the audience's own part of it."""
    mine = []
    for version, (seat, action) in enumerate(twins.script, start=1):
        intent = await party[seat].intent(action, version) if version % 2 else None
        answer = await (party[seat].confirm(intent) if intent else party[seat].act(action, version))
        assert answer.status_code == 201, answer.text
        if seat == ear.seat:
            mine.append((action, version, intent))
        if version % 3 == 0:
            await _looked(ear, version + 1)
    return mine


async def _looked(ear: Ear, version: int) -> None:
    for tag in (f'"{ear.match_id}.{version}.{audience}"' for audience in (ear.seat, "public")):
        await ear.match(headers={"If-None-Match": tag})
        await ear.view(headers={"If-None-Match": tag})
    await ear.match()
    await ear.public_events()
    await ear.view()
    await ear.events()
    await ear.events(version - 1, 2)


async def _pried(ear: Ear, other: Person, twins: Twins, mine: list[tuple[Move, int, str | None]]) -> None:
    """Try every action, and much that is none, without playing anything."""
    version = twins.moment.version
    await ear.of_seat("GET", "advice")
    for number, action in enumerate(actions_at(twins)):
        await ear.propose(action, version)
        if number % 5 == 0:
            await ear.act(action, version - 1)
        if ear.seat is None or _refuses(twins.moment, ear.seat, action):
            await ear.act(action, version)
    for played, at, intent in mine[-4:]:
        await ear.act(played, at)
        if intent is not None:
            await ear.confirm(intent)
    await ear.confirm("gin_AAAA")
    await ear.act({"type": "cheat"}, version)
    await ear.act({"type": "discard", "card": "10H"}, version)
    for seat in range(len(twins.moment.seats) + 1):
        for what in ("view", "advice", "events", "intents", "moves", "token"):
            if seat != ear.seat:
                reading = what in ("view", "advice", "events")
                await ear.of_seat("GET" if reading else "POST", what, seat=seat)
                await ear.of_seat("GET" if reading else "POST", what, seat=seat, token=other.token)


def _refuses(match: Match, seat: Seat, action: Move) -> bool:
    try:
        engine.decide(match, seat, action)
    except engine.Refusal:
        return True
    return False


def actions_at(twins: Twins) -> list[Move]:
    """Every kind of action, with the cards that were swapped and others."""
    deal = twins.moment.deal
    assert deal is not None
    hand = cards_of(deal.hands[twins.audience]) if twins.audience is not None else ()
    dice = random.Random(len(twins.script))
    cards = dict.fromkeys(
        (
            *twins.swapped,
            *deal.discard_pile[-1:],
            *dice.sample(hand, min(len(hand), PRY)),
            *dice.sample(range(DECK_SIZE), PRY),
        )
    )
    layoff = deal.phase is Phase.LAYOFF
    stated = (sum(1 << card for card in hand[:3]), sum(1 << card for card in twins.swapped[:3]))
    return [
        *(TakeUpcard(), Pass(), DrawStock(), DrawDiscard(), BigGin(), LayOff(), LayOff((), ()), Resign()),
        *(action for card in cards for action in (Discard(card), Knock(card))),
        *(Knock(card, (meld,)) for card in hand[-2:] for meld in stated if meld),
        *(LayOff(None, (Layoff(card, meld),)) for card in (cards if layoff else hand[:1]) for meld in (0, 1)),
    ]
