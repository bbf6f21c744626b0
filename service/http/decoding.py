"""Bodies are read strictly: the type as documented, no unknown field, no name twice."""

import json
from collections.abc import Generator
from functools import cache
from typing import Any, Final

import msgspec
from litestar.connection import ASGIConnection, Request
from litestar.dto import AbstractDTO
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.typing import FieldDefinition
from msgspec import UNSET

from service.http.faults import fault_of
from service.http.inspection import faults_in
from service.http.problems import Code, Fault, Problem

BODY_LIMIT: Final = 262_144
"""The most bytes a body may have."""

_DECODED: Final = "decoded"
"""Where a request's state holds a body that was decoded early."""

_GREATEST: Final = 2**63 - 1


class StrictBody(AbstractDTO[Any]):
    """Decodes the `data` of any handler as `decode` does; set once, on the application."""

    __slots__ = ()
    model_type = object

    @classmethod
    def create_for_field_definition(
        cls,
        field_definition: FieldDefinition,
        handler_id: str,  # noqa: ARG003  the base class names it
        backend_cls: Any = None,  # noqa: ARG003, ANN401  likewise
    ) -> None:
        """Build the decoder when the handler is registered, not at its first request."""
        _decoder(field_definition.annotation)

    def decode_bytes(self, value: bytes) -> Any:  # noqa: ANN401  as the handler's annotation says
        """Return the body as the type of the handler's `data`, unless a guard has decoded it."""
        decoded = self.asgi_connection.scope["state"].get(_DECODED, UNSET)
        return decode(value, _body_type(self.asgi_connection)) if decoded is UNSET else decoded

    @classmethod
    def generate_field_definitions(cls, model_type: Any) -> Generator[DTOFieldDefinition, None, None]:  # noqa: ANN401, ARG003
        """Make no field: Litestar's own transfer models are not used."""
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:  # noqa: ARG003
        """Find no nested field, for the same reason."""
        return False


async def decode_early(request: Request[Any, Any, Any]) -> Any:  # noqa: ANN401  as the handler's annotation says
    """Return the body before the handler's turn, for a guard; the handler is given the same."""
    decoded = decode(await request.body(), _body_type(request))
    request.scope["state"][_DECODED] = decoded
    return decoded


def decode(body: bytes, kind: Any) -> Any:  # noqa: ANN401  what `kind` says
    """Return the body as `kind`; raise `Problem` where it is not JSON, or with all that does not fit."""
    try:
        value = _decoder(kind).decode(body)
    except msgspec.ValidationError:
        return _reconsidered(body, kind)
    except (msgspec.DecodeError, RecursionError):
        raise Problem(Code.MALFORMED_JSON) from None
    # Each name has a colon behind it: with one colon nothing is there twice.
    if body.count(b":") > 1:
        _NAMES.decode(body.decode())
    return value


def check_media_type(connection: ASGIConnection[Any, Any, Any, Any]) -> None:
    """Raise `Problem` unless the request says that its body is plain JSON."""
    media_type, _, parameters = connection.headers.get("content-type", "").partition(";")
    charset = parameters.strip().lower().replace('"', "")
    if (
        media_type.strip().lower() != "application/json"
        or charset not in {"", "charset=utf-8"}
        or connection.headers.get("content-encoding", "identity").lower() != "identity"
    ):
        raise Problem(Code.UNSUPPORTED_MEDIA_TYPE)


def _body_type(connection: ASGIConnection[Any, Any, Any, Any]) -> Any:  # noqa: ANN401
    return connection.route_handler.parsed_data_field.annotation


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401
    return msgspec.json.Decoder(kind)


def _reconsidered(body: bytes, kind: Any) -> Any:  # noqa: ANN401
    """Return a refused body with ``1.0`` as 1, which JSON Schema counts as an integer and msgspec does not.

    Raise `Problem` where the text is not JSON, whatever the decoder met first, and for all that does not
    fit.
    """
    value = _parse(body)
    try:
        return _decoder(kind).decode(msgspec.json.encode(value))
    except msgspec.ValidationError as error:
        faults = faults_in(value, kind) or (fault_of(str(error)),)
        raise Problem(Code.BODY_INVALID, faults=faults) from None


def _parse(body: bytes) -> Any:  # noqa: ANN401  any JSON value
    """Return the JSON value of a body; raise `Problem` where it is none.

    An integer without a bound of its own is one of 64 bits, which is out of every range too.
    """
    try:
        value = _VALUES.decode(body.decode())
        msgspec.json.encode(value)  # half a surrogate is no text
    except (ValueError, RecursionError):
        raise Problem(Code.MALFORMED_JSON) from None
    return value


def _integer(text: str) -> int:
    if len(text) < len(str(_GREATEST)):
        return int(text)
    return -_GREATEST if text.startswith("-") else _GREATEST


def _number(text: str) -> int | float:
    number = float(text)
    if abs(number) < _GREATEST:
        return int(number) if number.is_integer() else number
    return _GREATEST if number > 0 else -_GREATEST


def _constant(_text: str) -> None:
    """Refuse ``NaN`` and ``Infinity``, which Python reads and JSON has not."""
    raise Problem(Code.MALFORMED_JSON)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raise `Problem` for a name that it has twice: two readers would read two requests."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Problem(
            Code.MALFORMED_JSON,
            faults=(Fault(code="repeated-name", message="An object has the same name twice."),),
        )
    return members


_NAMES: Final = json.JSONDecoder(object_pairs_hook=_object)
"""Looks for repeated names in what msgspec has read."""
_VALUES: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)
"""Reads what msgspec refused."""
