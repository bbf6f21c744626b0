"""Parameters of paths and queries, read once and strictly."""

import re
from functools import cache
from typing import Any, Final, get_type_hints
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec
from litestar.connection import ASGIConnection, Request
from litestar.handlers import BaseRouteHandler
from msgspec import Struct
from msgspec.structs import replace

from service.http.faults import looks_like_a_name
from service.http.ids import is_id
from service.http.inspection import MOST_FAULTS, faults_in
from service.http.problems import Code, Fault, Problem

_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]{0,18}", re.ASCII)
_NO_PARAMETERS: Final[tuple[type[Struct] | None, dict[str, str]]] = (None, {})
_PARAMS: Final = "params"
_MISSING: Final = "This parameter is missing."


def hints_of(handler: BaseRouteHandler) -> dict[str, Any]:
    """Return the annotations of a handler's function, with their constraints."""
    return _hints(handler.fn)


def params_of(handler: BaseRouteHandler, *, required: bool = False) -> dict[str, Any]:
    """Return the annotation of each query parameter of a handler; on demand, of the required ones only."""
    kind, _ = _query_of(handler.fn)
    if kind is None:
        return {}
    return {
        field.name: field.type for field in msgspec.structs.fields(kind) if field.required or not required
    }


def check_path(connection: ASGIConnection[Any, Any, Any, Any]) -> None:
    """Raise `Problem` where a path parameter is out of range or written oddly (``01``, ``+1``, ``0_1``).

    An id may have capital letters; hyphens are where they belong, and nothing is around it.

    The router converts loosely; this holds what it read against the text and the annotation.
    """
    # The router overlooks empty segments and reads an encoded slash as one: here each address has one form.
    raw = connection.scope["raw_path"]
    if b"//" in raw or raw.endswith(b"/") or b"%2f" in raw.lower():
        raise Problem(Code.NOT_FOUND)
    parameters: dict[str, Any] = connection.path_params
    if not parameters:
        return
    decoders = _path_decoders(connection.route_handler.fn)
    template = connection.scope["path_template"].split("/")
    for part, text in zip(template, connection.scope["path"].split("/"), strict=False):
        if part.startswith("{"):
            name = part[1:-1]
            if not _is_written(parameters[name], text) or not _fits(parameters[name], decoders[name]):
                raise Problem(Code.NOT_FOUND)


def read_query(request: Request[Any, Any, Any]) -> Struct | None:
    """Return the struct that the handler's `params` is annotated with.

    Raise `Problem` with all that is wrong. A handler without `params` takes no query parameter at all.
    """
    kind, shapes = _query_of(request.route_handler.fn)
    text: bytes = request.scope["query_string"]
    if not text and kind is None:
        return None
    given: dict[str, object] = {}
    faults: list[Fault] = []
    for name, value in _pairs(text):
        if name not in shapes:
            faults.append(_unknown(name))
        elif name in given:
            faults.append(
                Fault(code="repeated-parameter", message="This parameter is given twice.", parameter=name)
            )
        else:
            given[name] = _value(value, shapes[name])
    try:
        read = None if kind is None else msgspec.convert(given, kind)
    except msgspec.ValidationError:
        faults += map(_of_parameter, faults_in(given, kind))
    if faults:
        raise Problem(Code.PARAMETER_INVALID, faults=tuple(faults[:MOST_FAULTS]))
    return read


async def provide_params(request: Request[Any, Any, Any]) -> Any:  # noqa: ANN401  as the handler's annotation says
    """Give a handler its `params`, which `read_query` has read before the body."""
    return request.state.params


def _unknown(name: str) -> Fault:
    fault = Fault(code="unknown-parameter", message="There is no such query parameter.")
    return replace(fault, parameter=name) if looks_like_a_name(name) else fault


def _of_parameter(fault: Fault) -> Fault:
    """Return the fault of a struct's field as that of the parameter which it was read from."""
    name = str(fault.pointer).split("/")[1]
    message = _MISSING if fault.code == "missing-field" else fault.message
    return Fault(code=fault.code, message=message, parameter=name)


def _pairs(text: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            text.decode("ascii"), keep_blank_values=True, encoding="utf-8", errors="strict", max_num_fields=32
        )
    except ValueError:
        fault = Fault(code="malformed", message="The query is not percent-encoded UTF-8, or too long.")
        raise Problem(Code.PARAMETER_INVALID, faults=(fault,)) from None


def _value(text: str, shape: str) -> object:
    """Return what a parameter's text says; a text that is no integer stays one, and is refused as such."""
    match shape:
        case "integer" if _INTEGER.fullmatch(text):
            return int(text)
        case "array":
            return text.split(",")
        case _:
            return text


@cache
def _query_of(fn: Any) -> tuple[type[Struct] | None, dict[str, str]]:  # noqa: ANN401  any handler's function
    """Return the parameters of a handler's function, and the JSON type of each of its parameters."""
    kind = get_type_hints(fn).get(_PARAMS)
    if kind is None:
        return _NO_PARAMETERS
    schema = msgspec.json.schema_components([kind])[1][kind.__name__]
    return kind, {name: property_.get("type", "string") for name, property_ in schema["properties"].items()}


@cache
def _hints(fn: Any) -> dict[str, Any]:  # noqa: ANN401  any handler's function
    return get_type_hints(fn, include_extras=True)


@cache
def _path_decoders(fn: Any) -> dict[str, msgspec.json.Decoder[Any]]:  # noqa: ANN401  any handler's function
    """Return a decoder for each parameter: made once, for to make one takes longer than a request."""
    return {name: msgspec.json.Decoder(kind) for name, kind in _hints(fn).items() if name != "return"}


def _is_written(value: object, text: str) -> bool:
    """Return whether a text is one that stands for what the router has read from it."""
    return is_id(text) if isinstance(value, UUID) else str(value) == text


def _fits(value: object, decoder: msgspec.json.Decoder[Any]) -> bool:
    try:
        decoder.decode(msgspec.json.encode(value))
    except msgspec.ValidationError:
        return False
    return True
