"""How a deal ends by its stock, or goes on with a new one (R4.5, R4.6, R7.4)."""

from typing import Final

import pytest
from msgspec.structs import replace

import engine
from engine.actions import BigGin, Discard, DrawDiscard, DrawStock, Knock, Pass
from engine.cards import cards_of, set_of
from engine.events import DealStarted, DealVoided, DiscardPassed, StockDrawn, StockReshuffled
from engine.redact import SeenStockReshuffled
from engine.rules import FirstTurnKnock, Melds, RuleSet, StockEnd, UpcardOffer
from engine.shuffle import shuffled
from engine.state import DealResult, Match, Phase, Status
from tests.engine.vectors import Vector, rules_of, vectors
from tests.playbook import (
    LOOSE,
    MELDED,
    PENALTY,
    SECRET,
    card,
    deal,
    hand,
    in_turn,
    knock,
    last_deal,
    last_events,
    offered,
    play,
    running,
    started,
    throw,
    with_stock,
)

KNOCKER: Final = f"{MELDED} 4H"
GIN: Final = f"{MELDED} TH"


def rules(end: StockEnd, **knobs: object) -> RuleSet:
    return replace(RuleSet(upcard_offer=UpcardOffer.NONE, stock_end=end), **knobs)


ON_DRAW: Final = rules(StockEnd.DEAD_ON_DRAW)
FOR_A_KNOCK: Final = rules(StockEnd.LAST_DISCARD_KNOCK_ONLY)
PLAYABLE: Final = rules(StockEnd.LAST_DISCARD_PLAYABLE)
RESHUFFLE: Final = rules(StockEnd.RESHUFFLE)


def at_the_last_discard(rules: RuleSet, second: str, thrown: str = "2H") -> Match:
    """Return a match in which seat 0 has left two cards in the stock, and seat 1 holds these cards."""
    return play(with_stock(deal(rules, LOOSE, second, "KD", "8D"), 3), DrawStock(), throw(thrown))


class TestDeadOnDraw:
    def test_the_draw_that_brings_the_stock_to_its_floor_ends_the_deal(self) -> None:
        match = with_stock(deal(ON_DRAW, KNOCKER, LOOSE, stock="8D"), 3)
        events = last_events(match, DrawStock())
        assert [type(event) for event in events] == [StockDrawn, DealVoided, DealStarted]
        row = last_deal(play(match, DrawStock()))
        assert (row.result, row.knocker, row.points) == (DealResult.VOID, None, 0)
        assert row.hands[0].cards == hand(f"{KNOCKER} 8D")  # R2.5: all that was held

    def test_with_one_card_more_the_turn_goes_on(self) -> None:
        match = play(with_stock(deal(ON_DRAW, KNOCKER, LOOSE, stock="8D"), 4), DrawStock())
        assert last_deal(play(match, knock("8D"))).result is DealResult.KNOCK

    def test_who_takes_the_discard_leaves_the_stock(self) -> None:
        match = play(with_stock(deal(ON_DRAW, KNOCKER, LOOSE), 3), DrawDiscard(), throw("4H"))
        assert (running(match).phase, in_turn(match)) == (Phase.DRAW, 1)


class TestLastDiscardForAKnock:
    def test_who_cannot_knock_with_it_can_only_pass(self) -> None:
        match = at_the_last_discard(FOR_A_KNOCK, "AS 3S 5S 7S 9S AH 4H 6H 8H TH")
        assert (running(match).phase, in_turn(match)) == (Phase.LAST_DISCARD, 1)
        assert set(offered(match)) == {Pass}

    def test_to_pass_voids_the_deal(self) -> None:
        match = at_the_last_discard(FOR_A_KNOCK, KNOCKER)
        events = last_events(match, Pass())
        assert [type(event) for event in events] == [DiscardPassed, DealVoided, DealStarted]
        after = play(match, Pass())
        assert last_deal(after).result is DealResult.VOID
        assert last_deal(after).hands[1].cards == hand(KNOCKER)
        assert running(after).dealer == last_deal(after).dealer

    def test_who_takes_it_must_end_the_deal_in_that_turn(self) -> None:
        match = at_the_last_discard(FOR_A_KNOCK, KNOCKER, thrown="KC")
        assert set(offered(match)) == {DrawDiscard, Pass}
        match = play(match, DrawDiscard())
        assert set(offered(match)) == {Knock}
        assert offered(match)[Knock].cards == (card("4H"),)
        row = last_deal(play(match, knock("4H")))
        assert (row.result, row.knocker) == (DealResult.KNOCK, 1)

    def test_gin_and_big_gin_count_too(self) -> None:
        rules = replace(FOR_A_KNOCK, big_gin=True, knock_limit=0)
        assert set(offered(at_the_last_discard(rules, KNOCKER))) == {Pass}
        match = at_the_last_discard(rules, GIN, thrown="JH")
        match = play(match, DrawDiscard())
        assert set(offered(match)) == {Knock, BigGin}
        assert last_deal(play(match, BigGin())).result is DealResult.BIG_GIN

    def test_it_may_be_good_for_big_gin_alone(self) -> None:
        rules = replace(FOR_A_KNOCK, big_gin=True, knock_limit=0, hand_size=5)
        match = deal(rules, "KH QD JH TS 8C", "AS 2S 3S KC KD", "9H", "8D")
        match = play(with_stock(match, 3), DrawStock(), throw("KH"), DrawDiscard())
        assert set(offered(match)) == {BigGin}

    def test_a_knock_that_would_throw_it_back_is_none(self) -> None:
        rules = replace(FOR_A_KNOCK, knock_limit=5)
        assert set(offered(at_the_last_discard(rules, KNOCKER, thrown="KC"))) == {Pass}
        free = replace(rules, allow_discard_taken=True)
        match = play(at_the_last_discard(free, KNOCKER, thrown="KC"), DrawDiscard())
        assert offered(match)[Knock].cards == (card("KC"),)

    def test_a_first_turn_that_may_not_knock_may_not_take_it(self) -> None:
        rules = replace(FOR_A_KNOCK, first_turn_knock=FirstTurnKnock.FORBIDDEN)
        assert set(offered(at_the_last_discard(rules, KNOCKER))) == {Pass}

    def test_a_knock_before_the_last_throw_is_an_ordinary_one(self) -> None:
        match = play(with_stock(deal(FOR_A_KNOCK, KNOCKER, LOOSE, stock="8D"), 3), DrawStock())
        assert set(offered(match)) == {Discard, Knock}

    def test_melds_may_be_stated_but_not_beyond_the_limit(self) -> None:
        match = at_the_last_discard(replace(FOR_A_KNOCK, melds=Melds.DECLARED), KNOCKER)
        match = play(match, DrawDiscard())
        with pytest.raises(engine.Refusal, match="deadwood-above-limit"):
            play(match, knock("4H", "AS 2S 3S"))
        assert running(play(match, knock("4H"))).phase is Phase.LAYOFF


class TestLastDiscardPlayable:
    def test_the_next_seat_may_take_it_and_play_on(self) -> None:
        match = at_the_last_discard(PLAYABLE, KNOCKER)
        assert set(offered(match)) == {DrawDiscard, Pass}
        match = play(match, DrawDiscard())
        assert set(offered(match)) == {Discard, Knock}
        assert card("2H") not in offered(match)[Discard].cards  # R3.2 holds here too

    def test_its_throw_gives_the_next_seat_the_same_choice(self) -> None:
        match = play(at_the_last_discard(PLAYABLE, KNOCKER), DrawDiscard(), throw("4H"))
        assert (running(match).phase, in_turn(match)) == (Phase.LAST_DISCARD, 0)
        assert set(offered(match)) == {DrawDiscard, Pass}
        assert len(running(match).stock) == 2
        match = play(match, DrawDiscard(), throw("KC"))
        assert (running(match).phase, in_turn(match)) == (Phase.LAST_DISCARD, 1)

    def test_a_knock_with_it_counts_and_a_pass_voids(self) -> None:
        match = at_the_last_discard(PLAYABLE, KNOCKER)
        assert last_deal(play(match, DrawDiscard(), knock("4H"))).result is DealResult.KNOCK
        assert last_deal(play(match, Pass())).result is DealResult.VOID

    def test_the_turns_of_a_deal_bound_the_swapping(self) -> None:
        match = at_the_last_discard(replace(PLAYABLE, max_turns=20), KNOCKER)
        match = replace(match, deal=replace(running(match), turns=18))
        match = play(match, DrawDiscard(), throw("4H"))
        assert running(match).phase is Phase.LAST_DISCARD
        assert last_deal(play(match, DrawDiscard(), throw("KC"))).result is DealResult.VOID


def test_without_a_floor_the_last_card_of_the_stock_is_played() -> None:
    match = with_stock(deal(rules(StockEnd.DEAD_AFTER_DISCARD, stock_floor=0), KNOCKER, LOOSE), 2)
    match = play(match, DrawStock(), throw("4H"))
    assert set(offered(match)) == {DrawStock, DrawDiscard}
    assert last_deal(play(match, DrawStock(), throw("KC"))).result is DealResult.VOID


@vectors("reshuffle")
def test_reshuffle_vector(vector: Vector) -> None:
    seats = vector.input["players"]
    knobs = {"stock_end": StockEnd.RESHUFFLE, "stock_floor": vector.input["stock"]}
    match = with_stock(started(replace(rules_of(vector), **knobs), seats=seats), vector.input["stock"] + 1)
    if Pass in offered(match):
        match = play(match, *(Pass(),) * seats)
    match = play(match, DrawStock())
    match = play(match, Discard(max(offered(match)[Discard].cards)))
    assert len(running(match).stock) == vector.expect["new_stock"]
    assert len(running(match).discard_pile) == vector.expect["discard_left"]
    assert sum(held.bit_count() for held in running(match).hands) == seats * vector.input["hand_size"]


class TestReshuffle:
    """R7.4: the top discard stays, the others go under the stock in an order of the match's shuffle."""

    match = with_stock(deal(RESHUFFLE, KNOCKER, LOOSE, stock="8D 9D TD"), 3)

    def test_the_stock_keeps_its_cards_on_top_and_the_order_is_the_labels(self) -> None:
        pile = running(self.match).discard_pile
        _, reshuffled = last_events(self.match, DrawStock(), throw("4H"))
        under = shuffled(pile, SECRET, "reshuffle:1:1")
        assert reshuffled == StockReshuffled((card("9D"), card("TD"), *under), card("4H"))
        after = running(play(self.match, DrawStock(), throw("4H")))
        assert (after.discard_pile, after.stock[:2]) == ((card("4H"),), (card("9D"), card("TD")))
        assert (after.phase, after.turn, after.reshuffles) == (Phase.DRAW, 1, 1)
        assert set_of(under) == set_of(pile)

    def test_each_deal_and_each_reshuffle_has_its_own_order(self) -> None:
        later = replace(self.match, deal=replace(running(self.match), number=7, reshuffles=2))
        _, reshuffled = last_events(later, DrawStock(), throw("4H"))
        assert isinstance(reshuffled, StockReshuffled)
        assert reshuffled.stock[2:] == shuffled(running(later).discard_pile, SECRET, "reshuffle:7:3")

    def test_it_happens_again_and_no_card_is_lost(self) -> None:
        match, turns = self.match, 0
        while running(match).reshuffles < 3:
            pile = running(match).discard_pile
            match = play(match, DrawStock())
            taken = running(match).taken
            assert taken is not None
            match = play(match, Discard(taken.card))
            turns += 1
            held = [card for cards in running(match).hands for card in cards_of(cards)]
            assert sorted([*held, *running(match).stock, *running(match).discard_pile]) == list(range(52))
            assert len(running(match).discard_pile) == 1 or running(match).discard_pile[:-1] == pile
        assert turns == 1 + 29 + 29  # from 31 cards to two

    def test_the_top_discard_may_be_taken_and_its_taker_reshuffles_nothing(self) -> None:
        match = play(self.match, DrawStock(), throw("4H"), DrawDiscard(), throw("KC"))
        assert (running(match).reshuffles, len(running(match).stock)) == (1, 31)
        assert running(match).discard_pile == (card("KC"),)

    def test_a_knock_in_the_turn_that_would_reshuffle_counts(self) -> None:
        assert last_deal(play(self.match, DrawStock(), knock("8D"))).result is DealResult.KNOCK

    def test_the_turns_of_a_deal_bound_it(self) -> None:
        late = replace(self.match, deal=replace(running(self.match), turns=199))
        assert last_deal(play(late, DrawStock(), throw("4H"))).result is DealResult.VOID

    def test_nobody_is_told_the_order_and_what_lay_face_up_is_forgotten(self) -> None:
        _, reshuffled = last_events(self.match, DrawStock(), throw("4H"))
        after = play(self.match, DrawStock(), throw("4H"))
        for audience in (0, 1, None):
            assert engine.redact(reshuffled, audience) == SeenStockReshuffled(31, card("4H"))
        assert engine.known(after, None) == hand("4H")
        assert engine.known(after, 1) == hand(f"{LOOSE} 4H")

    def test_with_four_seats_it_goes_round_them(self) -> None:
        match = with_stock(started(PENALTY, seats=4, first_dealer=3), 3)
        match = play(match, DrawStock())
        match = play(match, Discard(offered(match)[Discard].cards[0]))
        assert (in_turn(match), len(running(match).stock)) == (1, 23)
        assert match.status is Status.PLAYING
