"""The composition root: real randomness, clock and store meet the code that uses them here."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Final

import uuid_utils
from litestar import Litestar
from litestar.types import ControllerRouterHandler
from msgspec import Struct

from service.analysis.api import HANDLERS as ANALYSIS
from service.analysis.slices import Slices
from service.http.application import build
from service.http.envelope import Envelope
from service.http.system import HANDLERS as SYSTEM
from service.http.system import Ready
from service.rulesets.api import HANDLERS as RULESETS

CONTRACT: Final = Path(__file__).parent.parent / "openapi" / "openapi.json"
"""The committed document: beside the packages in a checkout and in an installed wheel alike."""


class Service(Struct, frozen=True):
    """What a server runs, and the application inside it, whose routes the contract is written from."""

    asgi: Envelope
    application: Litestar


def new_request_id() -> str:
    """Return an id for a request that brought none."""
    return str(uuid_utils.uuid7())


def create_app(
    *,
    ready: Ready,
    handlers: Iterable[ControllerRouterHandler] = (),
    dependencies: Mapping[str, object] | None = None,
    lifespan: Sequence[AbstractAsyncContextManager[None]] = (),
    document: bytes | None = None,
    request_ids: Callable[[], str] = new_request_id,
) -> Service:
    """Return the service; `document` replaces the committed contract while a new one is written."""
    application = build(
        (*SYSTEM, *RULESETS, *ANALYSIS, *handlers),
        {
            "ready": ready,
            "document": CONTRACT.read_bytes() if document is None else document,
            "slices": Slices(),
            **(dependencies or {}),
        },
        lifespan,
    )
    return Service(Envelope(application, request_ids), application)
