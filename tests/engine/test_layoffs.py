import random

import pytest

from engine.actions import Layoff
from engine.cards import cards_of, parse, text
from engine.deadwood import solver_for
from engine.layoffs import Defence, defend, first_misfit, legal_layoffs
from engine.rules import Ace, LayoffChain, RuleSet
from engine.scoring import knock_limit, lays_off, score_deal
from tests.engine import exhaustive
from tests.engine.hands import ACE_POINTS, groups, loose, melded, pairs
from tests.engine.vectors import Vector, cards, melds, rules_of, vectors
from tests.sizes import size

ANY = RuleSet()
ORIGINAL_ONLY = RuleSet(layoff_chain=LayoffChain.ORIGINAL_ONLY)


def laid(words: str) -> tuple[Layoff, ...]:
    """Return layoffs from ``6H>0 5H>0``: the card, then the number of the meld."""
    return tuple(Layoff(parse(card), int(meld)) for card, meld in (word.split(">") for word in words.split()))


@vectors("layoff")
def test_vector(vector: Vector) -> None:
    rules, expect = rules_of(vector), vector.expect
    spread, hand = melds(vector.input["knocker_melds"]), cards(vector.input["defender"])
    solver = solver_for(rules)
    deadwood = solver.points(cards(vector.input["knocker"]) & ~sum(spread))
    layoffs = None if lays_off(rules, knocker_deadwood=deadwood) else ()
    defence = defend(rules, spread, (), hand, layoffs=layoffs)
    assert deadwood == expect["knocker_deadwood"]
    assert solver.deadwood(hand) == expect["defender_alone"]
    assert defence.deadwood == expect["defender_final"]
    if "fixed_arrangement_would_give" in expect:  # R5.3: own melds first is not the optimum
        fixed = defend(rules, spread, (), hand, melds=solver.arrange(hand).melds)
        assert fixed.deadwood == expect["fixed_arrangement_would_give"]
    if expect["winner"] == "illegal":
        assert deadwood > knock_limit(rules, None)
        return
    score = score_deal(rules, knocker=0, deadwoods=(deadwood, defence.deadwood), big_gin=False, upcard=None)
    assert score.winner == {"knocker": 0, "defender": 1, None: None}[expect["winner"]]
    assert score.points == expect["points"]


@vectors("layoff_legal")
def test_legal_vector(vector: Vector) -> None:
    legal = legal_layoffs(
        rules_of(vector),
        melds(vector.input["knocker_melds"]),
        laid(vector.input["laid"]),
        cards(vector.input["defender"]),
    )
    assert list(legal) == sorted(legal)
    assert {layoff.card for layoff in legal} == set(cards_of(cards(vector.expect["legal"])))


SPREAD = melds("TC TD TH | JS QS KS")


def test_a_card_that_fits_two_melds_is_listed_for_both() -> None:
    assert legal_layoffs(ANY, SPREAD, (), cards("TS 9S")) == laid("TS>0 TS>1")  # R5.5


def test_a_card_goes_where_the_total_is_least() -> None:
    defence = defend(ANY, SPREAD, (), cards("TS 9S 2D"))
    assert defence.layoffs == laid("TS>1 9S>1")  # R5.5: with TS on the tens, 9S would stay
    assert defence.unmatched == cards("2D")


@pytest.mark.parametrize(
    ("rules", "before", "layoffs", "misfit"),
    [
        (ANY, "", "6H>0 5H>0 QH>1", None),
        (ANY, "", "5H>0 6H>0", "5H>0"),  # the order given is the order they are laid in
        (ORIGINAL_ONLY, "", "6H>0 TH>0 QH>1", None),
        (ORIGINAL_ONLY, "", "6H>0 5H>0", "5H>0"),  # R5.4: 5H does not touch the run as it was laid
        (ORIGINAL_ONLY, "6H>0", "5H>0", "5H>0"),
        (ANY, "6H>0", "5H>0", None),
        (ANY, "", "QH>0", "QH>0"),
        (ANY, "QH>1", "QH>1", "QH>1"),  # it lies there already
        (ANY, "", "6H>2", "6H>2"),  # there is no third meld
        (ANY, "", "7H>0", "7H>0"),
    ],
)
def test_the_first_layoff_that_does_not_fit(
    rules: RuleSet, before: str, layoffs: str, misfit: str | None
) -> None:
    spread = melds("7H 8H 9H | QS QD QC")
    found = first_misfit(rules, spread, laid(before), laid(layoffs))
    assert found == (None if misfit is None else laid(misfit)[0])


@pytest.mark.parametrize(
    ("ace", "hand", "layoffs"),
    [
        (Ace.LOW, "AS 2S", ""),
        (Ace.HIGH, "AS 2S", "AS>0"),
        (Ace.BOTH, "AS 2S", "AS>0"),
        (Ace.CORNER, "AS 2S", "AS>0 2S>0"),  # R1.4: round the corner
    ],
)
def test_what_follows_the_king(ace: Ace, hand: str, layoffs: str) -> None:
    assert defend(RuleSet(ace=ace), melds("JS QS KS"), (), cards(hand)).layoffs == laid(layoffs)


def test_a_run_that_goes_round_closes_with_the_last_card() -> None:
    spread = melds("AS 2S 3S 4S 5S 6S 7S 8S 9S TS")
    rules = RuleSet(ace=Ace.CORNER)
    assert defend(rules, spread, (), cards("JS QS KS 2H")).unmatched == cards("2H")
    assert first_misfit(rules, spread, (), laid("KS>0 JS>0 QS>0")) is None
    assert first_misfit(rules, spread, (), laid("QS>0")) == laid("QS>0")[0]


def test_layoffs_of_others_are_built_on() -> None:
    spread = melds("7H 8H 9H")
    assert defend(ANY, spread, laid("TH>0"), cards("JH 2C")).layoffs == laid("JH>0")  # R7.2
    assert defend(ORIGINAL_ONLY, spread, laid("TH>0"), cards("JH 2C")).layoffs == ()


def test_nothing_is_laid_off_that_gains_nothing() -> None:
    defence = defend(ANY, melds("7H 8H 9H"), (), cards("4H 5H 6H KS"))
    assert defence.layoffs == ()  # fewest layoffs among equals: D04
    assert defence.melds == melds("4H 5H 6H")


def test_equal_defences_are_decided_by_the_melds_and_then_by_the_layoffs() -> None:
    spread = melds("8D 9D TD | 8C 9C TC")
    defence = defend(ANY, spread, (), cards("JS QS KS QH JD QD JC QC KC"))
    assert defence.melds == melds("JS QS KS | QH QD QC")  # before JS QS KS | JC QC KC by R1.5 …
    assert defence.layoffs == laid("JD>0 JC>1")  # … although JD QD is the smaller list of layoffs


class TestStatedParts:
    """R5.2: a stated part is kept, and the other chosen best for the cards that remain."""

    spread = melds("5S 6S 7S | 9C TC JC | KS KC KD")  # vector D08
    hand = cards("2S 8S 9S AC 2C 7C 8C 2D 8D 2H")

    def test_stated_melds_stay(self) -> None:
        own = melds("8S 8C 8D | 2S 2C 2D 2H")
        defence = defend(ANY, self.spread, (), self.hand, melds=own)
        assert defence.melds == melds("2S 2C 2D 2H | 8S 8D 8C")
        assert defence.layoffs == ()
        assert defence.unmatched == cards("9S AC 7C")
        assert defence.deadwood == 17

    def test_no_melds_stated_leaves_only_layoffs(self) -> None:
        defence = defend(ANY, self.spread, (), self.hand, melds=())
        assert defence.melds == ()
        assert defence.layoffs == laid("8S>0 9S>0 8C>1 7C>1")
        assert defence.unmatched == cards("2S AC 2C 2D 8D 2H")

    def test_stated_layoffs_stay_in_their_order(self) -> None:
        stated = laid("8C>1 8S>0")
        defence = defend(ANY, self.spread, (), self.hand, layoffs=stated)
        assert defence.layoffs == stated
        assert defence.melds == melds("2S 2D 2C 2H")
        assert defence.unmatched == cards("9S AC 7C 8D")

    def test_no_layoffs_stated_means_none(self) -> None:
        defence = defend(ANY, self.spread, (), self.hand, layoffs=())
        assert (defence.layoffs, defence.deadwood) == ((), 17)

    def test_both_stated(self) -> None:
        own = melds("2S 2D 2C 2H")
        defence = defend(ANY, self.spread, (), self.hand, melds=own, layoffs=laid("8S>0"))
        assert defence == Defence(own, laid("8S>0"), cards("9S AC 7C 8C 8D"), 33)


def test_a_defence_is_printed_without_cards() -> None:
    assert repr(defend(ANY, melds("7H 8H 9H"), (), cards("6H KS"))) == "Defence(deadwood=10)"


@pytest.mark.parametrize("ace", Ace)
@pytest.mark.parametrize("chain", LayoffChain)
def test_the_defence_agrees_with_an_exhaustive_one(ace: Ace, chain: LayoffChain) -> None:
    dice = random.Random(f"defence {ace} {chain}")
    for _ in range(size(60, 600)):
        ace_points = dice.choice(ACE_POINTS)
        rules = RuleSet(ace=ace, ace_points=ace_points, layoff_chain=chain)
        knocker = melded(dice, 10)
        spread = solver_for(rules).arrange(knocker).melds
        hand = loose(dice, 52) & ~knocker
        near = [
            card
            for card in cards_of(hand)
            if dice.random() < 0.5 or legal_layoffs(rules, spread, (), 1 << card)
        ]
        hand = sum(1 << card for card in dice.sample(near, min(len(near), dice.randint(1, 10))))
        defence = defend(rules, spread, (), hand)
        best = exhaustive.defence(
            groups(spread), pairs(hand), ace, ace_points, chained=chain is LayoffChain.ANY
        )
        shown = f"{[text(cards_of(meld)) for meld in spread]} against {text(cards_of(hand))}"
        assert defence.deadwood == best[0], shown
        assert (len(defence.melds), groups(defence.melds)) == best[2], shown
        assert sorted((divmod(it.card, 13), it.meld) for it in defence.layoffs) == best[3], shown
        assert first_misfit(rules, spread, (), defence.layoffs) is None, shown
        assert sum(defence.melds) + defence.unmatched + sum(1 << it.card for it in defence.layoffs) == hand
