"""The compiled game of the training against the engine: the same cards and nets, the same deals."""

from pathlib import Path

import numpy as np
import pytest

import engine
from engine.bots import expert
from engine.shuffle import Shuffle, ShuffleMode
from engine.state import Match, Status
from tests.playbook import CLASSIC, SECRET, TABLE, in_turn
from tests.sizes import size
from training import deal as at
from training.features import COUNT, HISTORY
from training.learning import read
from training.matches import SAMPLES, play_deal
from training.nets import Net
from training.players import NET

SEED = 20_261_129
NEVER = 1_000_000


def of_training(net: Net, match: int) -> list[int]:
    """The points of seat 0, deal by deal, of a match that the compiled game plays."""
    deal, deck = np.empty(at.SIZE, dtype=np.int64), np.empty(at.DECK, dtype=np.int64)
    histories = np.zeros((2, HISTORY), dtype=np.int64)
    never, none = np.array([NEVER, NEVER]), np.zeros(2, dtype=np.int64)
    told, which = np.empty((2, SAMPLES, COUNT)), np.empty((2, SAMPLES), dtype=np.int64)
    dice = np.zeros(1, dtype=np.int64)
    rows: list[int] = []
    scores, dealer = [0, 0], 0
    while max(scores) < 100:
        at.shuffled(deck, SEED, match, len(rows))
        points = play_deal(
            deal, deck, dealer, 10, (NET, NET), net, net, histories, dice, never, told, which, none
        )
        rows.append(points)
        scores[points < 0] += abs(points)
        dealer ^= points != 0
    return rows


def of_engine(match: int) -> list[int]:
    """The same of the engine, in which the expert plays both seats."""
    last = finished(match)
    return [row.points if row.winner == 0 else -row.points for row in last.deals]


def finished(match: int) -> Match:
    deck = np.empty(at.DECK, dtype=np.int64)
    decks = []
    for number in range(60):
        at.shuffled(deck, SEED, match, number)
        decks.append(tuple(map(int, deck)))
    now = engine.start_match(CLASSIC, TABLE, Shuffle(ShuffleMode.DECKS, SECRET, tuple(decks)), 0).match
    while now.status is not Status.FINISHED:
        seat = in_turn(now)
        now = engine.apply(now, seat, expert.choose(engine.view(now, seat), b"")).match
    return now


@pytest.mark.parametrize("match", range(size(3, 100)))
def test_the_compiled_game_is_the_game(match: int) -> None:
    net = read(Path(expert.__file__).with_name("expert.json"))
    assert of_training(net, match) == of_engine(match)
