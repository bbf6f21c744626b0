"""Deals and matches between two players, compiled."""

from typing import Final

import numpy as np

from training import deal as at
from training.compiling import compiled
from training.deal import begin, below, decline, draw, shuffled, stock, take, throw
from training.features import COUNT, DEALS, GINS, HISTORY, KNOCK_POINTS, KNOCKS
from training.hands import deadwood
from training.layoffs import spread
from training.nets import AWAIT, KNOCK, STOCK, Net, value
from training.players import KNOCKED, ends_turn, wants
from training.tables import Floats, Ints

GIN_BONUS: Final = 25
UNDERCUT_BONUS: Final = 25
TARGET: Final = 100
MOST_DEALS: Final = 200
MOST_TURNS: Final = 200
_FLOOR: Final = 2
_NEVER: Final = 1_000_000
_POINT: Final = 2.0**26

SAMPLES: Final = 160
"""The most decisions of a seat in a deal of which samples are kept."""


@compiled
def settled(knocker: int, defender: int) -> int:
    """Return the knocker's points for a knock or gin with ten cards, negative where it is undercut (R6)."""
    points = deadwood(knocker)
    if points == 0:
        return GIN_BONUS + deadwood(defender)
    left = spread(knocker, points, np.empty(3, dtype=np.int64), 0, defender)
    return left - points if left > points else -(UNDERCUT_BONUS + points - left)


@compiled
def play_deal(
    deal: Ints,
    deck: Ints,
    dealer: int,
    limit: int,
    players: tuple[int, int],
    net_first: Net,
    net_second: Net,
    histories: Ints,
    dice: Ints,
    exploring: Ints,
    told: Floats,
    which: Ints,
    kept: Ints,
) -> int:
    """Play a deal; return the points of seat 0 (negative where seat 1 scores), 0 where it is void.

    `histories` holds what each seat has kept of the other, and is moved on. Each seat makes its choice
    number `exploring[seat]` at random; from it on `told`, `which` and `kept` get its samples.
    """
    begin(deal, deck, dealer, limit)
    kept[:] = 0
    made = np.zeros(2, dtype=np.int64)
    explore = np.zeros((2, 2), dtype=np.int64)
    scratch = np.empty(COUNT)
    for seat in range(2):
        explore[seat, 1] = dice[0] + seat + 1
    seat = 1 - dealer
    offered = 2
    points = 0
    while True:
        # A deal opens with the upcard offered to both; then the first must draw from the stock (R2.4).
        taken = -1
        draws = offered == 0
        if offered or deal[at.TURNS]:
            if made[seat] == exploring[seat]:
                explore[seat, 0] = 1
            if _wants(deal, seat, players, net_first, net_second, histories, scratch, explore):
                taken = take(deal, seat)
                draws = False
            else:
                decline(deal, seat)
                draws = offered == 0
                _keep(seat, STOCK, made, exploring, scratch, told, which, kept)
            made[seat] += 1
        if taken < 0 and not draws:
            offered -= 1
            seat = 1 - seat
            continue
        if taken < 0:
            draw(deal, seat, deck)
        offered = 0
        if made[seat] == exploring[seat]:
            explore[seat, 0] = 1
        if seat == 0:
            action = ends_turn(deal, 0, taken, players[0], net_first, histories[0], scratch, explore[0], dice)
        else:
            action = ends_turn(
                deal, 1, taken, players[1], net_second, histories[1], scratch, explore[1], dice
            )
        card = action % KNOCKED
        left = deadwood(deal[at.HAND + seat] ^ 1 << card)
        if left and (action >= KNOCKED or stock(deal) > _FLOOR):
            _keep(
                seat,
                KNOCK if action >= KNOCKED else AWAIT,
                made,
                exploring,
                scratch,
                told,
                which,
                kept,
            )
        made[seat] += 1
        throw(deal, seat, card)
        if action >= KNOCKED:
            points = settled(deal[at.HAND + seat], deal[at.HAND + 1 - seat])
            seen = histories[1 - seat]
            if left:
                seen[KNOCKS] += 1
                seen[KNOCK_POINTS] += left
            else:
                seen[GINS] += 1
            points = points if seat == 0 else -points
            break
        if stock(deal) <= _FLOOR or deal[at.TURNS] >= MOST_TURNS:
            break
        seat = 1 - seat
    histories[0, DEALS] += 1
    histories[1, DEALS] += 1
    return points


@compiled
def _wants(
    deal: Ints,
    seat: int,
    players: tuple[int, int],
    net_first: Net,
    net_second: Net,
    histories: Ints,
    scratch: Floats,
    explore: Ints,
) -> bool:
    if seat == 0:
        return wants(deal, 0, players[0], net_first, histories[0], scratch, explore[0])
    return wants(deal, 1, players[1], net_second, histories[1], scratch, explore[1])


@compiled
def _keep(
    seat: int,
    kind: int,
    made: Ints,
    exploring: Ints,
    scratch: Floats,
    told: Floats,
    which: Ints,
    kept: Ints,
) -> None:
    if made[seat] >= exploring[seat] and kept[seat] < SAMPLES:
        told[seat, kept[seat]] = scratch
        which[seat, kept[seat]] = kind
        kept[seat] += 1


@compiled
def play_match(
    seed: int,
    match: int,
    mirrored: bool,
    limit: int,
    players: tuple[int, int],
    net_first: Net,
    net_second: Net,
    tally: Ints,
) -> int:
    """Play a match to 100; return the seat that wins, or -1 (R2.6). `mirrored` deals to the other seat first.

    `tally` gets deals, knocks, undercuts, gins of seat 0, then those of seat 1, then void deals.
    """
    deal = np.empty(at.SIZE, dtype=np.int64)
    deck = np.empty(at.DECK, dtype=np.int64)
    histories = np.zeros((2, HISTORY), dtype=np.int64)
    dice = np.array([seed * 7919 + match * 2 + mirrored], dtype=np.int64)
    exploring = np.array([_NEVER, _NEVER])
    told = np.empty((2, SAMPLES, COUNT))
    which = np.empty((2, SAMPLES), dtype=np.int64)
    kept = np.zeros(2, dtype=np.int64)
    scores = np.zeros(2, dtype=np.int64)
    dealer = (match + mirrored) % 2
    for number in range(MOST_DEALS):
        shuffled(deck, seed, match, number)
        points = play_deal(
            deal,
            deck,
            dealer,
            limit,
            players,
            net_first,
            net_second,
            histories,
            dice,
            exploring,
            told,
            which,
            kept,
        )
        tally[0] += 1
        if points:
            scores[0 if points > 0 else 1] += abs(points)
            dealer = 1 - dealer
        else:
            tally[7] += 1
        for seat in range(2):
            if scores[seat] >= TARGET:
                for side in range(2):
                    tally[1 + 2 * side] += histories[1 - side, KNOCKS]
                    tally[2 + 2 * side] += histories[1 - side, GINS]
                return seat
    return -1


@compiled
def play_pairs(
    seed: int,
    first: int,
    pairs: int,
    limit: int,
    players: tuple[int, int],
    net_first: Net,
    net_second: Net,
    wins: Ints,
    tally: Ints,
) -> None:
    """Play pairs of matches over the same shuffles, seats exchanged; write the wins of the first player."""
    for pair in range(pairs):
        for mirrored in range(2):
            if (
                play_match(seed, first + pair, mirrored == 1, limit, players, net_first, net_second, tally)
                == 0
            ):
                wins[pair] += 1


@compiled
def collect(
    seed: int,
    matches: int,
    limit: int,
    players: tuple[int, int],
    net_first: Net,
    net_second: Net,
    learning: tuple[bool, bool],
    spread_over: int,
    trust: float,
    out_told: Floats,
    out_which: Ints,
    out_points: Floats,
) -> tuple[int, int]:
    """Play matches and write the samples of the learning seats; return how many, and of how many deals.

    Each learning seat makes one choice of a deal at random: one of its first `spread_over`, all alike.
    What a choice brought is counted as the points of the deal by `trust`, at each later choice of the seat,
    and as what the net expected of that later choice by the rest: 1 counts points alone.
    """
    deal = np.empty(at.SIZE, dtype=np.int64)
    deck = np.empty(at.DECK, dtype=np.int64)
    exploring = np.array([_NEVER, _NEVER])
    told = np.empty((2, SAMPLES, COUNT))
    which = np.empty((2, SAMPLES), dtype=np.int64)
    kept = np.zeros(2, dtype=np.int64)
    scores = np.zeros(2, dtype=np.int64)
    dice = np.array([seed * 7919], dtype=np.int64)
    count, deals = 0, 0
    for match in range(matches):
        histories = np.zeros((2, HISTORY), dtype=np.int64)
        scores[:] = 0
        dealer = match % 2
        for number in range(MOST_DEALS):
            shuffled(deck, seed, match, number)
            for seat in range(2):
                exploring[seat] = below(dice, spread_over) if learning[seat] else _NEVER
            points = play_deal(
                deal,
                deck,
                dealer,
                limit,
                players,
                net_first,
                net_second,
                histories,
                dice,
                exploring,
                told,
                which,
                kept,
            )
            deals += 1
            for seat in range(2):
                brought = float(points if seat == 0 else -points)
                for place in range(kept[seat] - 1, -1, -1):
                    if count < len(out_which):
                        out_told[count] = told[seat, place]
                        out_which[count] = which[seat, place]
                        out_points[count] = brought
                        count += 1
                    if trust < 1.0:
                        net = net_first if seat == 0 else net_second
                        expected = value(net, which[seat, place], told[seat, place]) / _POINT
                        brought = trust * brought + (1.0 - trust) * expected
            if points:
                scores[0 if points > 0 else 1] += abs(points)
                dealer = 1 - dealer
            if max(scores) >= TARGET:
                break
    return count, deals
