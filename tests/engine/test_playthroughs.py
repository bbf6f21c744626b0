"""The recorded matches, played again: a difference is a change of play, to be read in review."""

import pytest

from tests.engine.playthroughs.record import FOLDER, page_of, recorded
from tests.playbook import PLAYED


@pytest.mark.parametrize("preset", PLAYED)
def test_a_recorded_match_is_played_as_it_was(preset: str) -> None:
    assert recorded(preset) == page_of(preset).read_text(encoding="utf-8")


def test_there_is_one_record_a_preset_played_now() -> None:
    assert set(FOLDER.glob("*.txt")) == {page_of(preset) for preset in PLAYED}
