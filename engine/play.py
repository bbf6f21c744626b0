"""Playing a match: create it, apply actions, rebuild it from its history."""

from collections.abc import Iterable

from msgspec import Struct

from engine.actions import AnyAction, Seat
from engine.decide import decide
from engine.events import AnyEvent, MatchCreated, MatchStarted
from engine.evolve import evolve
from engine.opening import deal_first
from engine.rules import RuleSet
from engine.shuffle import Shuffle
from engine.state import Match, PerSeat, Player, PlayerKind


class Transition(Struct, frozen=True):
    """A match after a step, and the events of that step."""

    match: Match
    events: tuple[AnyEvent, ...]


def start_match(
    rules: RuleSet, seats: PerSeat[Player], shuffle: Shuffle, first_dealer: Seat | None = None
) -> Transition:
    """Create a match; where no seat is open it starts and is dealt in the same step.

    `first_dealer` None lets the shuffle choose (R2.2).
    """
    created = MatchCreated(rules, seats, shuffle, first_dealer)
    match = evolve(None, created)
    if any(player.kind is PlayerKind.OPEN for player in seats):
        return Transition(match, (created,))
    return _folded(match, (MatchStarted(seats), deal_first(match)), (created,))


def apply(match: Match, seat: Seat, action: AnyAction) -> Transition:
    """Return the match after an action; raise `engine.refusal.Refusal` where it may not happen."""
    return _folded(match, decide(match, seat, action))


def replay(events: Iterable[AnyEvent]) -> Match:
    """Rebuild a match from its whole history."""
    match = None
    for event in events:
        match = evolve(match, event)
    if match is None:
        raise ValueError("a history has at least one event")
    return match


def _folded(match: Match, events: tuple[AnyEvent, ...], before: tuple[AnyEvent, ...] = ()) -> Transition:
    for event in events:
        match = evolve(match, event)
    return Transition(match, before + events)
