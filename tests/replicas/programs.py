"""Programs that run beside the tests, on ports of their own, and die with them."""

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

HOST: Final = "127.0.0.1"
PORTS: Final = range(20_000, 32_000)
"""Below those that the system gives to outgoing connections: a killed program finds its port free again."""


def free_port() -> int:
    """A port on which nobody listens."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)):
                return port


class Program:
    """A program that is killed and launched again as a test pleases.

    The thread that launches it must outlive it: it is killed when that thread ends, however it ends.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        folder: Path,
        environ: Mapping[str, str],
        ready: Callable[[], bool],
    ) -> None:
        self.name = name
        self._command = ["setpriv", "--pdeathsig", "KILL", *map(str, command)]
        self._folder = folder
        self._environ = {**os.environ, **environ}
        self._ready = ready

    def launch(self) -> None:
        """Start it without waiting for it."""
        with (self._folder / f"{self.name}.log").open("ab") as log:
            self._process = subprocess.Popen(self._command, env=self._environ, stdout=log, stderr=log)

    def wait_until_ready(self) -> None:
        while not self._ready():
            assert self._process.poll() is None, (self._folder / f"{self.name}.log").read_text()
            time.sleep(0.05)

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self, number: signal.Signals = signal.SIGKILL) -> int:
        """Send it a signal that ends it, and return its status."""
        self._process.send_signal(number)
        return self._process.wait(30)


@contextmanager
def running(*programs: Program) -> Iterator[None]:
    """Run programs for a block of code, at whose end any of them may have been stopped already."""
    with ExitStack() as stack:
        for program in programs:
            program.launch()
            stack.callback(program.stop)
        for program in programs:
            program.wait_until_ready()
        yield


def listening(port: int) -> Callable[[], bool]:
    """Whether somebody takes connections at a port."""

    def ask() -> bool:
        with socket.socket() as probe:
            return not probe.connect_ex((HOST, port))

    return ask
