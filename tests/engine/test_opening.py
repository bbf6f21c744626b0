"""How a deal begins: who deals it, eleven cards, the limit from the upcard, and what first turns may do."""

from typing import Final

import pytest
from msgspec.structs import replace

import engine
from engine.actions import (
    Action,
    BigGin,
    Discard,
    DrawDiscard,
    DrawStock,
    Knock,
    Move,
    Pass,
    Seat,
    TakeUpcard,
)
from engine.cards import set_of
from engine.redact import SeenDealStarted
from engine.rules import FirstTurnKnock, NextDealer, OklahomaAce, RuleSet, UndercutTie, UpcardOffer
from engine.shuffle import deck
from engine.state import DealResult, Phase
from tests.playbook import (
    CLASSIC,
    LOOSE,
    MELDED,
    PENALTY,
    PLAYED,
    TABLE,
    card,
    deal,
    deal_round,
    hand,
    in_turn,
    knock,
    last_deal,
    offered,
    play,
    running,
    seeded,
    started,
    throw,
    with_stock,
)

KNOCKER: Final = f"{MELDED} 4H"
GIN: Final = f"{MELDED} TH"
COURT: Final = "KC KD KS QC QD QS JC JD JS"
"""Nine cards in sets: a tenth is all the deadwood."""
TO_DRAW: Final = (Pass(), Pass(), DrawStock())
ELEVEN: Final = RuleSet(upcard_offer=UpcardOffer.ELEVEN, big_gin=True)


def test_the_eleventh_card_is_dealt_last_and_none_is_turned_up() -> None:
    match = started(ELEVEN, "gin rummy", first_dealer=0)
    order = deck(seeded("gin rummy"), 1)
    assert running(match).hands == (set_of(order[1:20:2]), set_of((*order[:20:2], order[20])))
    assert running(match).stock == order[21:]
    assert len(running(match).stock) == 31
    assert (running(match).upcard, running(match).discard_pile) == (None, ())
    assert (in_turn(match), running(match).phase) == (1, Phase.DISCARD)


def test_who_was_dealt_eleven_opens_the_pile_with_any_of_them() -> None:
    match = play(deal(ELEVEN, LOOSE, KNOCKER, "KD"), throw("KD"))
    assert (in_turn(match), running(match).turns) == (1, 1)
    assert running(match).discard_pile == (card("KD"),)
    assert set(offered(match)) == {DrawStock, DrawDiscard}


def test_who_was_dealt_eleven_may_knock_or_have_big_gin_at_once() -> None:
    match = deal(ELEVEN, GIN, LOOSE, "6H")
    assert set(offered(match)) == {Discard, Knock, BigGin}
    row = last_deal(play(match, BigGin()))
    assert (row.result, row.upcard, row.points) == (DealResult.BIG_GIN, None, 31 + 70)
    assert row.hands[0].cards == hand(f"{GIN} 6H")
    assert last_deal(play(match, knock("6H"))).result is DealResult.GIN
    assert last_deal(play(deal(ELEVEN, KNOCKER, LOOSE, "8D"), knock("8D"))).points == 66


def test_of_four_seats_the_one_after_the_dealer_has_eight() -> None:
    match = started(replace(PENALTY, upcard_offer=UpcardOffer.ELEVEN), seats=4, first_dealer=2)
    assert [held.bit_count() for held in running(match).hands] == [7, 7, 7, 8]
    assert len(running(match).stock) == 23


def test_everybody_is_told_that_there_is_no_upcard() -> None:
    *_, opening = engine.start_match(ELEVEN, TABLE, seeded("gin rummy"), 0).events
    for audience in (0, 1, None):
        seen = engine.redact(opening, audience)
        assert isinstance(seen, SeenDealStarted)
        assert (seen.upcard, seen.stock_count) == (None, 31)


OKLAHOMA: Final = PLAYED["oklahoma"]
GIN_ONLY: Final = replace(OKLAHOMA, oklahoma_ace=OklahomaAce.GIN_ONLY)


@pytest.mark.parametrize(
    ("rules", "upcard", "limit"),
    [
        (OKLAHOMA, "3D", 3),
        (OKLAHOMA, "KD", 10),
        (OKLAHOMA, "AD", 1),
        (GIN_ONLY, "AD", 0),
        (GIN_ONLY, "3D", 3),
        (replace(OKLAHOMA, knock_limit=5), "9D", 5),    # R4.3: the smaller of the two
        (replace(OKLAHOMA, knock_limit=5), "3D", 3),
        (replace(OKLAHOMA, ace_points=15), "AD", 1),
        (CLASSIC, "3D", 10),
    ],
)  # fmt: skip
def test_the_upcard_sets_the_limit_of_the_deal(rules: RuleSet, upcard: str, limit: int) -> None:
    match = play(deal(rules, KNOCKER, LOOSE, upcard, "8D"), *TO_DRAW)
    for audience in (0, 1, None):
        table = engine.view(match, audience).table
        assert table is not None
        assert table.knock_limit == limit
    assert (Knock in offered(match)) == (limit >= 4)


def test_the_limit_stays_when_the_upcard_is_covered() -> None:
    match = play(deal(OKLAHOMA, KNOCKER, LOOSE, "3D", "8D 9D TD"), *TO_DRAW, throw("8D"))
    match = play(match, DrawStock(), throw("9D"), DrawStock())
    assert (running(match).knock_limit, running(match).discard_pile[-1]) == (3, card("9D"))
    assert Knock not in offered(match)


def test_an_ace_may_leave_gin_only() -> None:
    match = play(deal(GIN_ONLY, GIN, LOOSE, "AD", "8D"), *TO_DRAW)
    assert offered(match)[Knock].cards == offered(match)[Knock].gin == (card("8D"),)


ALLOWED: Final = RuleSet(big_gin=True)
NOT_WITH_UPCARD: Final = replace(ALLOWED, first_turn_knock=FirstTurnKnock.NOT_WITH_UPCARD)
FORBIDDEN: Final = replace(ALLOWED, first_turn_knock=FirstTurnKnock.FORBIDDEN)
GOING_BACK: Final = replace(NOT_WITH_UPCARD, allow_discard_taken=True)
BOTH: Final = {Knock, BigGin}


@pytest.mark.parametrize(
    ("rules", "gin", "moves", "ends"),
    [
        (ALLOWED, 0, (TakeUpcard(),), BOTH),
        (ALLOWED, 0, TO_DRAW, BOTH),
        (ALLOWED, 1, (Pass(), TakeUpcard()), BOTH),
        (NOT_WITH_UPCARD, 0, (TakeUpcard(),), set()),
        (NOT_WITH_UPCARD, 0, TO_DRAW, BOTH),
        (NOT_WITH_UPCARD, 1, (Pass(), TakeUpcard()), set()),
        (NOT_WITH_UPCARD, 1, (TakeUpcard(), throw("2H"), DrawDiscard()), {Knock}),  # not the upcard
        (NOT_WITH_UPCARD, 1, (TakeUpcard(), throw("2H"), DrawStock()), BOTH),
        (GOING_BACK, 1, (TakeUpcard(), throw("6H"), DrawDiscard()), set()),     # the upcard, thrown back
        (FORBIDDEN, 0, (TakeUpcard(),), set()),
        (FORBIDDEN, 0, TO_DRAW, set()),
        (FORBIDDEN, 0, (Pass(), TakeUpcard(), throw("KC"), DrawStock()), set()),
        (FORBIDDEN, 0, (*TO_DRAW, throw("7S"), DrawStock(), throw("9D"), DrawStock()), {Knock}),
        (FORBIDDEN, 1, (Pass(), TakeUpcard()), set()),
        (FORBIDDEN, 1, (*TO_DRAW, throw("KC"), DrawStock()), set()),
        (FORBIDDEN, 1, (Pass(), TakeUpcard(), throw("TH"), DrawStock(), throw("KC"), DrawStock()), {Knock}),
        (replace(NOT_WITH_UPCARD, upcard_offer=UpcardOffer.ELEVEN), 0, (), BOTH),
        (replace(FORBIDDEN, upcard_offer=UpcardOffer.ELEVEN), 0, (), set()),
    ],
)  # fmt: skip
def test_whether_a_seats_first_turn_may_end_the_deal(
    rules: RuleSet, gin: Seat, moves: tuple[Move, ...], ends: set[type[Action]]
) -> None:
    first, dealer = (GIN, LOOSE) if gin == 0 else (LOOSE, GIN)
    match = play(deal(rules, first, dealer, "6H", "7S 9D TC"), *moves)
    assert in_turn(match) == gin
    assert offered(match).keys() == {Discard, *ends}


def test_the_card_just_taken_may_go_back_where_that_is_allowed() -> None:
    taken = {
        rules: play(deal(rules, KNOCKER, LOOSE, "KD"), TakeUpcard())
        for rules in (CLASSIC, RuleSet(allow_discard_taken=True))
    }
    strict, free = map(offered, taken.values())
    assert set(free[Discard].cards) - set(strict[Discard].cards) == {card("KD")}
    assert (strict[Knock].cards, free[Knock].cards) == ((card("4H"),), (card("4H"), card("KD")))
    match = play(taken[RuleSet(allow_discard_taken=True)], throw("KD"))
    assert running(match).discard_pile == (card("KD"),)
    assert set(offered(match)) == {DrawStock, DrawDiscard}


UNDERCUT, TIE = f"{COURT} 2D", f"{COURT} 4D"


@pytest.mark.parametrize(
    ("next_dealer", "defender", "dealer"),
    [  # seat 1 dealt; seat 0 has knocked with 4
        (NextDealer.ALTERNATE, LOOSE, 0),
        (NextDealer.ALTERNATE, UNDERCUT, 0),
        (NextDealer.ALTERNATE, TIE, 0),
        (NextDealer.WINNER, LOOSE, 0),
        (NextDealer.WINNER, UNDERCUT, 1),
        (NextDealer.WINNER, TIE, 0),  # R6: a tie counts as won by the knocker
        (NextDealer.LOSER, LOOSE, 1),
        (NextDealer.LOSER, UNDERCUT, 0),
        (NextDealer.LOSER, TIE, 1),
    ],
)
def test_who_deals_after_a_score(next_dealer: NextDealer, defender: str, dealer: Seat) -> None:
    rules = RuleSet(next_dealer=next_dealer, undercut_tie=UndercutTie.KNOCKER_ZERO)
    match = play(deal(rules, KNOCKER, defender, "5C", "8D"), *TO_DRAW, knock("8D"))
    assert running(match).dealer == dealer
    assert in_turn(match) == 1 - dealer


@pytest.mark.parametrize("next_dealer", NextDealer)
def test_after_a_void_deal_the_same_seat_deals_again(next_dealer: NextDealer) -> None:
    match = with_stock(deal(RuleSet(next_dealer=next_dealer), KNOCKER, LOOSE, "5C", "8D"), 3)
    match = play(match, *TO_DRAW, throw("8D"))
    assert (running(match).number, running(match).dealer) == (2, 1)


@pytest.mark.parametrize(
    ("next_dealer", "dealer"), [(NextDealer.ALTERNATE, 0), (NextDealer.WINNER, 1), (NextDealer.LOSER, 3)]
)
def test_of_several_losers_the_one_with_the_most_penalties_deals(
    next_dealer: NextDealer, dealer: Seat
) -> None:
    hands = ("TH JH 4C AS AD AH 3S", "7H 8H 9H AC 2C 3C 5D", "6H 5H KD KS KC 2D 9C", "QS QH QC 8S 7D 6C TC")
    rules = replace(PENALTY, next_dealer=next_dealer, deals=2)
    match = play(
        deal_round(rules, hands, "8D", "TS QD"), *(DrawStock(), throw("TS"), DrawStock(), knock("QD"))
    )
    assert match.scores == (8, 0, 11, 26)
    assert running(match).dealer == dealer
