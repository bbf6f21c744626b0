"""Tags of what is computed from a match: another release, or other nets of the bots, never shares one."""

import hashlib
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.bots.net import digest_of_nets
from service.coaching import api as coaching
from service.http.examples import Exchange
from service.http.openapi import document
from service.http.release import VERSION
from service.matches.api import answers
from tests.calling import Caller
from tests.contract.operations import OPERATIONS

TAGGED = [
    name
    for name, operation in OPERATIONS.items()
    if operation["path"].startswith("/v1/matches/") and "304" in operation["responses"]
]
JUDGED = {"getAdvice", "getReview"}
"""What is made with the bots' nets."""


def asked(exchange: Exchange, call: Caller, tag: str | None = None) -> Any:  # noqa: ANN401  an httpx answer
    headers = {**exchange.call.headers, **({} if tag is None else {"If-None-Match": tag})}
    return call.send(exchange.call, headers=headers)


def test_every_answer_that_is_computed_from_a_match_is_here() -> None:
    assert {"getMatch", "getView", *JUDGED} <= set(TAGGED)


@pytest.mark.parametrize("name", TAGGED)
def test_two_releases_share_no_tag(
    name: str, examples: Mapping[str, Exchange], call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = examples[name]
    old = asked(exchange, call).headers["etag"]
    assert asked(exchange, call, old).status_code == 304
    monkeypatch.setattr(answers, "VERSION", "9.9.9")
    new = asked(exchange, call, old)
    assert (new.status_code, new.headers["etag"] == old) == (200, False)
    assert asked(exchange, call, new.headers["etag"]).status_code == 304


@pytest.mark.parametrize("name", TAGGED)
def test_what_the_nets_judged_has_another_tag_with_other_nets(
    name: str, examples: Mapping[str, Exchange], call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    exchange = examples[name]
    old = asked(exchange, call).headers["etag"]
    monkeypatch.setattr(coaching, "NETS", "0123456789ab")
    assert asked(exchange, call, old).status_code == (200 if name in JUDGED else 304)


def test_the_tag_at_creation_is_that_of_the_match(examples: Mapping[str, Exchange], call: Caller) -> None:
    created = call.send(examples["createMatch"].call)
    told = created.json()
    headers = {
        "Authorization": f"Bearer {told['seats'][0]['token']}",
        "If-None-Match": created.headers["etag"],
    }
    assert VERSION in created.headers["etag"]
    assert call("GET", f"/v1/matches/{told['match']['id']}", headers=headers).status_code == 304


def test_the_digest_is_of_every_file_of_the_nets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    contents = {"expert.json": b"1", "hasty.json": b"2", "notes.txt": b"3"}
    digests: set[str] = set()
    for changed in (None, "expert.json", "hasty.json", "notes.txt"):
        for name, content in contents.items():
            (tmp_path / name).write_bytes(content + (b"!" if name == changed else b""))
        monkeypatch.setattr("engine.bots.net.files", lambda _package: tmp_path)
        digests.add(digest_of_nets.__wrapped__())
    assert len(digests) == 3
    plain = hashlib.sha256(b"expert.json1hasty.json2").hexdigest()
    assert any(plain.startswith(digest) for digest in digests)


def test_package_and_contract_have_one_version(call: Caller) -> None:
    assert document(call.service.application, {})["info"]["version"] == VERSION
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert "version" not in project["project"]
    read = project["tool"]["hatch"]["version"]
    found = re.search(read["pattern"], (root / read["path"]).read_text(encoding="utf-8"))
    assert found is not None
    assert found["version"] == VERSION
