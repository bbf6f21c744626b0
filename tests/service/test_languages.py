import pytest

from service.http.languages import best_language, lookup

OFFERED = ("en", "ru", "bg")


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ru", "ru"),
        ("BG", "bg"),
        ("ru-RU", "ru"),
        ("bg-Cyrl-BG, ru", "bg"),
        ("de, ru;q=0.5", "ru"),
        ("de-CH, fr", "en"),
        ("ru;q=0.3, bg;q=0.7", "bg"),
        ("ru;q=0.300, bg;q=0.301", "bg"),
        ("ru, bg", "ru"),
        ("bg;q=1.0, ru", "bg"),
        (" ru ; q=0.1 ,\tbg;Q=0.2", "bg"),
        # RFC 4647, 3.4: what matches everything leaves the choice to us
        ("*", "en"),
        ("*, bg;q=0.1", "bg"),
        ("en;q=0, *", "ru"),
        ("en;q=0, ru;q=0.0", "bg"),
        ("en;q=0, ru;q=0, bg;q=0.000", "en"),
        ("ru;q=0", "en"),
        ("ru-RU;q=0, ru", "ru"),
        # what is no language range counts for nothing
        ("ru;q=2, bg;q=0.1", "bg"),
        ("ru;q=-1, bg", "bg"),
        ("ru;q=0.1234", "en"),
        ("ru;level=1", "en"),
        ("ru_RU", "en"),
        ("ру", "en"),
        (",,;, ,bg,", "bg"),
        ("verylongsubtag, bg", "bg"),
        ("ru" * 50_000, "en"),
        ("ru;q=" * 20_000, "en"),
    ],
)
def test_the_language_that_a_client_reads_best(header: str, language: str) -> None:
    assert best_language(header, OFFERED) == language


@pytest.mark.parametrize(
    ("language_range", "found"),
    [
        ("RU", "ru"),
        ("ru-Cyrl-x-any", "ru"),
        ("pt-br-x-any", "pt-BR"),
        ("PT-BR", "pt-BR"),
        ("pt-PT", None),
        ("zh-Hant-HK", "zh-hant"),
        ("zh", None),
        ("*", None),
        ("", None),
    ],
)
def test_a_range_is_met_by_the_longest_language_it_begins_with(
    language_range: str, found: str | None
) -> None:
    assert lookup(language_range, ("ru", "pt-BR", "zh-hant")) == found


def test_a_language_is_ruled_out_in_any_case() -> None:
    assert best_language("PT-br;q=0, ru;q=0.1", ("pt-BR", "ru")) == "ru"
