"""Matches as their creators ask for them and as everybody sees them."""

import unicodedata
from datetime import datetime
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from engine.bots import Level
from engine.cards import parse
from engine.shuffle import ShuffleMode, commitment
from engine.view import phase_of, view
from service.http.cards import CardCode, code_of, distinct
from service.http.forms import InForms
from service.http.problems import Code, Fault, Problem
from service.http.rules import Knobs, Overrides, RulesetName, knobs_of, preset_of, rules_of
from service.matches.lobby import PUBLIC, Created, Joined, NewMatch, NewSeat, NewShuffle
from service.matches.table import Table
from service.matches.wire.deals import (
    ColumnOut,
    DealOut,
    ResultOut,
    columns_to_wire,
    deal_to_wire,
    result_to_wire,
)
from service.matches.wire.numbers import (
    Count,
    DealNumber,
    KnockLimitOut,
    Points,
    SeatNumber,
    Version,
)
from service.matches.wire.seats import BotLevel, SeatOut, seats_to_wire
from service.matches.wire.view import (
    OpponentOut,
    PhaseName,
    SpreadOut,
    StatusName,
    opponent_to_wire,
    spread_to_wire,
    upcard_to_wire,
)

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
        pattern=f"^[^\\s\\ufe00-\\ufe0f{_UNSEEN}][^{_UNSEEN}]*$",
        min_length=1,
        max_length=NAME_LENGTH,
        description="1–32 characters that can be seen, blanks but at the start; kept in NFC.",
    ),
]
Text: TypeAlias = Annotated[str, Meta(pattern="^[^\\u0000-\\u001f]*$", max_length=200)]
MetadataKey: TypeAlias = Annotated[str, Meta(pattern="^[A-Za-z0-9_.-]+$", min_length=1, max_length=40)]
JoinCode: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[0-9A-HJKMNP-TV-Z]{8}$",
        description="Eight symbols of Crockford's base 32, in capitals.",
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

    seed: Annotated[str, Meta(min_length=1, max_length=200, pattern="^[^\\u0000]+$")]


class DecksShuffle(Struct, frozen=True, forbid_unknown_fields=True, tag_field="mode", tag="decks"):
    """The first deals come from these decks, in the order in which their cards leave them."""

    decks: Annotated[list[Deck], Meta(min_length=1, max_length=200)]


class MatchIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A match to create. The step that fills its last open seat starts it and deals."""

    ruleset: RulesetName = "classic"
    overrides: Overrides | UnsetType = UNSET
    seats: Annotated[list[SelfSeat | OpenSeat | BotSeat], Meta(min_length=2, max_length=4)]
    shuffle: ServerShuffle | SeedShuffle | DecksShuffle = ServerShuffle()
    first_dealer: Literal["random"] | SeatNumber = "random"
    visibility: VisibilityName = "private"
    hints: bool = True
    metadata: Annotated[dict[MetadataKey, Text], Meta(max_length=16)] = {}


class ListedMatchOut(Struct, frozen=True, kw_only=True):
    """A match as a list tells of it.

    `cards_known` tells that somebody may know the cards: they came from a given text or given decks. Then
    there is no `commitment`, which else is SHA-256("gin-shuffle-1" ‖ the id's 16 bytes ‖ the seed).
    """

    id: UUID
    ruleset: RulesetName
    visibility: VisibilityName
    hints: bool
    cards_known: bool
    commitment: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")] | None
    seats: list[SeatOut]
    status: StatusName
    phase: PhaseName
    version: Version
    scores: list[Points]
    result: ResultOut | None
    created_at: datetime
    finished_at: datetime | None


class MatchOut(ListedMatchOut, frozen=True, kw_only=True):
    """The public part of a match: nothing that a seat does not see too."""

    knobs: Knobs
    deal: DealNumber | None
    dealer: SeatNumber | None
    turn: SeatNumber | None
    knock_limit: KnockLimitOut | None
    upcard: CardCode | None
    stock_count: Count | None
    discard_pile: list[CardCode]
    hands: list[OpponentOut]
    spread: SpreadOut | None
    columns: list[ColumnOut] | None
    deals: list[DealOut]


class SeatTokenOut(Struct, frozen=True):
    """A seat of the caller's, and the token that acts for it: it is shown once."""

    seat: SeatNumber
    token: str


class JoinOut(Struct, frozen=True):
    """The code that takes the open seats; it dies when the last one is taken."""

    code: JoinCode


class CreatedOut(Struct, frozen=True):
    """A new match, the tokens of the caller's seats, and the code for the open ones."""

    match: MatchOut
    seats: list[SeatTokenOut]
    join: JoinOut | None


class MatchesOut(Struct, frozen=True):
    """Public matches, newest first; `next_cursor` is null on the last page."""

    items: list[ListedMatchOut]
    next_cursor: UUID | None


class JoinIn(InForms, frozen=True):
    """The code of a match, or the id of a public one."""

    code: JoinCode | UnsetType = UNSET
    match_id: UUID | UnsetType = UNSET
    name: NameIn | UnsetType = UNSET

    forms: ClassVar = (("code",), ("match_id",))


class JoinedOut(Struct, frozen=True):
    """The seat that was taken, and its token: it is shown once."""

    match_id: UUID
    seat: SeatNumber
    token: str


class TokenOut(Struct, frozen=True):
    """The new token of a seat; the old one is worthless."""

    token: str


def match_from_wire(body: MatchIn) -> NewMatch:
    """Return the match that is asked for; raise `Problem` 422 for parts that do not go together."""
    preset = preset_of(body.ruleset)
    seats = len(body.seats)
    rules = rules_of(body.ruleset, body.overrides, seats)
    if not preset.suits(seats):
        raise Problem(Code.SEATS_UNSUITABLE)
    dealer = None if body.first_dealer == "random" else body.first_dealer
    if dealer is not None and dealer >= seats:
        raise Problem(Code.SEATS_UNSUITABLE, "There is no seat with the number of `first_dealer`.")
    if body.visibility == PUBLIC and not isinstance(body.shuffle, ServerShuffle):
        raise Problem(Code.CARDS_KNOWN_NOT_PUBLIC)
    if any(text.endswith("\n") for text in (*body.metadata, *body.metadata.values())):
        raise _refused("wrong-format", "A string here does not have the documented format.", "/metadata")
    if len(msgspec.json.encode(body.metadata)) > METADATA_BYTES:
        raise Problem(Code.METADATA_TOO_LARGE, limit=METADATA_BYTES)
    return NewMatch(
        ruleset=preset.id,
        rules=rules,
        seats=tuple(_seat(seat, f"/seats/{number}/name") for number, seat in enumerate(body.seats)),
        shuffle=_shuffle(body.shuffle),
        first_dealer=dealer,
        visibility=body.visibility,
        hints=body.hints,
        metadata=body.metadata,
    )


def name_from_wire(name: str | UnsetType, pointer: str = "/name") -> str | None:
    """Return a name as it is kept: in NFC, or None where none was given.

    Raise `Problem` 400 for what the pattern lets through: a line feed at the end, before which Python's
    `$` matches too, and characters that become several in NFC.
    """
    if name is UNSET:
        return None
    kept = unicodedata.normalize("NFC", name)
    if kept.endswith("\n"):
        raise _refused("wrong-format", "This string does not have the documented format.", pointer)
    if len(kept) > NAME_LENGTH:
        raise _refused("out-of-range", "This string is too long once it is in NFC.", pointer)
    return kept


def created_to_wire(created: Created) -> CreatedOut:
    """Return a new match for its creator."""
    return CreatedOut(
        match_to_wire(created.table),
        [SeatTokenOut(seat, token) for seat, token in created.tokens],
        None if created.code is None else JoinOut(created.code),
    )


def joined_to_wire(joined: Joined) -> JoinedOut:
    """Return a seat for whoever took it."""
    return JoinedOut(joined.match_id, joined.seat, joined.token)


def match_to_wire(table: Table) -> MatchOut:
    """Return the public part of a match."""
    seen = view(table.match, None)
    dealt = seen.table
    return MatchOut(
        **_listed(table),
        knobs=knobs_of(seen.rules),
        deal=dealt.number if dealt else None,
        dealer=dealt.dealer if dealt else None,
        turn=dealt.turn if dealt else None,
        knock_limit=dealt.knock_limit if dealt else None,
        upcard=upcard_to_wire(dealt),
        stock_count=dealt.stock_count if dealt else None,
        discard_pile=[code_of(card) for card in dealt.discard_pile] if dealt else [],
        hands=[opponent_to_wire(opponent) for opponent in seen.opponents],
        spread=spread_to_wire(dealt.spread) if dealt and dealt.spread else None,
        columns=columns_to_wire(seen.columns),
        deals=[deal_to_wire(row) for row in seen.deals],
    )


def listed_to_wire(table: Table) -> ListedMatchOut:
    """Return a match as a list tells of it."""
    return ListedMatchOut(**_listed(table))


def _listed(table: Table) -> dict[str, Any]:
    match, row = table.match, table.row
    known = match.shuffle.mode is not ShuffleMode.SERVER
    return {
        "id": row.id,
        "ruleset": row.ruleset,
        "visibility": row.visibility,
        "hints": table.snapshot.hints,
        "cards_known": known,
        "commitment": None if known else commitment(row.id.bytes, match.shuffle.server_seed).hex(),
        "seats": seats_to_wire(match.seats),
        "status": match.status.value,
        "phase": phase_of(match).value,
        "version": match.version,
        "scores": list(match.scores),
        "result": None if match.result is None else result_to_wire(match.result),
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }


def _refused(code: str, message: str, pointer: str) -> Problem:
    return Problem(Code.BODY_INVALID, faults=(Fault(code=code, message=message, pointer=pointer),))


def _seat(seat: SelfSeat | OpenSeat | BotSeat, pointer: str) -> NewSeat:
    match seat:
        case SelfSeat(name):
            return NewSeat(own=True, name=name_from_wire(name, pointer))
        case OpenSeat():
            return NewSeat(own=False)
        case BotSeat(level, name):
            return NewSeat(own=False, name=name_from_wire(name, pointer), level=Level(level))


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
