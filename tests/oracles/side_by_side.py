"""One deal played on our table and on open_spiel's with the same cards, compared before every move."""

import random
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

import engine
from engine.actions import Discard, DrawDiscard, DrawStock, Knock, LayOff, Layoff, Meld, Move, Seat
from engine.cards import Card, CardSet, set_of
from engine.deadwood import solver_for
from engine.layoffs import Defence, defend, legal_layoffs
from engine.rules import Melds, RuleSet
from engine.shuffle import Shuffle, ShuffleMode
from engine.state import Deal, HandShown, Match, Phase, Source, Spread
from tests.oracles import leanings, quirks, spiel
from tests.oracles.spiel import Choices
from tests.oracles.tally import Tally
from tests.playbook import SECRET, TABLE, last_deal, offered, running

NO_LIMIT: Final = 100
"""The most points that ten cards can have: a defender may lay down what he likes."""


class SideBySide:
    """Both tables; seat 1 deals, for with them seat 0 always begins."""

    def __init__(self, rules: RuleSet, deck: tuple[Card, ...], tally: Tally) -> None:
        self.rules = rules
        self.match = engine.start_match(rules, TABLE, Shuffle(ShuffleMode.DECKS, SECRET, (deck,)), 1).match
        self.theirs = spiel.dealt(rules, deck)
        self.tally = tally
        self._compare_tables(running(self.match))
        self.takes = 0
        self.given_back = 0

    def play(self, dice: random.Random) -> None:
        """Play the deal to its end on both tables, or to where a quirk ends theirs."""
        players = leanings.players(dice)
        while not self.match.deal_count:
            deal = running(self.match)
            leaning = players[deal.turn]
            if deal.phase is Phase.LAYOFF:
                self._answer(deal, leaning, dice)
                continue
            if not self.move(leanings.move(self.rules, deal, self.choices(), leaning, dice)):
                return
        self.compare_results()

    def choices(self) -> Choices:
        """Return what both tables offer, their quirks masked; whatever else differs fails."""
        deal = running(self.match)
        ours, theirs = choices(self.match), spiel.choices(self.theirs)
        for quirk in quirks.CHOICES:
            masked = quirk(self.rules, deal, ours, theirs)
            if masked != (ours, theirs):
                self._count(quirk)
            ours, theirs = masked
        assert ours == theirs, (deal, self.rules)
        return ours

    def _compare_tables(self, deal: Deal) -> None:
        if deal.phase is Phase.LAYOFF:
            return
        theirs, solver = self.theirs, solver_for(self.rules)
        size = self.rules.hand_size_for(2)
        assert theirs.current_player() == deal.turn
        assert theirs.knock_card() == deal.knock_limit
        assert theirs.stock_size() == len(deal.stock)
        assert spiel.discard_pile(theirs) == deal.discard_pile
        for seat, hand in enumerate(deal.hands):
            assert spiel.hand(theirs, seat) == hand
            assert spiel.swapped_all(theirs.known_cards()[seat]) == _known(self.match, seat)
            least = theirs.deadwood()[seat]
            if hand.bit_count() == size:
                assert least == solver.deadwood(hand)
            else:
                assert least >= solver.best_throw(hand) or (least == 0 and solver.deadwood(hand) == 0)

    def move(self, move: Move) -> bool:
        """Make a move on both tables; return whether theirs goes on, or has ended with ours."""
        deal = running(self.match)
        self.match = engine.apply(self.match, deal.turn, move).match
        match move:
            case DrawDiscard() if deal.phase is Phase.LAST_DISCARD:
                self.tally["last discard taken"] += 1
                spiel.act(self.theirs, spiel.KNOCK)
            case Knock(card):
                self._knocked(deal, card)
            case Discard(card):
                self._threw(deal, card)
            case DrawStock():
                spiel.act(self.theirs, spiel.DRAW)
                assert spiel.swapped_all(self.theirs.legal_actions()) == set_of(deal.stock)
                spiel.act(self.theirs, spiel.swapped(deal.stock[0]))
            case _:
                spiel.act(self.theirs, spiel.NUMBERS[type(move)])
                self.takes += isinstance(move, DrawDiscard)
        if self.match.deal_count:
            return True
        if not self.theirs.is_terminal():
            self._compare_tables(running(self.match))
            return True
        for quirk, count in (
            (quirks.void_when_two_throw_back, self.given_back),
            (quirks.void_after_fifty_takes, self.takes),
        ):
            if quirk(count):
                self._count(quirk)
                return False
        raise AssertionError("their deal ended alone")

    def _threw(self, deal: Deal, card: Card) -> None:
        taken = deal.taken
        back = taken is not None and taken.card == card and taken.source is Source.DISCARD_PILE
        self.given_back = self.given_back + 1 if back else 0
        spiel.act(self.theirs, spiel.swapped(card))
        if self.match.deal_count and not self.theirs.is_terminal():
            assert quirks.last_discard_may_always_be_knocked_with(self.rules, last_deal(self.match))
            self._count(quirks.last_discard_may_always_be_knocked_with)
            spiel.act(self.theirs, spiel.PASS)

    def _knocked(self, deal: Deal, card: Card) -> None:
        """Knock on their table, and end the deal there too if ours has ended."""
        if spiel.KNOCK in self.theirs.legal_actions():
            spiel.act(self.theirs, spiel.KNOCK)
        else:
            self.tally["knock at the wall"] += 1
        spiel.act(self.theirs, spiel.swapped(card))
        if not self.match.deal_count:
            self._spread(self.theirs, spread_of(self.match).melds)
            return
        hands = last_deal(self.match).hands
        knocker, defender = hands[deal.turn], hands[1 - deal.turn]
        if self.rules.melds is Melds.AUTO:
            self._compare_spreads(knocker.cards, defender)
        self._spread(self.theirs, knocker.melds)
        self._defended(knocker.melds, defender)

    def _compare_spreads(self, hand: CardSet, defender: HandShown) -> None:
        """R5.1: of the best spreads of this hand ours left the defender most."""
        left = []
        for arrangement in solver_for(self.rules).arrangements(hand):
            trial = self.theirs.clone()
            self._spread(trial, arrangement.melds)
            left.append(self._best_defence(trial, arrangement.melds, defender.cards).deadwood)
        if len(set(left)) > 1:
            self.tally["a choice of spreads"] += 1
        assert defender.deadwood == max(left)

    def _spread(self, theirs: spiel.State, melds: tuple[Meld, ...]) -> None:
        seat = theirs.current_player()
        left = self._laid_down(theirs, spiel.hand(theirs, seat), melds, theirs.knock_card())
        spiel.act(theirs, spiel.PASS)
        assert theirs.deadwood()[seat] == solver_for(self.rules).points(left)

    def _laid_down(self, theirs: spiel.State, hand: CardSet, melds: tuple[Meld, ...], limit: int) -> CardSet:
        """Lay melds on their table, comparing at each which others were open; return what is left."""
        solver = solver_for(self.rules)
        pieces = quirks.laid_by_hand(melds)
        if len(pieces) > len(melds):
            self._count(quirks.runs_of_five_at_most)
        for piece in (*pieces, None):
            assert spiel.melds(theirs) == {
                number
                for meld, number in spiel.MELDS.items()
                if meld & hand == meld and solver.deadwood(hand & ~meld) <= limit
            }
            assert (spiel.PASS in theirs.legal_actions()) is (solver.points(hand) <= limit)
            if piece is not None:
                spiel.act(theirs, spiel.MELDS[piece])
                hand &= ~piece
        return hand

    def _answer(self, deal: Deal, leaning: leanings.Leaning, dice: random.Random) -> None:
        spread = spread_of(self.match)
        hand = deal.hands[deal.turn]
        best = self._best_defence(self.theirs, spread.melds, hand)
        answer = leanings.answer(self.rules, spread, hand, leaning, dice)
        wanted = best.layoffs if answer.layoffs is None else answer.layoffs
        allowed = tuple(it for it in wanted if not quirks.no_third_layoff_at_one_end(spread.melds, it))
        if allowed != wanted:
            self._count(quirks.no_third_layoff_at_one_end)
            answer = LayOff(answer.melds, allowed)
        self.answer(answer)

    def answer(self, answer: LayOff) -> None:
        """Answer a knock on both tables, by layoffs that both allow."""
        spread, seat = spread_of(self.match), running(self.match).turn
        self.match = engine.apply(self.match, seat, answer).match
        self._defended(spread.melds, last_deal(self.match).hands[seat])

    def _best_defence(self, theirs: spiel.State, spread: tuple[Meld, ...], hand: CardSet) -> Defence:
        """Return our best defence, held against the best of all that they allow (R5.3)."""
        best = defend(self.rules, spread, (), hand, layoffs=() if theirs.finished_layoffs() else None)
        assert best.deadwood == spiel.least_defence(theirs)
        return best

    def _defended(self, spread: tuple[Meld, ...], shown: HandShown) -> None:
        """Lay off and lay down on their table what the defender has shown on ours."""
        left = shown.cards
        if not self.theirs.finished_layoffs():
            for number, layoff in enumerate(shown.layoffs):
                self._compare_layoffs(spread, shown.layoffs[:number], left)
                spiel.act(self.theirs, spiel.swapped(layoff.card))
                left &= ~(1 << layoff.card)
            self._compare_layoffs(spread, shown.layoffs, left)
            spiel.act(self.theirs, spiel.PASS)
        assert self._laid_down(self.theirs, left, shown.melds, NO_LIMIT) == shown.unmatched
        spiel.act(self.theirs, spiel.PASS)
        assert self.theirs.deadwood()[shown.seat] == shown.deadwood

    def _compare_layoffs(self, spread: tuple[Meld, ...], laid: tuple[Layoff, ...], hand: CardSet) -> None:
        fitting = legal_layoffs(self.rules, spread, laid, hand)
        ours = set_of({it.card for it in fitting if not quirks.no_third_layoff_at_one_end(spread, it)})
        theirs = spiel.layoffs(self.theirs)
        assert not ours & ~theirs
        if theirs != ours:
            self._count(quirks.laid_card_counts_for_every_meld)
            assert not theirs & ~quirks.laid_card_counts_for_every_meld(self.rules, spread, laid, hand)

    def compare_results(self) -> None:
        """Compare what the deal was worth."""
        row = last_deal(self.match)
        assert self.theirs.is_terminal()
        gained = row.points if row.winner == 0 else -row.points
        if quirks.ties_pay_nothing(self.rules, row):
            self._count(quirks.ties_pay_nothing)
            gained = 0
        assert self.theirs.returns() == [gained, -gained]
        self.tally[row.result] += 1
        if any(hand.layoffs for hand in row.hands):
            self.tally["layoffs"] += 1

    def _count(self, quirk: Callable[..., object]) -> None:
        self.tally[f"quirk: {quirk.__name__}"] += 1


def choices(match: Match) -> Choices:
    """Return what our engine offers the seat in turn, in the same shape as theirs."""
    offers = offered(match)
    if running(match).phase is Phase.LAST_DISCARD and DrawDiscard in offers:
        taken = choices(engine.apply(match, running(match).turn, DrawDiscard()).match)
        return replace(taken, actions=frozenset(offers) - {DrawDiscard}, may_knock=True)
    return Choices(
        actions=frozenset(offers).intersection(spiel.NUMBERS),
        throws=set_of(offers[Discard].cards) if Discard in offers else 0,
        knocks=set_of(offers[Knock].cards) if Knock in offers else 0,
        may_knock=Knock in offers,
    )


def spread_of(match: Match) -> Spread:
    """Return the knocker's spread while a defender has the word."""
    spread = running(match).spread
    assert spread is not None
    return spread


def _known(match: Match, seat: Seat) -> CardSet:
    """Return which cards of a seat the other one sees."""
    return engine.view(match, 1 - seat).opponents[0].known_cards
