"""What the pages say is looked up: links, rules, knobs, packages, names of code, check values."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from engine.cards import parse_all
from engine.rules import RuleSet
from engine.shuffle import Shuffle, ShuffleMode, commitment, deck, first_dealer, seed_of_text
from service.db.urls import is_sqlite, parse
from service.http.keys import parse_secrets
from service.settings import settings_from
from tests.service.serving import CHECKOUT

PAGES: Final = sorted(
    [*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("training/*.md")]
)
CODE: Final = sorted(
    path for folder in ("engine", "service", "tests") for path in CHECKOUT.glob(f"{folder}/**/*.py")
)
RULES: Final = (CHECKOUT / "docs" / "rules.md").read_text(encoding="utf-8")
DECISIONS: Final = sorted(CHECKOUT.glob("docs/decisions/0*.md"))


def name_of(path: Path) -> str:
    return str(path.relative_to(CHECKOUT))


def read(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def section(page: str, title: str) -> str:
    return page.split(f"\n## {title}")[1].split("\n## ", maxsplit=1)[0]


def anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if target.startswith("https://"):
            continue
        file, _, fragment = target.partition("#")
        linked = page.parent / file if file else page
        assert linked.exists(), target
        if fragment:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert fragment in map(anchor, headings), target


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [CHECKOUT / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page not in reached and page.suffix == ".md":
            reached.add(page)
            links = re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text(encoding="utf-8"))
            waiting += [page.parent / link for link in links if not link.startswith("https://")]
    assert [name_of(page) for page in PAGES if page not in reached] == []


def test_every_rule_that_is_cited_is_written_down() -> None:
    known = {
        *re.findall(r"\*\*(R\d+\.\d+)\*\*", RULES),
        *re.findall(r"^## (R\d+) ", RULES, re.MULTILINE),
    }
    for path in [*CODE, *PAGES]:
        cited = set(re.findall(r"\bR(?:10|[1-9])(?:\.\d+)?\b", path.read_text(encoding="utf-8")))
        assert cited - known == set(), name_of(path)


def test_the_table_of_knobs_is_the_rule_set() -> None:
    table = section(RULES, "R8 ").split("| knob |")[1].split("\n\n")[0]
    knobs = [
        knob
        for row in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
        for knob in re.findall(r"`(\w+)`", row)
    ]
    assert sorted(knobs) == sorted(RuleSet.__struct_fields__)


def test_every_package_has_its_line() -> None:
    project = tomllib.loads(read("pyproject.toml"))
    groups = project["dependency-groups"]
    wanted = [*project["project"]["dependencies"], *groups["build"], *groups["training"], *groups["dev"]]
    packages = {re.split(r"[^\w-]", one)[0] for one in wanted if isinstance(one, str)}
    lines = re.findall(r"^\| ([\w-]+) \| ", read("docs/dependencies.md"), re.MULTILINE)
    assert sorted(line for line in lines if line != "package") == sorted(packages)


def test_every_make_command_on_a_page_is_in_the_makefile() -> None:
    targets = set(re.findall(r"^(\w+):", read("Makefile"), re.MULTILINE))
    for page in PAGES:
        named = set(re.findall(r"`make (\w+)", page.read_text(encoding="utf-8")))
        assert named - targets == set(), name_of(page)


def test_the_architecture_names_real_code() -> None:
    page = read("docs/architecture.md")
    for file, name in re.findall(r"^\| `([\w/]+\.py)` `([\w.]+)` \|", page, re.MULTILINE):
        for part in name.split("."):
            assert re.search(rf"^ *(?:async )?(?:def|class) {part}\b", read(file), re.MULTILINE), (file, name)
    for file in re.findall(r"`((?:engine|service)/[\w/]+\.py)`", page):
        assert (CHECKOUT / file).exists(), file


def test_the_style_quotes_our_code() -> None:
    for block in re.findall(r"```python\n(.*?)```", read("STYLE.md"), re.DOTALL):
        lines: list[str] = []
        for line in block.splitlines():
            file = re.fullmatch(r"# ([\w/]+\.py)", line)
            if file:
                lines = read(file[1]).splitlines()
            else:
                assert line in lines


@pytest.mark.parametrize("page", DECISIONS, ids=name_of)
def test_a_decision_has_its_date_and_its_four_parts(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert re.match(rf"# {page.name[:4]} .+\n\n\d{{4}}-\d\d-\d\d, ", text)
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
        "What pressed on us",
        "What we do",
        "What it costs",
        "What we left",
    ]
    assert page.name in read("docs/decisions/README.md")


@pytest.fixture(scope="module")
def checker() -> dict[str, Callable[..., Any]]:
    """The functions of the checker in docs/shuffle.md."""
    functions: dict[str, Callable[..., Any]] = {}
    exec(section(read("docs/shuffle.md"), "A checker").split("```python")[1].split("```")[0], functions)  # noqa: S102  our own page
    return functions


def test_the_checker_gives_the_check_values(checker: dict[str, Callable[..., Any]]) -> None:
    page = section(read("docs/shuffle.md"), "Check values")
    match_id = "01890a5d-ac96-774b-bcce-b302099a8057"
    assert match_id in page
    said = dict(re.findall(r"^\| (.+?) \| `(.+)` \|$", page, re.MULTILINE))
    seed = checker["seed_of_text"]("gin rummy")
    eight = "AS 2S 3S 4S 5S 6S 7S 8S"
    assert said == {
        "seed": seed.hex(),
        "commitment": checker["commitment"](match_id, seed),
        "`deal:1`": " ".join(checker["deal"](seed, 1)),
        "`deal:2` begins": " ".join(checker["deal"](seed, 2)[:10]),
        "`dealer` of 2, 3 and 4 seats": " ".join(str(checker["first_dealer"](seed, n)) for n in (2, 3, 4)),
        f"`reshuffle:1:1` of `{eight}`": " ".join(checker["shuffled"](eight.split(), seed, "reshuffle:1:1")),
    }


@pytest.mark.parametrize("given", ["gin rummy", "", "Ω ‖ 7"])
def test_the_checker_agrees_with_the_engine(checker: dict[str, Callable[..., Any]], given: str) -> None:
    seed = checker["seed_of_text"](given)
    assert seed == seed_of_text(given)
    assert (
        checker["commitment"]("00000000-0000-0000-0000-000000000007", seed)
        == commitment((7).to_bytes(16), seed).hex()
    )
    shuffle = Shuffle(ShuffleMode.SERVER, seed)
    for number in range(1, 20):
        assert parse_all(" ".join(checker["deal"](seed, number))) == deck(shuffle, number)
    assert [checker["first_dealer"](seed, n) for n in range(2, 9)] == [
        first_dealer(shuffle, n) for n in range(2, 9)
    ]


def test_the_example_environment_sets_every_setting_and_no_real_secret() -> None:
    lines = read("deploy/ginrummy.env").splitlines()
    given = dict(line.split("=", 1) for line in lines if not line.startswith("#"))
    settings = settings_from(given)
    assert list(given) == [f"GINRUMMY_{name.upper()}" for name in settings.__struct_fields__]
    assert not is_sqlite(parse(settings.database_url))
    with pytest.raises(ValueError, match="shorter"):
        parse_secrets(settings.secrets or "")
