"""From the scores of deals to the result of a match (R6.3–R6.6, R7.3): pure functions of both."""

from collections.abc import Collection, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from engine.actions import Seat
from engine.rules import MatchWinner, RuleSet, Shutout
from engine.state import Column, PerSeat

_SHUTOUT: Final[dict[Shutout, tuple[int, int, int, int]]] = {
    Shutout.NONE: (1, 1, 1, 0),
    Shutout.DOUBLE_GAME_BONUS: (1, 2, 1, 0),
    Shutout.FLAT_100: (1, 1, 1, 100),
    Shutout.DOUBLE_HAND_POINTS: (2, 1, 1, 0),
    Shutout.DOUBLE_POINTS_AND_BONUS: (2, 2, 1, 0),
    Shutout.DOUBLE_ALL: (2, 2, 2, 0),
}
"""How often the winner of a shutout gets points, game bonus and boxes, and what is added to them (R6.4)."""

Scored: TypeAlias = tuple[Seat | None, int]
"""The winner of a scored deal and his points, boxes not included; a tie has neither (R6)."""


class Totals(Struct, frozen=True):
    """Where a match stands; `winner` and `totals` are None while it is not over.

    `counted` is how many of the given deals belong to the match: none is played after its end.
    """

    winner: Seat | None
    running: PerSeat[int]
    boxes: PerSeat[int]
    totals: PerSeat[int] | None
    columns: tuple[Column, ...] | None
    over: bool
    counted: int


class PenaltyTotals(Struct, frozen=True):
    """Where a match with penalty scoring stands (R7.3); `winner` is None while it is not over."""

    winner: Seat | None
    running: PerSeat[int]
    over: bool
    counted: int


class _Sheet(Struct, frozen=True):
    """Points and boxes of each seat, in a match or in one column of it."""

    points: PerSeat[int]
    boxes: PerSeat[int]

    def enter(self, winner: Seat | None, points: int) -> "_Sheet":
        if winner is None:
            return self
        return _Sheet(_add(self.points, winner, points), _add(self.boxes, winner, 1))


def match_totals(rules: RuleSet, seats: int, deals: Sequence[Scored]) -> Totals:
    """Return where a match under points scoring stands after these scored deals, void ones left out."""
    if rules.columns > 1:
        return _hollywood(rules, seats, deals)
    sheet = _empty(seats)
    for counted, (winner, points) in enumerate(deals, 1):
        sheet = sheet.enter(winner, points)
        if _reached_end(rules, sheet, counted):
            return _ended(rules, sheet, counted)
    running = _running(rules, sheet)
    return Totals(None, running, sheet.boxes, None, None, over=False, counted=len(deals))


def penalty_totals(
    rules: RuleSet, seats: int, deals: Sequence[tuple[Seat | None, PerSeat[int]]], *, first_dealer: Seat
) -> PenaltyTotals:
    """Return where a match under penalty scoring stands; each deal gives its winner, if known, and penalties.

    Fewest penalties win; equals are decided by the latest deal that one of them won, else by the
    first of them after `first_dealer` (R7.3).
    """
    running = (0,) * seats
    for counted, (_, penalties) in enumerate(deals, 1):
        running = tuple(sum(both) for both in zip(running, penalties, strict=True))
        if counted == rules.deals or (
            rules.penalty_limit is not None and max(running) >= rules.penalty_limit
        ):
            winners = [winner for winner, _ in deals[:counted]]
            best = fewest_penalties(running, winners, range(seats), first_dealer=first_dealer)
            return PenaltyTotals(best, running, over=True, counted=counted)
    return PenaltyTotals(None, running, over=False, counted=len(deals))


def fewest_penalties(
    running: PerSeat[int], winners: Sequence[Seat | None], among: Collection[Seat], *, first_dealer: Seat
) -> Seat:
    """Return who of these seats is best (R7.3); `winners` are those of the deals so far, in order."""
    least = min(running[seat] for seat in among)
    fewest = [seat for seat in among if running[seat] == least]
    latest = (winner for winner in reversed(winners) if winner in fewest)
    return next(latest, min(fewest, key=lambda seat: (seat - first_dealer - 1) % len(running)))


def _reached_end(rules: RuleSet, sheet: _Sheet, deals: int) -> bool:
    """Tell whether the deal just entered ends the match (R6.3)."""
    if rules.target is None:
        return deals == rules.deals
    return max(_running(rules, sheet)) >= rules.target


def _ended(rules: RuleSet, sheet: _Sheet, deals: int) -> Totals:
    running = _running(rules, sheet)
    ahead = _highest(running)
    totals = _final(rules, sheet, ahead, shut_out=running.count(0) == len(running) - 1)
    winner = ahead
    if rules.target is not None and rules.match_winner is MatchWinner.HIGHEST_TOTAL:
        # R6.5: who reached the target has the game bonus, but boxes may overtake him.
        highest = _highest(totals)
        winner = ahead if highest is None else highest
    return Totals(winner, running, sheet.boxes, totals, None, over=True, counted=deals)


def _running(rules: RuleSet, sheet: _Sheet) -> PerSeat[int]:
    """Return the running scores (R6.3)."""
    box = rules.box_bonus if rules.boxes_in_running_score else 0
    return tuple(points + box * boxes for points, boxes in zip(sheet.points, sheet.boxes, strict=True))


def _final(rules: RuleSet, sheet: _Sheet, winner: Seat | None, *, shut_out: bool) -> PerSeat[int]:
    """Return the final totals (R6.4). Boxes count once, also where they ran with the score."""
    by_points, by_game, by_boxes, added = _SHUTOUT[rules.shutout if shut_out else Shutout.NONE]
    return tuple(
        by_points * points + by_game * rules.game_bonus + by_boxes * rules.box_bonus * boxes + added
        if seat == winner
        else points + rules.box_bonus * boxes
        for seat, (points, boxes) in enumerate(zip(sheet.points, sheet.boxes, strict=True))
    )


def _hollywood(rules: RuleSet, seats: int, deals: Sequence[Scored]) -> Totals:
    """Keep the columns of R6.6; running points and boxes are those of the whole match."""
    match = _empty(seats)
    columns = (match,) * rules.columns
    counted = 0
    for winner, points in deals:
        if all(_closed_by(rules, column) is not None for column in columns):
            break
        counted += 1
        match = match.enter(winner, points)
        if winner is not None:
            columns = _entered(rules, columns, winner, points)
    closers = [_closed_by(rules, column) for column in columns]
    shown = tuple(
        Column(column.points, column.boxes, closer) for column, closer in zip(columns, closers, strict=True)
    )
    running = match.points  # R6.6 stands in place of R6.3: boxes count in the columns' totals only
    if None in closers:
        return Totals(None, running, match.boxes, None, shown, over=False, counted=counted)
    finals = [
        _final(rules, column, closer, shut_out=column.boxes.count(0) == seats - 1)
        for column, closer in zip(columns, closers, strict=True)
    ]
    totals = tuple(map(sum, zip(*finals, strict=True)))
    winner = max(_leaders(totals), key=closers.count)
    return Totals(winner, running, match.boxes, totals, shown, over=True, counted=counted)


def _entered(rules: RuleSet, columns: tuple[_Sheet, ...], winner: Seat, points: int) -> tuple[_Sheet, ...]:
    """Enter a deal where the winner has an entry, and in the lowest open column where he has none."""
    entered: list[_Sheet] = []
    begun = False
    for column in columns:
        fresh = column.boxes[winner] == 0
        takes = _closed_by(rules, column) is None and not (fresh and begun)
        begun |= takes and fresh
        entered.append(column.enter(winner, points) if takes else column)
    return tuple(entered)


def _closed_by(rules: RuleSet, column: _Sheet) -> Seat | None:
    """Return the seat that brought this column to the target."""
    target = rules.target or 0
    return next((seat for seat, points in enumerate(column.points) if points >= target), None)


def _empty(seats: int) -> _Sheet:
    return _Sheet((0,) * seats, (0,) * seats)


def _add(slots: PerSeat[int], seat: Seat, amount: int) -> PerSeat[int]:
    return tuple(slot + amount if index == seat else slot for index, slot in enumerate(slots))


def _leaders(scores: PerSeat[int]) -> list[Seat]:
    return [seat for seat, score in enumerate(scores) if score == max(scores)]


def _highest(scores: PerSeat[int]) -> Seat | None:
    """Return the seat with the highest score, None where it is shared."""
    leaders = _leaders(scores)
    return leaders[0] if len(leaders) == 1 else None
