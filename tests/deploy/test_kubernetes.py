"""The files for Kubernetes against its schemas, each other, and the service that they run."""

import re
from collections.abc import Iterator
from typing import Final

import kubernetes_validate
import msgspec
import pytest

from service.cli import GRACE_SECONDS
from service.cli import app as commands
from service.http.keys import parse_secrets
from service.http.system import get_health, get_readiness
from service.settings import settings_from
from tests.deploy.files import (
    COMPOSE,
    DEPLOY,
    SETTINGS,
    Json,
    instructions,
    port_of_the_image,
    versions_under_test,
)

KUBERNETES: Final = DEPLOY / "kubernetes"
VERSIONS: Final = ("1.34", "1.37")
"""The oldest that has everything we use, and the newest whose schemas we have."""

FILES: Final = sorted(path.name for path in KUBERNETES.glob("*.yaml"))
KUSTOMIZATION: Final[Json] = msgspec.yaml.decode((KUBERNETES / "kustomization.yaml").read_bytes())


def resources() -> Iterator[Json]:
    for name in FILES:
        if name != "kustomization.yaml":
            documents = (KUBERNETES / name).read_text(encoding="utf-8").split("\n---\n")
            yield from map(msgspec.yaml.decode, documents)


RESOURCES: Final = {f"{one['kind']}/{one['metadata']['name']}": one for one in resources()}
PODS: Final[dict[str, Json]] = {
    name: one["spec"]["template"]
    for name, one in RESOURCES.items()
    if one["kind"] in {"Deployment", "Job", "CronJob"}
}
REPLICA: Final[Json] = RESOURCES["Deployment/ginrummy"]
POD: Final[Json] = REPLICA["spec"]["template"]["spec"]


def container_of(pod: Json) -> Json:
    (container,) = pod["spec"]["containers"]
    found: Json = container
    return found


OURS: Final = {name: pod for name, pod in PODS.items() if container_of(pod)["image"] == "ginrummy"}
CONTAINER: Final = container_of({"spec": POD})


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", RESOURCES)
def test_a_resource_is_what_its_schema_allows(name: str, version: str) -> None:
    kubernetes_validate.validate(RESOURCES[name], version, strict=True)


def test_every_file_is_applied_but_the_example_of_a_secret() -> None:
    assert sorted(KUSTOMIZATION["resources"]) == [
        name for name in FILES if name not in {"kustomization.yaml", "secret.example.yaml"}
    ]


def test_there_is_each_part_of_a_deployment() -> None:
    assert RESOURCES.keys() >= {
        "Deployment/ginrummy",
        "Deployment/sweeper",
        "Job/migration",
        "Service/ginrummy",
        "Ingress/ginrummy",
        "PodDisruptionBudget/ginrummy",
        "HorizontalPodAutoscaler/ginrummy",
    }


def test_a_replica_is_probed_where_it_answers() -> None:
    (health,), (readiness,) = get_health.paths, get_readiness.paths
    assert CONTAINER["ports"] == [{"name": "http", "containerPort": port_of_the_image()}]
    asked = {name: CONTAINER[f"{name}Probe"]["httpGet"] for name in ("startup", "readiness", "liveness")}
    assert asked == {
        "startup": {"path": health, "port": "http"},
        "readiness": {"path": readiness, "port": "http"},
        "liveness": {"path": health, "port": "http"},  # the database's absence is no reason to be killed
    }


def test_a_replica_has_the_time_that_draining_takes() -> None:
    waited = CONTAINER["lifecycle"]["preStop"]["sleep"]["seconds"]
    assert POD["terminationGracePeriodSeconds"] > waited + 5 > waited + GRACE_SECONDS


def test_a_new_version_takes_no_replica_away_before_the_next_is_ready() -> None:
    assert REPLICA["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


@pytest.mark.parametrize("name", OURS)
def test_ours_run_with_nothing_they_could_misuse(name: str) -> None:
    pod, container = OURS[name]["spec"], container_of(OURS[name])
    assert pod["automountServiceAccountToken"] is False
    assert pod["enableServiceLinks"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert int(instructions("USER")[0]) > 0  # a name could not be told from root's
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


@pytest.mark.parametrize("name", OURS)
def test_ours_run_a_command_that_there_is_with_all_settings(name: str) -> None:
    container = container_of(OURS[name])
    for command in container.get("args", ["serve"]):
        assert command in set(commands)
    assert container["envFrom"] == [
        {"configMapRef": {"name": "ginrummy"}},
        {"secretRef": {"name": "ginrummy"}},
    ]


def test_its_variables_are_settings() -> None:
    (configured,) = KUSTOMIZATION["configMapGenerator"]
    given = dict(line.split("=", 1) for line in configured["literals"])
    secret = RESOURCES["Secret/ginrummy"]["stringData"]
    assert given.keys().isdisjoint(secret)
    assert given.keys() | secret.keys() <= SETTINGS
    assert given.keys() == COMPOSE["services"]["replica-1"]["environment"].keys() - secret.keys()
    settings_from(given | secret)
    hints = re.fullmatch(r"valkey://(\w+):(\d+)", given["GINRUMMY_HINTS_URL"])
    assert hints is not None
    assert RESOURCES[f"Service/{hints[1]}"]["spec"]["ports"][0]["port"] == int(hints[2])


def test_the_example_of_a_secret_is_none() -> None:
    with pytest.raises(ValueError, match="shorter"):
        parse_secrets(RESOURCES["Secret/ginrummy"]["stringData"]["GINRUMMY_SECRETS"])


def test_selectors_find_what_they_are_about() -> None:
    labels = {name: pod["metadata"]["labels"] for name, pod in PODS.items()}
    for name, pod in PODS.items():
        if name.startswith("Deployment/"):
            assert RESOURCES[name]["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
    assert len({tuple(one.items()) for one in labels.values()}) == len(labels)
    replica = labels["Deployment/ginrummy"]
    assert RESOURCES["Service/ginrummy"]["spec"]["selector"] == replica
    assert RESOURCES["PodDisruptionBudget/ginrummy"]["spec"]["selector"]["matchLabels"] == replica
    assert RESOURCES["Service/hints"]["spec"]["selector"] == labels["Deployment/hints"]
    scaled = RESOURCES["HorizontalPodAutoscaler/ginrummy"]["spec"]
    assert scaled["scaleTargetRef"]["name"] == REPLICA["metadata"]["name"]
    assert scaled["minReplicas"] >= 2
    (rule,) = RESOURCES["Ingress/ginrummy"]["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"] == {"name": "ginrummy", "port": {"name": "http"}}


def test_images_are_pinned() -> None:
    (ours,) = KUSTOMIZATION["images"]
    assert f"{ours['name']}:{ours['newTag']}" == COMPOSE["services"]["replica-1"]["image"]
    foreign = {container_of(pod)["image"] for pod in PODS.values()} - {ours["name"]}
    assert foreign <= set(versions_under_test())
