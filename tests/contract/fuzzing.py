"""Running schemathesis against the service on a socket, with two callers who must not see each other."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent

import httpx
import msgspec
import uvicorn

from service.app import CONTRACT, Service
from service.http.catalogue import PROBLEM_TYPES
from service.http.problems import Code
from tests.contract.operations import OPERATIONS, problems

_EXPECTED = ["2xx", "3xx", 401, 403, 404, 409, "5xx"]
_OF_FORM = {Code.BODY_TOO_LARGE}
OPEN_TABLES = 20
HOOKS = Path(__file__).with_name("fuzz_hooks.py")


@contextmanager
def listening(service: Service) -> Iterator[str]:
    """Serve on a free port and yield the address."""
    server = uvicorn.Server(
        uvicorn.Config(service.asgi, port=0, log_config=None, access_log=False, timeout_graceful_shutdown=2)
    )
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        thread.join(0.01)
        assert thread.is_alive(), "the server did not start"
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


def fuzz(
    address: str, folder: Path, *, seed: int, examples: int, only: tuple[str, ...] = ()
) -> subprocess.CompletedProcess[str]:
    """Run every phase and every check; warnings are failures."""
    owner, peer = (_new_match(address) for _ in range(2))
    codes = [_open_table(address) for _ in range(OPEN_TABLES)]
    finished = _finished_match(address)
    users = [
        {"name": name, "fixedHeaders": [{"name": "Authorization", "value": f"Bearer {token}"}]}
        for name, token in (("owner", owner), ("peer", peer))
    ]
    (folder / "users.json").write_bytes(msgspec.json.encode({"auth": users}))
    (folder / "schemathesis.toml").write_text(_configuration(folder), encoding="utf-8")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(folder / "schemathesis.toml")]
    options = ["--url", address, "--phases", "examples,coverage,fuzzing,stateful", "--checks", "all"]
    bounds = ["--max-examples", str(examples), "--seed", str(seed), "--continue-on-failure", "--no-color"]
    chosen = [option for name in only for option in ("--include-operation-id", name)]
    return subprocess.run(
        [*command, "run", str(CONTRACT), *options, *bounds, *chosen],
        env={**os.environ, "FUZZ_OWNER": owner, "FUZZ_CODES": ",".join(codes), "FUZZ_FINISHED": finished},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def _new_match(address: str) -> str:
    made = httpx.post(f"{address}/v1/matches", json={"seats": [{"kind": "self"}, {"kind": "self"}]}).json()
    return str(made["seats"][0]["token"])


def _open_table(address: str) -> str:
    """Return the code of a match with three open seats."""
    asked = {"ruleset": "penalty", "seats": [{"kind": "self"}, *[{"kind": "open"}] * 3]}
    return str(httpx.post(f"{address}/v1/matches", json=asked).json()["join"]["code"])


def _finished_match(address: str) -> str:
    """Return the id of a match that is over, and the token of its seat 0."""
    asked = {"seats": [{"kind": "self"}, {"kind": "bot"}], "ruleset": "simple", "first_dealer": 1}
    asked["visibility"] = "link"
    made = httpx.post(f"{address}/v1/matches", json=asked).json()
    match_id, token = made["match"]["id"], made["seats"][0]["token"]
    for action in ({"type": "draw_stock"}, {"type": "resign"}):
        moved = httpx.post(
            f"{address}/v1/matches/{match_id}/seats/0/moves",
            headers={"Authorization": f"Bearer {token}"},
            json={"action": action, "expected_version": made["match"]["version"]},
        )
        made["match"] = moved.json()["view"]
    return f"{match_id} {token}"


def _configuration(folder: Path) -> str:
    """Return schemathesis's settings.

    Data that fits the schema may still be refused where it means nothing; each operation is expected to
    do so with just those statuses that it documents for that.
    """
    return dedent(f"""
        hooks = "{HOOKS}"
        warnings = {{ fail-on = true }}
        max-stream-events = 1

        [auth.wfc]
        path = "{folder / "users.json"}"
        user = "owner"
        peers = ["owner", "peer"]
    """) + "".join(_expectations())


def _expectations() -> Iterator[str]:
    for name in OPERATIONS:
        codes = [code for _, code in problems(name) if code not in _OF_FORM]
        further = sorted({PROBLEM_TYPES[code].status for code in codes} & {410, 413, 422})
        if further:
            yield dedent(f"""
                [[operations]]
                include-operation-id = "{name}"
                checks.positive_data_acceptance.expected-statuses = {[*_EXPECTED, *further]}
            """)
