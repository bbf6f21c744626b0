"""The compose file against its schema, the proxy's file, and what the tests run."""

import re
import subprocess
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest

from service.cli import KEEP_ALIVE_SECONDS
from service.http.keys import parse_secrets
from service.http.system import get_readiness
from tests.deploy.files import COMPOSE, DEPLOY, SETTINGS, Json, port_of_the_image, read, versions_under_test
from tests.replicas.layout import BESIDE_PYTHON

SERVICES: Final[Json] = COMPOSE["services"]
REPLICAS: Final = [name for name in SERVICES if name.startswith("replica-")]
OURS: Final = [*REPLICAS, "migrate"]


def test_it_is_what_the_specification_allows() -> None:
    checked = subprocess.run(
        [
            str(BESIDE_PYTHON / "check-jsonschema"),
            "--builtin-schema",
            "vendor.compose-spec",
            str(DEPLOY / "compose.yaml"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout


def test_there_are_two_replicas_and_the_proxy_knows_both() -> None:
    assert len(REPLICAS) == 2
    port = port_of_the_image()
    told = SERVICES["proxy"]["environment"]["GINRUMMY_REPLICAS"]
    assert told.split() == [f"{name}:{port}" for name in REPLICAS]
    assert SERVICES["proxy"]["depends_on"].keys() == set(REPLICAS)
    assert all("healthcheck" not in SERVICES[name] for name in REPLICAS)  # the image's own


def test_a_replica_starts_on_a_migrated_database() -> None:
    for name in REPLICAS:
        assert SERVICES[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert SERVICES["migrate"]["command"] == ["migrate"]
    assert SERVICES["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}


@pytest.mark.parametrize("name", OURS)
def test_its_variables_are_settings(name: str) -> None:
    given = SERVICES[name]["environment"]
    assert given.keys() <= SETTINGS
    assert given.keys() >= {"GINRUMMY_DATABASE_URL", "GINRUMMY_SECRETS", "GINRUMMY_HINTS_URL"}
    assert given["GINRUMMY_DATABASE_URL"].endswith("@database/ginrummy")
    assert given["GINRUMMY_HINTS_URL"] == "valkey://hints:6379"
    assert SERVICES.keys() >= {"database", "hints"}


def test_no_secret_is_written_down() -> None:
    for name, service in SERVICES.items():
        given = service.get("environment", {})
        for variable in given.keys() & {"POSTGRES_PASSWORD", "GINRUMMY_SECRETS"}:
            assert given[variable].startswith(f"${{{variable}:?"), name  # compose refuses to start without
        if "GINRUMMY_DATABASE_URL" in given:
            assert "//ginrummy:${POSTGRES_PASSWORD:?" in given["GINRUMMY_DATABASE_URL"]
    assert "deploy/.env" in read(".gitignore").splitlines()


@pytest.mark.parametrize("name", OURS)
def test_ours_run_with_nothing_they_could_misuse(name: str) -> None:
    ours = SERVICES[name]
    assert ours["read_only"] is True
    assert ours["cap_drop"] == ["ALL"]
    assert ours["security_opt"] == ["no-new-privileges:true"]


def test_images_are_the_versions_that_the_tests_run() -> None:
    foreign = {one["image"] for name, one in SERVICES.items() if name not in OURS}
    assert sorted(foreign) == sorted(versions_under_test())


def test_the_proxy_s_file_is_formatted_and_valid(tmp_path: Path) -> None:
    caddy, file = str(BESIDE_PYTHON / "caddy"), str(DEPLOY / "Caddyfile")
    environ = {
        "GINRUMMY_REPLICAS": SERVICES["proxy"]["environment"]["GINRUMMY_REPLICAS"],
        "XDG_CONFIG_HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path),
    }
    formatted = subprocess.run([caddy, "fmt", file], capture_output=True, text=True, check=True)
    assert formatted.stdout == read("deploy/Caddyfile")
    adapted = subprocess.run(
        [caddy, "adapt", "--validate", "--config", file],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert adapted.returncode == 0, adapted.stderr
    assert "warn" not in adapted.stderr


def test_the_page_names_what_there_is(tmp_path: Path) -> None:
    page = read("docs/deploy.md")
    variables = set(re.findall(r"GINRUMMY_\w+", page))
    assert variables <= SETTINGS | SERVICES["proxy"]["environment"].keys()
    commands = re.findall(r"^docker compose --file deploy/compose.yaml (.+)$", page, re.MULTILINE)
    assert len(commands) == 5
    for command in commands:
        _, *words = command.split()
        assert {word for word in words if not word.startswith("-")} <= SERVICES.keys()
    (tmp_path / "deploy").mkdir()
    script = page.split("```sh\nsecret() {")[1].split("\ndocker")[0]
    subprocess.run(["/bin/sh", "-euc", f"secret() {{{script}"], cwd=tmp_path, check=True)
    made = dict(line.split("=") for line in (tmp_path / "deploy/.env").read_text().splitlines())
    assert made.keys() == {"POSTGRES_PASSWORD", "GINRUMMY_SECRETS"}
    assert quote(made["POSTGRES_PASSWORD"], safe="") == made["POSTGRES_PASSWORD"]  # it is put into an address
    parse_secrets(made["GINRUMMY_SECRETS"])


def test_the_proxy_streams_and_asks_for_readiness() -> None:
    proxied = read("deploy/Caddyfile")
    (path,) = get_readiness.paths
    assert f"health_uri {path}\n" in proxied
    assert "flush_interval -1\n" in proxied
    (idle,) = re.findall(r"keepalive (\d+)s ", proxied)
    assert int(idle) < KEEP_ALIVE_SECONDS  # else it would send a request into a connection just closed
    variables = set(re.findall(r"\{\$(\w+)", proxied))
    assert variables >= SERVICES["proxy"]["environment"].keys()
