import pytest

from engine.cards import (
    CODES,
    DECK_SIZE,
    Rank,
    UnknownCardError,
    cards_of,
    parse,
    parse_all,
    points_of,
    rank_of,
    set_of,
    suit_of,
    text,
)
from engine.rules import RuleSet
from tests.engine.vectors import HANDLED, Vector, all_vectors, rules_of, vectors
from tests.playbook import running, started


def test_every_kind_of_vector_is_known() -> None:
    assert {vector.kind for vector in all_vectors()} == HANDLED.keys()


@vectors("counts")
def test_stock_vector(vector: Vector) -> None:
    deal = running(started(rules_of(vector), seats=vector.input["players"]))
    assert len(deal.stock) == vector.expect["stock"]
    assert {hand.bit_count() for hand in deal.hands} == {vector.input["hand_size"]}


@pytest.mark.parametrize(("players", "cards"), [(2, 10), (3, 7), (4, 7)])
def test_the_hand_sizes_of_r2_1(players: int, cards: int) -> None:
    assert RuleSet().hand_size_for(players) == cards


def test_codes_and_numbers_are_the_same_52_cards() -> None:
    assert [parse(code) for code in CODES] == list(range(DECK_SIZE))
    assert len(set(CODES)) == DECK_SIZE
    assert [parse(code) for code in ("AS", "KS", "AH", "TH", "KC")] == [0, 12, 13, 22, 51]


@pytest.mark.parametrize("code", ["10H", "0H", "th", "XH", "", "A", "SA", "AS ", "🂡", "A\uff33"])
def test_anything_else_is_refused_by_name(code: str) -> None:
    with pytest.raises(UnknownCardError) as refusal:  # R1.1
        parse(code)
    assert refusal.value.code == code


def test_a_set_forgets_the_order() -> None:
    assert text(cards_of(set_of(parse_all("KC AS TH")))) == "AS TH KC"
    assert cards_of(0) == ()


def test_rank_and_suit() -> None:
    assert [(rank_of(card), suit_of(card)) for card in parse_all("AS KH TD 2C")] == [
        (Rank.ACE, 0),
        (Rank.KING, 1),
        (Rank.TEN, 2),
        (Rank.TWO, 3),
    ]


@pytest.mark.parametrize(("ace_points", "ace"), [(1, 1), (11, 11), (15, 15)])
def test_what_cards_cost(ace_points: int, ace: int) -> None:
    costs = [points_of(card, ace_points) for card in parse_all("AH 2H 9H TH JH QH KH")]
    assert costs == [ace, 2, 9, 10, 10, 10, 10]  # R1.2
