"""A match from its first deal to its end: what deals are worth, who deals next, and who wins."""

from itertools import chain
from typing import Final

import pytest
from msgspec.structs import replace

import engine
from engine.actions import BigGin, DrawDiscard, DrawStock, Join, Move, Pass, Resign, Seat, TakeUpcard
from engine.cards import set_of
from engine.events import DealStarted, MatchFinished, MatchStarted, SeatJoined
from engine.rules import RuleSet, UndercutTie
from engine.shuffle import Shuffle, ShuffleMode, deck
from engine.state import DealResult, DealRow, MatchEnd, MatchResult, Player, PlayerKind, Status
from tests.engine.tables import ENDLESS
from tests.playbook import (
    BEN,
    CLASSIC,
    LOOSE,
    MELDED,
    OPEN,
    SECRET,
    SIMPLE,
    STRAIGHT,
    TABLE,
    deal,
    deck_of,
    hand,
    knock,
    last_deal,
    layoffs,
    offered,
    play,
    rows_of,
    running,
    seeded,
    started,
    throw,
    with_earlier,
    with_stock,
)

KNOCKER: Final = f"{MELDED} 4H"
"""4 points of deadwood."""
COURT: Final = "KC KD KS QC QD QS JC JD JS"
"""Nine cards in sets: a tenth is all the deadwood."""
TO_DRAW: Final = (Pass(), Pass(), DrawStock())
ONE_DEAL: Final = RuleSet(target=None, deals=1)


def knocked(rules: RuleSet, knocker: str, defender: str, upcard: str = "5C") -> DealRow:
    """Return the row of a deal in which seat 0 draws the 8D, throws it and knocks."""
    return last_deal(play(deal(rules, knocker, defender, upcard, stock="8D"), *TO_DRAW, knock("8D")))


def test_one_card_at_a_time_is_dealt_and_the_seat_after_the_dealer_is_first() -> None:
    match = started(CLASSIC, "gin rummy", first_dealer=0)
    order = deck(seeded("gin rummy"), 1)
    assert running(match).hands == (set_of(order[1:20:2]), set_of(order[:20:2]))
    assert running(match).upcard == order[20]
    assert running(match).discard_pile == order[20:21]
    assert running(match).stock == order[21:]
    assert (running(match).dealer, running(match).turn) == (0, 1)


def test_the_first_dealer_is_named_or_comes_from_the_shuffle() -> None:
    assert running(started(CLASSIC, "gin rummy")).dealer == 0
    assert running(started(CLASSIC, "gin rummy", first_dealer=1)).dealer == 1


def test_a_match_is_dealt_when_its_last_seat_is_filled() -> None:
    waiting = engine.start_match(CLASSIC, (OPEN, OPEN), seeded("patience")).match
    assert (waiting.status, waiting.deal) == (Status.OPEN, None)
    half = engine.apply(waiting, 1, Join("Ben"))
    assert half.events == (SeatJoined(1, "Ben"),)
    assert (half.match.version, half.match.deal) == (2, None)
    full = engine.apply(half.match, 0, Join())
    assert [type(event) for event in full.events] == [SeatJoined, MatchStarted, DealStarted]
    assert full.match.seats == (Player(PlayerKind.PLAYER), BEN)
    assert (full.match.version, full.match.status) == (3, Status.PLAYING)


def test_a_match_without_an_open_seat_is_dealt_at_once() -> None:
    match = engine.start_match(CLASSIC, TABLE, seeded("patience")).match
    assert (match.version, match.status, running(match).number) == (1, Status.PLAYING, 1)


@pytest.mark.parametrize(
    ("rules", "tenth", "defender", "worth"),
    [
        (CLASSIC, "4H", LOOSE, (DealResult.KNOCK, 0, 66)),
        (CLASSIC, "4H", f"{COURT} 2D", (DealResult.UNDERCUT, 1, 27)),
        (CLASSIC, "4H", f"{COURT} 4D", (DealResult.UNDERCUT, 1, 25)),  # R6: a tie is an undercut
        (CLASSIC, "4H", f"{COURT} TH", (DealResult.UNDERCUT, 1, 29)),  # R6.1: to nothing by layoff, no gin
        (CLASSIC, "TH", LOOSE, (DealResult.GIN, 0, 95)),
        (CLASSIC, "TH", f"{COURT} 7S", (DealResult.GIN, 0, 32)),  # R5.6: no layoff against gin
        (CLASSIC, "TH", f"{COURT} JH", (DealResult.GIN, 0, 25)),  # also when the defender has none
        (RuleSet(layoff_on_gin=True), "TH", f"{COURT} 7S", (DealResult.GIN, 0, 25)),
        (RuleSet(layoff=False), "4H", f"{COURT} TH", (DealResult.KNOCK, 0, 6)),
        (RuleSet(undercut_tie=UndercutTie.KNOCKER_ZERO), "4H", f"{COURT} 4D", (DealResult.TIE, None, 0)),
        (RuleSet(gin_bonus=20), "TH", LOOSE, (DealResult.GIN, 0, 90)),
        (RuleSet(undercut_bonus=10), "4H", f"{COURT} 2D", (DealResult.UNDERCUT, 1, 12)),
    ],
)  # fmt: skip
def test_what_a_deal_is_worth(
    rules: RuleSet, tenth: str, defender: str, worth: tuple[DealResult, Seat | None, int]
) -> None:
    row = knocked(rules, f"{MELDED} {tenth}", defender)
    assert (row.result, row.winner, row.points) == worth
    assert row.knocker == 0


def test_big_gin_is_eleven_cards_melded() -> None:
    match = play(deal(STRAIGHT, f"{MELDED} TH", LOOSE, "5C", stock="5H"), *TO_DRAW)
    assert BigGin not in offered(match)
    match = play(deal(STRAIGHT, f"{MELDED} TH", LOOSE, "6H"), TakeUpcard())
    assert BigGin in offered(match)  # R4.2: also with a card from the discard pile
    row = last_deal(play(match, BigGin()))
    assert (row.result, row.winner, row.points) == (DealResult.BIG_GIN, 0, 31 + 70)
    assert row.hands[0].cards == hand(f"{MELDED} TH 6H")


def test_a_spade_upcard_doubles_the_deal() -> None:
    rules = RuleSet(spade_doubles=True)
    assert (knocked(rules, KNOCKER, LOOSE, "5C").points, knocked(rules, KNOCKER, LOOSE, "QS").points) == (
        66,
        132,
    )
    assert knocked(rules, KNOCKER, LOOSE, "QS").multiplier == 2


def test_own_melds_and_layoffs_are_chosen_together() -> None:
    row = knocked(CLASSIC, "TC JC QC AS 2S 3S KS KH KD 2D", "7C 8C 9C 7H 7D 9S 6S 6H 4H 3D")
    # R5.3: the run of clubs first would leave 7H and 7D, and lay nothing off.
    defence = row.hands[1]
    assert defence.melds == (hand("7C 7H 7D"),)
    assert defence.layoffs == layoffs(("9C", 2), ("8C", 2))
    assert (defence.deadwood, row.points) == (28, 26)


def test_the_spread_is_chosen_against_the_defender() -> None:
    knocker = "AS 5S 6S 7S 5C 6C 7C 5D 6D 7D"
    row = knocked(CLASSIC, knocker, "3S 4S 8S 4C 8C 4D TD 5H 6H 7H", "9D")
    # R5.1: three runs would take 3S 4S 8S 4C 8C 4D; three sets take 5H 6H 7H.
    assert row.hands[0].melds == (hand("5S 5D 5C"), hand("6S 6D 6C"), hand("7S 7D 7C"))
    # R1.5 alone would lay runs, and does so where the defender's cards fit neither.
    row = knocked(CLASSIC, knocker, "KS KC KD KH QS QC QD QH JS JC", "9D")
    assert row.hands[0].melds == (hand("5S 6S 7S"), hand("5D 6D 7D"), hand("5C 6C 7C"))


@pytest.mark.parametrize(("rules", "stock"), [(CLASSIC, 3), (SIMPLE, 1), (RuleSet(stock_floor=10), 11)])
def test_a_throw_at_the_floor_of_the_stock_voids_the_deal(rules: RuleSet, stock: int) -> None:
    match = with_stock(deal(rules, KNOCKER, LOOSE), stock)
    if Pass in offered(match):
        match = play(match, Pass(), Pass())
    match = play(match, DrawStock(), throw("AS"))
    row = last_deal(match)
    assert (row.result, row.knocker, row.winner, row.points) == (DealResult.VOID, None, None, 0)
    assert row.hands[1].cards == hand(LOOSE)  # R2.5: void deals show their hands too
    assert match.scores == (0, 0)
    assert (running(match).number, running(match).dealer) == (2, row.dealer)  # R2.3


def test_a_knock_at_the_floor_of_the_stock_counts() -> None:
    match = with_stock(deal(CLASSIC, KNOCKER, LOOSE, stock="8D"), 3)
    assert last_deal(play(match, *TO_DRAW, knock("8D"))).result is DealResult.KNOCK


def test_taking_the_discard_leaves_the_stock_as_it_is() -> None:
    match = with_stock(deal(replace(SIMPLE, stock_floor=2), KNOCKER, LOOSE), 3)
    match = play(match, DrawDiscard(), throw("AS"), DrawDiscard(), throw("KC"))
    assert (running(match).number, len(running(match).stock)) == (1, 3)


@pytest.mark.parametrize("take", [DrawStock(), DrawDiscard()])
def test_the_last_turn_voids_the_deal(take: DrawStock | DrawDiscard) -> None:
    match = deal(replace(SIMPLE, max_turns=20), KNOCKER, LOOSE)
    match = replace(match, deal=replace(running(match), turns=18))
    match = play(match, take, throw("AS"))
    assert running(match).number == 1
    match = play(match, take, throw("KC"))
    assert (match.deal_count, last_deal(match).result) == (1, DealResult.VOID)


def test_the_deal_passes_on_after_a_score_and_after_a_tie() -> None:
    scored = play(deal(CLASSIC, KNOCKER, LOOSE, stock="8D"), *TO_DRAW, knock("8D"))
    assert (last_deal(scored).dealer, running(scored).dealer, running(scored).turn) == (1, 0, 1)
    tied = deal(RuleSet(undercut_tie=UndercutTie.KNOCKER_ZERO), KNOCKER, f"{COURT} 4D", "5C", stock="8D")
    tied = play(tied, *TO_DRAW, knock("8D"))
    assert (last_deal(tied).dealer, running(tied).dealer, running(tied).number) == (1, 0, 2)


def test_given_decks_are_dealt_first_and_the_seed_shuffles_the_others() -> None:
    decks = (deck_of(KNOCKER, LOOSE, "5C"), deck_of(LOOSE, KNOCKER, "5C"))
    shuffle = Shuffle(ShuffleMode.DECKS, SECRET, decks)
    match = engine.start_match(CLASSIC, TABLE, shuffle, 1).match
    match = with_stock(match, 3)
    match = play(match, *TO_DRAW, throw("AS"))
    assert running(match).hands == (hand(LOOSE), hand(KNOCKER))
    match = with_stock(match, 3)
    match = play(match, *TO_DRAW, throw("KC"))
    assert running(match).upcard == deck(Shuffle(ShuffleMode.SERVER, SECRET), 3)[20]


def test_reaching_the_target_ends_the_match_at_once() -> None:
    for target, over in ((66, True), (67, False)):
        match = play(deal(RuleSet(target=target), KNOCKER, LOOSE, "5C", "8D"), *TO_DRAW, knock("8D"))
        assert (match.status is Status.FINISHED) == over
        assert match.scores == (66, 0)


def test_the_winner_gets_the_game_bonus_and_both_sides_their_boxes() -> None:
    match = deal(RuleSet(target=100, game_bonus=100, box_bonus=20), KNOCKER, LOOSE, "5C", "8D")
    match = replace(with_earlier(match, (1, 27), (0, 50)), scores=(50, 27))
    match = play(match, *TO_DRAW, knock("8D"))
    assert match.result is not None
    assert match.scores == (116, 27)
    assert (match.result.reason, match.result.winner) == (MatchEnd.TARGET, 0)
    assert match.result.totals == (116 + 100 + 2 * 20, 27 + 20)


def test_boxes_may_run_with_the_score() -> None:
    rules = RuleSet(target=70, box_bonus=5, boxes_in_running_score=True)
    match = play(deal(rules, KNOCKER, LOOSE, "5C", "8D"), *TO_DRAW, knock("8D"))
    assert (match.scores, match.status, last_deal(match).points) == ((71, 0), Status.FINISHED, 66)


def test_after_the_agreed_deals_the_higher_score_wins() -> None:
    match = play(deal(ONE_DEAL, KNOCKER, LOOSE, "5C", "8D"), *TO_DRAW, knock("8D"))
    assert match.result is not None
    assert (match.result.reason, match.result.winner) == (MatchEnd.DEALS, 0)


def test_a_void_deal_is_none_of_the_agreed_ones() -> None:
    decks = (deck_of(KNOCKER, LOOSE, "5C", "8D"),) * 2
    match = engine.start_match(ONE_DEAL, TABLE, Shuffle(ShuffleMode.DECKS, SECRET, decks), 1).match
    match = play(with_stock(match, 3), *TO_DRAW, throw("AS"))
    assert (match.status, running(match).number) == (Status.PLAYING, 2)
    match = play(match, *TO_DRAW, knock("8D"))
    assert match.result is not None
    assert (match.result.reason, match.result.winner, match.scores) == (MatchEnd.DEALS, 0, (66, 0))


def test_after_the_agreed_deals_equal_scores_have_no_winner() -> None:
    rules = replace(ONE_DEAL, undercut_tie=UndercutTie.KNOCKER_ZERO)
    match = play(deal(rules, KNOCKER, f"{COURT} 4D", "5C", "8D"), *TO_DRAW, knock("8D"))
    assert match.result is not None
    assert (match.result.reason, match.result.winner) == (MatchEnd.DEALS, None)


def test_nobody_wins_two_hundred_void_deals() -> None:
    *_, last = ENDLESS.steps(0)
    rows = rows_of(chain.from_iterable(step.events for step in ENDLESS.steps(0)))
    assert [row.deal for row in rows] == list(range(1, 201))
    assert {row.dealer for row in rows} == {last_deal(last.match).dealer}
    assert (last.match.deal_count, last.match.scored_deals) == (200, 0)
    assert last.match.result is not None
    assert (last.match.result.reason, last.match.result.winner) == (MatchEnd.DEAL_LIMIT, None)


@pytest.mark.parametrize(("scores", "winner"), [((10, 5), 0), ((5, 10), 1), ((7, 7), None)])
def test_after_two_hundred_deals_the_better_score_wins(scores: tuple[int, int], winner: Seat | None) -> None:
    match = with_stock(deal(CLASSIC, KNOCKER, LOOSE), 3)
    match = replace(match, scores=scores, deal=replace(running(match), number=200))
    match = play(match, *TO_DRAW, throw("AS"))
    assert match.result is not None
    assert (match.result.reason, match.result.winner) == (MatchEnd.DEAL_LIMIT, winner)


def test_the_two_hundredth_deal_may_be_scored() -> None:
    match = deal(CLASSIC, KNOCKER, LOOSE, "5C", "8D")
    match = replace(match, deal=replace(running(match), number=200))
    match = play(match, *TO_DRAW, knock("8D"))
    assert match.result is not None
    assert (match.result.reason, match.result.winner, match.scores) == (MatchEnd.DEAL_LIMIT, 0, (66, 0))


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("moves", [(), (Pass(),), TO_DRAW])
def test_whoever_resigns_in_turn_or_not_the_other_wins(seat: Seat, moves: tuple[Move, ...]) -> None:
    match = replace(play(deal(CLASSIC, KNOCKER, LOOSE), *moves), scores=(90, 90))
    ended = engine.apply(match, seat, Resign())
    row = last_deal(ended.match)
    assert (row.result, row.points, row.hands) == (DealResult.UNFINISHED, 0, ())
    assert ended.match.result == MatchResult(MatchEnd.RESIGNED, 1 - seat, None)
    assert ended.match.scores == (90, 90)


@pytest.mark.parametrize(
    ("mode", "told"),
    [(ShuffleMode.SERVER, SECRET), (ShuffleMode.DECKS, SECRET), (ShuffleMode.SEED, None)],
)
def test_the_seed_is_told_at_the_end_unless_it_stands_for_a_text(
    mode: ShuffleMode, told: bytes | None
) -> None:
    match = engine.start_match(CLASSIC, TABLE, Shuffle(mode, SECRET)).match
    *_, finished = engine.apply(match, 0, Resign()).events
    assert isinstance(finished, MatchFinished)
    assert finished.server_seed == told
