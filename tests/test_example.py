import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.serving import CHECKOUT, serving

DEAL = re.compile(
    r" *(?P<deal>\d+)  (?P<result>\w+) +(?P<points>\d+) to (?P<winner>You|House|nobody) +You: .+; House: .+"
)
END = re.compile(r"(?P<winner>You|House) won: You (?P<you>\d+), House (?P<house>\d+)")


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    with serving(f"sqlite:///{tmp_path / 'ginrummy.db'}") as server:
        yield server.base


def example(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, CHECKOUT / "examples" / "play_match.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_whole_match_is_played_to_100_and_told_deal_by_deal(base: str) -> None:
    played = example("--url", base, "--seed", "gin rummy")
    assert (played.returncode, played.stderr) == (0, "")
    *told, last = played.stdout.splitlines()
    deals = [match for match in map(DEAL.fullmatch, told) if match]
    assert [int(deal["deal"]) for deal in deals] == list(range(1, len(told) + 1))
    end = END.fullmatch(last)
    assert end
    for name, score in (("You", int(end["you"])), ("House", int(end["house"]))):
        assert score == sum(int(deal["points"]) for deal in deals if deal["winner"] == name)
        assert (score >= 100) == (name == end["winner"])


def test_the_same_seed_plays_the_same_match(base: str) -> None:
    once, again, other = (example("--url", base, "--seed", seed).stdout for seed in ("one", "one", "two"))
    assert once == again != other


def test_where_nobody_listens_it_says_so_in_a_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        alone = example("--url", url)
    told = f"Nobody answers at {url}: `make serve` starts the service.\n"
    assert (alone.returncode, alone.stderr) == (1, told)


def test_a_refusal_is_told_in_a_sentence(base: str) -> None:
    refused = example("--url", f"{base}/nowhere")
    assert refused.returncode == 1
    assert refused.stderr.startswith("There is no such thing: ")
