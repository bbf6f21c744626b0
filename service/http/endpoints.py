"""The operations of the contract, as the routes and their handlers hold them."""

import inspect
import re
from typing import Any, get_args, get_origin, get_type_hints

from litestar import Litestar, Response
from litestar.handlers import HTTPRouteHandler
from msgspec import Struct

from engine.refusal import Reason
from service.http.catalogue import PROBLEM_TYPES
from service.http.operation import Operation, Security, operation_of
from service.http.parameters import hints_of
from service.http.problems import Code


class Endpoint(Struct, frozen=True):
    """One operation of the contract, as the routes hold it."""

    method: str
    path: str
    handler: HTTPRouteHandler
    operation: Operation

    @property
    def operation_id(self) -> str:
        """Return the name that clients call the operation by."""
        return str(self.handler.operation_id)

    @property
    def body(self) -> Any:  # noqa: ANN401  an annotation
        """Return the type of the body; None where there is none."""
        return get_type_hints(self.handler.fn).get("data")

    @property
    def answer(self) -> Any:  # noqa: ANN401  an annotation
        """Return the type of the answer."""
        annotation = get_type_hints(self.handler.fn)["return"]
        return get_args(annotation)[0] if get_origin(annotation) is Response else annotation

    @property
    def path_parameters(self) -> dict[str, Any]:
        """Return the annotation of each parameter of the path, in the path's order."""
        hints = hints_of(self.handler)
        return {name: hints[name] for name in re.findall(r"{(\w+)}", self.path)}

    @property
    def codes(self) -> tuple[Code | Reason, ...]:
        """Return every problem that the operation may answer with, declared and implied."""
        implied = [Code.PARAMETER_INVALID, Code.NOT_ACCEPTABLE, Code.INTERNAL_ERROR]
        if self.body is not None:
            implied += [
                Code.MALFORMED_JSON,
                Code.BODY_INVALID,
                Code.BODY_TOO_LARGE,
                Code.UNSUPPORTED_MEDIA_TYPE,
            ]
        if self.path_parameters:
            implied.append(Code.NOT_FOUND)
        if self.operation.security is not Security.NONE:
            implied.append(Code.UNAUTHENTICATED)
        named = {*implied, *self.operation.problems}
        return tuple(code for code in (*Code, *Reason) if code in named)

    @property
    def successes(self) -> dict[int, str]:
        """Return the description of each status that is no problem."""
        own = {self.handler.status_code: self.summary}
        further = {status: answer.description for status, answer in self.operation.answers.items()}
        unchanged = {304: "The caller has the current answer."} if self.operation.conditional else {}
        return own | further | unchanged

    @property
    def statuses(self) -> tuple[int, ...]:
        """Return every status that the operation can answer with."""
        return tuple(sorted({*self.successes, *(PROBLEM_TYPES[code].status for code in self.codes)}))

    @property
    def summary(self) -> str:
        """Return the first sentence of the handler's docstring."""
        return inspect.getdoc(self.handler.fn).partition("\n")[0]  # type: ignore[union-attr]  # ruff asks for it

    @property
    def description(self) -> str:
        """Return the rest of the handler's docstring."""
        return inspect.getdoc(self.handler.fn).partition("\n")[2].strip()  # type: ignore[union-attr]  # likewise


def endpoints(application: Litestar) -> list[Endpoint]:
    """Return every operation that is part of the contract, by path and method."""
    found = [
        Endpoint(method, route.path_format, handler, declared)
        for route in application.routes
        for handler in getattr(route, "route_handlers", ())
        if (declared := operation_of(handler.opt)) is not None
        for method in sorted(handler.http_methods)
    ]
    return sorted(found, key=lambda endpoint: (endpoint.path, endpoint.method))
