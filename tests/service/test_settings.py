from typing import get_type_hints

import pytest

from service.settings import BOUNDS, LIMITS, Settings, SettingsError, settings_from


def variable(name: str) -> str:
    return f"GINRUMMY_{name.upper()}"


def test_an_environment_without_a_word_or_with_empty_ones_gives_the_defaults() -> None:
    assert settings_from({}) == Settings()
    assert settings_from({variable(name): "" for name in Settings.__struct_fields__}) == Settings()
    assert Settings().limits == LIMITS


def test_every_number_has_bounds() -> None:
    kinds = get_type_hints(Settings)
    numbers = [name for name in Settings.__struct_fields__ if kinds[name] in {int, int | None}]
    assert numbers == list(BOUNDS)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_number_is_plain_and_within_its_bounds(name: str) -> None:
    least, most = BOUNDS[name]
    for good in (least, most):
        assert getattr(settings_from({variable(name): str(good)}), name) == good
    for bad in (str(least - 1), str(most + 1), "9" * 5_000, "+5", "5.0", "5s", " 5", "\u0665", "-5"):
        with pytest.raises(SettingsError) as refused:
            settings_from({variable(name): bad})
        assert str(refused.value) == f"{variable(name)} is not a number from {least} to {most}"


def test_settings_show_nothing() -> None:
    assert (
        repr(settings_from({"GINRUMMY_DATABASE_URL": "postgresql://ana:hidden@host/name"})) == "Settings(…)"
    )


@pytest.mark.parametrize(
    ("given", "near"),
    [
        ("GINRUMMY_DATABASEURL", "GINRUMMY_DATABASE_URL"),
        ("GINRUMMY_SECRET", "GINRUMMY_SECRETS"),
        ("ginrummy_database_url", "GINRUMMY_DATABASE_URL"),
        ("GINRUMMY_PORT", None),
        ("GINRUMMY_", None),
    ],
)
def test_an_unknown_name_with_the_prefix_is_refused(given: str, near: str | None) -> None:
    for value in ("postgresql://ana:hidden@host/name", ""):
        with pytest.raises(SettingsError) as refused:
            settings_from({given: value, "GINRUMMY_HINTS_URL": "valkey://host"})
        told = f"'{given}' is not a setting" + (f"; the nearest is {near}" if near else "")
        assert str(refused.value) == told
    assert settings_from({"GINRUMMYX": "1", "OTHER_GINRUMMY_URL": "1"}) == Settings()


def test_every_unknown_name_is_told() -> None:
    with pytest.raises(SettingsError) as refused:
        settings_from({"GINRUMMY_POLL": "1", "GINRUMMY_A\nB": "1"})
    assert str(refused.value).count("is not a setting") == 2
    assert "\n" not in str(refused.value)
