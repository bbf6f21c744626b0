"""From the scores of deals to the result of a match (R6.3–R6.6, R7.3), one scored deal at a time."""

from collections.abc import Collection
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from engine.actions import Seat
from engine.rules import MatchWinner, RuleSet, Scoring, Shutout
from engine.state import Column, PerSeat, put

_SHUTOUT: Final[dict[Shutout, tuple[int, int, int, int]]] = {
    Shutout.NONE: (1, 1, 1, 0),
    Shutout.DOUBLE_GAME_BONUS: (1, 2, 1, 0),
    Shutout.FLAT_100: (1, 1, 1, 100),
    Shutout.DOUBLE_HAND_POINTS: (2, 1, 1, 0),
    Shutout.DOUBLE_POINTS_AND_BONUS: (2, 2, 1, 0),
    Shutout.DOUBLE_ALL: (2, 2, 2, 0),
}
"""How often the winner of a shutout gets points, game bonus and boxes, and what is added to them (R6.4)."""


class Scored(Struct, frozen=True):
    """A scored deal: its winner and his points, boxes not included, or the penalties of all seats.

    A tie has no winner and no points (R6). Under penalty scoring the winner may be unknown.
    """

    winner: Seat | None
    points: int = 0
    penalties: PerSeat[int] | None = None


class Standing(Struct, frozen=True):
    """What the scored deals of a match add up to: points of the deals won, or penalties of each seat.

    `boxes` are the deals that each seat won; `latest_win` is the number of the last of them, counted in any
    way that grows with each deal, or 0.
    """

    points: PerSeat[int]
    boxes: PerSeat[int]
    latest_win: PerSeat[int]
    deals: int
    columns: tuple[Column, ...] | None


class Totals(Struct, frozen=True):
    """Where a match stands; `running` are points with boxes where they run, or penalties (R6.3, R7.3).

    `winner` and `totals` are None while it is not over.
    """

    winner: Seat | None
    running: PerSeat[int]
    totals: PerSeat[int] | None
    over: bool


def first_standing(rules: RuleSet, seats: int) -> Standing:
    """Return the standing before the first deal."""
    zeros = (0,) * seats
    columns = (Column(zeros, zeros, None),) * rules.columns if rules.columns > 1 else None
    return Standing(zeros, zeros, zeros, 0, columns)


def entered(rules: RuleSet, standing: Standing, deal: Scored, number: int) -> Standing:
    """Return the standing after one more scored deal; `number` is greater than those of all before it."""
    winner = deal.winner
    points = standing.points
    if deal.penalties is not None:
        points = tuple(sum(both) for both in zip(points, deal.penalties, strict=True))
    elif winner is not None:
        points = _add(points, winner, deal.points)
    if winner is None:
        return replace(standing, points=points, deals=standing.deals + 1)
    return Standing(
        points=points,
        boxes=_add(standing.boxes, winner, 1),
        latest_win=put(standing.latest_win, winner, number),
        deals=standing.deals + 1,
        columns=standing.columns and _with_entry(rules, standing.columns, winner, deal.points),
    )


def totals_of(rules: RuleSet, standing: Standing, *, first_dealer: Seat) -> Totals:
    """Return where a match stands; the first dealer may decide between equal penalties (R7.3)."""
    if rules.scoring is Scoring.PENALTY:
        return _penalties(rules, standing, first_dealer)
    if standing.columns is not None:
        return _hollywood(rules, standing, standing.columns)
    running = _running(rules, standing)
    over = standing.deals == rules.deals if rules.target is None else max(running) >= rules.target
    return _ended(rules, standing, running) if over else Totals(None, running, None, over=False)


def fewest_penalties(
    penalties: PerSeat[int], latest_win: PerSeat[int], among: Collection[Seat], *, first_dealer: Seat
) -> Seat:
    """Return who of these seats is best: equals are decided by the latest deal that one of them won.

    If none of them won any, the first of them after the first dealer is best (R7.3).
    """
    least = min(penalties[seat] for seat in among)
    fewest = [seat for seat in among if penalties[seat] == least]
    return min(fewest, key=lambda seat: (-latest_win[seat], (seat - first_dealer - 1) % len(penalties)))


def _penalties(rules: RuleSet, standing: Standing, first_dealer: Seat) -> Totals:
    running = standing.points
    limit = rules.penalty_limit
    if standing.deals != rules.deals and (limit is None or max(running) < limit):
        return Totals(None, running, None, over=False)
    seats = range(len(running))
    best = fewest_penalties(running, standing.latest_win, seats, first_dealer=first_dealer)
    return Totals(best, running, running, over=True)


def _ended(rules: RuleSet, standing: Standing, running: PerSeat[int]) -> Totals:
    ahead = _highest(running)
    shut_out = running.count(0) == len(running) - 1
    totals = _final(rules, standing.points, standing.boxes, ahead, shut_out=shut_out)
    winner = ahead
    if rules.target is not None and rules.match_winner is MatchWinner.HIGHEST_TOTAL:
        # R6.5: who reached the target has the game bonus, but boxes may overtake him.
        highest = _highest(totals)
        winner = ahead if highest is None else highest
    return Totals(winner, running, totals, over=True)


def _running(rules: RuleSet, standing: Standing) -> PerSeat[int]:
    """Return the running scores (R6.3)."""
    box = rules.box_bonus if rules.boxes_in_running_score else 0
    return tuple(points + box * boxes for points, boxes in zip(standing.points, standing.boxes, strict=True))


def _final(
    rules: RuleSet, points: PerSeat[int], boxes: PerSeat[int], winner: Seat | None, *, shut_out: bool
) -> PerSeat[int]:
    """Return the final totals (R6.4). Boxes count once, also where they ran with the score."""
    by_points, by_game, by_boxes, added = _SHUTOUT[rules.shutout if shut_out else Shutout.NONE]
    return tuple(
        by_points * of_seat + by_game * rules.game_bonus + by_boxes * rules.box_bonus * won + added
        if seat == winner
        else of_seat + rules.box_bonus * won
        for seat, (of_seat, won) in enumerate(zip(points, boxes, strict=True))
    )


def _hollywood(rules: RuleSet, standing: Standing, columns: tuple[Column, ...]) -> Totals:
    """Total the columns of R6.6; the running points are those of the whole match."""
    running = standing.points  # R6.6 stands in place of R6.3: boxes count in the columns' totals only
    closers = [column.closed_by for column in columns]
    if None in closers:
        return Totals(None, running, None, over=False)
    finals = [
        _final(
            rules,
            column.points,
            column.entries,
            column.closed_by,
            shut_out=column.entries.count(0) == len(running) - 1,
        )
        for column in columns
    ]
    totals = tuple(map(sum, zip(*finals, strict=True)))
    winner = max(_leaders(totals), key=closers.count)
    return Totals(winner, running, totals, over=True)


def _with_entry(rules: RuleSet, columns: tuple[Column, ...], winner: Seat, points: int) -> tuple[Column, ...]:
    """Enter a deal where the winner has an entry, and in the lowest open column where he has none (R6.6)."""
    after: list[Column] = []
    begun = False
    for column in columns:
        fresh = column.entries[winner] == 0
        takes = column.closed_by is None and not (fresh and begun)
        begun |= takes and fresh
        after.append(_entry(rules, column, winner, points) if takes else column)
    return tuple(after)


def _entry(rules: RuleSet, column: Column, winner: Seat, points: int) -> Column:
    after = _add(column.points, winner, points)
    closed = rules.target is not None and after[winner] >= rules.target
    return Column(after, _add(column.entries, winner, 1), winner if closed else None)


def _add(slots: PerSeat[int], seat: Seat, amount: int) -> PerSeat[int]:
    return put(slots, seat, slots[seat] + amount)


def _leaders(scores: PerSeat[int]) -> list[Seat]:
    return [seat for seat, score in enumerate(scores) if score == max(scores)]


def _highest(scores: PerSeat[int]) -> Seat | None:
    """Return the seat with the highest score, None where it is shared."""
    leaders = _leaders(scores)
    return leaders[0] if len(leaders) == 1 else None
