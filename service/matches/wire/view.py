"""What a seat sees, and what an action of its would do."""

from datetime import datetime
from typing import Final, Literal, TypeAlias
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType, field

from engine.actions import (
    Action,
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Pass,
    TakeUpcard,
)
from engine.deadwood import Arrangement
from engine.legal import Offer
from engine.preview import Preview, Stakes
from engine.state import Seen, Spread, Taken
from engine.view import Opponent, Table, View
from service.http.cards import CardCode, code_of, codes_of, codes_of_melds
from service.matches.wire.creation import ClockBody
from service.matches.wire.deals import (
    ColumnOut,
    DealOut,
    ResultOut,
    TallyOut,
    columns_to_wire,
    deal_to_wire,
    result_to_wire,
    tallies_to_wire,
)
from service.matches.wire.numbers import (
    Count,
    Deadwood,
    DealCount,
    DealNumber,
    KnockLimitOut,
    MeldIndex,
    Points,
    SeatNumber,
    Version,
)
from service.matches.wire.seats import PlayerName

StatusName: TypeAlias = Literal["open", "playing", "finished"]
PhaseName: TypeAlias = Literal[
    "waiting", "upcard_offer", "draw", "discard", "last_discard", "layoff", "finished"
]
ActionName: TypeAlias = Literal[
    "take_upcard", "pass", "draw_stock", "draw_discard", "discard", "knock", "big_gin", "lay_off"
]

_ACTION_NAMES: Final[dict[type[Action], ActionName]] = {
    TakeUpcard: "take_upcard",
    Pass: "pass",
    DrawStock: "draw_stock",
    DrawDiscard: "draw_discard",
    Discard: "discard",
    Knock: "knock",
    BigGin: "big_gin",
    LayOff: "lay_off",
}


class TakenOut(Struct, frozen=True):
    """The card just taken; one from the discard pile may be thrown in the same turn by a knob only."""

    card: CardCode
    source: Literal["stock", "discard_pile"] = field(name="from")


class ArrangementOut(Struct, frozen=True):
    """The melds that leave the least deadwood, or the melds stated."""

    melds: list[list[CardCode]]
    unmatched: list[CardCode]
    deadwood: Deadwood


class OpponentOut(Struct, frozen=True):
    """Another seat (`name` null while open); `known_cards` were taken face up and not thrown since."""

    seat: SeatNumber
    name: PlayerName | None
    hand_count: Count | None
    known_cards: list[CardCode]


class SeenOut(Struct, frozen=True):
    """What all have seen a seat throw, and leave face up, in this deal; each in the order it happened.

    A card is declined by passing the upcard or the last discard, and by drawing from the stock instead.
    """

    seat: SeatNumber
    thrown: list[CardCode]
    declined: list[CardCode]


class SpreadLayoffOut(Struct, frozen=True):
    """A card that a defender has laid on a meld of the spread."""

    seat: SeatNumber
    card: CardCode
    meld: MeldIndex


class SpreadOut(Struct, frozen=True):
    """The knocker's hand as laid; a meld's number is its place in `melds`."""

    seat: SeatNumber
    melds: list[list[CardCode]]
    unmatched: list[CardCode]
    deadwood: Deadwood
    layoffs: list[SpreadLayoffOut]


class OfferOut(Struct, frozen=True):
    """An action open now: with one of `cards` where it names a card; those of `gin` leave no deadwood."""

    type: ActionName
    cards: list[CardCode] | UnsetType = UNSET
    gin: list[CardCode] | UnsetType = UNSET


class HintsOut(Struct, frozen=True):
    """The deadwood that each throw would leave; empty while nothing may be thrown.

    In a match made with `hints: false` this object has no member.
    """

    deadwood_after: dict[CardCode, Deadwood] | UnsetType = UNSET


class ViewOut(Struct, frozen=True, kw_only=True):
    """All that a seat may know, and what it may do.

    What belongs to a deal is null while none is dealt; `upcard` also where the first seat was dealt a card
    more instead. `scores` are running points, or penalties so far; `columns` are null where none are kept.
    `deadline` is when the time of the seat in turn is up, by the service's clock; null where nobody is
    waited for. `seen` has a row for each seat, and is empty while no deal is played. `tallies` has a row for
    each seat. `deal_count` is the number of finished deals, and `last_deal` the latest of them, null before
    the first has ended; `listDeals` has all. `metadata` is shown to the seats of the match's creator.
    """

    match_id: UUID
    version: Version
    status: StatusName
    phase: PhaseName
    seat: SeatNumber
    deal: DealNumber | None
    dealer: SeatNumber | None
    turn: SeatNumber | None
    clock: ClockBody | None
    deadline: datetime | None
    knock_limit: KnockLimitOut | None
    upcard: CardCode | None
    stock_count: Count | None
    discard_pile: list[CardCode]
    hand: list[CardCode]
    taken: TakenOut | None
    arrangement: ArrangementOut | None
    opponents: list[OpponentOut]
    seen: list[SeenOut]
    spread: SpreadOut | None
    scores: list[Points]
    columns: list[ColumnOut] | None
    tallies: list[TallyOut]
    deal_count: DealCount
    last_deal: DealOut | None
    result: ResultOut | None
    actions: list[OfferOut]
    hints: HintsOut
    metadata: dict[str, str] | None


class StakesOut(Struct, frozen=True):
    """What a knock is worth before the other hand is known; null where nobody can undercut."""

    kind: Literal["knock", "gin", "big_gin"]
    own_deadwood: Deadwood
    bonus: Points
    undercut_bonus: Points
    undercut_if_at_most: Deadwood | None
    multiplier: Literal[1, 2]


class PreviewOut(Struct, frozen=True):
    """What an action would do, from what the seat may know."""

    hand: list[CardCode]
    arrangement: ArrangementOut
    ends_deal: Literal["no", "layoff", "scored", "void", "unfinished"]
    reveals: list[Literal["stock_card", "own_hand"]]
    scoring: StakesOut | None
    warnings: list[Literal["breaks_meld", "gin_available", "better_melds_exist", "last_turn_before_void"]]


def view_to_wire(
    match_id: UUID,
    view: View,
    seat: int,
    *,
    hints: bool,
    clock: ClockBody | None,
    deadline: datetime | None,
    metadata: dict[str, str] | None,
) -> ViewOut:
    """Return a seat's view as it reads it."""
    table = view.table
    return ViewOut(
        match_id=match_id,
        version=view.version,
        status=view.status.value,
        phase=view.phase.value,
        seat=seat,
        deal=table.number if table else None,
        dealer=table.dealer if table else None,
        turn=table.turn if table else None,
        clock=clock,
        deadline=deadline,
        knock_limit=table.knock_limit if table else None,
        upcard=upcard_to_wire(table),
        stock_count=table.stock_count if table else None,
        discard_pile=[code_of(card) for card in table.discard_pile] if table else [],
        hand=codes_of(view.hand),
        taken=_taken(view.taken) if view.taken else None,
        arrangement=_arrangement(view.arrangement) if view.arrangement else None,
        opponents=[opponent_to_wire(opponent) for opponent in view.opponents],
        seen=[_seen(seat, seen) for seat, seen in enumerate(table.seen)] if table else [],
        spread=spread_to_wire(table.spread) if table and table.spread else None,
        scores=list(view.scores),
        columns=columns_to_wire(view.columns),
        tallies=tallies_to_wire(view.tallies, view.deal_count),
        deal_count=view.deal_count,
        last_deal=None if view.last_deal is None else deal_to_wire(view.last_deal),
        result=result_to_wire(view.result) if view.result else None,
        actions=[_offer(offer) for offer in view.actions],
        hints=_hints(view) if hints else HintsOut(),
        metadata=metadata,
    )


def preview_to_wire(preview: Preview) -> PreviewOut:
    """Return a preview as the seat reads it."""
    return PreviewOut(
        hand=codes_of(preview.hand),
        arrangement=_arrangement(preview.arrangement),
        ends_deal=preview.ends_deal.value,
        reveals=[reveal.value for reveal in preview.reveals],
        scoring=_stakes(preview.scoring) if preview.scoring else None,
        warnings=[warning.value for warning in preview.warnings],
    )


def opponent_to_wire(opponent: Opponent) -> OpponentOut:
    """Return another seat as everybody reads it."""
    return OpponentOut(
        seat=opponent.seat,
        name=opponent.player.name,
        hand_count=opponent.hand_count,
        known_cards=codes_of(opponent.known_cards),
    )


def upcard_to_wire(table: Table | None) -> CardCode | None:
    """Return the upcard of a running deal, or null where there is none."""
    return None if table is None or table.upcard is None else code_of(table.upcard)


def spread_to_wire(spread: Spread) -> SpreadOut:
    """Return the knocker's spread as everybody reads it."""
    return SpreadOut(
        seat=spread.seat,
        melds=codes_of_melds(spread.melds),
        unmatched=codes_of(spread.unmatched),
        deadwood=spread.deadwood,
        layoffs=[SpreadLayoffOut(seat, code_of(layoff.card), layoff.meld) for seat, layoff in spread.layoffs],
    )


def _seen(seat: int, seen: Seen) -> SeenOut:
    return SeenOut(seat, [code_of(card) for card in seen.thrown], [code_of(card) for card in seen.declined])


def _taken(taken: Taken) -> TakenOut:
    return TakenOut(code_of(taken.card), taken.source.value)


def _arrangement(arrangement: Arrangement) -> ArrangementOut:
    return ArrangementOut(
        codes_of_melds(arrangement.melds), codes_of(arrangement.unmatched), arrangement.deadwood
    )


def _offer(offer: Offer) -> OfferOut:
    name = _ACTION_NAMES[offer.action]
    if name == "knock":
        return OfferOut(name, [code_of(card) for card in offer.cards], [code_of(card) for card in offer.gin])
    if name == "discard":
        return OfferOut(name, [code_of(card) for card in offer.cards])
    return OfferOut(name)


def _hints(view: View) -> HintsOut:
    return HintsOut({code_of(card): deadwood for card, deadwood in view.deadwood_after.items()})


def _stakes(stakes: Stakes) -> StakesOut:
    return StakesOut(
        kind=stakes.kind.value,
        own_deadwood=stakes.own_deadwood,
        bonus=stakes.bonus,
        undercut_bonus=stakes.undercut_bonus,
        undercut_if_at_most=stakes.undercut_if_at_most,
        multiplier=2 if stakes.multiplier > 1 else 1,
    )
