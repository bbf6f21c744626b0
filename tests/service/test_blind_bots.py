"""No level of bots is swayed by a card that its seat cannot know, on the way that a stored match goes."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Final
from uuid import UUID

import pytest
from msgspec.structs import replace

import engine
from engine.actions import Move, Seat
from engine.bots import Level, choose, replies
from engine.known import Audience
from engine.state import Match, Player, PlayerKind
from engine.view import View
from service.db.codec import Snapshot, encode_generations, encode_snapshot
from service.db.rows import StoredMatch
from service.matches.table import opened
from tests.engine.seen import twin
from tests.engine.tables import TABLES
from tests.playbook import running
from tests.sizes import size

STATES: Final = size(150, 1000)
PERMUTATIONS: Final = size(4, 10)
SEED: Final = b"the seed of a bot"
AT: Final = datetime(2026, 1, 2, tzinfo=UTC)


def stored(match: Match) -> StoredMatch:
    """Return the row of a match, as a step leaves it."""
    seats = len(match.seats)
    snapshot = Snapshot(
        match=match, seq=1, hints=True, metadata={}, creator_seats=(), bot_seeds=(SEED,) * seats
    )
    return StoredMatch(
        id=UUID(int=1),
        status=match.status.value,
        visibility="private",
        ruleset="classic@1",
        version=match.version,
        generations=encode_generations((0,) * seats),
        snapshot=encode_snapshot(snapshot),
        join_digest=None,
        created_at=AT,
        updated_at=AT,
        finished_at=None,
    )


class Listening:
    """Hears what a bot chooses where the service lets it reply."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.chosen: list[Move] = []
        patch.setattr("engine.bots.reply.choose", self._choose)

    def reply_to(self, match: Match, level: Level) -> Move:
        """Return what a bot of this level does in a match, read from its row."""
        seats = (Player(PlayerKind.BOT, level=level),) * len(match.seats)
        table = opened(stored(replace(match, seats=seats)))
        self.chosen.clear()
        next(replies(table.match, table.snapshot.bot_seeds))
        return self.chosen[0]

    def _choose(self, view: View, level: Level, seed: bytes) -> Move:
        self.chosen.append(choose(view, level, seed))
        return self.chosen[-1]


@pytest.fixture
def listening(monkeypatch: pytest.MonkeyPatch) -> Listening:
    return Listening(monkeypatch)


@cache
def states() -> tuple[Match, ...]:
    """Moments of matches at every table, as many as are asked for, by turns."""
    dice = random.Random("blind")
    found: list[Match] = []
    number = 0
    while len(found) < STATES:
        for table in TABLES.values():
            moments = [step.before for step in table.steps(number) if step.before.deal is not None]
            found += dice.sample(moments, min(2, len(moments)))
        number += 1
    return tuple(dice.sample(found, STATES))


def swayed(listening: Listening, level: Level) -> Iterator[tuple[Match, Seat]]:
    """Tell of each moment in which a permutation of cards that a seat cannot know changes what it does."""
    dice = random.Random(level)
    for match in states():
        seat = running(match).turn
        chosen = listening.reply_to(match, level)
        others = (twin(match, seat, dice) for _ in range(PERMUTATIONS))
        if any(listening.reply_to(other, level) != chosen for other in others):
            yield match, seat


@pytest.mark.parametrize("level", Level)
def test_no_level_is_swayed_by_what_its_seat_cannot_know(listening: Listening, level: Level) -> None:
    assert list(swayed(listening, level)) == []


def with_every_hand(match: Match, audience: Audience) -> View:
    """A leak: the others' hands stand among the cards that the seat knows of them."""
    seen = engine.view(match, audience)
    hands = running(match).hands
    return replace(
        seen,
        opponents=tuple(replace(other, known_cards=hands[other.seat]) for other in seen.opponents),
    )


def with_the_next_card(match: Match, audience: Audience) -> View:
    """A leak: the version, of which the dice are made, depends on the top of the stock."""
    return replace(engine.view(match, audience), version=running(match).stock[0])


@pytest.mark.parametrize(
    ("leak", "level"),
    [
        (with_every_hand, Level.STRONG),
        (with_every_hand, Level.EXPERT),
        (with_the_next_card, Level.BEGINNER),
        (with_the_next_card, Level.CLUB),
    ],
)
def test_a_player_that_peeks_through_a_leak_is_caught(
    listening: Listening, monkeypatch: pytest.MonkeyPatch, leak: object, level: Level
) -> None:
    monkeypatch.setattr("engine.bots.reply.view", leak)
    assert next(swayed(listening, level), None) is not None
