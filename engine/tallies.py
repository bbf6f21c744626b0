"""What the finished deals of a match add up to for each seat: rows are entered one by one."""

from typing import Final

from msgspec.structs import replace

from engine.state import DealResult, DealRow, PerSeat, Tally, put

_KNOCKED: Final = frozenset({DealResult.KNOCK, DealResult.UNDERCUT, DealResult.TIE})
_GINNED: Final = frozenset({DealResult.GIN, DealResult.BIG_GIN})


def tallied(tallies: PerSeat[Tally], row: DealRow) -> PerSeat[Tally]:
    """Return the tallies of all seats after one more finished deal."""
    if row.winner is not None:
        of_winner = tallies[row.winner]
        won = replace(
            of_winner, points=of_winner.points + row.points, boxes=of_winner.boxes + 1, latest_win=row.deal
        )
        tallies = put(tallies, row.winner, won)
    if row.knocker is not None:
        tallies = put(tallies, row.knocker, _after_its_knock(tallies[row.knocker], row))
    return tallies


def _after_its_knock(tally: Tally, row: DealRow) -> Tally:
    if row.result in _GINNED:
        return replace(tally, gins=tally.gins + 1)
    if row.result not in _KNOCKED:
        return tally
    deadwood = sum(hand.deadwood for hand in row.hands if hand.seat == row.knocker)
    return replace(tally, knocks=tally.knocks + 1, knock_deadwood=tally.knock_deadwood + deadwood)
