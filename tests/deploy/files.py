"""What the files of a deployment say, as the tests compare it with the code."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from service.settings import Settings
from tests.replicas.layout import BESIDE_PYTHON, VALKEY
from tests.service.databases import binaries_installed
from tests.service.serving import CHECKOUT

Json: TypeAlias = dict[str, Any]

DEPLOY: Final = CHECKOUT / "deploy"
DOCKERFILE: Final = (CHECKOUT / "Dockerfile").read_text(encoding="utf-8")
SETTINGS: Final = frozenset(f"GINRUMMY_{name.upper()}" for name in Settings.__struct_fields__)
COMPOSE: Final[Json] = msgspec.yaml.decode((DEPLOY / "compose.yaml").read_bytes())


def read(name: str) -> str:
    return (CHECKOUT / name).read_text(encoding="utf-8")


def instructions(word: str) -> list[str]:
    """The arguments of a Dockerfile's instructions, their continued lines joined."""
    joined = re.sub(r"\\\n\s*", "", DOCKERFILE)
    return re.findall(rf"^{word} (.+)$", joined, re.MULTILINE)


def port_of_the_image() -> int:
    (port,) = instructions("EXPOSE")
    return int(port)


def version_of(program: Path) -> str:
    """The version that a program says it has."""
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"\d+\.\d+(\.\d+)?", said)
    assert found is not None, said
    return found[0]


def versions_under_test() -> Iterator[str]:
    """The images of other programs, at the versions that the tests run."""
    yield f"caddy:{version_of(BESIDE_PYTHON / 'caddy')}-alpine"
    yield f"postgres:{version_of(binaries_installed() / 'postgres')}"
    yield f"valkey/valkey:{version_of(VALKEY)}-alpine"
