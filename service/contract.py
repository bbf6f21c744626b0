"""Writes ``openapi/``: the document and the list of operations. Run by ``make contract``."""

import asyncio
import io
import itertools
from typing import Final

import httpx
import msgspec

from service.app import CONTRACT, Service, create_app
from service.http.endpoints import Endpoint, endpoints
from service.http.examples import Call, Exchange, Reply, execute
from service.http.log import configure
from service.http.openapi import document

OPERATIONS: Final = CONTRACT.with_name("operations.txt")


def example_service() -> Service:
    """Return the service in which the examples are executed: the same on every machine."""
    numbers = itertools.count(1)

    async def ready() -> bool:
        return True

    return create_app(ready=ready, document=b"{}", request_ids=lambda: f"example-{next(numbers)}")


async def executed(service: Service) -> dict[str, Exchange]:
    """Return the exchange of every operation's example."""
    async with service.application.lifespan(), client_of(service) as client:

        async def send(call: Call) -> Reply:
            answer = await client.request(
                call.method, call.path, params=dict(call.query), headers=dict(call.headers), content=call.body
            )
            return Reply(status=answer.status_code, headers=answer.headers, body=answer.content)

        return await execute(endpoints(service.application), send)


def client_of(service: Service) -> httpx.AsyncClient:
    """Return a client that calls the service without a socket."""
    transport = httpx.ASGITransport(service.asgi)  # type: ignore[arg-type]  # httpx types ASGI more loosely
    return httpx.AsyncClient(transport=transport, base_url="http://service")


def written(service: Service) -> tuple[bytes, str]:
    """Return the document and the list of operations, as they should be committed."""
    examples = asyncio.run(executed(service))
    for name, exchange in examples.items():
        if exchange.reply.status >= httpx.codes.BAD_REQUEST:
            raise ValueError(f"the example of {name} is answered with {exchange.reply.status}")
    described = document(service.application, examples)
    text = msgspec.json.format(msgspec.json.encode(described), indent=2) + b"\n"
    return text, "".join(map(_line, endpoints(service.application)))


def _line(endpoint: Endpoint) -> str:
    statuses = " ".join(map(str, endpoint.statuses))
    return f"{endpoint.method:6} {endpoint.path:55} {endpoint.operation_id:20} {statuses}\n"


def main() -> None:
    """Write both files."""
    configure(io.BytesIO())
    described, operations = written(example_service())
    CONTRACT.write_bytes(described)
    OPERATIONS.write_text(operations, encoding="utf-8")


if __name__ == "__main__":
    main()
