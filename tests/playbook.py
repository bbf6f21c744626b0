"""How a test sets the table: players, rule sets, hands that are named, and players who play by chance."""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

import engine
from engine.actions import (
    Action,
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Layoff,
    Meld,
    Move,
    OnTimeout,
    Pass,
    Resign,
    Seat,
    TakeUpcard,
    TimeOut,
)
from engine.bots import replies
from engine.cards import DECK_SIZE, Card, CardSet, parse, parse_all, set_of
from engine.deadwood import solver_for
from engine.events import AnyEvent, DealScored, DealUnfinished, DealVoided
from engine.layoffs import legal_layoffs
from engine.legal import Offer
from engine.play import Transition
from engine.presets import PRESETS
from engine.rules import Melds, RuleSet
from engine.shuffle import Shuffle, ShuffleMode, seed_of_text
from engine.state import Deal, DealResult, DealRow, Match, PerSeat, Phase, Player, PlayerKind
from engine.tallies import tallied
from engine.totals import Scored, entered, first_standing, totals_of

ANA: Final = Player(PlayerKind.PLAYER, "Ana")
BEN: Final = Player(PlayerKind.PLAYER, "Ben")
CLUB: Final = Player(PlayerKind.BOT, "Club", "club")
OPEN: Final = Player(PlayerKind.OPEN)
TABLE: Final = (ANA, BEN)
FOUR: Final = (*TABLE, Player(PlayerKind.PLAYER, "Cleo"), Player(PlayerKind.PLAYER, "Dan"))

PLAYED: Final = {preset.name: preset.rules for preset in PRESETS}
"""The rules of every preset, by name."""
CLASSIC: Final = PLAYED["classic"]
DECLARED: Final = PLAYED["declared"]
SIMPLE: Final = PLAYED["simple"]
STRAIGHT: Final = PLAYED["straight"]
PENALTY: Final = PLAYED["penalty"]
COMPANIES: Final = tuple(
    (preset.name, seats) for preset in PRESETS for seats in range(preset.least_seats, preset.most_seats + 1)
)
"""Every preset with every number of seats that it allows."""

MELDED: Final = "AS 2S 3S 4S 5S 6S 7H 8H 9H"
"""Nine cards in melds: a tenth is all the deadwood, and a tenth and an eleventh may make big gin."""
LOOSE: Final = "KC QD JH TS 8C 7D 6C 4D 3C 2H"
"""Ten cards without a meld: 70 points."""

SECRET: Final = bytes(range(32))


def card(code: str) -> Card:
    """Return the card of a code."""
    return parse(code)


def hand(codes: str) -> CardSet:
    """Return the set of the cards named; a meld is named in the same way."""
    return set_of(parse_all(codes))


def throw(code: str) -> Discard:
    return Discard(parse(code))


def knock(code: str, *melds: str) -> Knock:
    """Return a knock that states melds, or leaves them out where none is named."""
    return Knock(parse(code), tuple(hand(meld) for meld in melds) or None)


def layoffs(*pairs: tuple[str, int]) -> tuple[Layoff, ...]:
    return tuple(Layoff(parse(code), meld) for code, meld in pairs)


def seeded(text: str) -> Shuffle:
    """Return the shuffle that a text stands for."""
    return Shuffle(ShuffleMode.SEED, seed_of_text(text))


def deck_of(first: str, dealer: str, upcard: str, stock: str = "") -> tuple[Card, ...]:
    """Return the deck that deals these hands, the seat after the dealer first; the rest comes in order."""
    return deck_for((first, dealer), upcard, stock)


def deck_for(hands: Sequence[str], upcard: str, stock: str = "") -> tuple[Card, ...]:
    """Return the deck that deals these hands, the seat after the dealer first and the dealer last."""
    rounds = zip(*map(parse_all, hands), strict=True)
    named = [*chain.from_iterable(rounds), parse(upcard), *parse_all(stock)]
    assert len(set(named)) == len(named)
    return (*named, *(card for card in range(DECK_SIZE) if card not in named))


def deal(
    rules: RuleSet, first: str, dealer: str, upcard: str = "KD", stock: str = "", *, dealer_seat: Seat = 1
) -> Match:
    """Return a match whose first deal has these hands; seat 0 is first unless it deals."""
    decks = (deck_of(first, dealer, upcard, stock),)
    shuffle = Shuffle(ShuffleMode.DECKS, SECRET, decks)
    return engine.start_match(rules, TABLE, shuffle, dealer_seat).match


def deal_round(rules: RuleSet, hands: Sequence[str], upcard: str = "KD", stock: str = "") -> Match:
    """Return a match of so many seats whose first deal has these hands, seat by seat; the last seat deals."""
    shuffle = Shuffle(ShuffleMode.DECKS, SECRET, (deck_for(hands, upcard, stock),))
    return engine.start_match(rules, FOUR[: len(hands)], shuffle, len(hands) - 1).match


def started(
    rules: RuleSet, text: str = "a quiet evening", first_dealer: Seat | None = None, *, seats: int = 2
) -> Match:
    """Return a match that a text shuffles."""
    return engine.start_match(rules, FOUR[:seats], seeded(text), first_dealer).match


def running(match: Match) -> Deal:
    """Return the running deal of a match that is played."""
    assert match.deal is not None
    return match.deal


def last_deal(match: Match) -> DealRow:
    """Return the row of the latest finished deal."""
    assert match.last_deal is not None
    return match.last_deal


def rows_of(events: Iterable[AnyEvent]) -> list[DealRow]:
    """Return the rows of the finished deals that these events tell of."""
    return [event.row for event in events if isinstance(event, DealScored | DealVoided | DealUnfinished)]


def in_turn(match: Match) -> Seat:
    return running(match).turn


def play(match: Match, *moves: Move) -> Match:
    """Return the match after these moves, each made by the seat then in turn."""
    for move in moves:
        match = engine.apply(match, in_turn(match), move).match
    return match


def last_events(match: Match, *moves: Move) -> tuple[AnyEvent, ...]:
    """Return the events of the last of these moves."""
    *before, last = moves
    match = play(match, *before)
    return engine.apply(match, in_turn(match), last).events


def with_stock(match: Match, count: int) -> Match:
    """Return the match with so many cards in the stock; the others go under the discard pile."""
    deal = running(match)
    under = deal.stock[count:]
    return replace(
        match, deal=replace(deal, stock=deal.stock[:count], discard_pile=(*under, *deal.discard_pile))
    )


def with_earlier(match: Match, *won: tuple[Seat, int] | tuple[Seat, PerSeat[int]]) -> Match:
    """Return the match after earlier deals, each told by its winner and his points, or all penalties."""
    deal = running(match)
    rows = tuple(
        DealRow(
            deal=number,
            dealer=deal.dealer,
            upcard=deal.upcard,
            knocker=winner,
            result=DealResult.KNOCK,
            winner=winner,
            points=worth if isinstance(worth, int) else 0,
            penalties=None if isinstance(worth, int) else worth,
            multiplier=1,
            hands=(),
        )
        for number, (winner, worth) in enumerate(won, 1)
    )
    rules, tallies = match.rules, match.tallies
    standing = first_standing(rules, len(match.seats))
    for row in rows:
        tallies = tallied(tallies, row)
        standing = entered(rules, standing, Scored(row.winner, row.points, row.penalties), row.deal)
    return replace(
        match,
        scores=totals_of(rules, standing, first_dealer=deal.dealer).running,
        columns=standing.columns,
        tallies=tallies,
        deal_count=len(rows),
        scored_deals=len(rows),
        last_deal=rows[-1] if rows else None,
        deal=replace(deal, number=len(rows) + 1),
    )


def offered(match: Match, seat: Seat | None = None) -> dict[type[Action], Offer]:
    """Return what a seat (the one in turn, if none is named) may do, by action."""
    return {
        offer.action: offer for offer in engine.legal_actions(match, in_turn(match) if seat is None else seat)
    }


ACTIONS: Final[tuple[Move, ...]] = (
    TakeUpcard(),
    Pass(),
    DrawStock(),
    DrawDiscard(),
    *(Discard(card) for card in range(DECK_SIZE)),
    *(Knock(card) for card in range(DECK_SIZE)),
    BigGin(),
    LayOff(),
)
"""Every action with every card; melds and layoffs are left out."""


class Habits(Struct, frozen=True):
    """How a player by chance leans; each figure is a probability."""

    ends: float = 0.9
    """Knock, or declare gin or big gin, where it is offered."""
    care: float = 0.9
    """Throw a card that leaves the least deadwood, take a face-up card that lowers it, and the last one."""
    gives_up: float = 0.0
    """Resign before a move, in turn or not."""
    states: float = 0.3
    """State melds and layoffs where they may be stated, not always the best."""
    dozes: float = 0.0
    """Let the time for a move run out."""
    on_timeout: OnTimeout = OnTimeout.PLAY


class Step(Struct, frozen=True):
    """One accepted action: the match before and after it, and its events."""

    before: Match
    seat: Seat
    action: Move | TimeOut
    match: Match
    events: tuple[AnyEvent, ...]

    @property
    def move(self) -> Move:
        """The action of a player who did not sleep."""
        assert not isinstance(self.action, TimeOut)
        return self.action


def steps(match: Match, rng: random.Random, habits: PerSeat[Habits] | None = None) -> Iterator[Step]:
    """Play a match out by chance, step by step."""
    leanings = habits or (Habits(),) * len(match.seats)
    while match.deal is not None:
        seat = match.deal.turn
        action: Move | TimeOut = choose(match, rng, leanings[seat])
        if rng.random() < leanings[seat].gives_up:
            seat, action = rng.randrange(len(match.seats)), Resign()
        elif leanings[seat].dozes and rng.random() < leanings[seat].dozes:
            action = TimeOut(leanings[seat].on_timeout)
        played = engine.apply(match, seat, action)
        yield Step(match, seat, action, played.match, played.events)
        match = played.match


def play_out(match: Match, rng: random.Random, habits: PerSeat[Habits] | None = None) -> Match:
    """Return the match, played out by chance."""
    for step in steps(match, rng, habits):
        match = step.match
    return match


def bot(level: str) -> Player:
    """Return a bot of a level."""
    return Player(PlayerKind.BOT, level.capitalize(), level)


def between_bots(
    rules: RuleSet, text: str, seats: int = 2, *, levels: Sequence[str] = ("club",)
) -> Iterator[Transition]:
    """Play a match of bots out, from its creation; a text shuffles it and seeds the bots.

    Seat by seat they have these levels, from the first again where there are more seats.
    """
    players = tuple(bot(levels[seat % len(levels)]) for seat in range(seats))
    opened = engine.start_match(rules, players, seeded(text))
    yield opened
    for _, played in replies(opened.match, tuple(f"{text} {seat}".encode() for seat in range(seats))):
        yield played


def choose(match: Match, rng: random.Random, habits: Habits) -> Move:
    """Return a legal action of the seat in turn."""
    deal = running(match)
    offers = offered(match)
    careful = rng.random() < habits.care
    match deal.phase:
        case Phase.DISCARD:
            return _end_of_turn(match, offers, rng, habits, careful=careful)
        case Phase.LAYOFF:
            return _answer(match, rng, habits)
        case _:
            face_up = next((action for action in (TakeUpcard, DrawDiscard) if action in offers), None)
            other = Pass if Pass in offers else DrawStock
            if face_up is None:
                return other()
            if deal.phase is Phase.LAST_DISCARD:
                return face_up() if careful else other()
            wanted = _lowers(match, deal.discard_pile[-1]) if careful else rng.random() < 0.5
            return face_up() if wanted else other()


def _end_of_turn(
    match: Match, offers: dict[type[Action], Offer], rng: random.Random, habits: Habits, *, careful: bool
) -> Move:
    held = running(match).hands[in_turn(match)]
    declared = match.rules.melds is Melds.DECLARED
    must = Discard not in offers
    ends = [action for action in (BigGin, Knock) if action in offers and (must or rng.random() < habits.ends)]
    if BigGin in ends:
        return BigGin()
    if Knock in ends:
        offer = offers[Knock]
        thrown = rng.choice(offer.gin or offer.cards if careful else offer.cards)
        melds = None
        if declared and rng.random() < habits.states:
            melds = _stated(match, held & ~(1 << thrown), rng, running(match).knock_limit)
        return Knock(thrown, melds)
    left = solver_for(match.rules).throws(held)
    cards = list(offers[Discard].cards)
    if careful:
        least = min(left[card] for card in cards)
        cards = [card for card in cards if left[card] == least]
    return Discard(rng.choice(cards))


def _answer(match: Match, rng: random.Random, habits: Habits) -> LayOff:
    if rng.random() >= habits.states:
        return LayOff()
    deal = running(match)
    spread = deal.spread
    assert spread is not None
    held = deal.hands[deal.turn]
    melds = _stated(match, held, rng, None) if rng.random() < 0.7 else None
    if melds is None or rng.random() < 0.5:
        laid: list[Layoff] = []
        laid_before = [layoff for _, layoff in spread.layoffs]
        free = held & ~sum(melds or ())
        while fits := legal_layoffs(match.rules, spread.melds, [*laid_before, *laid], free):
            laid.append(rng.choice(fits))
            free &= ~(1 << laid[-1].card)
        return LayOff(melds, tuple(laid[: rng.randrange(len(laid) + 1)]))
    return LayOff(melds)


def _stated(match: Match, cards: CardSet, rng: random.Random, limit: int | None) -> tuple[Meld, ...]:
    """Return melds of these cards in some order; fewer than the best where the limit allows it."""
    solver = solver_for(match.rules)
    melds = list(solver.arrange(cards).melds)
    rng.shuffle(melds)
    fewer = melds[:-1]
    loose = solver.points(cards & ~sum(fewer))
    return tuple(fewer if limit is None or loose <= limit else melds)


def _lowers(match: Match, card: Card) -> bool:
    solver = solver_for(match.rules)
    held = running(match).hands[in_turn(match)]
    left = solver.throws(held | 1 << card)
    return min(points for thrown, points in left.items() if thrown != card) < solver.deadwood(held)
