"""No container engine is at hand: the Dockerfile is read by a linter, and held against what it copies."""

import re
import subprocess
import tomllib
from fnmatch import fnmatch

import msgspec

from service.http.system import get_health, get_readiness
from tests.deploy.files import DOCKERFILE, instructions, port_of_the_image, read
from tests.replicas.layout import BESIDE_PYTHON
from tests.service.serving import CHECKOUT


def test_the_linter_has_nothing_to_say() -> None:
    asked = [str(BESIDE_PYTHON / "hadolint"), str(CHECKOUT / "Dockerfile")]
    checked = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stdout) == (0, "")


def test_every_stage_has_the_same_pinned_python() -> None:
    stages = {one.split(" AS ")[0] for one in instructions("FROM")}
    assert len(stages) == 1
    (image,) = stages
    version = re.fullmatch(r"python:(\d+\.\d+)\.\d+-slim-\w+", image)
    assert version is not None
    assert tomllib.loads(read("pyproject.toml"))["project"]["requires-python"] == f">={version[1]}"


def test_what_is_copied_exists_and_is_not_ignored() -> None:
    allowed = [line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")]
    copied = [one for line in instructions("COPY") if "--from" not in line for one in line.split()[:-1]]
    assert {"engine", "service", "migrations", "openapi"} <= set(copied)
    for source in copied:
        assert (CHECKOUT / source).exists(), source
        assert any(fnmatch(source, pattern) for pattern in allowed), source


def test_packages_are_installed_by_their_hashes() -> None:
    installs = [one for one in instructions("RUN") if "pip install" in one]
    assert all("--require-hashes" in one or "--no-deps ." in one for one in installs)
    assert any("--require-hashes" in one for one in installs)


def test_it_is_not_root_and_writes_to_its_volume_only() -> None:
    (user,) = instructions("USER")
    assert int(user) > 0
    assert f"--uid {user} " in DOCKERFILE
    (volume,) = instructions("VOLUME")
    assert instructions("WORKDIR")[-1] == volume
    assert f"GINRUMMY_DATABASE_URL=sqlite:///{volume}/" in DOCKERFILE


def test_it_serves_where_it_says_and_is_asked_there_whether_it_is_ready() -> None:
    port = str(port_of_the_image())
    (served,) = map(msgspec.json.decode, re.findall(r"^CMD (.+)$", DOCKERFILE, re.MULTILINE))
    assert served == ["serve", "--host", "0.0.0.0", "--port", port]  # noqa: S104  in a container
    (asked,) = re.findall(r"^\s+CMD (.+)$", DOCKERFILE, re.MULTILINE)
    command = msgspec.json.decode(asked)
    assert command[:2] == ["python", "-c"]
    compile(command[2], "HEALTHCHECK", "exec")
    assert f"http://127.0.0.1:{port}{path_of_readiness()}" in command[2]
    assert get_health.paths == {"/healthz"}


def path_of_readiness() -> str:
    (path,) = get_readiness.paths
    return path
