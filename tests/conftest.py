import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from service.contract import example_service
from service.http.examples import Exchange
from service.http.log import configure
from tests.calling import Caller, calling


@pytest.fixture(scope="session")
def quiet() -> Iterator[None]:
    """No line a request: thousands are sent."""
    with Path(os.devnull).open("wb") as nowhere:
        configure(nowhere)
        yield


@pytest.fixture(scope="module")
def call(quiet: None) -> Iterator[Caller]:  # noqa: ARG001  a fixture is asked for by its name
    """The service in which the examples are executed."""
    with example_service() as service, calling(service) as caller:
        yield caller


@pytest.fixture(scope="module")
def examples(call: Caller) -> Mapping[str, Exchange]:
    """Every operation's example, as it was just executed and can be executed again."""
    done = dict(call.executed())
    rotated = done["rotateToken"]
    token = msgspec.json.decode(rotated.reply.body)["token"]
    again = replace(rotated.call, headers={**rotated.call.headers, "Authorization": f"Bearer {token}"})
    return done | {"rotateToken": replace(rotated, call=again)}
