"""Bodies are read strictly: the type as documented, no unknown field, no name twice."""

import json
from collections.abc import Generator
from functools import cache
from typing import Any, Final

import msgspec
from litestar.connection import ASGIConnection
from litestar.dto import AbstractDTO
from litestar.dto.data_structures import DTOFieldDefinition
from litestar.typing import FieldDefinition

from service.http.faults import fault_of
from service.http.problems import Code, Fault, Problem

BODY_LIMIT: Final = 262_144
"""The most bytes a body may have."""

_INTEGRAL_FLOAT: Final = ", got `float`"


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
        """Return the body as the type of the handler's `data`."""
        return decode(value, _body_type(self.asgi_connection))

    @classmethod
    def generate_field_definitions(cls, model_type: Any) -> Generator[DTOFieldDefinition, None, None]:  # noqa: ANN401, ARG003
        """Make no field: Litestar's own transfer models are not used."""
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:  # noqa: ARG003
        """Find no nested field, for the same reason."""
        return False


def decode(body: bytes, kind: Any) -> Any:  # noqa: ANN401  what `kind` says
    """Return the body as `kind`; raise `Problem` where it is not JSON or does not fit."""
    try:
        value = _decoder(kind).decode(body)
    except msgspec.ValidationError as error:
        value = _with_integral_floats(body, kind, error)
    except (msgspec.DecodeError, RecursionError):
        raise Problem(Code.MALFORMED_JSON) from None
    _refuse_repeated_names(body)
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


def _with_integral_floats(body: bytes, kind: Any, error: msgspec.ValidationError) -> Any:  # noqa: ANN401
    """Try once more with ``1.0`` as 1, which JSON Schema counts as an integer and msgspec does not."""
    if _INTEGRAL_FLOAT in str(error):
        try:
            return msgspec.convert(_integers(msgspec.json.decode(body)), kind)
        except msgspec.ValidationError as second:
            error = second
        except (msgspec.DecodeError, RecursionError):
            raise Problem(Code.MALFORMED_JSON) from None
    raise Problem(Code.BODY_INVALID, faults=(fault_of(str(error)),)) from None


def _integers(value: object) -> object:
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {name: _integers(item) for name, item in value.items()}
        case list():
            return [_integers(item) for item in value]
        case _:
            return value


def _refuse_repeated_names(body: bytes) -> None:
    """Raise `Problem` where an object has a name twice: two readers would read two requests."""
    json.loads(body, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, object]]) -> None:
    if len({name for name, _ in pairs}) < len(pairs):
        raise Problem(
            Code.MALFORMED_JSON,
            faults=(Fault(code="repeated-name", message="An object has the same name twice."),),
        )
