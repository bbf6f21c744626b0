"""Intents and moves as clients write and read them."""

from datetime import UTC, datetime
from typing import Annotated, ClassVar, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from service.http.forms import InForms
from service.matches.play import Played, PlayedStep, Proposed, SeenEvent
from service.matches.wire.actions import AnyActionBody, action_to_wire
from service.matches.wire.events import AnyEventOut, Stamp, event_to_wire
from service.matches.wire.numbers import SeatNumber, Version
from service.matches.wire.view import PreviewOut, ViewOut, preview_to_wire

IntentText: TypeAlias = Annotated[
    str,
    Meta(pattern="^gin_[A-Za-z0-9_-]+\\Z", max_length=1000, description="An intent, as it was given out."),
]


class IntentIn(Struct, frozen=True, forbid_unknown_fields=True):
    """An action, and the version for which it was chosen."""

    action: AnyActionBody
    expected_version: Version


class IntentOut(Struct, frozen=True):
    """A signed statement of one action with all its parts: confirm it, or let it expire."""

    intent: IntentText
    action: AnyActionBody
    version: Version
    expires_at: datetime
    preview: PreviewOut


class MoveIn(InForms, frozen=True):
    """An intent to confirm, or an action on the version for which it was chosen."""

    intent: IntentText | UnsetType = UNSET
    action: AnyActionBody | UnsetType = UNSET
    expected_version: Version | UnsetType = UNSET

    forms: ClassVar = (("intent",), ("action", "expected_version"))


class StepOut(Struct, frozen=True):
    """What one step brought about."""

    version: Version
    events: list[AnyEventOut]


class ReplyOut(Struct, frozen=True):
    """A bot's step."""

    seat: SeatNumber
    version: Version
    events: list[AnyEventOut]


class MoveOut(Struct, frozen=True):
    """The caller's step, the bots' steps after it, and the view after all."""

    move: StepOut
    replies: list[ReplyOut]
    view: ViewOut


def proposed_to_wire(proposed: Proposed) -> IntentOut:
    """Return an intent for the seat that asked for it."""
    intent = proposed.intent
    return IntentOut(
        intent=proposed.text,
        action=action_to_wire(intent.action),
        version=intent.version,
        expires_at=datetime.fromtimestamp(intent.expires_at, UTC),
        preview=preview_to_wire(proposed.preview),
    )


def played_to_wire(played: Played, view: ViewOut) -> MoveOut:
    """Return a move for the seat that made it."""
    return MoveOut(
        StepOut(played.move.version, _events(played.move)),
        [ReplyOut(step.seat or 0, step.version, _events(step)) for step in played.replies],
        view,
    )


def seen_to_wire(seen: SeenEvent) -> AnyEventOut:
    """Return an event for its audience."""
    return event_to_wire(Stamp(seen.seq, seen.version, seen.at), seen.event)


def _events(step: PlayedStep) -> list[AnyEventOut]:
    return [seen_to_wire(seen) for seen in step.events]
