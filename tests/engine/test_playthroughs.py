"""The recorded matches, played again: a difference is a change of play, to be read in review."""

import pytest

from tests.engine.playthroughs.record import FOLDER, page_of, recorded
from tests.playbook import COMPANIES


@pytest.mark.parametrize(("preset", "seats"), COMPANIES)
def test_a_recorded_match_is_played_as_it_was(preset: str, seats: int) -> None:
    assert recorded(preset, seats) == page_of(preset, seats).read_text(encoding="utf-8")


def test_there_is_one_record_a_preset_and_number_of_seats() -> None:
    assert set(FOLDER.glob("*.txt")) == {page_of(preset, seats) for preset, seats in COMPANIES}
