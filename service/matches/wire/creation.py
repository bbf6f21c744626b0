"""Matches and joins as callers ask for them."""

import unicodedata
from collections.abc import Mapping
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from engine.actions import OnTimeout
from engine.bots import Level
from engine.cards import parse
from service.db.codec import Clock
from service.http.cards import CardCode, distinct
from service.http.forms import InForms
from service.http.ids import IdIn
from service.http.problems import Code, Fault, Problem
from service.http.rules import Overrides, RulesetName, preset_of, rules_for_seats
from service.matches.codes import ALPHABET, LENGTH, SYMBOLS
from service.matches.lobby import PUBLIC, NewMatch, NewSeat, NewShuffle
from service.matches.wire.numbers import (
    SeatNumber,
)
from service.matches.wire.seats import BotLevel

METADATA_BYTES = 1024
NAME_LENGTH = 32

VisibilityName: TypeAlias = Literal["private", "link", "public"]
_UNSEEN: Final = (
    "\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f"
    "\\u200b-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffc"
    "\U000e0000-\U000e0fff"
)
"""Characters for control, lines and direction, and those that show nothing: no name disguises another."""

NameIn: TypeAlias = Annotated[
    str,
    Meta(
        pattern=f"^[^\\s\\ufe00-\\ufe0f{_UNSEEN}][^{_UNSEEN}]*\\Z",
        min_length=1,
        max_length=NAME_LENGTH,
        description="1–32 characters that can be seen, blanks but at the start; kept in NFC.",
    ),
]
Text: TypeAlias = Annotated[str, Meta(pattern="^[^\\u0000-\\u001f]*\\Z", max_length=200)]
MetadataKey: TypeAlias = Annotated[str, Meta(pattern="^[A-Za-z0-9_.-]+\\Z", min_length=1, max_length=40)]
JoinCode: TypeAlias = Annotated[
    str,
    Meta(
        pattern=f"^[{ALPHABET}]{{{LENGTH}}}\\Z",
        description="Eight symbols of Crockford's base 32, in capitals.",
    ),
]
JoinCodeIn: TypeAlias = Annotated[
    str,
    Meta(
        pattern=f"^-*([{SYMBOLS}]-*){{{LENGTH}}}\\Z",
        max_length=32,
        description=(
            "Eight symbols of Crockford's base 32, small or capital. Hyphens count for nothing, `I` and `L` "
            "as `1`, `O` as `0`."
        ),
    ),
]
Deck: TypeAlias = Annotated[list[CardCode], Meta(min_length=52, max_length=52)]


class SelfSeat(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="self"):
    """A seat that the creator plays."""

    name: NameIn | UnsetType = UNSET


class OpenSeat(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="open"):
    """A seat for whoever joins."""


class BotSeat(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="bot"):
    """A seat that the house plays."""

    level: BotLevel = "club"
    name: NameIn | UnsetType = UNSET


class ServerShuffle(Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="server"):
    """The server draws a secret seed and publishes its commitment."""


class SeedShuffle(Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="seed"):
    """The same text deals the same match again; the cards count as known."""

    seed: Annotated[str, Meta(min_length=1, max_length=200, pattern="^[^\\u0000]+\\Z")]


class DecksShuffle(Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="decks"):
    """The first deals come from these decks, in the order in which their cards leave them."""

    decks: Annotated[list[Deck], Meta(min_length=1, max_length=200)]


class ClockBody(Struct, frozen=True, forbid_unknown_fields=True):
    """How long the seat in turn may take for each of its moves, and what follows where it takes longer.

    `play`: the house makes the safest move for it, and the third time in a row loses the match; `forfeit`:
    the first time does. Bots take no time.
    """

    turn_seconds: Annotated[int, Meta(ge=1, le=86_400)]
    on_timeout: Literal["play", "forfeit"] = "play"


class MatchIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match to create. The step that fills its last open seat starts it and deals.

    A public one has a `clock`, unless it is of bots alone.
    """

    ruleset: RulesetName = "classic"
    overrides: Overrides | UnsetType = UNSET
    seats: Annotated[list[SelfSeat | OpenSeat | BotSeat], Meta(min_length=2, max_length=4)]
    shuffle: ServerShuffle | SeedShuffle | DecksShuffle = ServerShuffle()
    first_dealer: Literal["random"] | SeatNumber = "random"
    visibility: VisibilityName = "private"
    hints: Annotated[
        bool,
        Meta(
            description=(
                "`false`: the service gives no hints in the views of this match and no advice for its seats. "
                "It cannot keep a player from asking `POST /v1/advice` or another program about what he sees."
            )
        ),
    ] = True
    clock: ClockBody | None = None
    metadata: Annotated[
        dict[MetadataKey, Text],
        Meta(
            max_length=16,
            description=(
                "Notes of the creator, shown to the seats of kind `self` only. Where no seat is of that "
                "kind, none may be given."
            ),
        ),
    ] = {}


class JoinIn(InForms, frozen=True):
    """The code of a match, or the id of a public one."""

    code: JoinCodeIn | UnsetType = UNSET
    match_id: IdIn | UnsetType = UNSET
    name: NameIn | UnsetType = UNSET

    forms: ClassVar = (("code",), ("match_id",))


def match_from_wire(body: MatchIn) -> NewMatch:
    """Return the match that is asked for; raise `Problem` 422 for parts that do not go together."""
    _check_names({f"/seats/{number}/name": _name(seat) for number, seat in enumerate(body.seats)})
    preset = preset_of(body.ruleset)
    seats = len(body.seats)
    rules = rules_for_seats(body.ruleset, body.overrides, seats)
    dealer = None if body.first_dealer == "random" else body.first_dealer
    if dealer is not None and dealer >= seats:
        raise Problem(Code.SEATS_UNSUITABLE, "There is no seat with the number of `first_dealer`.")
    if body.visibility == PUBLIC and not isinstance(body.shuffle, ServerShuffle):
        raise Problem(Code.CARDS_KNOWN_NOT_PUBLIC)
    if body.visibility == PUBLIC and body.clock is None and not all(map(_is_bot, body.seats)):
        raise Problem(Code.CLOCK_REQUIRED)
    if body.metadata and not any(isinstance(seat, SelfSeat) for seat in body.seats):
        raise Problem(Code.METADATA_UNREADABLE)
    if len(msgspec.json.encode(body.metadata)) > METADATA_BYTES:
        raise Problem(Code.METADATA_TOO_LARGE, limit=METADATA_BYTES)
    return NewMatch(
        ruleset=preset.id,
        rules=rules,
        seats=tuple(map(_seat, body.seats)),
        shuffle=_shuffle(body.shuffle),
        first_dealer=dealer,
        visibility=body.visibility,
        hints=body.hints,
        clock=_clock(body.clock),
        metadata=body.metadata,
    )


def clock_to_wire(clock: Clock | None) -> ClockBody | None:
    """Return a clock as it was asked for."""
    return None if clock is None else ClockBody(clock.turn_seconds, clock.on_timeout.value)


def _clock(body: ClockBody | None) -> Clock | None:
    return None if body is None else Clock(body.turn_seconds, OnTimeout(body.on_timeout))


def _is_bot(seat: SelfSeat | OpenSeat | BotSeat) -> bool:
    return isinstance(seat, BotSeat)


def name_from_wire(name: str | UnsetType) -> str | None:
    """Return a name as it is kept: in NFC, or None where none was given.

    Raise `Problem` 400 where that is too long: some characters become several in NFC.
    """
    _check_names({"/name": name})
    return _kept(name)


def _check_names(names: Mapping[str, str | UnsetType]) -> None:
    """Raise `Problem` 400 that names each pointer whose name is too long in NFC."""
    faults = tuple(
        Fault(code="out-of-range", message="This string is too long once it is in NFC.", pointer=pointer)
        for pointer, name in names.items()
        if len(_kept(name) or "") > NAME_LENGTH
    )
    if faults:
        raise Problem(Code.BODY_INVALID, faults=faults)


def _kept(name: str | UnsetType) -> str | None:
    return None if name is UNSET else unicodedata.normalize("NFC", name)


def _name(seat: SelfSeat | OpenSeat | BotSeat) -> str | UnsetType:
    return UNSET if isinstance(seat, OpenSeat) else seat.name


def _seat(seat: SelfSeat | OpenSeat | BotSeat) -> NewSeat:
    match seat:
        case SelfSeat(name):
            return NewSeat(own=True, name=_kept(name))
        case OpenSeat():
            return NewSeat(own=False)
        case BotSeat(level, name):
            return NewSeat(own=False, name=_kept(name), level=Level(level))


def _shuffle(shuffle: ServerShuffle | SeedShuffle | DecksShuffle) -> NewShuffle:
    match shuffle:
        case ServerShuffle():
            return NewShuffle()
        case SeedShuffle(seed):
            return NewShuffle(text=seed)
        case DecksShuffle(decks):
            for deck in decks:
                distinct(deck)
            return NewShuffle(decks=tuple(tuple(map(parse, deck)) for deck in decks))
