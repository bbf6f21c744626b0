"""The OpenAPI document, from the handlers' signatures and declarations."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from litestar import Litestar

from service.http.answers import PROBLEM_MEDIA_TYPE
from service.http.catalogue import PROBLEM_TYPES
from service.http.endpoints import Endpoint, endpoints
from service.http.examples import Exchange
from service.http.headers import HEADERS, OF_STATUS
from service.http.operation import Header, Security
from service.http.parameters import params_of
from service.http.problems import ProblemOut
from service.http.release import VERSION
from service.http.schemas import Schema, schemas_of

_TAGS: Final[dict[str, str]] = {
    "analysis": "What a hand, a knock or a series of deals is worth: stateless, for everybody.",
    "rulesets": "The rules as knobs, and the presets to start from.",
    "matches": "Making a match, finding one, taking a seat.",
    "seats": "What a seat sees, what it may do, and doing it: propose an intent, confirm it.",
    "coaching": "What the expert would do and why, beside the moves; the levels of the bots.",
    "events": "What happened, for each audience.",
    "service": "The service itself: its problem types and its health.",
}
_DESCRIPTION: Final = """\
Gin rummy as a service: matches in which each seat sees only what it may, moves by intent and \
confirmation, and the rules as knobs.

Every error is a problem document (RFC 9457); branch on its `code`. HEAD works wherever GET does. \
Integers are written in plain decimal digits; one that is out of range, in a path, is a 404.
"""
_IF_NONE_MATCH: Final[Schema] = {
    "name": "If-None-Match",
    "in": "header",
    "description": "The `ETag` of an answer that the caller has: if it is still true, the answer is 304.",
    "schema": {"type": "string"},
}
_ACCEPT_LANGUAGE: Final[Schema] = {
    "name": "Accept-Language",
    "in": "header",
    "description": "The languages that the caller reads, with qualities; English where none fits.",
    "schema": {"type": "string"},
}

_LAST_EVENT_ID: Final[Schema] = {
    "name": "Last-Event-ID",
    "in": "header",
    "description": "The `id` of the last event that was received: the stream goes on after it.",
    "schema": {"type": "string"},
}


def document(application: Litestar, examples: Mapping[str, Exchange]) -> Schema:
    """Return the OpenAPI 3.1 document, with the executed examples by operation."""
    listed = endpoints(application)
    schemas = _Schemas(listed)
    paths: dict[str, Schema] = {}
    for endpoint in listed:
        described = dict(_described(endpoint, schemas, examples.get(endpoint.operation_id)))
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = described
    used = {tag for endpoint in listed for tag in endpoint.handler.tags or ()}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Gin rummy",
            "version": VERSION,
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": tag, "description": text} for tag, text in _TAGS.items() if tag in used],
        "paths": paths,
        "components": {
            "schemas": schemas.components,
            "responses": _shared_problems(listed),
            "headers": {str(header): _header(header) for header in Header},
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of a seat, given when the match was made or the seat taken.",
                }
            },
        },
    }


class _Schemas:
    """The schema of every type that an operation names."""

    def __init__(self, listed: list[Endpoint]) -> None:
        types = {repr(kind): kind for endpoint in listed for kind in _types(endpoint)}
        types[repr(ProblemOut)] = ProblemOut
        schemas, self.components = schemas_of(types.values())
        self._by_type = dict(zip(types, schemas, strict=True))

    def of(self, kind: Any) -> Schema:  # noqa: ANN401  an annotation
        """Return the schema of a type: mostly a reference."""
        return self._by_type[repr(kind)]


def _types(endpoint: Endpoint) -> Iterator[Any]:
    yield endpoint.answer
    yield from endpoint.path_parameters.values()
    yield from params_of(endpoint.handler).values()
    yield from endpoint.operation.streams
    if endpoint.body is not None:
        yield endpoint.body


def _described(
    endpoint: Endpoint, schemas: _Schemas, example: Exchange | None
) -> Iterator[tuple[str, object]]:
    declared = endpoint.operation
    yield "operationId", endpoint.operation_id
    yield "tags", list(endpoint.handler.tags or ())
    yield "summary", endpoint.summary
    if endpoint.description:
        yield "description", endpoint.description
    match declared.security:
        case Security.REQUIRED:
            yield "security", [{"bearer": []}]
        case Security.OPTIONAL:
            yield "security", [{}, {"bearer": []}]
        case Security.NONE:
            yield "security", []
    if parameters := list(_parameters(endpoint, schemas, example)):
        yield "parameters", parameters
    if endpoint.body is not None:
        content: Schema = {"schema": schemas.of(endpoint.body)}
        if example is not None:
            content["example"] = example.body
        yield "requestBody", {"required": True, "content": {"application/json": content}}
    answers = dict(_answers(endpoint, schemas, example))
    yield "responses", {str(status): answers[status] for status in sorted(answers)}


def _parameters(endpoint: Endpoint, schemas: _Schemas, example: Exchange | None) -> Iterator[Schema]:
    shown = example.parameters if example else {}
    for place, annotations in (
        ("path", endpoint.path_parameters),
        ("query", params_of(endpoint.handler)),
    ):
        required = params_of(endpoint.handler, required=True) if place == "query" else annotations
        for name, kind in annotations.items():
            schema = dict(schemas.of(kind))
            parameter: Schema = {"name": name, "in": place, "required": name in required}
            if "description" in schema:
                parameter["description"] = schema.pop("description")
            if schema.get("type") == "array":
                parameter |= {"style": "form", "explode": False}
            if name in shown:
                parameter["example"] = shown[name]
            yield parameter | {"schema": schema}
    if endpoint.operation.localized:
        yield _ACCEPT_LANGUAGE
    if endpoint.operation.conditional:
        yield _IF_NONE_MATCH
    if endpoint.operation.streams:
        yield _LAST_EVENT_ID


def _answers(endpoint: Endpoint, schemas: _Schemas, example: Exchange | None) -> Iterator[tuple[int, Schema]]:
    for status, description in endpoint.successes.items():
        answer: Schema = {"description": description, "headers": _headers(_success_headers(endpoint, status))}
        if status != HTTPStatus.NOT_MODIFIED:
            content: Schema = {"schema": _streamed(endpoint, schemas) or schemas.of(endpoint.answer)}
            if example is not None and status == example.reply.status:
                content["example"] = example.answer
            answer["content"] = {endpoint.handler.media_type or "application/json": content}
            answer |= _links(endpoint)
        yield status, answer
    for status, codes in _codes_by_status(endpoint).items():
        yield status, _problem_reference(status, codes)


def _streamed(endpoint: Endpoint, schemas: _Schemas) -> Schema | None:
    """Return the schema of each event of a stream; None where the operation sends none."""
    if not endpoint.operation.streams:
        return None
    told = {"anyOf": [schemas.of(kind) for kind in endpoint.operation.streams]}
    data = {"contentMediaType": "application/json", "contentSchema": told}
    return {"allOf": [schemas.of(endpoint.answer), {"type": "object", "properties": {"data": data}}]}


def _success_headers(endpoint: Endpoint, status: int) -> tuple[Header, ...]:
    declared = endpoint.operation
    further = declared.answers.get(status)
    own = further.headers if further else declared.headers
    kept = (Header.ETAG, Header.CACHE_CONTROL) if declared.conditional else ()
    told = (Header.CONTENT_LANGUAGE, Header.VARY) if declared.localized else ()
    return (*kept, *told, *own)


def _links(endpoint: Endpoint) -> Schema:
    links = {
        name: {"operationId": link.operation, "description": link.description}
        | ({"parameters": dict(link.parameters)} if link.parameters else {})
        | ({} if link.request_body is None else {"requestBody": link.request_body})
        for name, link in endpoint.operation.links.items()
    }
    return {"links": links} if links else {}


def _problem_reference(status: int, codes: list[str]) -> Schema:
    """Return the response of a status; one that stands for a single problem is shared by name."""
    if len(codes) == 1:
        return {"$ref": f"#/components/responses/{codes[0]}"}
    return _problem(status, codes)


def _shared_problems(listed: list[Endpoint]) -> Schema:
    alone = {
        codes[0]: status
        for endpoint in listed
        for status, codes in _codes_by_status(endpoint).items()
        if len(codes) == 1
    }
    return {code: _problem(alone[code], [code]) for code in sorted(alone)}


def _codes_by_status(endpoint: Endpoint) -> dict[int, list[str]]:
    by_status: dict[int, list[str]] = {}
    for code in endpoint.codes:
        by_status.setdefault(PROBLEM_TYPES[code].status, []).append(str(code))
    return by_status


def _problem(status: int, codes: list[str]) -> Schema:
    narrowed = {"status": {"const": status}, "code": {"enum": codes}}
    return {
        "description": "; ".join(f"`{code}`: {PROBLEM_TYPES[code].title}" for code in codes),
        "headers": _headers(OF_STATUS.get(status, ())),
        "content": {
            PROBLEM_MEDIA_TYPE: {
                "schema": {
                    "allOf": [
                        {"$ref": "#/components/schemas/ProblemOut"},
                        {"type": "object", "properties": narrowed},
                    ]
                }
            }
        },
    }


def _headers(headers: tuple[Header, ...]) -> Schema:
    named = sorted({*headers, Header.X_REQUEST_ID})
    return {str(header): {"$ref": f"#/components/headers/{header}"} for header in named}


def _header(header: Header) -> Schema:
    description, schema = HEADERS[header]
    return {"description": description, "required": True, "schema": schema}
