import re
from collections.abc import Iterator
from itertools import product
from typing import Any

import msgspec
import pytest
from fluent.syntax import FluentParser
from fluent.syntax.ast import Message
from hypothesis import given

from engine.ending import DEAL_LIMIT
from engine.presets import PRESETS, Preset
from engine.rules import KnockLimitSource, RuleSet, Scoring
from service.http.texts import LANGUAGES, Language, messages_of
from service.rulesets.facts import SECTIONS, Seats
from service.rulesets.sheet import TEXTS, rule_sheet
from tests.knobs import KNOBS, PLAYED_WITH, SILENT_WITH, rules_with, values_of
from tests.sizes import SOAK
from tests.strategies import Game, games

RULES_OWN = {2, 3, 10, 52, 100, 200}
"""Numbers of every sheet: ace-2-3, court cards, the pack, a flat shutout, the limit of deals."""

TOLD: dict[str, dict[Language, str]] = {
    "knock": {"en": "knock", "ru": "стук|постуч", "bg": "чукан|почук"},
    "big gin": {"en": "big gin", "ru": "больш\\w+ джин", "bg": "голем\\w+ джин|голям джин"},
    "layoff": {"en": "la(y|id) off", "ru": "подл[оа]ж", "bg": "добав\\w+ карт"},
    "undercut": {"en": "undercut", "ru": "андеркат", "bg": "андъркът"},
    "spade": {"en": "spade", "ru": "пика", "bg": "пика"},
    "penalty": {"en": "penalty", "ru": "штраф", "bg": "наказател"},
    "column": {"en": "column", "ru": "колонк", "bg": "колонк"},
    "game bonus": {"en": "game bonus", "ru": "преми\\w+ за игру", "bg": "преми\\w+ за игра"},
    "upcard": {"en": "upcard", "ru": "открыт\\w+ карт", "bg": "откритата карта"},
    "shuffled": {"en": "shuffled", "ru": "перетасов", "bg": "разбъркв"},
    "own melds": {"en": "their melds", "ru": "сами называют", "bg": "сами обявяват"},
}
"""Words by which a sheet tells of what not everybody plays."""


def told(rules: RuleSet, language: Language, *, least: int = 2, most: int = 2) -> str:
    sections = rule_sheet(rules, Seats(least, most), language)
    return "\n".join(sentence for section in sections for sentence in section.sentences)


def numbers(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"[0-9]+", text)}


def played(rules: RuleSet) -> dict[str, bool]:
    knocks = rules.knock_limit > 0
    return {
        "knock": knocks,
        "big gin": rules.big_gin,
        "layoff": rules.layoff and (knocks or rules.layoff_on_gin),
        "undercut": knocks,
        "spade": rules.spade_doubles,
        "penalty": rules.scoring is Scoring.PENALTY,
        "column": rules.columns > 1,
        "game bonus": rules.game_bonus > 0 and rules.scoring is Scoring.POINTS,
        "upcard": rules.upcard_offer != "eleven",
        "shuffled": rules.stock_end == "reshuffle",
        "own melds": rules.melds == "declared",
    }


def in_companies() -> Iterator[tuple[str, dict[str, Any]]]:
    for knob in KNOBS:
        for context in PLAYED_WITH.get(knob, [{}]):
            yield knob, context


def sample(values: list[Any]) -> list[Any]:
    """Return the values themselves, or of a long range its ends and what plurals are told apart by."""
    if SOAK or len(values) < 20:
        return values
    chosen = {*values[:3], *values[-2:], 4, 5, 11, 12, 21, 22, 25, 33, 100, 101, 111, 112, 250, 500}
    return [value for value in values if value in chosen]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("knob", "context"), [*in_companies()])
def test_every_value_of_every_knob_is_told_in_its_own_words(
    knob: str, context: dict[str, Any], language: Language
) -> None:
    most = 4 if rules_with(context).scoring is Scoring.PENALTY else 2
    sheets: dict[str, Any] = {}
    for value in sample(values_of(knob)):
        sheet = told(rules_with(context, {knob: value}), language, most=most)
        assert sheet not in sheets, f"{value} is told like {sheets.get(sheet)}"
        sheets[sheet] = value


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("knob", "context"), [(knob, context) for knob, contexts in SILENT_WITH.items() for context in contexts]
)
def test_what_makes_no_difference_is_not_told(knob: str, context: dict[str, Any], language: Language) -> None:
    sheets = {told(rules_with(context, {knob: value}), language) for value in sample(values_of(knob))}
    assert len(sheets) == 1


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("knob", "context"), [*in_companies()])
def test_the_numbers_are_the_knobs(knob: str, context: dict[str, Any], language: Language) -> None:
    most = 4 if rules_with(context).scoring is Scoring.PENALTY else 2
    without = numbers(told(rules_with(context), language, most=most))
    for value in sample(values_of(knob)):
        if isinstance(value, int) and not isinstance(value, bool) and value > 1 and knob != "columns":
            shown = numbers(told(rules_with(context, {knob: value}), language, most=most))
            assert value in shown
            assert shown - without <= {value}


@given(game=games())
def test_a_sheet_tells_what_is_played_and_nothing_else(game: Game) -> None:
    rules, seats = game.rules, game.seats
    knobs = {value for value in msgspec.structs.astuple(rules) if isinstance(value, int)}
    for language in LANGUAGES:
        text = told(rules, language, least=seats, most=seats)
        assert numbers(text) <= RULES_OWN | knobs | {rules.hand_size_for(seats)}, text
        assert 0 not in numbers(text), text
        words = {what: bool(re.search(word[language], text, re.IGNORECASE)) for what, word in TOLD.items()}
        assert words == played(rules), text


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "may have no winner"), ("ru", "без победителя"), ("bg", "без победител")],
)
def test_every_sheet_says_that_a_match_may_have_no_winner(
    preset: Preset, language: Language, words: str
) -> None:
    sheet = told(preset.rules, language, least=preset.least_seats, most=preset.most_seats)
    assert any(words in line and str(DEAL_LIMIT) in line for line in sheet.splitlines())  # R2.6


@given(game=games())
def test_a_sheet_has_the_same_facts_in_every_language(game: Game) -> None:
    shapes = {
        tuple(
            len(section.sentences)
            for section in rule_sheet(game.rules, Seats(game.seats, game.seats), language)
        )
        for language in LANGUAGES
    }
    assert len(shapes) == 1


@given(game=games())
def test_sentences_are_sentences(game: Game) -> None:
    for language in LANGUAGES:
        for section in rule_sheet(game.rules, Seats(game.seats, game.seats), language):
            for sentence in section.sentences:
                assert sentence[0].isupper(), sentence
                assert sentence.endswith("."), sentence
                assert not re.search(r"  | [,.;:]|,,|\.\.|[{}$]", sentence), sentence
                if language == "en":
                    assert not re.search("[а-яА-Я]", sentence), sentence
                else:
                    assert not re.search("[a-zA-Z]", sentence), sentence


@pytest.mark.parametrize(
    ("language", "knobs", "sentence"),
    [
        ("en", {"gin_bonus": 1}, "Gin scores 1 point plus the opponent’s deadwood."),
        ("en", {"gin_bonus": 21}, "Gin scores 21 points plus the opponent’s deadwood."),
        ("en", {"gin_bonus": 0}, "Gin scores the opponent’s deadwood."),
        ("en", {"gin_bonus": 1000}, "Gin scores 1000 points plus the opponent’s deadwood."),
        ("ru", {"gin_bonus": 1}, "Джин приносит 1 очко и стоимость свободных карт соперника."),
        ("ru", {"gin_bonus": 22}, "Джин приносит 22 очка и стоимость свободных карт соперника."),
        ("ru", {"gin_bonus": 12}, "Джин приносит 12 очков и стоимость свободных карт соперника."),
        ("ru", {"gin_bonus": 101}, "Джин приносит 101 очко и стоимость свободных карт соперника."),
        ("ru", {"gin_bonus": 1000}, "Джин приносит 1000 очков и стоимость свободных карт соперника."),
        ("bg", {"gin_bonus": 1}, "Джинът носи 1 точка и стойността на свободните карти на противника."),
        ("bg", {"gin_bonus": 21}, "Джинът носи 21 точки и стойността на свободните карти на противника."),
        ("en", {"deals": 1}, "The match consists of a single deal; void deals do not count."),
        ("en", {"deals": 21}, "The match consists of 21 deals; void deals do not count."),
        ("ru", {"deals": 1}, "Матч состоит из одной сдачи; аннулированные сдачи не считаются."),
        ("ru", {"deals": 21}, "Матч состоит из 21 сдачи; аннулированные сдачи не считаются."),
        ("ru", {"deals": 22}, "Матч состоит из 22 сдач; аннулированные сдачи не считаются."),
        ("bg", {"deals": 1}, "Мачът се състои от едно раздаване; анулираните раздавания не се броят."),
        ("bg", {"deals": 21}, "Мачът се състои от 21 раздавания; анулираните раздавания не се броят."),
        ("ru", {"max_turns": 21}, "Сдача, не законченная за 21 ход, аннулируется."),
        ("ru", {"max_turns": 22}, "Сдача, не законченная за 22 хода, аннулируется."),
        ("ru", {"max_turns": 25}, "Сдача, не законченная за 25 ходов, аннулируется."),
        ("bg", {"max_turns": 21}, "Раздаване, което не е завършило след 21 хода, се анулира."),
        ("ru", {"hand_size": 3}, "Каждому игроку сдаётся 3 карты."),
        ("ru", {"hand_size": 5}, "Каждому игроку сдаётся 5 карт."),
    ],
)
def test_numbers_are_declined(language: Language, knobs: dict[str, Any], sentence: str) -> None:
    assert sentence in told(rules_with(knobs), language).splitlines()


@pytest.mark.parametrize(
    ("floor", "begins"),
    [
        (0, ("Once the stock is empty,", "Когда закрытая колода пуста,", "Когато талонът е празен,")),
        (
            1,
            (
                "Once 1 card is left in the stock,",
                "Когда в закрытой колоде осталась 1 карта,",
                "Когато в талона остава 1 карта,",
            ),
        ),
        (
            2,
            (
                "Once 2 cards are left in the stock,",
                "Когда в закрытой колоде осталось 2 карты,",
                "Когато в талона остават 2 карти,",
            ),
        ),
        (
            10,
            (
                "Once 10 cards are left in the stock,",
                "Когда в закрытой колоде осталось 10 карт,",
                "Когато в талона остават 10 карти,",
            ),
        ),
    ],
)
def test_the_stock_ends_in_every_number(floor: int, begins: tuple[str, ...]) -> None:
    for language, beginning in zip(LANGUAGES, begins, strict=True):
        assert f"\n{beginning}" in told(rules_with({"stock_floor": floor}), language)


def test_a_preset_for_two_to_four_tells_how_many_cards_each_number_of_players_gets() -> None:
    (penalty,) = (preset for preset in PRESETS if preset.name == "penalty")
    assert "With two players each is dealt 10 cards, with more players 7." in told(
        penalty.rules, "en", most=4
    )
    assert "Each player is dealt 7 cards." in told(penalty.rules, "en", least=3, most=3)


def test_oklahoma_is_told_by_its_aces() -> None:
    rules = rules_with({"knock_limit_source": "upcard", "oklahoma_ace": "gin_only"})
    assert rules.knock_limit_source is KnockLimitSource.UPCARD
    assert "If the upcard is an ace, only gin ends the deal." in told(rules, "en")


def messages(language: Language) -> dict[str, Message]:
    resource = FluentParser().parse((TEXTS / f"{language}.ftl").read_text(encoding="utf-8"))
    return {entry.id.name: entry for entry in resource.body if isinstance(entry, Message)}


def test_every_language_has_just_the_messages_that_some_rule_set_needs() -> None:
    facts = {name for name in messages("en") if not name.startswith("n-")}
    for language in LANGUAGES:
        assert {name for name in messages(language) if not name.startswith("n-")} == facts
    needed = {f"title-{name}" for name, _ in SECTIONS}
    for knob, context in in_companies():
        for value, seats in product(sample(values_of(knob)), (Seats(2, 2), Seats(2, 4))):
            rules = rules_with(context, {knob: value})
            needed |= {fact.message for _, facts_of in SECTIONS for fact in facts_of(rules, seats)}
    assert needed == facts


@pytest.mark.parametrize("text", ["title", "title =\n    .attribute = Only this\n", "-term = A term\n"])
def test_a_file_with_a_fault_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match="no message"):
        messages_of("en", text)


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_titles_name_the_sections_in_their_order(preset: Preset) -> None:
    titles = [section.title for section in rule_sheet(preset.rules, Seats(2, 2), "en")]
    assert titles[:8] == [
        "The match",
        "Cards and melds",
        "The deal",
        "The turn",
        "Ending a deal",
        "The end of the stock",
        "Laying out the hands",
        "Points",
    ]
    assert titles[8:] == (["Bonuses"] if preset.rules.box_bonus or preset.rules.game_bonus else [])
