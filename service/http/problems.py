"""Refusals as problem documents (RFC 9457): what a handler raises and what a client reads."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, TypedDict, Unpack

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.cards import CODES
from engine.refusal import Refusal


class Code(StrEnum):
    """The problems that are not the rules' own; those are `engine.refusal.Reason`."""

    MALFORMED_REQUEST = "malformed-request"
    HOST_INVALID = "host-invalid"
    MALFORMED_JSON = "malformed-json"
    BODY_INVALID = "body-invalid"
    PARAMETER_INVALID = "parameter-invalid"
    UNAUTHENTICATED = "unauthenticated"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not-found"
    METHOD_NOT_ALLOWED = "method-not-allowed"
    NOT_ACCEPTABLE = "not-acceptable"
    VERSION_CONFLICT = "version-conflict"
    INTENT_STALE = "intent-stale"
    INTENT_INVALID = "intent-invalid"
    INTENT_EXPIRED = "intent-expired"
    TURN_TIMED_OUT = "turn-timed-out"
    DEADLINE_NOT_REACHED = "deadline-not-reached"
    HINTS_NOT_ALLOWED = "hints-not-allowed"
    MATCH_NOT_FINISHED = "match-not-finished"
    BODY_TOO_LARGE = "body-too-large"
    TOO_MUCH_WORK = "too-much-work"
    UNSUPPORTED_MEDIA_TYPE = "unsupported-media-type"
    HEAD_TOO_LARGE = "head-too-large"
    RULESET_UNKNOWN = "ruleset-unknown"
    RULESET_REFUSED = "ruleset-refused"
    SEATS_UNSUITABLE = "seats-unsuitable"
    DUPLICATE_CARDS = "duplicate-cards"
    HAND_SIZE_WRONG = "hand-size-wrong"
    CARDS_MISCOUNTED = "cards-miscounted"
    KNOWN_CARDS_IMPOSSIBLE = "known-cards-impossible"
    UPCARD_REQUIRED = "upcard-required"
    UPCARD_IMPOSSIBLE = "upcard-impossible"
    TAKEN_IMPOSSIBLE = "taken-impossible"
    PHASE_IMPOSSIBLE = "phase-impossible"
    SPREAD_INVALID = "spread-invalid"
    SPREAD_ABOVE_LIMIT = "spread-above-limit"
    LAYOFFS_IMPOSSIBLE = "layoffs-impossible"
    DEALS_IMPOSSIBLE = "deals-impossible"
    TALLIES_IMPOSSIBLE = "tallies-impossible"
    WINNER_IMPOSSIBLE = "winner-impossible"
    CARDS_KNOWN_NOT_PUBLIC = "cards-known-not-public"
    CLOCK_REQUIRED = "clock-required"
    METADATA_TOO_LARGE = "metadata-too-large"
    METADATA_UNREADABLE = "metadata-unreadable"
    INTERNAL_ERROR = "internal-error"
    BUSY = "busy"
    DRAINING = "draining"
    DATABASE_UNAVAILABLE = "database-unavailable"
    REPLICA_OUTDATED = "replica-outdated"


class Fault(Struct, frozen=True, omit_defaults=True):
    """One thing wrong with a request: where it is, what it is, and a sentence.

    `pointer` is a JSON pointer into the body; `parameter` names a query parameter.
    """

    code: str
    message: str
    pointer: str | UnsetType = UNSET
    parameter: str | UnsetType = UNSET


class Facts(TypedDict, total=False):
    """The members that a problem may add; each says the same thing wherever it appears."""

    knob: str
    card: str
    meld: int
    deadwood: int
    knock_limit: int
    limit: int
    deal: int
    current_version: int
    deadline: datetime


class Problem(Exception):  # noqa: N818  the word of RFC 9457
    """A request that is answered with a problem document.

    `detail` says more about this occurrence than the type's description does. Nothing in it may be a
    card that the caller does not know, a seed or a token; the same holds for `facts` and `faults`.
    """

    def __init__(
        self,
        code: StrEnum,
        detail: str | None = None,
        *,
        faults: tuple[Fault, ...] = (),
        headers: dict[str, str] | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        super().__init__(code.value)
        self.code = code
        self.detail = detail
        self.faults = faults
        self.headers = headers or {}
        self.facts = facts


def from_refusal(refusal: Refusal) -> Problem:
    """Return the problem that tells a client of the engine's refusal."""
    facts = {name: CODES[fact] if name == "card" else fact for name, fact in refusal.facts.items()}
    return Problem(refusal.reason, **facts)  # type: ignore[arg-type]  # the engine names only facts of `Facts`


class ProblemOut(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a request was refused (RFC 9457); clients branch on `code`, which never changes its meaning."""

    type: str
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    code: str
    detail: str
    instance: str
    errors: tuple[Fault, ...] | UnsetType = UNSET
    knob: str | UnsetType = UNSET
    card: str | UnsetType = UNSET
    meld: Annotated[int, Meta(ge=0, le=255)] | UnsetType = UNSET
    deadwood: Annotated[int, Meta(ge=0, le=165)] | UnsetType = UNSET
    knock_limit: Annotated[int, Meta(ge=0, le=10)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=1_000_000)] | UnsetType = UNSET
    deal: Annotated[int, Meta(ge=1, le=200)] | UnsetType = UNSET
    current_version: Annotated[int, Meta(ge=1, le=1_000_000)] | UnsetType = UNSET
    deadline: datetime | UnsetType = UNSET
