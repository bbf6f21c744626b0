"""R3.5: what the house does for a seat whose time is up."""

import random

import pytest
from msgspec.structs import replace

import engine
from engine.actions import (
    BigGin,
    DrawDiscard,
    DrawStock,
    Knock,
    LayOff,
    Move,
    OnTimeout,
    Pass,
    TimeOut,
)
from engine.events import (
    DealUnfinished,
    Forfeited,
    MatchFinished,
    StockDrawn,
    TurnTimedOut,
    UpcardPassed,
)
from engine.house import safest
from engine.rules import StockEnd
from engine.state import DealResult, Match, MatchEnd, MatchResult
from tests.playbook import (
    CLASSIC,
    COMPANIES,
    DECLARED,
    LOOSE,
    MELDED,
    PENALTY,
    PLAYED,
    SIMPLE,
    Habits,
    card,
    choose,
    deal,
    in_turn,
    last_deal,
    play,
    running,
    started,
    throw,
    with_stock,
)
from tests.sizes import size

LATE = TimeOut(OnTimeout.PLAY)
FOR_A_KNOCK = replace(SIMPLE, stock_floor=2, stock_end=StockEnd.LAST_DISCARD_KNOCK_ONLY)
KNOCKER = f"{MELDED} 4H"


def house_plays(match: Match) -> Move:
    return safest(engine.view(match, in_turn(match)))


def timed_out(match: Match, times: int = 1, on_timeout: OnTimeout = OnTimeout.PLAY) -> Match:
    for _ in range(times):
        match = engine.apply(match, in_turn(match), TimeOut(on_timeout)).match
    return match


def test_the_house_passes_the_upcard_and_draws_from_the_stock() -> None:
    offered = deal(CLASSIC, KNOCKER, LOOSE, upcard="TH")
    assert house_plays(offered) == Pass()
    assert house_plays(play(offered, Pass(), Pass())) == DrawStock()


@pytest.mark.parametrize(
    ("drawn", "thrown"),
    [
        ("KD", "KD"),       # the dearest card that is in no meld
        ("4C", "4C"),       # of equals the one with the higher number
        ("TH", "4H"),       # melded, so the four is all that is left
    ],
)  # fmt: skip
def test_the_house_throws_what_leaves_the_least_deadwood(drawn: str, thrown: str) -> None:
    match = play(deal(CLASSIC, KNOCKER, LOOSE, upcard="QS", stock=drawn), Pass(), Pass(), DrawStock())
    assert house_plays(match) == throw(thrown)


def test_the_house_does_not_throw_the_card_just_taken() -> None:
    match = play(deal(CLASSIC, KNOCKER, LOOSE, upcard="KD"), engine.actions.TakeUpcard())
    assert house_plays(match) == throw("4H")


def test_the_house_leaves_the_last_discard_and_knocks_where_it_was_taken_for_that() -> None:
    last = with_stock(deal(FOR_A_KNOCK, LOOSE, KNOCKER, stock="8D"), 3)
    offered = play(last, DrawStock(), throw("8D"))
    assert house_plays(offered) == Pass()
    assert house_plays(play(offered, DrawDiscard())) == Knock(card("4H"))
    big = play(replace(offered, rules=replace(FOR_A_KNOCK, big_gin=True)), DrawDiscard())
    held = running(big)
    ten = engine.cards.set_of(engine.cards.parse_all("TH 8D"))
    melded = engine.cards.set_of(engine.cards.parse_all(MELDED)) | ten | 1 << card("JH")
    hands = (held.hands[0], melded & ~(1 << card("8D")))
    assert house_plays(replace(big, deal=replace(held, hands=hands))) == BigGin()


def test_the_house_defends_as_well_as_it_can() -> None:
    called = play(
        deal(DECLARED, KNOCKER, "KC QD JH TH 7S 7D 6C 7C 3C 2H", stock="KH"),
        Pass(),
        Pass(),
        DrawStock(),
        Knock(card("KH")),
    )
    assert house_plays(called) == LayOff()
    row = last_deal(timed_out(called))
    assert row.hands[1].layoffs == last_deal(engine.apply(called, 1, LayOff()).match).hands[1].layoffs != ()


def test_a_time_out_is_one_step_that_tells_whose_time_was_up_and_what_was_done() -> None:
    match = deal(CLASSIC, KNOCKER, LOOSE, stock="KH")
    first = engine.apply(match, 0, LATE)
    assert first.events == (TurnTimedOut(0, 1), UpcardPassed(0))
    assert first.match.version == match.version + 1
    drawing = play(first.match, Pass())
    second = engine.apply(drawing, 0, LATE)
    assert [type(event) for event in second.events] == [TurnTimedOut, StockDrawn]
    assert second.events[0] == TurnTimedOut(0, 2)


def test_the_third_time_out_in_a_row_forfeits_the_match() -> None:
    match = deal(CLASSIC, KNOCKER, LOOSE, stock="KH")
    match = play(timed_out(match), Pass())
    match = timed_out(match)
    third = engine.apply(match, 0, LATE)
    assert third.events == (
        TurnTimedOut(0, 3),
        Forfeited(0),
        DealUnfinished(last_deal(third.match), match.scores),
        MatchFinished(MatchResult(MatchEnd.FORFEITED, 1, None), match.shuffle.server_seed),
    )
    assert third.match.version == match.version + 1
    assert last_deal(third.match).result is DealResult.UNFINISHED
    assert last_deal(third.match).hands == ()


def test_who_acts_himself_begins_to_count_anew() -> None:
    match = deal(CLASSIC, KNOCKER, LOOSE, stock="KH")
    match = timed_out(play(timed_out(match), Pass()))  # passed and drew for seat 0: two in a row
    assert match.timeouts == (2, 0)
    match = play(match, throw("KH"))
    assert match.timeouts == (0, 0)
    assert timed_out(play(match, DrawStock(), throw("KC"))).timeouts == (1, 0)


def test_two_seats_are_counted_apart() -> None:
    match = timed_out(deal(CLASSIC, KNOCKER, LOOSE, stock="KH"), 3)
    assert match.timeouts == (2, 1)
    assert play(match, throw("KH")).timeouts == (0, 1)


def test_where_the_clock_is_strict_the_first_time_out_forfeits() -> None:
    match = play(deal(CLASSIC, KNOCKER, LOOSE), Pass())
    late = engine.apply(match, 1, TimeOut(OnTimeout.FORFEIT))
    assert late.events[:2] == (TurnTimedOut(1, 1), Forfeited(1))
    assert late.match.result == MatchResult(MatchEnd.FORFEITED, 0, None)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_forfeit_decides_as_a_resignation_does(seats: int) -> None:
    match = started(PENALTY, seats=seats)
    seat = in_turn(match)
    late = engine.apply(match, seat, TimeOut(OnTimeout.FORFEIT)).match
    gone = engine.apply(match, seat, engine.actions.Resign()).match
    assert late.result is not None
    assert gone.result is not None
    assert late.result.winner == gone.result.winner != seat
    assert late.last_deal == gone.last_deal


@pytest.mark.parametrize(("preset", "seats"), COMPANIES)
@pytest.mark.parametrize("on_timeout", OnTimeout)
def test_a_match_in_which_nobody_ever_acts_is_ended_by_the_house(
    preset: str, seats: int, on_timeout: OnTimeout
) -> None:
    match = started(PLAYED[preset], f"nobody comes to {preset}", seats=seats)
    for _ in range(3 * seats):
        if match.deal is not None:
            match = timed_out(match, on_timeout=on_timeout)
    assert match.result is not None
    assert match.result.reason is MatchEnd.FORFEITED


@pytest.mark.parametrize(("preset", "seats"), COMPANIES)
def test_the_house_can_play_on_for_everybody_until_the_match_is_over(preset: str, seats: int) -> None:
    rules = replace(PLAYED[preset], max_turns=min(PLAYED[preset].max_turns, 20))
    match = started(rules, f"the house plays {preset}", seats=seats)
    steps = 0
    while match.deal is not None and steps < size(400, 20_000):
        match = play(match, house_plays(match))
        steps += 1
    assert steps >= size(400, 400)


@pytest.mark.parametrize(("preset", "seats"), COMPANIES)
def test_the_house_can_go_on_wherever_players_have_stopped(preset: str, seats: int) -> None:
    dice = random.Random(preset)
    match = started(PLAYED[preset], f"stopped at {preset}", seats=seats)
    for _ in range(size(60, 3000)):
        if match.deal is None:
            break
        played = house_plays(match)
        engine.permit(match, in_turn(match), played)
        match = play(match, choose(match, dice, Habits()))
