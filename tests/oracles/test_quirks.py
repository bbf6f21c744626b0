"""Each quirk of open_spiel on one hand: the differences are there, and docs/oracles.md tells of each."""

import re
from collections import Counter
from collections.abc import Callable
from inspect import getmembers, isfunction
from typing import Final

from msgspec.structs import replace

import engine
from engine.actions import Discard, DrawDiscard, DrawStock, Knock, LayOff, Layoff, Pass, TakeUpcard
from engine.cards import cards_of, parse
from engine.rules import RuleSet, StockEnd, UndercutTie
from engine.state import DealResult
from tests.engine.vectors import cards, melds
from tests.oracles import quirks, spiel
from tests.oracles.side_by_side import SideBySide, spread_of
from tests.playbook import LOOSE, PLAYED, deck_of, last_deal, running
from tests.service.serving import CHECKOUT

RULES: Final = PLAYED["openspiel"]
OTHER: Final = "AS AH 3S 3H 5S 5H 7S 7H 9S 9H"
"""Ten cards without a meld, none of them in `LOOSE`."""


def table(first: str, dealer: str, upcard: str, stock: str = "", rules: RuleSet = RULES) -> SideBySide:
    return SideBySide(rules, deck_of(first, dealer, upcard, stock), Counter())


def seen(side: SideBySide) -> list[str]:
    return [kind.removeprefix("quirk: ") for kind in side.tally if kind.startswith("quirk: ")]


def name(quirk: Callable[..., object]) -> str:
    return quirk.__name__


def test_the_taken_card_may_be_thrown() -> None:
    side = table(LOOSE, OTHER, "KD", rules=replace(RULES, allow_discard_taken=False))
    side.move(TakeUpcard())
    side.choices()
    assert spiel.swapped(parse("KD")) in side.theirs.legal_actions()
    assert seen(side) == [name(quirks.taken_card_may_be_thrown)]


def test_their_minimum_of_eleven_cards_can_be_too_high() -> None:
    gin = "AS 2S 8S 2H 8H AD 2D 8D AC 2C"
    side = table(gin, "KS KH KD JS JH 9S 9H 7D 6C 5C", "3C", rules=replace(RULES, knock_limit=0))
    side.move(TakeUpcard())
    assert spiel.min_deadwood(cards(gin) | 1 << parse("3C"), 10) == 1  # R4.4: yet without 3C it is gin
    assert not side.choices().may_knock
    assert seen(side) == [name(quirks.eleven_cards_minimum_too_high)]


def test_nine_cards_in_melds_of_three_may_knock_without_a_throw() -> None:
    rules = replace(RULES, knock_limit=2, hand_size=8)
    side = table("AS 2S 3S 7H 7D 7C QS QH", "KS KH 2D 9S 9H 6C 5C 4H", "QD", rules=rules)
    side.move(TakeUpcard())
    assert spiel.KNOCK in side.theirs.legal_actions()
    assert side.theirs.child(spiel.KNOCK).legal_actions() == []
    assert not side.choices().may_knock
    assert seen(side) == [name(quirks.all_in_melds_of_three_may_knock)]


def test_a_dead_discard_may_be_knocked_with() -> None:
    side = table(LOOSE, OTHER, "KD", rules=replace(RULES, stock_end=StockEnd.DEAD_AFTER_DISCARD))
    side.move(Pass())
    side.move(Pass())
    while not side.match.deal_count:
        drawn = running(side.match).stock[0]
        side.move(DrawStock())
        side.move(Discard(drawn))
    side.compare_results()
    assert last_deal(side.match).result is DealResult.VOID
    assert seen(side) == [name(quirks.last_discard_may_always_be_knocked_with)]


def test_two_who_throw_back_end_the_deal() -> None:
    side = table(LOOSE, OTHER, "KD")
    taken = parse("KD")
    side.move(TakeUpcard())
    side.move(Discard(taken))
    side.move(DrawDiscard())
    assert not side.move(Discard(taken))
    assert side.theirs.is_terminal()
    assert seen(side) == [name(quirks.void_when_two_throw_back)]


def test_fifty_takes_end_the_deal() -> None:
    side = table(LOOSE, OTHER, "KD")
    side.move(TakeUpcard())
    for _ in range(spiel.MOST_TAKES - 1):
        side.move(_throw_another(side))
        assert side.move(DrawDiscard())
    side.move(_throw_another(side))
    assert not side.move(DrawDiscard())
    assert seen(side) == [name(quirks.void_after_fifty_takes)]


def test_a_long_run_is_laid_in_pieces() -> None:
    assert quirks.laid_by_hand(melds("4S 5S 6S 7S 8S | KS KH KD KC | AH 2H 3H 4H 5H 6H 7H")) == melds(
        "4S 5S 6S 7S 8S | KS KH KD KC | AH 2H 3H | 4H 5H 6H 7H"
    )


def test_no_third_layoff_at_one_end() -> None:
    knocker = "AH 2H 3H 5S 6S 7S KS KH KD AD"
    side = table(knocker, "8S 9S TS 2D 4D 6D 8D 9C JC QC", "QD", "QH")
    _knock_after_draw(side, "QH")
    spread = spread_of(side.match).melds
    run = spread.index(cards("5S 6S 7S"))
    assert not quirks.no_third_layoff_at_one_end(spread, Layoff(parse("9S"), run))
    third = Layoff(parse("TS"), run)
    assert quirks.no_third_layoff_at_one_end(spread, third)
    side.theirs.apply_action(spiel.swapped(parse("8S")))
    side.theirs.apply_action(spiel.swapped(parse("9S")))
    assert spiel.layoffs(side.theirs) == 0
    layoffs = (Layoff(parse("8S"), run), Layoff(parse("9S"), run), third)
    row = last_deal(engine.apply(side.match, 1, LayOff(layoffs=layoffs)).match)
    assert row.hands[1].layoffs == layoffs


def test_a_laid_card_counts_for_every_meld() -> None:
    side = table("7H 7D 7C 8S 9S TS KS KH KD AD", "7S 6S 2D 4D 6D 8D 9C JC QC 2H", "QD", "QH")
    _knock_after_draw(side, "QH")
    spread = spread_of(side.match).melds
    laid = (Layoff(parse("7S"), spread.index(cards("7H 7D 7C"))),)
    side.answer(LayOff(layoffs=laid))
    side.compare_results()
    assert seen(side) == [name(quirks.laid_card_counts_for_every_meld)]


def test_ties_pay_nothing() -> None:
    rules = replace(RULES, undercut_tie=UndercutTie.DEFENDER)
    side = table("AH 2H 3H 5S 6S 7S KS KH KD 5D", "9H TH JH 2S 2D 2C 8C 9C TC 5C", "QD", "QH", rules)
    _knock_after_draw(side, "QH")
    side.answer(LayOff())
    side.compare_results()
    assert (last_deal(side.match).winner, last_deal(side.match).points) == (1, 25)
    assert seen(side) == [name(quirks.ties_pay_nothing)]


def test_the_page_tells_of_each_quirk() -> None:
    page = (CHECKOUT / "docs" / "oracles.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    public = [name for name, quirk in getmembers(quirks, isfunction) if quirk.__module__ == quirks.__name__]
    assert sorted(named) == [name for name in public if not name.startswith("_")]


def _throw_another(side: SideBySide) -> Discard:
    deal = running(side.match)
    assert deal.taken is not None
    return Discard(next(card for card in cards_of(deal.hands[deal.turn]) if card != deal.taken.card))


def _knock_after_draw(side: SideBySide, drawn: str) -> None:
    side.move(Pass())
    side.move(Pass())
    side.move(DrawStock())
    side.move(Knock(parse(drawn)))
