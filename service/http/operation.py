"""What a handler says of itself beyond its signature; the OpenAPI document is written from both."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from msgspec import Struct

from engine.refusal import Reason
from service.http.problems import Code

KEY: Final = "operation"
"""Where a handler's `opt` holds its `Operation`."""


class Security(StrEnum):
    """Whether a caller shows a token."""

    NONE = "none"
    OPTIONAL = "optional"
    REQUIRED = "required"


class Header(StrEnum):
    """The headers of answers; `service.http.openapi` describes each."""

    CACHE_CONTROL = "Cache-Control"
    CONTENT_LANGUAGE = "Content-Language"
    ETAG = "ETag"
    LOCATION = "Location"
    MOVE_REPLAYED = "Move-Replayed"
    RETRY_AFTER = "Retry-After"
    VARY = "Vary"
    WWW_AUTHENTICATE = "WWW-Authenticate"
    X_ACCEL_BUFFERING = "X-Accel-Buffering"
    X_REQUEST_ID = "X-Request-Id"


class From(Struct, frozen=True):
    """A value of an example that an earlier operation's example, or a `Given`, answers.

    `pointer` is a JSON pointer into the body that `operation` answered.
    """

    operation: str
    pointer: str


class Given(Struct, frozen=True, kw_only=True):
    """A request that one example needs before it: an operation with a body of its own."""

    operation: str
    body: object


class Example(Struct, frozen=True, kw_only=True):
    """A request that is executed when the document is written; the answer stands there as it came.

    Anywhere in `path`, `query`, `token` and `body` a `From` stands for a value of an earlier answer: of
    another operation's example, or, by its name, of one of those `given`. `late` lets the time of every
    seat in turn be up first.
    """

    given: Mapping[str, Given] = {}
    late: bool = False
    path: Mapping[str, object] = {}
    query: Mapping[str, object] = {}
    token: str | From | None = None
    body: object = None


class Answer(Struct, frozen=True, kw_only=True):
    """One more status with which an operation succeeds, with the same body."""

    description: str
    headers: tuple[Header, ...] = ()


class Link(Struct, frozen=True, kw_only=True):
    """Where to go from an answer: an operation, and its parameters as runtime expressions or text.

    An expression must have a value in every answer.
    """

    operation: str
    parameters: Mapping[str, str] = {}
    request_body: object = None
    description: str


class Operation(Struct, frozen=True, kw_only=True):
    """The declaration of one operation; see `operation`."""

    example: Example
    problems: tuple[Code | Reason, ...]
    answers: Mapping[int, Answer]
    headers: tuple[Header, ...]
    security: Security
    conditional: bool
    localized: bool
    streams: tuple[Any, ...]
    links: Mapping[str, Link]


def operation(
    *,
    example: Example,
    problems: tuple[Code | Reason, ...] = (),
    answers: Mapping[int, Answer] | None = None,
    headers: tuple[Header, ...] = (),
    security: Security = Security.NONE,
    conditional: bool = False,
    localized: bool = False,
    streams: tuple[Any, ...] = (),
    links: Mapping[str, Link] | None = None,
) -> dict[str, Operation]:
    """Return a handler's `opt`.

    `problems` are those that this operation adds to what its shape implies: a body brings 400, 413 and
    415, parameters 400 and 404, required security 401, and everything 406 and 500. `conditional` answers
    carry an ``ETag`` and may be 304; `localized` ones are in the language that the caller prefers. An
    operation that `streams` sends server-sent events with data of these types, and can be resumed.
    `headers` are those of the answer in the handler's own status.
    """
    return {
        KEY: Operation(
            example=example,
            problems=problems,
            answers=answers or {},
            headers=headers,
            security=security,
            conditional=conditional,
            localized=localized,
            streams=streams,
            links=links or {},
        )
    }


def operation_of(opt: Mapping[str, Any]) -> Operation | None:
    """Return what a handler declared; None for one that is no part of the contract."""
    declared = opt.get(KEY)
    return declared if isinstance(declared, Operation) else None
