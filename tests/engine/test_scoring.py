import pytest

from engine.actions import Layoff
from engine.cards import parse
from engine.layoffs import defend
from engine.rules import KnockLimitSource, OklahomaAce, RuleSet, Scoring, UndercutTie
from engine.scoring import DealScore, knock_limit, lays_off, multiplier, score_deal
from engine.state import DealResult
from tests.engine.vectors import Vector, cards, melds, rules_of, vectors

CLASSIC = RuleSet()
PENALTY = RuleSet(scoring=Scoring.PENALTY, target=None, deals=1)


@vectors("score")
def test_vector(vector: Vector) -> None:
    given = vector.input
    score = score_deal(
        rules_of(vector),
        knocker=0,
        deadwoods=(given["knocker_deadwood"], given["defender_deadwood"]),
        big_gin=given["kind"] == "big_gin",
        upcard=None if given["upcard"] is None else parse(given["upcard"]),
    )
    assert score.winner == {"knocker": 0, "defender": 1}[vector.expect["winner"]]
    assert score.points == vector.expect["points"]


@vectors("oklahoma")
def test_knock_limit_vector(vector: Vector) -> None:
    rules = RuleSet(
        knock_limit_source=KnockLimitSource.UPCARD, oklahoma_ace=OklahomaAce(vector.input["oklahoma_ace"])
    )
    assert knock_limit(rules, parse(vector.input["upcard"])) == vector.expect["knock_limit"]


@vectors("penalty")
def test_penalty_vector(vector: Vector) -> None:
    score = score_deal(
        PENALTY,
        knocker=vector.input["knocker"],
        deadwoods=tuple(vector.input["deadwoods"]),
        big_gin=False,
        upcard=None,
    )
    assert (score.result is DealResult.GIN) is (vector.input["kind"] == "gin")
    assert score.winner == vector.expect["winner"]
    assert score.penalties == tuple(vector.expect["penalties"])


@vectors("multi")
def test_table_vector(vector: Vector) -> None:
    rules = rules_of(vector)
    spread, knocker = melds(vector.input["knocker_melds"]), vector.input["knocker"]
    hands = [cards(hand) for hand in vector.input["hands"]]
    seats = len(hands)
    deadwoods = [0] * seats
    deadwoods[knocker] = defend(rules, spread, (), hands[knocker], melds=spread, layoffs=()).deadwood
    may_lay_off = lays_off(rules, knocker_deadwood=deadwoods[knocker])
    laid: tuple[Layoff, ...] = ()
    for step in range(1, seats):
        seat = (knocker + step) % seats
        defence = defend(rules, spread, laid, hands[seat], layoffs=None if may_lay_off else ())
        deadwoods[seat] = defence.deadwood
        laid += defence.layoffs
    score = score_deal(PENALTY, knocker=knocker, deadwoods=tuple(deadwoods), big_gin=False, upcard=None)
    assert deadwoods == vector.expect["final_deadwoods"]
    assert score.winner == vector.expect["winner"]
    assert score.penalties == tuple(vector.expect["penalties"])


@pytest.mark.parametrize(
    ("own", "other", "result", "winner", "breakdown"),
    [
        (4, 22, DealResult.KNOCK, 1, {"deadwood_difference": 18}),
        (0, 18, DealResult.GIN, 1, {"gin_bonus": 25, "deadwood_difference": 18}),
        (0, 0, DealResult.GIN, 1, {"gin_bonus": 25, "deadwood_difference": 0}),  # gin is never undercut
        (8, 5, DealResult.UNDERCUT, 0, {"undercut_bonus": 25, "deadwood_difference": 3}),
        (8, 0, DealResult.UNDERCUT, 0, {"undercut_bonus": 25, "deadwood_difference": 8}),  # R6.1: no gin
        (5, 5, DealResult.UNDERCUT, 0, {"undercut_bonus": 25, "deadwood_difference": 0}),  # R6: a tie is one
    ],
)
def test_every_case_of_the_table(
    own: int, other: int, result: DealResult, winner: int, breakdown: dict[str, int]
) -> None:
    score = score_deal(CLASSIC, knocker=1, deadwoods=(other, own), big_gin=False, upcard=None)
    assert (score.result, score.winner, parts_of(score, winner)) == (result, winner, breakdown)
    assert score.points == sum(breakdown.values())
    assert (score.penalties, score.multiplier) == (None, 1)


def test_big_gin_replaces_the_gin_bonus() -> None:
    score = score_deal(CLASSIC, knocker=0, deadwoods=(0, 40), big_gin=True, upcard=None)
    assert (score.result, parts_of(score, 0)) == (
        DealResult.BIG_GIN,
        {"big_gin_bonus": 31, "deadwood_difference": 40},
    )


def test_a_tie_may_be_worth_nothing_to_anybody() -> None:
    rules = RuleSet(undercut_tie=UndercutTie.KNOCKER_ZERO)
    score = score_deal(rules, knocker=0, deadwoods=(6, 6), big_gin=False, upcard=None)
    assert (score.result, score.winner, score.points, score.parts) == (DealResult.TIE, None, 0, ())
    assert score_deal(rules, knocker=0, deadwoods=(0, 0), big_gin=False, upcard=None).points == 25


def test_a_spade_upcard_doubles_the_deal() -> None:
    rules = RuleSet(spade_doubles=True)
    score = score_deal(rules, knocker=0, deadwoods=(8, 5), big_gin=False, upcard=parse("6S"))  # R6.2
    assert (score.points, score.multiplier) == (56, 2)
    assert parts_of(score, 1) == {"undercut_bonus": 25, "deadwood_difference": 3, "spade_doubles": 28}
    assert [multiplier(rules, upcard) for upcard in (parse("6H"), None)] == [1, 1]
    assert multiplier(CLASSIC, parse("6S")) == 1


@pytest.mark.parametrize(
    ("rules", "upcard", "limit"),
    [
        (RuleSet(), "2S", 10),
        (RuleSet(knock_limit=0), "2S", 0),  # the Straight game
        (RuleSet(knock_limit=5, knock_limit_source=KnockLimitSource.UPCARD), "8S", 5),  # the smaller counts
        (RuleSet(ace_points=15, knock_limit_source=KnockLimitSource.UPCARD), "AS", 1),
        (RuleSet(oklahoma_ace=OklahomaAce.GIN_ONLY, knock_limit_source=KnockLimitSource.UPCARD), "AS", 0),
        (RuleSet(oklahoma_ace=OklahomaAce.GIN_ONLY, knock_limit_source=KnockLimitSource.UPCARD), "2S", 2),
    ],
)
def test_knock_limit(rules: RuleSet, upcard: str, limit: int) -> None:
    assert knock_limit(rules, parse(upcard)) == limit


@pytest.mark.parametrize(
    ("rules", "deadwood", "allowed"),
    [
        (RuleSet(), 1, True),
        (RuleSet(), 0, False),  # R5.6
        (RuleSet(layoff_on_gin=True), 0, True),
        (RuleSet(layoff=False), 1, False),
        (RuleSet(layoff=False, layoff_on_gin=True), 0, False),
    ],
)
def test_when_defenders_lay_off(rules: RuleSet, deadwood: int, *, allowed: bool) -> None:
    assert lays_off(rules, knocker_deadwood=deadwood) is allowed


@pytest.mark.parametrize(
    ("knocker", "deadwoods", "winner", "penalties"),
    [
        (0, (8, 5, 5, 20), 1, (28, 0, 0, 15)),  # R7.1: equals, so the first after the knocker wins
        (2, (5, 7, 8, 5), 3, (0, 2, 28, 0)),  # the first after seat 2 is seat 3
        (1, (3, 9, 2), 2, (1, 32, 0)),  # the lowest undercutter wins
        (0, (0, 0, 7), 0, (0, 25, 32)),  # gin: also who has nothing pays 25
    ],
)
def test_penalties(knocker: int, deadwoods: tuple[int, ...], winner: int, penalties: tuple[int, ...]) -> None:
    score = score_deal(PENALTY, knocker=knocker, deadwoods=deadwoods, big_gin=False, upcard=None)
    assert (score.winner, score.penalties, score.points) == (winner, penalties, 0)
    for seat, penalty in enumerate(penalties):
        assert sum(part.amount for part in score.parts if part.seat == seat) == penalty


def test_a_box_is_a_part_and_no_point() -> None:
    score = score_deal(RuleSet(box_bonus=25), knocker=0, deadwoods=(4, 22), big_gin=False, upcard=None)
    assert (score.points, parts_of(score, 0)) == (18, {"deadwood_difference": 18, "box_bonus": 25})


def parts_of(score: DealScore, seat: int) -> dict[str, int]:
    """The parts of a score, all of which are one seat's."""
    assert {part.seat for part in score.parts} == {seat}
    return {part.code.value: part.amount for part in score.parts}
