"""Matches between bots over mirrored deals, and what they say about who plays better.

A pair of matches has one shuffle and both seatings, so that luck of the cards cancels; the confidence
interval takes a pair as one observation, for its two matches are not independent.
"""

import hashlib
import math
import multiprocessing
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from typing import Final, TypeAlias

from msgspec import Struct

import engine
from engine.actions import Move, Seat
from engine.rules import RuleSet
from engine.shuffle import Shuffle, ShuffleMode, seed_of_text
from engine.state import Match, Player, PlayerKind
from engine.view import View

Chooser: TypeAlias = Callable[[View, bytes], Move]

_Z: Final = 1.96
"""95 % of a normal distribution lie within so many standard deviations."""
_SEATED: Final = Player(PlayerKind.BOT, "Arena", "club")
_CHUNK: Final = 10
"""How many pairs a process plays between two answers."""


class Duel(Struct, frozen=True):
    """What the first player won of each pair of matches, in matches: 0, ½, 1, 1½ or 2."""

    pairs: tuple[float, ...]

    @property
    def matches(self) -> int:
        """How many matches were played."""
        return 2 * len(self.pairs)

    @property
    def rate(self) -> float:
        """The share of matches that the first player won, in percent."""
        return 50 * sum(self.pairs) / len(self.pairs)

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval, in percent."""
        count = len(self.pairs)
        if count < 2:
            return 50.0
        mean = sum(self.pairs) / count
        variance = sum((won - mean) ** 2 for won in self.pairs) / (count - 1)
        return 50 * _Z * math.sqrt(variance / count)

    def __str__(self) -> str:
        """Tell the rate, its interval and the number of matches."""
        return f"{self.rate:5.1f} ± {self.margin:.1f} % of {self.matches}"


def duel(rules: RuleSet, first: Chooser, second: Chooser, *, seed: str, matches: int, processes: int) -> Duel:
    """Play so many matches, rounded up to pairs, and return how the first player fared."""
    numbers = range((matches + 1) // 2)
    chunks = [numbers[start : start + _CHUNK] for start in range(0, len(numbers), _CHUNK)]
    play = partial(_pairs, rules, first, second, seed)
    if processes == 1:
        return Duel(tuple(chain.from_iterable(map(play, chunks))))
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        return Duel(tuple(chain.from_iterable(pool.imap(play, chunks))))


def pair(rules: RuleSet, first: Chooser, second: Chooser, text: str) -> float:
    """Return how many of two matches over the same shuffles the first player won, once in each seat."""
    seeds = (bot_seed(text, 0), bot_seed(text, 1))
    one = winner(last_of(rules, (first, second), seeds, text))
    other = winner(last_of(rules, (second, first), (seeds[1], seeds[0]), text))
    return _won(one, 0) + _won(other, 1)


def last_of(rules: RuleSet, players: Sequence[Chooser], seeds: Sequence[bytes], text: str) -> Match:
    """Play the match that this text shuffles, and return it finished."""
    shuffle = Shuffle(ShuffleMode.SEED, seed_of_text(text))
    match = engine.start_match(rules, (_SEATED,) * len(players), shuffle, 0).match
    while match.deal is not None:
        seat = match.deal.turn
        match = engine.apply(match, seat, players[seat](engine.view(match, seat), seeds[seat])).match
    return match


def decisions(rules: RuleSet, player: Chooser, against: Chooser, seed: str, matches: int) -> list[float]:
    """Return how many seconds of processor time each decision of a player took in so many matches."""
    seconds: list[float] = []
    for number in range(matches):
        text = f"{seed} {number}"
        seeds = (bot_seed(text, 0), bot_seed(text, 1))
        last_of(rules, (_timed(player, seconds), against), seeds, text)
    return seconds


def bot_seed(text: str, number: int) -> bytes:
    """Return the seed of a player; it has nothing to do with the shuffle's."""
    return hashlib.sha256(f"arena {number} {text}".encode()).digest()


def winner(match: Match) -> Seat | None:
    """Return who won a finished match, or None if nobody did."""
    return None if match.result is None else match.result.winner


def _pairs(rules: RuleSet, first: Chooser, second: Chooser, seed: str, numbers: Sequence[int]) -> list[float]:
    return [pair(rules, first, second, f"{seed} {number}") for number in numbers]


def _won(winner: Seat | None, seat: Seat) -> float:
    return 0.5 if winner is None else float(winner == seat)


def _timed(chooser: Chooser, seconds: list[float]) -> Chooser:
    def choose(view: View, seed: bytes) -> Move:
        started = time.thread_time()
        action = chooser(view, seed)
        seconds.append(time.thread_time() - started)
        return action

    return choose
