"""A position as somebody tells it who plays elsewhere: the members of a view, with the rules."""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

from engine.actions import Layoff
from engine.cards import parse
from engine.position import Position
from engine.state import Phase, Seen, Source, Spread, Taken, Tally
from service.http.cards import CardCode, distinct
from service.http.problems import Code, Problem
from service.http.rules import Overrides, RulesetName, preset_of, rules_of
from service.matches.wire.numbers import (
    Count,
    Deadwood,
    DealCount,
    KnockDeadwood,
    MeldIndex,
    Points,
    SeatNumber,
)

Held: TypeAlias = Annotated[list[CardCode], Meta(max_length=11)]
Laid: TypeAlias = Annotated[list[Held], Meta(max_length=4)]
Pile: TypeAlias = Annotated[list[CardCode], Meta(max_length=52)]
Thrown: TypeAlias = Annotated[list[CardCode], Meta(max_length=500)]
PositionPhase: TypeAlias = Literal["upcard_offer", "draw", "discard", "last_discard", "layoff"]
Name: TypeAlias = Annotated[str, Meta(max_length=32)]


class TakenIn(Struct, frozen=True, forbid_unknown_fields=True):
    """The card just taken, and from where."""

    card: CardCode
    source: Literal["stock", "discard_pile"] = field(name="from")


class OpponentIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Another seat; `known_cards` were taken face up and not thrown since. `name` is not read."""

    seat: SeatNumber
    name: Name | None = None
    hand_count: Count | None = None
    known_cards: Held = []


class SeenIn(Struct, frozen=True, forbid_unknown_fields=True):
    """What all have seen a seat throw, and leave face up, in this deal; each in the order it happened."""

    seat: SeatNumber
    thrown: Thrown = []
    declined: Thrown = []


class SpreadLayoffIn(Struct, frozen=True, forbid_unknown_fields=True):
    """A card that a defender has laid on a meld of the spread."""

    seat: SeatNumber
    card: CardCode
    meld: MeldIndex


class SpreadIn(Struct, frozen=True, forbid_unknown_fields=True):
    """The knocker's hand as laid."""

    seat: SeatNumber
    melds: Laid
    unmatched: Held
    deadwood: Deadwood
    layoffs: Annotated[list[SpreadLayoffIn], Meta(max_length=40)] = []


class TallyIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a seat ended the earlier deals of the match, as a view tells it; `won` is not read.

    `deals` are all earlier deals, the same number for every seat. `knocks` left `knock_deadwood` points of
    deadwood together; `gins` left none.
    """

    seat: SeatNumber
    deals: DealCount
    won: DealCount = 0
    knocks: DealCount = 0
    gins: DealCount = 0
    knock_deadwood: KnockDeadwood = 0


class PositionIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A moment of a deal as the seat in turn knows it, in the members of a view; and the rules.

    `phase` is the seat's own; `hand` holds what was `taken` too. `upcard` is null where the first seat was
    dealt a card more instead. Without `seen` less is made of how the others play, and without `tallies`
    nothing of how they played before. `deal_count` may be left out: it is the `deals` of the tallies.
    """

    ruleset: RulesetName = "classic"
    overrides: Overrides | UnsetType = UNSET
    seat: SeatNumber
    phase: PositionPhase
    dealer: SeatNumber
    hand: Annotated[list[CardCode], Meta(min_length=1, max_length=11)]
    taken: TakenIn | None = None
    upcard: CardCode | None = None
    discard_pile: Pile = []
    stock_count: Count
    opponents: Annotated[list[OpponentIn], Meta(min_length=1, max_length=3)]
    spread: SpreadIn | None = None
    seen: Annotated[list[SeenIn], Meta(max_length=4)] = []
    scores: Annotated[list[Points], Meta(max_length=4)] = []
    deal_count: DealCount | UnsetType = UNSET
    tallies: Annotated[list[TallyIn], Meta(max_length=4)] = []


def position_from_wire(body: PositionIn) -> Position:
    """Return the position that is told; raise `Problem` where its seats or its rules do not go together."""
    seats = 1 + len(body.opponents)
    rules = rules_of(body.ruleset, body.overrides, seats)
    _check_seats(body, seats)
    known, seen = [0] * seats, [Seen()] * seats
    counts: list[int | None] = [None] * seats
    for opponent in body.opponents:
        known[opponent.seat] = distinct(opponent.known_cards)
        counts[opponent.seat] = opponent.hand_count
    for row in body.seen:
        seen[row.seat] = Seen(tuple(map(parse, row.thrown)), tuple(map(parse, row.declined)))
    hand = distinct(body.hand)
    distinct(body.discard_pile, hand)
    return Position(
        rules=rules,
        seat=body.seat,
        phase=Phase(body.phase),
        dealer=body.dealer,
        hand=hand,
        taken=None if body.taken is None else Taken(parse(body.taken.card), Source(body.taken.source)),
        upcard=None if body.upcard is None else parse(body.upcard),
        discard_pile=tuple(map(parse, body.discard_pile)),
        stock_count=body.stock_count,
        counts=tuple(counts),
        known=tuple(known),
        seen=tuple(seen),
        spread=None if body.spread is None else _spread(body.spread),
        scores=tuple(body.scores or [0] * seats),
        deal_count=_deal_count(body),
        tallies=_tallies(body, seats),
    )


def _check_seats(body: PositionIn, seats: int) -> None:
    """Raise `Problem` unless everybody named has a seat of his own, and the rules are for so many."""
    others = {opponent.seat for opponent in body.opponents}
    named = [body.dealer, *(row.seat for row in body.seen), *(row.seat for row in body.tallies)]
    if body.spread is not None:
        named += [body.spread.seat, *(layoff.seat for layoff in body.spread.layoffs)]
    if (
        others != set(range(seats)) - {body.seat}
        or max(named) >= seats
        or len({row.seat for row in body.seen}) < len(body.seen)
        or len({row.seat for row in body.tallies}) < len(body.tallies)
        or len(body.scores) not in {0, seats}
        or not preset_of(body.ruleset).suits(seats)
    ):
        raise Problem(Code.SEATS_UNSUITABLE)


def _spread(spread: SpreadIn) -> Spread:
    melds = tuple(map(distinct, spread.melds))
    return Spread(
        seat=spread.seat,
        melds=melds,
        unmatched=distinct(spread.unmatched),
        deadwood=spread.deadwood,
        layoffs=tuple((laid.seat, Layoff(parse(laid.card), laid.meld)) for laid in spread.layoffs),
    )


def _deal_count(body: PositionIn) -> int:
    """Return how many deals were finished before; raise `Problem` where the body gives several numbers."""
    given = {row.deals for row in body.tallies}
    if body.deal_count is not UNSET:
        given.add(body.deal_count)
    if len(given) > 1:
        raise Problem(Code.TALLIES_IMPOSSIBLE)
    return max(given, default=0)


def _tallies(body: PositionIn, seats: int) -> tuple[Tally, ...]:
    tallies = [Tally()] * seats
    for row in body.tallies:
        tallies[row.seat] = Tally(knocks=row.knocks, gins=row.gins, knock_deadwood=row.knock_deadwood)
    return tuple(tallies)
