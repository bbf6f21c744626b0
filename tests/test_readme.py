import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from service.settings import Settings
from tests.service.serving import CHECKOUT, serving

README: Final = (CHECKOUT / "README.md").read_text(encoding="utf-8")
MAKEFILE: Final = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
SHELLS: Final = [shell for shell in ("sh", "bash", "zsh") if shutil.which(shell)]


def section(title: str) -> str:
    return README.split(f"\n## {title}\n")[1].split("\n## ")[0]


def commands(title: str) -> str:
    return "".join(re.findall(r"```sh\n(.*?)```", section(title), re.DOTALL))


@pytest.mark.parametrize("shell", SHELLS)
def test_the_four_calls_play_a_move(shell: str, tmp_path: Path) -> None:
    script = commands("A match in four calls")
    assert script.count("curl ") == 4
    confirm = script.splitlines()[-1]
    with serving(f"sqlite:///{tmp_path / 'ginrummy.db'}") as server:
        played = subprocess.run(
            [shell, "-c", f"set -eu\n{script}\necho\n{confirm}"],  # and the last line again, as it says
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "API": f"{server.base}/v1"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (played.returncode, played.stderr) == (0, "")
    view, proposed, first, again = map(json.loads, played.stdout.splitlines())
    assert view["actions"] == [{"type": "take_upcard"}, {"type": "pass"}]
    assert proposed["action"] == {"type": "pass"}
    assert first["move"]["events"][0]["type"] == "upcard_passed"
    assert {reply["seat"] for reply in first["replies"]} == {1}
    assert first == again  # the second time it is the replay


def test_its_make_commands_are_in_the_makefile() -> None:
    assert {"serve", "test"} <= set(re.findall(r"^make (\w+)", commands("Start"), re.MULTILINE))
    targets = set(re.findall(r"^(\w+):", MAKEFILE, re.MULTILINE))
    assert set(re.findall(r"(?:`|^)make (\w+)", README, re.MULTILINE)) <= targets


def test_its_table_of_settings_is_the_settings() -> None:
    rows = re.findall(r"^\| `(GINRUMMY_\w+)` \| (.+?) \|", section("Settings"), re.MULTILINE)
    assert [name for name, _ in rows] == [f"GINRUMMY_{name.upper()}" for name in Settings.__struct_fields__]
    for (name, shown), default in zip(rows, Settings.__struct_defaults__, strict=True):
        assert default is None or shown == f"`{default}`", name


def test_every_call_it_names_is_in_the_contract() -> None:
    paths = json.loads((CHECKOUT / "openapi" / "openapi.json").read_text(encoding="utf-8"))["paths"]
    named = re.findall(r"`(?:[A-Z]+ )?(?:(…)|(?=/v1))(/[^`\s]+)`", section("What it does"))
    assert named
    for shortened, called in named:
        path = called.partition("?")[0]
        assert any(known.endswith(path) if shortened else known == path for known in paths), path
