"""Every reason for which an action may not happen, and that a refusal is all that happens."""

from typing import Final

import msgspec
import pytest
from msgspec.structs import replace

import engine
from engine import Reason
from engine.actions import (
    Abort,
    AnyAction,
    BigGin,
    DrawDiscard,
    DrawStock,
    Join,
    Knock,
    LayOff,
    OnTimeout,
    Pass,
    Resign,
    Seat,
    TakeUpcard,
    TimeOut,
)
from engine.refusal import Refusal
from engine.rules import FirstTurnKnock, Melds, RuleSet, StockEnd
from engine.state import Match
from tests.playbook import (
    ANA,
    CLASSIC,
    DECLARED,
    LOOSE,
    MELDED,
    OPEN,
    SIMPLE,
    STRAIGHT,
    card,
    deal,
    hand,
    knock,
    layoffs,
    play,
    seeded,
    throw,
    with_stock,
)

KNOCKER: Final = f"{MELDED} 4H"
"""Three runs and a four: 4 points of deadwood."""

WAITING: Final = engine.start_match(CLASSIC, (ANA, OPEN), seeded("waiting")).match
ABORTED: Final = engine.apply(WAITING, 0, Abort()).match
OFFERED: Final = deal(CLASSIC, KNOCKER, LOOSE, upcard="KD", stock="KH QH")
DECLINED: Final = play(OFFERED, Pass(), Pass())
TAKEN: Final = play(OFFERED, TakeUpcard())
DREW: Final = play(DECLINED, DrawStock())
FINISHED: Final = engine.apply(DREW, 1, Resign()).match
BIG: Final = play(deal(STRAIGHT, KNOCKER, LOOSE, upcard="KD", stock="5H 7S"), Pass(), Pass(), DrawStock())
CALLED: Final = play(deal(DECLARED, KNOCKER, LOOSE, stock="KH"), Pass(), Pass(), DrawStock())
DECLARED_BIG: Final = play(
    deal(RuleSet(melds=Melds.DECLARED, big_gin=True), f"{MELDED} TH", LOOSE, stock="6H"),
    *(Pass(), Pass(), DrawStock()),
)
KNOCKED: Final = play(
    deal(DECLARED, KNOCKER, "KC QD JH TH 7S 7D 6C 7C 3C 2H", stock="KH"),
    *(Pass(), Pass(), DrawStock(), knock("KH", "AS 2S 3S", "4S 5S 6S", "7H 8H 9H")),
)

FOR_A_KNOCK: Final = replace(SIMPLE, stock_floor=2, stock_end=StockEnd.LAST_DISCARD_KNOCK_ONLY)
LAST_FOR_A_KNOCK: Final = play(
    with_stock(deal(FOR_A_KNOCK, KNOCKER, LOOSE, stock="8D"), 3), DrawStock(), throw("8D")
)
LAST_TAKEN: Final = play(
    with_stock(deal(FOR_A_KNOCK, LOOSE, KNOCKER, stock="8D"), 3), DrawStock(), throw("8D"), DrawDiscard()
)
FORBIDDEN: Final = replace(SIMPLE, first_turn_knock=FirstTurnKnock.FORBIDDEN, big_gin=True)

REFUSED: Final[list[tuple[Match, Seat, AnyAction, Reason]]] = [
    (WAITING, 0, DrawStock(), Reason.MATCH_NOT_STARTED),
    (WAITING, 0, Resign(), Reason.MATCH_NOT_STARTED),
    (WAITING, 0, TimeOut(OnTimeout.PLAY), Reason.MATCH_NOT_STARTED),
    (WAITING, 0, Join("Eve"), Reason.MATCH_FULL),
    (OFFERED, 1, Join("Eve"), Reason.MATCH_FULL),
    (FINISHED, 0, DrawStock(), Reason.MATCH_FINISHED),
    (FINISHED, 1, Resign(), Reason.MATCH_FINISHED),
    (FINISHED, 0, TimeOut(OnTimeout.FORFEIT), Reason.MATCH_FINISHED),
    (FINISHED, 0, Abort(), Reason.MATCH_FINISHED),
    (OFFERED, 0, Abort(), Reason.MATCH_STARTED),
    (ABORTED, 0, Abort(), Reason.MATCH_FINISHED),
    (ABORTED, 1, Join("Eve"), Reason.MATCH_FINISHED),
    (ABORTED, 0, Resign(), Reason.MATCH_FINISHED),
    (OFFERED, 1, TimeOut(OnTimeout.PLAY), Reason.NOT_YOUR_TURN),    # R3.5: the time of the seat in turn
    (OFFERED, 1, Pass(), Reason.NOT_YOUR_TURN),
    (OFFERED, 1, DrawStock(), Reason.NOT_YOUR_TURN),    # whose turn it is comes before what it is for
    (DREW, 1, throw("KC"), Reason.NOT_YOUR_TURN),
    (KNOCKED, 0, LayOff(), Reason.NOT_YOUR_TURN),       # R5.2: the knocker never lays off
    (OFFERED, 0, DrawStock(), Reason.WRONG_PHASE),
    (OFFERED, 0, DrawDiscard(), Reason.WRONG_PHASE),
    (DECLINED, 0, Pass(), Reason.WRONG_PHASE),
    (DECLINED, 0, throw("AS"), Reason.WRONG_PHASE),     # R3.1: take, then throw
    (DREW, 0, DrawStock(), Reason.WRONG_PHASE),
    (DREW, 0, LayOff(), Reason.WRONG_PHASE),
    (KNOCKED, 1, DrawStock(), Reason.WRONG_PHASE),
    (DECLINED, 0, DrawDiscard(), Reason.MUST_DRAW_STOCK),   # R2.4: all have passed
    (DREW, 0, throw("KC"), Reason.CARD_NOT_IN_HAND),
    (DREW, 0, throw("KD"), Reason.CARD_NOT_IN_HAND),
    (DREW, 0, knock("KC"), Reason.CARD_NOT_IN_HAND),
    (CALLED, 0, knock("KH", "KC KD KS"), Reason.CARD_NOT_IN_HAND),
    (CALLED, 0, knock("4H", "AS 2S 3S", "7H 8H 9H", "4S 5S 6S", "QD KD JD"), Reason.CARD_NOT_IN_HAND),
    (CALLED, 0, knock("4S", "4S 5S 6S"), Reason.CARD_NOT_IN_HAND),     # thrown, so not to be melded
    (KNOCKED, 1, LayOff(layoffs=layoffs(("TC", 2))), Reason.CARD_NOT_IN_HAND),
    (TAKEN, 0, throw("KD"), Reason.CARD_JUST_TAKEN),
    (TAKEN, 0, knock("KD"), Reason.CARD_JUST_TAKEN),    # R3.2: nor as the knock's throw
    (DREW, 0, knock("AS"), Reason.DEADWOOD_ABOVE_LIMIT),
    (BIG, 0, knock("AS"), Reason.DEADWOOD_ABOVE_LIMIT),
    (CALLED, 0, knock("4H", "AS 2S 3S", "4S 5S 6S"), Reason.DEADWOOD_ABOVE_LIMIT),
    (BIG, 0, BigGin(), Reason.NOT_GIN),
    (DECLARED_BIG, 0, BigGin((hand("AS 2S 3S"), hand("6H 7H 8H 9H TH"))), Reason.NOT_GIN),
    (DREW, 0, BigGin(), Reason.BIG_GIN_NOT_PLAYED),
    (LAST_FOR_A_KNOCK, 1, DrawDiscard(), Reason.NO_KNOCK_POSSIBLE),
    (LAST_FOR_A_KNOCK, 1, DrawStock(), Reason.WRONG_PHASE),     # R4.5: nobody draws below the floor
    (LAST_FOR_A_KNOCK, 0, Pass(), Reason.NOT_YOUR_TURN),
    (LAST_TAKEN, 1, throw("4H"), Reason.MUST_KNOCK),
    (LAST_TAKEN, 1, throw("KC"), Reason.MUST_KNOCK),
    (LAST_TAKEN, 1, knock("AS"), Reason.DEADWOOD_ABOVE_LIMIT),
    (play(deal(FORBIDDEN, KNOCKER, LOOSE), DrawStock()), 0, knock("4H"), Reason.FIRST_TURN_KNOCK),
    (play(deal(FORBIDDEN, KNOCKER, LOOSE), DrawStock()), 0, BigGin(), Reason.FIRST_TURN_KNOCK),
    (play(deal(FORBIDDEN, KNOCKER, LOOSE), DrawStock()), 0, knock("KC"), Reason.FIRST_TURN_KNOCK),
    (DREW, 0, knock("KH", "AS 2S 3S"), Reason.MELDS_NOT_DECLARED),
    (BIG, 0, BigGin(()), Reason.MELDS_NOT_DECLARED),
    (CALLED, 0, knock("4H", "AS 2S 4S"), Reason.MELD_INVALID),
    (CALLED, 0, knock("4H", "AS 2S"), Reason.MELD_INVALID),
    (CALLED, 0, Knock(card("4H"), (0,)), Reason.MELD_INVALID),
    (KNOCKED, 1, LayOff((hand("7S 7D"),)), Reason.MELD_INVALID),
    (CALLED, 0, knock("4H", "AS 2S 3S", "3S 4S 5S"), Reason.MELD_OVERLAP),
    (KNOCKED, 1, LayOff((hand("7S 7D 7C"),), layoffs(("7S", 1))), Reason.MELD_OVERLAP),
    (KNOCKED, 1, LayOff(None, layoffs(("7S", 1), ("7S", 1))), Reason.MELD_OVERLAP),
    (KNOCKED, 1, LayOff(None, layoffs(("KC", 0))), Reason.LAYOFF_DOES_NOT_FIT),
    (KNOCKED, 1, LayOff(None, layoffs(("JH", 2), ("TH", 2))), Reason.LAYOFF_DOES_NOT_FIT),  # as ordered
    (KNOCKED, 1, LayOff(None, layoffs(("TH", 3))), Reason.LAYOFF_DOES_NOT_FIT),
]  # fmt: skip


@pytest.mark.parametrize(("match", "seat", "action", "reason"), REFUSED)
def test_an_action_is_refused_for_its_reason_and_changes_nothing(
    match: Match, seat: Seat, action: AnyAction, reason: Reason
) -> None:
    before = msgspec.json.encode(match)
    with pytest.raises(Refusal) as refused:
        engine.apply(match, seat, action)
    assert refused.value.reason is reason
    assert str(refused.value) == reason
    assert msgspec.json.encode(match) == before


def test_every_reason_has_a_case() -> None:
    assert {reason for *_, reason in REFUSED} == set(Reason)


def test_a_refused_knock_says_how_far_it_is_from_the_limit() -> None:
    with pytest.raises(Refusal) as refused:
        engine.apply(DREW, 0, knock("AS"))
    assert refused.value.facts == {"deadwood": 14, "knock_limit": 10}


def test_a_refused_card_or_meld_is_named() -> None:
    with pytest.raises(Refusal) as refused:
        engine.apply(TAKEN, 0, throw("KD"))
    assert refused.value.facts == {"card": card("KD")}
    with pytest.raises(Refusal) as refused:
        engine.apply(CALLED, 0, knock("4H", "AS 2S 3S", "5S 6S"))
    assert refused.value.facts == {"meld": 1}
    with pytest.raises(Refusal) as refused:
        engine.apply(KNOCKED, 1, LayOff(None, layoffs(("TH", 2), ("KC", 1))))
    assert refused.value.facts == {"card": card("KC"), "meld": 1}


def test_without_an_offer_the_upcard_can_be_neither_taken_nor_declined() -> None:
    match = deal(SIMPLE, KNOCKER, LOOSE)
    for action in (TakeUpcard(), Pass()):
        with pytest.raises(Refusal, match="wrong-phase"):
            engine.apply(match, 0, action)
