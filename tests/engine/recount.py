"""A match counted again from all its deals at once, by the rules and by none of the engine's sums."""

from collections.abc import Sequence

from msgspec import Struct

from engine.actions import Seat
from engine.rules import RuleSet, Scoring, Shutout
from engine.state import DealResult, DealRow, PerSeat, Tally

ENDS = {
    DealResult.KNOCK: "knocks",
    DealResult.UNDERCUT: "knocks",
    DealResult.TIE: "knocks",
    DealResult.GIN: "gins",
    DealResult.BIG_GIN: "gins",
}


class Sheet(Struct):
    """A column of paper: for each seat the points entered, deal by deal."""

    entries: list[list[int]]
    closed_by: Seat | None = None

    def enter(self, seat: Seat, points: int, target: int) -> None:
        self.entries[seat].append(points)
        if sum(self.entries[seat]) >= target:
            self.closed_by = seat


def tallies_of(rows: Sequence[DealRow], seats: int) -> list[Tally]:
    return [
        Tally(
            points=sum(row.points for row in rows if row.winner == seat),
            boxes=sum(row.winner == seat for row in rows),
            latest_win=max((row.deal for row in rows if row.winner == seat), default=0),
            knocks=sum(row.knocker == seat and ENDS[row.result] == "knocks" for row in rows),
            gins=sum(row.knocker == seat and ENDS[row.result] == "gins" for row in rows),
            knock_deadwood=sum(row.hands[seat].deadwood for row in rows if row.knocker == seat),
        )
        for seat in range(seats)
    ]


def scores_of(rules: RuleSet, rows: Sequence[DealRow], seats: int) -> list[int]:
    """R6.3, R7.3; where columns are kept no box runs (R6.6)."""
    if rules.scoring is Scoring.PENALTY:
        return [sum(row.penalties[seat] for row in rows if row.penalties) for seat in range(seats)]
    box = rules.box_bonus if rules.boxes_in_running_score and rules.columns == 1 else 0
    return [sum(row.points + box for row in rows if row.winner == seat) for seat in range(seats)]


def sheets_of(rules: RuleSet, rows: Sequence[DealRow], seats: int) -> list[Sheet]:
    """R6.6: a deal goes into every open column in which the winner has an entry, and into the next one."""
    sheets = [Sheet([[] for _ in range(seats)]) for _ in range(rules.columns)]
    for row in rows:
        if row.winner is None:
            continue
        is_open = [sheet for sheet in sheets if sheet.closed_by is None]
        begun = [sheet for sheet in is_open if sheet.entries[row.winner]]
        fresh = [sheet for sheet in is_open if not sheet.entries[row.winner]]
        for sheet in (*begun, *fresh[:1]):
            sheet.enter(row.winner, row.points, rules.target or 0)
    return sheets


def totals_of(rules: RuleSet, rows: Sequence[DealRow], seats: int) -> PerSeat[int]:
    """The final totals of a match that is over (R6.4, R6.6, R7.3)."""
    scores = scores_of(rules, rows, seats)
    if rules.scoring is Scoring.PENALTY:
        return tuple(scores)
    if rules.columns > 1:
        sums = [total(rules, sheet.entries, sheet.closed_by) for sheet in sheets_of(rules, rows, seats)]
        return tuple(map(sum, zip(*sums, strict=True)))
    entries = [[row.points for row in rows if row.winner == seat] for seat in range(seats)]
    best = [seat for seat in range(seats) if scores[seat] == max(scores)]
    return total(rules, entries, best[0] if len(best) == 1 else None)


def total(rules: RuleSet, entries: list[list[int]], winner: Seat | None) -> PerSeat[int]:
    """R6.4, by its formulas: P the winner's points, G the game bonus, B his boxes."""
    box, game = rules.box_bonus, rules.game_bonus
    totals = [sum(won) + box * len(won) for won in entries]
    if winner is not None:
        p, g, b = sum(entries[winner]), game, box * len(entries[winner])
        loser = entries[1 - winner]
        # In a match a shutout is a loser without points, in a column one without an entry.
        shut_out = not loser if rules.columns > 1 else sum(loser) + running_boxes(rules, loser) == 0
        school = rules.shutout if shut_out else Shutout.NONE
        totals[winner] = {
            Shutout.NONE: p + g + b,
            Shutout.DOUBLE_GAME_BONUS: p + 2 * g + b,
            Shutout.FLAT_100: p + g + b + 100,
            Shutout.DOUBLE_HAND_POINTS: 2 * p + g + b,
            Shutout.DOUBLE_POINTS_AND_BONUS: 2 * (p + g) + b,
            Shutout.DOUBLE_ALL: 2 * (p + g + b),
        }[school]
    return tuple(totals)


def running_boxes(rules: RuleSet, won: list[int]) -> int:
    return rules.box_bonus * len(won) if rules.boxes_in_running_score else 0


def fewest(scores: Sequence[int], rows: Sequence[DealRow], among: Sequence[Seat]) -> Seat:
    """R7.3: of equals the seat that won the latest deal, else the first after the first dealer."""
    least = min(scores[seat] for seat in among)
    equal = [seat for seat in among if scores[seat] == least]
    for row in reversed(rows):
        if row.winner in equal:
            return row.winner
    after = [(rows[0].dealer + step) % len(scores) for step in range(1, len(scores) + 1)]
    return next(seat for seat in after if seat in equal)
