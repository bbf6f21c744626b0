"""Executing the examples that handlers declare, so that the document shows what really came back."""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import msgspec
from msgspec import Struct

from service.http.endpoints import Endpoint
from service.http.operation import Example, From
from service.http.streaming import EVENT_STREAM, first_event


class Call(Struct, frozen=True, kw_only=True):
    """A request as it is sent."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes | None
    late: bool = False
    """Whether the time of the seats in turn is up before it is sent."""


class Reply(Struct, frozen=True, kw_only=True):
    """An answer as it came."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Exchange(Struct, frozen=True, kw_only=True):
    """An executed example: what was sent, and what came back."""

    call: Call
    reply: Reply
    parameters: Mapping[str, object]
    body: object

    @property
    def answer(self) -> object:
        """Return the body of the answer; of a stream, its first event."""
        if self.reply.headers.get("content-type", "").startswith(EVENT_STREAM):
            return first_event(self.reply.body)
        return msgspec.json.decode(self.reply.body)


Caller: TypeAlias = Callable[[Call], Awaitable[Reply]]
"""Sends a request to the service and returns its answer."""

_JSON: Final = {"Content-Type": "application/json"}


async def execute(listed: Iterable[Endpoint], caller: Caller) -> dict[str, Exchange]:
    """Return the exchange of every operation's example, each executed once, those it draws on before it."""
    by_id = {endpoint.operation_id: endpoint for endpoint in listed}
    done: dict[str, Exchange] = {}

    async def run(operation_id: str) -> None:
        if operation_id in done:
            return
        example = by_id[operation_id].operation.example
        for needed in sorted(_needs([example.path, example.query, example.token, example.body])):
            if needed not in example.given:
                await run(needed)
        earlier = dict(done)
        for name, given in example.given.items():
            earlier[name] = await _run(by_id[given.operation], Example(body=given.body), done, caller)
        done[operation_id] = await _run(by_id[operation_id], example, earlier, caller)

    for operation_id in by_id:
        await run(operation_id)
    return done


def text_of(value: object) -> str:
    """Return a parameter as it stands in an address: lists are divided by commas."""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


async def _run(
    endpoint: Endpoint, example: Example, done: Mapping[str, Exchange], caller: Caller
) -> Exchange:
    path: dict[str, Any] = _filled(example.path, done)
    query: dict[str, Any] = _filled(example.query, done)
    body = _filled(example.body, done)
    token = _filled(example.token, done)
    call = Call(
        method=endpoint.method,
        path=re.sub(r"{(\w+)}", lambda named: quote(text_of(path[named[1]]), safe="@"), endpoint.path),
        query={name: text_of(value) for name, value in query.items()},
        headers=({} if token is None else {"Authorization": f"Bearer {token}"})
        | ({} if endpoint.body is None else _JSON),
        body=None if endpoint.body is None else msgspec.json.encode(body),
        late=example.late,
    )
    return Exchange(call=call, reply=await caller(call), parameters=path | query, body=body)


def _needs(value: object) -> set[str]:
    """Return the operations whose answers a part of an example draws on."""
    match value:
        case From():
            return {value.operation}
        case Mapping():
            return set().union(*map(_needs, value.values()))
        case list() | tuple():
            return set().union(*map(_needs, value))
        case _:
            return set()


def _filled(value: Any, done: Mapping[str, Exchange]) -> Any:  # noqa: ANN401  any part of an example
    match value:
        case From():
            return _at(done[value.operation].answer, value.pointer)
        case Mapping():
            return {name: _filled(item, done) for name, item in value.items()}
        case list() | tuple():
            return [_filled(item, done) for item in value]
        case _:
            return value


def _at(answer: Any, pointer: str) -> Any:  # noqa: ANN401  any JSON value
    for step in pointer.split("/")[1:]:
        answer = answer[int(step)] if isinstance(answer, list) else answer[step]
    return answer
