"""The compiled game of the training against the engine: the same cards and nets, the same deals."""

import random
from pathlib import Path

import numpy as np
import pytest

import engine
from engine.bots import expert
from engine.bots.style import HASTY_FROM
from engine.cards import CardSet, set_of
from engine.layoffs import best_spread, defend
from engine.scoring import lays_off, score_deal
from engine.shuffle import Shuffle, ShuffleMode
from engine.state import DealRow, Status
from tests.playbook import CLASSIC, SECRET, TABLE, in_turn, rows_of
from tests.sizes import size
from training import deal as at
from training.features import COUNT, HISTORY
from training.learning import read
from training.matches import SAMPLES, play_deal, play_pairs, settled
from training.nets import Net, empty, layered
from training.players import GREEDY, NET, PATIENT, SIMPLE

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
    return [row.points if row.winner == 0 else -row.points for row in finished(match)]


def finished(match: int) -> list[DealRow]:
    deck = np.empty(at.DECK, dtype=np.int64)
    decks = []
    for number in range(60):
        at.shuffled(deck, SEED, match, number)
        decks.append(tuple(map(int, deck)))
    now = engine.start_match(CLASSIC, TABLE, Shuffle(ShuffleMode.DECKS, SECRET, tuple(decks)), 0).match
    rows: list[DealRow] = []
    while now.status is not Status.FINISHED:
        seat = in_turn(now)
        played = engine.apply(now, seat, expert.choose(engine.view(now, seat), b""))
        rows += rows_of(played.events)
        now = played.match
    return rows


@pytest.mark.parametrize("match", range(size(2, 100)))
def test_the_compiled_game_is_the_game(match: int) -> None:
    usual, hasty = (read(Path(expert.__file__).with_name(f"{name}.json")) for name in ("expert", "hasty"))
    assert of_training(layered(usual, hasty, HASTY_FROM), match) == of_engine(match)


def test_a_knock_is_settled_as_the_engine_settles_it() -> None:
    dice = random.Random(SEED)
    for _ in range(size(300, 20_000)):
        knocker, defender = neighbours(dice)
        spread = best_spread(CLASSIC, knocker, (defender,), laying_off=True)
        if spread.deadwood <= CLASSIC.knock_limit:
            laying_off = lays_off(CLASSIC, knocker_deadwood=spread.deadwood)
            answer = defend(CLASSIC, spread.melds, (), defender, layoffs=None if laying_off else ())
            deadwoods = (spread.deadwood, answer.deadwood)
            score = score_deal(CLASSIC, knocker=0, deadwoods=deadwoods, big_gin=False, upcard=None)
            assert settled(knocker, defender) == (score.points if score.winner == 0 else -score.points)


def neighbours(dice: random.Random) -> tuple[CardSet, CardSet]:
    """Two hands from half a deck, so that there is much to meld and to lay off."""
    first = dice.randrange(7)
    cards = [card for card in range(52) if first <= card % 13 <= first + 6]
    dealt = dice.sample(cards, 20)
    return set_of(dealt[:10]), set_of(dealt[10:])


def test_players_are_as_strong_as_the_yardsticks_say() -> None:
    assert won(GREEDY, SIMPLE) == pytest.approx(0.46, abs=size(60, 15) / 1000)
    assert won(PATIENT, SIMPLE) == pytest.approx(0.76, abs=size(60, 15) / 1000)


def won(player: int, other: int) -> float:
    """The share of mirrored matches that a player wins."""
    pairs = size(300, 5_000)
    wins, tally = np.zeros(pairs, dtype=np.int64), np.zeros(8, dtype=np.int64)
    play_pairs(SEED, 0, pairs, 10, (player, other), empty(), empty(), wins, tally)
    return float(wins.mean()) / 2
