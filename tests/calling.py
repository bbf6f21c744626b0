"""The service in this process, called as over HTTP but without a socket."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal

from service.app import Service
from service.contract import client_of, executed
from service.db.heartbeats import LATE
from service.http.examples import Call, Exchange

JSON = {"Content-Type": "application/json"}


class Caller:
    """Sends one request at a time and returns its answer."""

    def __init__(self, service: Service, client: httpx.AsyncClient, portal: BlockingPortal) -> None:
        self.service = service
        self._client = client
        self._portal = portal

    def executed(self) -> Mapping[str, Exchange]:
        """Execute every operation's example here."""
        return self._portal.call(executed, self.service, self._client)

    def late(self) -> None:
        """Let the time of every seat in turn be up."""
        self._portal.call(partial(self.service.application.state.session.run, (LATE,), seconds=60))

    def __call__(
        self,
        method: str,
        path: str,
        *,
        params: Any = None,  # noqa: ANN401  whatever httpx takes
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        json: object = None,
    ) -> httpx.Response:
        send = partial(
            self._client.request, method, path, params=params, headers=headers, content=content, json=json
        )
        return self._portal.call(send)

    def send(self, call: Call, **changes: Any) -> httpx.Response:  # noqa: ANN401  parts of a `Call`
        """Send a call of an executed example, with some of its parts changed."""
        parts: dict[str, Any] = {
            "method": call.method,
            "path": call.path,
            "params": dict(call.query),
            "headers": dict(call.headers),
            "content": call.body,
        }
        return self(**(parts | changes))


@contextmanager
def calling(service: Service) -> Iterator[Caller]:
    """Start the service and yield its caller."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(service.application.lifespan()),
        portal.wrap_async_context_manager(client_of(service)) as client,
    ):
        yield Caller(service, client, portal)
