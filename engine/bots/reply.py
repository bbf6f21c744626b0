"""The bots' turns that follow a step."""

from collections.abc import Iterator

from engine.actions import Seat
from engine.bots.choose import Level, choose
from engine.play import Transition, apply
from engine.state import Match, PlayerKind
from engine.view import view


def replies(match: Match, seeds: tuple[bytes, ...]) -> Iterator[tuple[Seat, Transition]]:
    """Play the bots' turns until a player is in turn or the match is over, one step at a time.

    `seeds` has one entry a seat; those of players are not read.
    """
    while (seat := _bot_in_turn(match)) is not None:
        level = Level(match.seats[seat].level or "")
        played = apply(match, seat, choose(view(match, seat), level, seeds[seat]))
        yield seat, played
        match = played.match


def _bot_in_turn(match: Match) -> Seat | None:
    if match.deal is None or match.seats[match.deal.turn].kind is not PlayerKind.BOT:
        return None
    return match.deal.turn
