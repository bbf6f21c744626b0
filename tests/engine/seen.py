"""Which cards an audience is shown, field by field, and matches that differ only in what it cannot know."""

import random
from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from engine.cards import Card, CardSet, cards_of, set_of
from engine.deadwood import Arrangement
from engine.events import (
    Aborted,
    BigGinDeclared,
    DealScored,
    DealUnfinished,
    DealVoided,
    DiscardDrawn,
    Discarded,
    DiscardPassed,
    Forfeited,
    Knocked,
    MatchFinished,
    MatchStarted,
    Resigned,
    SeatJoined,
    TurnTimedOut,
    UpcardPassed,
    UpcardTaken,
)
from engine.known import Audience, held, known
from engine.redact import (
    Seen,
    SeenDealStarted,
    SeenLaidOff,
    SeenMatchCreated,
    SeenStockDrawn,
    SeenStockReshuffled,
)
from engine.shuffle import Shuffle
from engine.state import Deal, HandShown, Match, Source, Spread, Taken
from engine.view import Table, View
from tests.playbook import running

ALL: Final = (1 << 52) - 1

VIEW_WITHOUT_CARDS: Final = {
    "rules",
    "version",
    "status",
    "phase",
    "seat",
    "scores",
    "columns",
    "tallies",
    "deal_count",
    "result",
}
VIEW_WITH_CARDS: Final = {
    "table",
    "hand",
    "taken",
    "arrangement",
    "opponents",
    "last_deal",
    "actions",
    "deadwood_after",
}


def cards_in_view(view: View) -> CardSet:
    """Return every card that a view names, those of finished deals left out."""
    cards = view.hand | set_of(view.deadwood_after)
    if view.table is not None:
        cards |= _in_table(view.table)
    if view.taken is not None:
        cards |= 1 << view.taken.card
    if view.arrangement is not None:
        cards |= _in_arrangement(view.arrangement)
    for opponent in view.opponents:
        cards |= opponent.known_cards
    for offer in view.actions:
        cards |= set_of(offer.cards) | set_of(offer.gin)
    return cards


def cards_in_event(event: Seen) -> CardSet:
    """Return every card that an audience's copy of an event names, that of finished deals left out."""
    match event:
        case SeenDealStarted():
            return (event.hand or 0) | _one(event.upcard)
        case SeenStockDrawn():
            return _one(event.card)
        case SeenStockReshuffled():
            return _one(event.top)
        case UpcardTaken() | DiscardDrawn() | Discarded():
            return 1 << event.card
        case Knocked():
            return sum(event.melds or ()) | (event.unmatched or 0) | 1 << event.card
        case BigGinDeclared():
            return sum(event.melds or ())
        case SeenLaidOff():
            return set_of(layoff.card for layoff in event.layoffs)
        case (
            SeenMatchCreated()
            | SeatJoined()
            | MatchStarted()
            | UpcardPassed()
            | DiscardPassed()
            | Resigned()
            | TurnTimedOut()
            | Forfeited()
            | Aborted()
            | DealScored()
            | DealVoided()
            | DealUnfinished()
            | MatchFinished()
        ):
            return 0


def twin(match: Match, audience: Audience, dice: random.Random) -> Match:
    """Return a match that differs only in what the audience cannot know: hidden cards, stock and seed."""
    deal = running(match)
    seen = held(deal, audience)
    hidden = list(cards_of(ALL & ~known(match, audience)))
    dice.shuffle(hidden)
    hands: list[CardSet] = []
    for hand, face_up in zip(deal.hands, seen, strict=True):
        missing = hand.bit_count() - face_up.bit_count()
        hands.append(face_up | set_of(hidden[:missing]))
        del hidden[:missing]
    other = replace(
        deal,
        hands=tuple(hands),
        stock=tuple(hidden),
        taken=_taken(deal, audience, hands, seen),
        answers=tuple(
            answer if answer.seat == audience else _answer(answer, hands[answer.seat])
            for answer in deal.answers
        ),
    )
    shuffle = Shuffle(match.shuffle.mode, dice.randbytes(32), match.shuffle.decks)
    return replace(match, deal=other, shuffle=shuffle)


def _taken(deal: Deal, audience: Audience, hands: list[CardSet], seen: Iterable[CardSet]) -> Taken | None:
    taken = deal.taken
    if taken is None or taken.source is Source.DISCARD_PILE or deal.turn == audience:
        return taken
    hidden = hands[deal.turn] & ~tuple(seen)[deal.turn]
    return Taken(cards_of(hidden)[0], Source.STOCK)


def _answer(answer: HandShown, hand: CardSet) -> HandShown:
    """Return a defender's answer with these cards: what he laid off is public, the rest is not."""
    rest = hand & ~set_of(layoff.card for layoff in answer.layoffs)
    return replace(answer, cards=hand, melds=(), unmatched=rest, deadwood=rest.bit_count())


def _one(card: Card | None) -> CardSet:
    return 0 if card is None else 1 << card


def _in_table(table: Table) -> CardSet:
    cards = set_of(table.discard_pile) | _one(table.upcard)
    for seen in table.seen:
        cards |= set_of(seen.thrown) | set_of(seen.declined)
    return cards | (_in_spread(table.spread) if table.spread is not None else 0)


def _in_spread(spread: Spread) -> CardSet:
    laid = set_of(layoff.card for _, layoff in spread.layoffs)
    return sum(spread.melds) | spread.unmatched | laid


def _in_arrangement(arrangement: Arrangement) -> CardSet:
    return sum(arrangement.melds) | arrangement.unmatched
