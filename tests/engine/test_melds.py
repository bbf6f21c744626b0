from itertools import combinations

import pytest

from engine.cards import CODES, DECK_SIZE, cards_of, parse, text
from engine.melds import fitting, is_meld
from engine.rules import Ace
from tests.engine import exhaustive
from tests.engine.hands import pairs
from tests.engine.vectors import Vector, cards, rules_of, vectors

EVERY_CLUB = " ".join(CODES[39:])


@vectors("is_meld")
def test_vector(vector: Vector) -> None:
    assert is_meld(cards(vector.input["cards"]), rules_of(vector).ace) is vector.expect["valid"]


@pytest.mark.parametrize(
    ("codes", "rules"),
    [
        ("AS 2S 3S", "low both corner"),  # R1.4
        ("QS KS AS", "high both corner"),
        ("KS AS 2S", "corner"),
        ("JD QD KD AD 2D 3D", "corner"),
        ("2H 3H 4H", "low high both corner"),
        ("KS KH AS", ""),  # R1.4: an ace never joins kings
        ("KS KH KD AC", ""),
        ("AS AH AD", "low high both corner"),
        ("QS KS AH", ""),
        ("KS AH 2H", ""),  # neighbours by number, not by suit
        (EVERY_CLUB, "low high both corner"),
        (EVERY_CLUB.removeprefix("AC "), "low high both corner"),
        (EVERY_CLUB.replace("5C ", ""), "corner"),
        ("AS", ""),
        ("", ""),
    ],
)
def test_where_the_ace_stands(codes: str, rules: str) -> None:
    assert [ace.value for ace in Ace if is_meld(cards(codes), ace)] == rules.split()


@pytest.mark.parametrize(
    ("meld", "ace", "fits"),
    [
        ("7S 7H 7D", Ace.LOW, "7C"),
        ("7S 7H 7D 7C", Ace.LOW, ""),
        ("7H 8H 9H", Ace.LOW, "6H TH"),
        ("AC 2C 3C", Ace.LOW, "4C"),
        ("JS QS KS", Ace.LOW, "TS"),
        ("JS QS KS", Ace.HIGH, "TS AS"),
        ("2S 3S 4S", Ace.HIGH, "5S"),
        ("2S 3S 4S", Ace.BOTH, "AS 5S"),
        ("QS KS AS", Ace.BOTH, "JS"),
        ("QS KS AS", Ace.CORNER, "2S JS"),
        (EVERY_CLUB.replace("5C ", ""), Ace.CORNER, "5C"),  # the gap is both ends
        (EVERY_CLUB, Ace.CORNER, ""),
    ],
)
def test_what_a_meld_takes(meld: str, ace: Ace, fits: str) -> None:
    assert sorted(cards_of(fitting(cards(meld), ace))) == sorted(parse(code) for code in fits.split())


@pytest.mark.parametrize("ace", Ace)
def test_what_a_meld_takes_is_what_makes_it_longer(ace: Ace) -> None:
    spade_runs = [meld for mask in range(1 << 13) if is_meld(meld := mask, ace)]
    sets = [sum(1 << suit * 13 + 6 for suit in suits) for suits in combinations(range(4), 3)]
    for meld in [*spade_runs, *sets]:
        longer = [
            card for card in range(DECK_SIZE) if not meld >> card & 1 and is_meld(meld | 1 << card, ace)
        ]
        assert list(cards_of(fitting(meld, ace))) == longer, text(cards_of(meld))


@pytest.mark.parametrize("ace", Ace)
def test_every_group_of_one_suit_agrees_with_the_plain_rule(ace: Ace) -> None:
    for mask in range(1 << 13):
        assert is_meld(mask << 13, ace) is exhaustive.is_meld(pairs(mask << 13), ace)
