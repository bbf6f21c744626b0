"""Three and four seats: turns, penalties, undercuts among several, answers in turn, and resignations (R7)."""

from typing import Final

import pytest
from msgspec.structs import replace

import engine
from engine.actions import Discard, DrawDiscard, DrawStock, Knock, LayOff, Pass, Resign, Seat, TakeUpcard
from engine.cards import set_of
from engine.events import DealScored, LaidOff
from engine.known import Audience
from engine.redact import SeenLaidOff
from engine.rules import FirstTurnKnock, LayoffChain, Melds, RuleSet, UpcardOffer
from engine.shuffle import deck
from engine.state import DealResult, DealRow, Match, MatchEnd, MatchResult, PerSeat, Phase, Status
from tests.playbook import (
    PENALTY,
    deal_round,
    hand,
    in_turn,
    knock,
    last_deal,
    last_events,
    layoffs,
    offered,
    play,
    running,
    seeded,
    started,
    throw,
    with_earlier,
)

KNOCKER: Final = "7H 8H 9H AC 2C 3C 5D"
"""Two runs and a five."""
EIGHT: Final = KNOCKER.replace("5D", "8D")
GIN: Final = KNOCKER.replace("5D", "4C")
SECOND: Final = "6H 5H KD KS KC 2D 9C"
"""Three kings; 6H fits the hearts, and 5H after it."""
THIRD: Final = "TH JH 4C AS AD AH 3S"
"""Three aces; TH and 4C fit, and JH after TH."""
WITH_5C: Final = THIRD.replace("4C", "5C")
FOURTH: Final = "QS QD QC 8S 7D 6C TS"
"""Three queens, and 31 points that fit nowhere."""
THREE: Final = (KNOCKER, SECOND, THIRD)
KNOCKS: Final = (DrawStock(), knock("4D"))
DECLARED: Final = replace(PENALTY, melds=Melds.DECLARED)
CHAINED: Final = replace(DECLARED, layoff_chain=LayoffChain.ANY)


def dealt(rules: RuleSet, *hands: str) -> Match:
    """Return a match in which the 4D is on top of the stock, for seat 0."""
    return deal_round(rules, hands, upcard="9D", stock="4D 2S 4S")


def test_three_are_dealt_seven_one_card_at_a_time() -> None:
    match = started(PENALTY, "gin rummy", first_dealer=0, seats=3)
    order = deck(seeded("gin rummy"), 1)
    assert running(match).hands == tuple(set_of(order[first:21:3]) for first in (2, 0, 1))
    assert (running(match).upcard, len(running(match).stock)) == (order[21], 30)
    assert in_turn(match) == 1


def test_turns_go_round() -> None:
    match = dealt(PENALTY, *THREE, FOURTH)
    for seat, thrown in enumerate(("4D", "2S", "4S")):
        assert in_turn(match) == seat
        assert set(offered(match)) == {DrawStock, DrawDiscard}
        match = play(match, DrawStock(), throw(thrown))
    assert in_turn(play(match, DrawDiscard(), throw("TS"))) == 0


def test_the_upcard_is_offered_to_each_seat_up_to_the_dealer() -> None:
    match = asked = dealt(replace(PENALTY, upcard_offer=UpcardOffer.STANDARD), *THREE)
    for seat in (0, 1, 2):
        assert in_turn(asked) == seat
        assert set(offered(asked)) == {TakeUpcard, Pass}
        asked = play(asked, Pass())
    assert (in_turn(asked), set(offered(asked))) == (0, {DrawStock})  # R2.4
    match = play(match, Pass(), TakeUpcard(), throw("2D"))
    assert (in_turn(match), set(offered(match))) == (2, {DrawStock, DrawDiscard})


def test_each_of_three_has_a_first_turn() -> None:
    rules = replace(PENALTY, first_turn_knock=FirstTurnKnock.FORBIDDEN)
    match = play(dealt(rules, THIRD, SECOND, KNOCKER), DrawStock(), throw("4D"), DrawStock(), throw("2S"))
    match = play(match, DrawStock())
    assert set(offered(match)) == {Discard}  # the third turn of the deal, and seat 2's first
    match = play(match, throw("4S"), DrawDiscard(), throw("JH"), DrawDiscard(), throw("9C"), DrawDiscard())
    assert set(offered(match)) == {Discard, Knock}


def row_of(*hands: str, rules: RuleSet = PENALTY) -> DealRow:
    return last_deal(play(dealt(rules, *hands), *KNOCKS))


@pytest.mark.parametrize(
    ("hands", "result", "winner", "penalties"),
    [
        (THREE, DealResult.KNOCK, 0, (0, 11, 8)),                   # N01
        ((*THREE, FOURTH), DealResult.KNOCK, 0, (0, 11, 8, 26)),
        ((GIN, SECOND, WITH_5C), DealResult.GIN, 0, (0, 47, 53)),
        ((EIGHT, "KS KC KH QS QD QH 5S", "TS TD TC JS JD JC 3S"),
         DealResult.UNDERCUT, 2, (30, 2, 0)),                       # R7.1: the lowest of two
        ((EIGHT, "KS KC KH QS QD QH 5S", "TS TD TC JS JD JC 5C"),
         DealResult.UNDERCUT, 1, (28, 0, 0)),                       # level: the first after the knocker
        ((EIGHT, "KS KC KH QS QD QH 8S", "TS TD TC JS JD JC 5C"),
         DealResult.UNDERCUT, 2, (28, 3, 0)),                       # who is level with the knocker pays too
        ((EIGHT, "KS KC KH QS QD QH 8S", "TS TD TC JS JD JC TH"),
         DealResult.UNDERCUT, 2, (33, 8, 0)),                       # to nothing by a layoff: no gin (R6.1)
        ((EIGHT, "KS KC KH QS QD QH 8S", "TS TD TC JS JD JC 9S"),
         DealResult.KNOCK, 0, (0, 0, 1)),                           # level is no undercut
        ((KNOCKER, SECOND), DealResult.KNOCK, 0, (0, 11)),
    ],
)  # fmt: skip
def test_what_each_seat_is_charged(
    hands: tuple[str, ...], result: DealResult, winner: Seat, penalties: PerSeat[int]
) -> None:
    match = play(dealt(replace(PENALTY, hand_size=7), *hands), *KNOCKS)
    row = last_deal(match)
    assert (row.result, row.knocker, row.winner, row.penalties) == (result, 0, winner, penalties)
    assert (row.points, match.scores) == (0, penalties)
    assert match.result == MatchResult(MatchEnd.DEALS, winner, penalties)


def test_layoffs_touch_the_melds_as_they_were_laid_whatever_the_others_lay() -> None:
    row = row_of(*THREE)
    assert [shown.layoffs for shown in row.hands] == [
        (),
        layoffs(("6H", 0)),
        layoffs(("TH", 0), ("4C", 1)),
    ]
    chained = row_of(*THREE, rules=replace(PENALTY, layoff_chain=LayoffChain.ANY))
    assert [shown.deadwood for shown in chained.hands] == [5, 11, 3]  # 5H and JH follow


def test_with_chains_a_seat_builds_on_what_another_has_laid_before() -> None:
    hands = (KNOCKER, SECOND.replace("5H", "8C"), THIRD.replace("3S", "5H"))
    assert row_of(*hands, rules=replace(PENALTY, layoff_chain=LayoffChain.ANY)).hands[2].layoffs == layoffs(
        ("5H", 0), ("TH", 0), ("JH", 0), ("4C", 1)
    )
    assert layoffs(("5H", 0))[0] not in row_of(*hands).hands[2].layoffs


class TestAnswers:
    """R5.2: after a declared knock each defender answers once, in the order of the turns."""

    spread = play(dealt(DECLARED, *THREE, FOURTH), *KNOCKS)
    first = LayOff((hand("KS KD KC"),), layoffs(("6H", 0)))

    def test_in_turn_after_the_knocker(self) -> None:
        match = self.spread
        for seat in (1, 2, 3):
            assert (running(match).phase, in_turn(match)) == (Phase.LAYOFF, seat)
            for other in {0, 1, 2, 3} - {seat}:
                with pytest.raises(engine.Refusal, match="not-your-turn"):
                    engine.apply(match, other, LayOff())
            match = play(match, LayOff())
        assert last_deal(match).penalties == (0, 11, 8, 26)

    def test_past_the_last_seat_to_the_first(self) -> None:
        match = play(dealt(DECLARED, THIRD, SECOND, KNOCKER), DrawStock(), throw("4D"), DrawStock())
        match = play(match, throw("2S"), DrawStock(), knock("4S"))
        assert in_turn(match) == 0
        match = play(match, LayOff())
        assert in_turn(match) == 1
        assert last_deal(play(match, LayOff())).penalties == (8, 11, 0)

    def test_what_is_laid_off_is_public_at_once_and_the_rest_with_the_score(self) -> None:
        answered, *others = last_events(self.spread, self.first)
        assert isinstance(answered, LaidOff)
        assert others == []
        match = play(self.spread, self.first)
        audiences: tuple[Audience, ...] = (0, 2, 3, None)
        for audience in audiences:
            assert engine.redact(answered, audience) == SeenLaidOff(1, layoffs(("6H", 0)))
            seen = engine.view(match, audience)
            known = {opponent.seat: opponent.known_cards for opponent in seen.opponents}
            assert known.pop(0, hand(KNOCKER)) == hand(KNOCKER)
            assert known == {seat: hand("6H") if seat == 1 else 0 for seat in known}
            assert seen.table is not None
            assert seen.table.spread is not None
            assert seen.table.spread.layoffs == ((1, layoffs(("6H", 0))[0]),)
            assert (seen.deal_count, seen.last_deal) == (0, None)

    def test_the_knocker_sees_no_defenders_hand_before_the_deal_is_over(self) -> None:
        match = play(self.spread, self.first, LayOff())
        assert engine.known(match, 0) == hand(f"{KNOCKER} 9D 4D 6H TH 4C")
        *_, scored, _ = last_events(match, LayOff())
        assert isinstance(scored, DealScored)
        assert [shown.cards for shown in scored.row.hands] == [
            hand(cards) for cards in (KNOCKER, SECOND, THIRD, FOURTH)
        ]

    def test_what_was_stated_is_scored_as_stated(self) -> None:
        match = play(self.spread, LayOff((), ()), LayOff(), LayOff((), layoffs()))
        row = last_deal(match)
        assert [shown.deadwood for shown in row.hands] == [5, 6 + 5 + 30 + 2 + 9, 13, 61]
        assert row.penalties == (0, 47, 8, 56)

    def test_a_layoff_on_anothers_needs_chains(self) -> None:
        hands = (KNOCKER, SECOND.replace("5H", "8C"), THIRD.replace("3S", "5H"))
        answer = LayOff((hand("AS AD AH"),), layoffs(("5H", 0)))
        match = play(dealt(CHAINED, *hands), *KNOCKS, LayOff(), answer)
        assert last_deal(match).hands[2].layoffs == layoffs(("5H", 0))
        with pytest.raises(engine.Refusal, match="layoff-does-not-fit"):
            play(dealt(DECLARED, *hands), *KNOCKS, LayOff(), answer)

    def test_gin_is_scored_at_once(self) -> None:
        match = dealt(DECLARED, GIN, SECOND, WITH_5C)
        assert last_deal(play(match, *KNOCKS)).penalties == (0, 47, 53)

    def test_where_gin_may_be_laid_off_on_all_answer(self) -> None:
        match = dealt(replace(DECLARED, layoff_on_gin=True), GIN, SECOND, WITH_5C)
        match = play(match, *KNOCKS, LayOff(), LayOff())
        assert last_deal(match).penalties == (0, 16 + 25, 13 + 25)


@pytest.mark.parametrize(
    ("rules", "earlier", "ended"),
    [
        (replace(PENALTY, deals=2), [], None),
        (replace(PENALTY, deals=2), [(1, (13, 0, 6))], MatchResult(MatchEnd.DEALS, 1, (13, 11, 14))),
        (replace(PENALTY, deals=2), [(1, (11, 0, 5))], MatchResult(MatchEnd.DEALS, 0, (11, 11, 13))),
        (replace(PENALTY, deals=3), [(1, (0, 0, 0)), (2, (9, 0, 3))],
         MatchResult(MatchEnd.DEALS, 0, (9, 11, 11))),
        (replace(PENALTY, deals=3), [(2, (11, 0, 0)), (1, (5, 0, 3))],
         MatchResult(MatchEnd.DEALS, 1, (16, 11, 11))),     # level: who won the later deal
        (replace(PENALTY, deals=None, penalty_limit=20), [(1, (13, 0, 6))], None),
        (replace(PENALTY, deals=None, penalty_limit=20), [(0, (0, 9, 1))],
         MatchResult(MatchEnd.PENALTY_LIMIT, 0, (0, 20, 9))),
        (replace(PENALTY, deals=None, penalty_limit=20), [(1, (19, 0, 12))],
         MatchResult(MatchEnd.PENALTY_LIMIT, 1, (19, 11, 20))),
    ],
)  # fmt: skip
def test_how_long_a_match_lasts_and_who_wins_it(
    rules: RuleSet, earlier: list[tuple[Seat, PerSeat[int]]], ended: MatchResult | None
) -> None:
    match = play(with_earlier(dealt(rules, *THREE), *earlier), *KNOCKS)
    assert match.result == ended
    assert match.status is (Status.PLAYING if ended is None else Status.FINISHED)


def test_a_void_deal_charges_nobody_and_is_none_of_the_agreed_ones() -> None:
    match = replace(dealt(PENALTY, *THREE), scores=(1, 2, 3))
    match = replace(match, deal=replace(running(match), turns=199))
    match = play(match, DrawStock(), throw("4D"))
    assert (last_deal(match).result, last_deal(match).penalties) == (DealResult.VOID, None)
    assert (match.scores, match.result, running(match).number) == ((1, 2, 3), None, 2)


@pytest.mark.parametrize(
    ("earlier", "resigns", "winner"),
    [
        ([(0, (0, 5, 9))], 0, 1),
        ([(0, (0, 5, 9))], 1, 0),
        ([(0, (0, 5, 9))], 2, 0),
        ([(0, (0, 9, 5))], 0, 2),
        ([(1, (9, 0, 7)), (2, (9, 7, 0))], 0, 2),   # level: the winner of the latest deal
        ([(2, (9, 5, 0)), (1, (9, 0, 5))], 0, 1),
        ([(0, (0, 7, 7))], 0, 1),                   # nobody of them: the first after the first dealer
        ([], 0, 1),
        ([], 1, 0),
        ([], 2, 0),
    ],
)  # fmt: skip
def test_of_three_the_best_of_the_rest_wins_when_one_resigns(
    earlier: list[tuple[Seat, PerSeat[int]]], resigns: Seat, winner: Seat
) -> None:
    scores = tuple(sum(penalties[seat] for _, penalties in earlier) for seat in range(3))
    match = replace(with_earlier(dealt(replace(PENALTY, deals=9), *THREE), *earlier), scores=scores)
    ended = engine.apply(match, resigns, Resign()).match
    assert ended.result == MatchResult(MatchEnd.RESIGNED, winner, None)
    assert ended.scores == scores
    assert last_deal(ended).result is DealResult.UNFINISHED
    assert (last_deal(ended).hands, last_deal(ended).penalties) == ((), None)


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_of_four_anybody_may_resign_while_a_knock_is_answered(seat: Seat) -> None:
    ended = engine.apply(TestAnswers.spread, seat, Resign()).match
    assert ended.status is Status.FINISHED
    assert ended.result == MatchResult(MatchEnd.RESIGNED, 1 if seat == 0 else 0, None)


@pytest.mark.parametrize(("scores", "winner"), [((5, 4, 9), 1), ((4, 4, 9), None)])
def test_after_two_hundred_deals_the_fewest_penalties_win(scores: PerSeat[int], winner: Seat | None) -> None:
    match = dealt(replace(PENALTY, deals=9), *THREE)
    match = replace(match, scores=scores, deal=replace(running(match), number=200, turns=199))
    match = play(match, DrawStock(), throw("4D"))
    assert match.result == MatchResult(MatchEnd.DEAL_LIMIT, winner, None)
