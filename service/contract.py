"""Writes ``openapi/`` and the page of problems from the code. Run by ``make contract``."""

import asyncio
import hashlib
import io
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from tempfile import TemporaryDirectory
from typing import Final
from uuid import UUID

import httpx
import msgspec

from service.app import CONTRACT, Outside, Service, create_app
from service.db.heartbeats import LATE
from service.db.schema import is_current, migrate
from service.db.urls import session_on
from service.http.catalogue import PROBLEM_TYPES
from service.http.compatibility import breaking_changes
from service.http.endpoints import Endpoint, endpoints
from service.http.examples import Call, Exchange, Reply, execute
from service.http.keys import Keyring, MasterSecret
from service.http.log import configure
from service.http.openapi import document
from service.http.schemas import Schema
from service.http.streaming import first_of_streams
from service.matches.store import Store

EXAMPLE_TIME: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
EXAMPLE_ID: Final = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
OPERATIONS: Final = CONTRACT.with_name("operations.txt")
CHANGELOG: Final = CONTRACT.parents[1] / "CHANGELOG.md"
PROBLEMS: Final = CONTRACT.parents[1] / "docs" / "problems.md"

_PROBLEMS_HEAD: Final = """\
# Problems

Every refusal is a document of the type `application/problem+json` (RFC 9457). Its `code` says what is
wrong and never changes its meaning; `title` never varies; `detail` may say more. Facts are members of
their own (`knob`, `card`, `meld`, `deadwood`, `knock_limit`, `limit`, `deal`, `current_version`,
`deadline`), and faults of a request stand in `errors`: a `pointer` into the body or the name of a
`parameter`, a `code` and a `message`. `instance` holds the request's id, which the operator finds in the
log.

This page is written by `make contract` from the table that the service answers from; the service lists
it at `/v1/problems`, and each `type` leads to one row.

| status | code | title | what to do |
|---|---|---|---|
"""


@contextmanager
def example_service() -> Iterator[Service]:
    """Give the service in which the examples are executed: the same on every machine."""
    numbers = itertools.count(1)
    ids = itertools.count(EXAMPLE_ID.int)

    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/examples.db"
        migrate(url)
        session = session_on(url)
        service = create_app(
            store=Store(session),
            ready=partial(is_current, session),
            keyring=Keyring((MasterSecret("example", b"for examples only, and for nothing else"),)),
            outside=Outside(
                clock=lambda: EXAMPLE_TIME,
                entropy=lambda size: hashlib.shake_128(b"example %d" % next(numbers)).digest(size),
                new_id=lambda: UUID(int=next(ids)),
                new_request_id=lambda: f"example-{next(numbers)}",
            ),
            document=b"{}",
        )
        service.application.state.session = session
        yield service


async def executed(service: Service, client: httpx.AsyncClient) -> dict[str, Exchange]:
    """Return the exchange of every operation's example; the service has been started."""

    async def send(call: Call) -> Reply:
        if call.late:
            await service.application.state.session.run((LATE,), seconds=60)
        answer = await client.request(
            call.method, call.path, params=dict(call.query), headers=dict(call.headers), content=call.body
        )
        return Reply(status=answer.status_code, headers=answer.headers, body=answer.content)

    return await execute(endpoints(service.application), send)


def client_of(service: Service) -> httpx.AsyncClient:
    """Return a client that calls the service without a socket; of a stream it hears the beginning."""
    transport = httpx.ASGITransport(first_of_streams(service.asgi))  # type: ignore[arg-type]  # httpx types ASGI more loosely
    return httpx.AsyncClient(transport=transport, base_url="http://service")


async def written(service: Service) -> tuple[bytes, str]:
    """Return the document and the list of operations, as they should be committed."""
    async with service.application.lifespan(), client_of(service) as client:
        examples = await executed(service, client)
    for name, exchange in examples.items():
        if exchange.reply.status >= httpx.codes.BAD_REQUEST:
            raise ValueError(f"the example of {name} is answered with {exchange.reply.status}")
    described = document(service.application, examples)
    text = msgspec.json.format(msgspec.json.encode(described), indent=2) + b"\n"
    return text, "".join(map(_line, endpoints(service.application)))


def _line(endpoint: Endpoint) -> str:
    statuses = " ".join(map(str, endpoint.statuses))
    return f"{endpoint.method:6} {endpoint.path:55} {endpoint.operation_id:20} {statuses}\n"


def problems_page() -> str:
    """Return the page that lists every problem type."""
    rows = "".join(
        f"| {kind.status} | `{kind.code}` | {kind.title} | {kind.description} |\n"
        for kind in PROBLEM_TYPES.values()
    )
    return f"{_PROBLEMS_HEAD}{rows}"


def unannounced(old: Schema, new: Schema, changelog: str) -> list[str]:
    """Return the breaking changes that the changelog does not name."""
    return [change for change in breaking_changes(old, new) if change not in changelog]


def main() -> None:
    """Write the files, unless that would break clients without a word in the changelog."""
    configure(io.BytesIO())
    with example_service() as service:
        described, operations = asyncio.run(written(service))
    if CONTRACT.exists():
        committed, now = (msgspec.json.decode(text) for text in (CONTRACT.read_bytes(), described))
        if silent := unannounced(committed, now, CHANGELOG.read_text(encoding="utf-8")):
            sys.exit("These changes break clients; name them in CHANGELOG.md first:\n" + "\n".join(silent))
    CONTRACT.write_bytes(described)
    OPERATIONS.write_text(operations, encoding="utf-8")
    PROBLEMS.write_text(problems_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
