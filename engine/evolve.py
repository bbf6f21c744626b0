"""The fold: it happened; what is true now? Nothing is judged here, so old histories still replay."""

from typing import Final, assert_never

from msgspec.structs import replace

from engine.actions import Seat
from engine.cards import Card, CardSet
from engine.ending import shown_answer
from engine.events import (
    Aborted,
    Act,
    AnyEvent,
    BigGinDeclared,
    DealScored,
    DealStarted,
    DealUnfinished,
    DealVoided,
    DiscardDrawn,
    Discarded,
    DiscardPassed,
    Forfeited,
    Knocked,
    LaidOff,
    MatchCreated,
    MatchFinished,
    MatchStarted,
    MoveMade,
    Resigned,
    SeatJoined,
    StockDrawn,
    StockReshuffled,
    TurnTimedOut,
    UpcardPassed,
    UpcardTaken,
)
from engine.rules import RuleSet, UpcardOffer
from engine.state import (
    Deal,
    DealResult,
    DealRow,
    Match,
    PerSeat,
    Phase,
    Player,
    PlayerKind,
    Seen,
    Source,
    Spread,
    Status,
    Taken,
    Tally,
    put,
    seat_after,
    unscored,
)
from engine.tallies import tallied
from engine.totals import first_standing

_OPENING: Final[dict[UpcardOffer, Phase]] = {
    UpcardOffer.STANDARD: Phase.UPCARD_OFFER,
    UpcardOffer.NONE: Phase.DRAW,
    UpcardOffer.ELEVEN: Phase.DISCARD,
}
"""The phase in which a deal begins (R2.4)."""


def evolve(match: Match | None, event: AnyEvent) -> Match:
    """Return the match after this event; the first event of a history makes it from None."""
    if isinstance(event, MatchCreated):
        return _created(event)
    assert match is not None  # noqa: S101  every history begins with its creation
    changed = _after(match, event)
    return _counted(changed, event) if isinstance(event, Act) else changed


def _created(event: MatchCreated) -> Match:
    return Match(
        rules=event.rules,
        seats=event.seats,
        shuffle=event.shuffle,
        first_dealer=event.first_dealer,
        version=1,
        status=Status.OPEN,
        scores=(0,) * len(event.seats),
        columns=first_standing(event.rules, len(event.seats)).columns,
        timeouts=(0,) * len(event.seats),
        tallies=(Tally(),) * len(event.seats),
    )


def _counted(match: Match, act: SeatJoined | Aborted | MoveMade) -> Match:
    """Return the match one version on; who acts himself has let no time run out in a row (R3.5)."""
    if match.house_acts:
        return replace(match, version=match.version + 1, house_acts=False)
    if match.timeouts[act.seat]:
        return replace(match, version=match.version + 1, timeouts=put(match.timeouts, act.seat, 0))
    return replace(match, version=match.version + 1)


def _after(match: Match, event: AnyEvent) -> Match:
    match event:
        case SeatJoined(seat, name):
            return replace(match, seats=put(match.seats, seat, Player(PlayerKind.PLAYER, name)))
        case MatchStarted():
            return replace(match, status=Status.PLAYING)
        case DealStarted():
            return replace(match, deal=_dealt(match, event))
        case DealScored(row, scores, columns):
            scored = replace(match, scored_deals=match.scored_deals + 1, scores=scores, columns=columns)
            return _ended(scored, row)
        case DealVoided(row) | DealUnfinished(row):
            return _ended(match, row)
        case TurnTimedOut(seat, in_a_row):
            return replace(match, timeouts=put(match.timeouts, seat, in_a_row), house_acts=True)
        case Aborted() | Resigned() | Forfeited():
            return match
        case MatchFinished(result):
            if match.deal is not None:  # histories before snapshot format 4 do not tell of a deal cut off
                match = _ended(match, unscored(match.deal, DealResult.UNFINISHED))
            return replace(match, status=Status.FINISHED, result=result)
        case MatchCreated():
            raise AssertionError("a match is created once")
        case _:
            return replace(match, deal=_played(match.rules, _deal(match), event))


def _played(
    rules: RuleSet,
    deal: Deal,
    event: UpcardPassed
    | UpcardTaken
    | DiscardPassed
    | StockReshuffled
    | StockDrawn
    | DiscardDrawn
    | Discarded
    | Knocked
    | BigGinDeclared
    | LaidOff,
) -> Deal:
    match event:
        case UpcardPassed(seat):
            passes = deal.passes + 1
            phase = Phase.DRAW if passes == len(deal.hands) else Phase.UPCARD_OFFER
            return replace(
                deal,
                passes=passes,
                phase=phase,
                turn=seat_after(seat, len(deal.hands)),
                seen=_declined(deal, seat),
            )
        case DiscardPassed(seat):
            return replace(deal, seen=_declined(deal, seat))
        case StockReshuffled(stock, top):
            return replace(deal, stock=stock, discard_pile=(top,), reshuffles=deal.reshuffles + 1)
        case StockDrawn(seat, card):
            return replace(
                deal,
                phase=Phase.DISCARD,
                hands=_with(deal, seat, card),
                stock=deal.stock[1:],
                taken=Taken(card, Source.STOCK),
                # The first draw after all have passed declines nothing anew (R2.4).
                seen=deal.seen if deal.passes and not deal.turns else _declined(deal, seat),
            )
        case UpcardTaken(seat, card) | DiscardDrawn(seat, card):
            return replace(
                deal,
                phase=Phase.DISCARD,
                hands=_with(deal, seat, card),
                discard_pile=deal.discard_pile[:-1],
                face_up=put(deal.face_up, seat, deal.face_up[seat] | 1 << card),
                taken=Taken(card, Source.DISCARD_PILE),
            )
        case Discarded(seat, card):
            last = rules.offers_last_discard and len(deal.stock) <= rules.stock_floor
            return replace(
                _thrown(deal, seat, card),
                phase=Phase.LAST_DISCARD if last else Phase.DRAW,
                turn=seat_after(seat, len(deal.hands)),
                turns=deal.turns + 1,
            )
        case Knocked(seat, card, melds, unmatched, deadwood):
            thrown = _thrown(deal, seat, card)
            if melds is None or unmatched is None:
                return thrown
            return _spread(thrown, Spread(seat, melds, unmatched, deadwood))
        case BigGinDeclared(seat, melds):
            if melds is None:
                return deal
            return _spread(replace(deal, taken=None), Spread(seat, melds, 0, 0))
        case LaidOff(seat, _, layoffs):
            spread = deal.spread
            assert spread is not None  # noqa: S101  an answer follows a spread
            laid = (*spread.layoffs, *((seat, layoff) for layoff in layoffs))
            return replace(
                deal,
                turn=seat_after(seat, len(deal.hands)),
                spread=replace(spread, layoffs=laid),
                answers=(*deal.answers, shown_answer(deal, event)),
            )
        case _:
            assert_never(event)


def _dealt(match: Match, event: DealStarted) -> Deal:
    return Deal(
        number=event.deal,
        dealer=event.dealer,
        turn=event.turn,
        phase=_OPENING[match.rules.upcard_offer],
        upcard=event.upcard,
        knock_limit=event.knock_limit,
        hands=event.hands,
        stock=event.stock,
        discard_pile=() if event.upcard is None else (event.upcard,),
        face_up=(0,) * len(event.hands),
        seen=(Seen(),) * len(event.hands),
    )


def _ended(match: Match, row: DealRow) -> Match:
    return replace(match, deal=None, deal_count=row.deal, last_deal=row, tallies=tallied(match.tallies, row))


def _deal(match: Match) -> Deal:
    assert match.deal is not None  # noqa: S101  these events happen in a deal
    return match.deal


def _with(deal: Deal, seat: Seat, card: Card) -> PerSeat[CardSet]:
    return put(deal.hands, seat, deal.hands[seat] | 1 << card)


def _declined(deal: Deal, seat: Seat) -> PerSeat[Seen]:
    seen = deal.seen[seat]
    return put(deal.seen, seat, Seen(seen.thrown, (*seen.declined, deal.discard_pile[-1])))


def _thrown(deal: Deal, seat: Seat, card: Card) -> Deal:
    gone = ~(1 << card)
    seen = deal.seen[seat]
    return replace(
        deal,
        hands=put(deal.hands, seat, deal.hands[seat] & gone),
        discard_pile=(*deal.discard_pile, card),
        face_up=put(deal.face_up, seat, deal.face_up[seat] & gone),
        seen=put(deal.seen, seat, Seen((*seen.thrown, card), seen.declined)),
        taken=None,
    )


def _spread(deal: Deal, spread: Spread) -> Deal:
    return replace(deal, phase=Phase.LAYOFF, turn=seat_after(spread.seat, len(deal.hands)), spread=spread)
