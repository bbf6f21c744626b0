from collections import Counter
from uuid import UUID

import pytest

from engine.cards import DECK_SIZE, parse_all, text
from engine.shuffle import Shuffle, ShuffleMode, commitment, deck, first_dealer, seed_of_text, shuffled

SEED = seed_of_text("gin rummy")
SHUFFLE = Shuffle(ShuffleMode.SEED, SEED)
MATCH = UUID("01890a5d-ac96-774b-bcce-b302099a8057")


def test_the_seed_that_a_text_stands_for() -> None:
    assert SEED.hex() == "9ff73a47757232e487f0b1532c7ebaeacae7973d1de4f07b47eb8e70ad738866"


def test_the_commitment() -> None:
    published = commitment(MATCH.bytes, SEED).hex()
    assert published == "1caf19c640e877794829fcffea1297197e996d43de67f886c86c6fcd84e35f45"


def test_the_first_deal() -> None:
    assert text(deck(SHUFFLE, 1)) == (
        "6S 9S 7D QS AD 2H JD 4D QC KC TH 8H TS 6H JS 9D 5S 9C 2S KD JH QD 3C 3S 3D 3H 9H 5H TD 5D KS JC KH "
        "2C 2D 7H 6C 8D 4S 7S AH 6D 4C AC 8S AS 5C 8C 4H QH TC 7C"
    )


def test_the_second_deal() -> None:
    assert text(deck(SHUFFLE, 2)).startswith("KH JS QC KD JD AC AH 9S 7C TC ")


@pytest.mark.parametrize(("seats", "dealer"), [(2, 0), (3, 0), (4, 2)])
def test_the_first_dealer(seats: int, dealer: int) -> None:
    assert first_dealer(SHUFFLE, seats) == dealer


def test_a_reshuffle() -> None:
    pile = parse_all("AS 2S 3S 4S 5S 6S 7S 8S")
    assert text(shuffled(pile, SEED, "reshuffle:1:1")) == "2S AS 6S 4S 5S 8S 7S 3S"


def test_given_decks_come_first_and_then_the_seed() -> None:
    given = tuple(reversed(range(DECK_SIZE)))
    shuffle = Shuffle(ShuffleMode.DECKS, SEED, (given,))
    assert deck(shuffle, 1) == given
    assert deck(shuffle, 2) == deck(SHUFFLE, 2)


def test_every_deck_has_52_cards_and_is_another() -> None:
    decks = [deck(SHUFFLE, deal) for deal in range(1, 50)]
    assert all(sorted(cards) == list(range(DECK_SIZE)) for cards in decks)
    assert len(set(decks)) == len(decks)


def test_no_place_is_favoured() -> None:
    tops = Counter(shuffled(range(4), SEED, f"deal:{deal}")[0] for deal in range(4_000))
    assert all(abs(count - 1_000) < 130 for count in tops.values())  # over 4.7 standard deviations


def test_a_shuffle_is_printed_without_seed_or_cards() -> None:
    assert repr(Shuffle(ShuffleMode.DECKS, SEED, (tuple(range(DECK_SIZE)),))) == "Shuffle(decks)"
