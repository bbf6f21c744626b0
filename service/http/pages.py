"""The contract as it is served, and the page that shows it."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from litestar import Request, Response, get
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler

from service.http.etag import SHORT, conditional, etag_of

_DOCS: Final = Path(__file__).parent / "docs"
_STYLES: Final = (
    "'sha256-Pme0qVBbJGACcvHOa2d2xK4uveiPdlWdSipR9gLYAMQ='",  # the page's own
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",  # the empty ones that the script fills by rules
    "'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",  # the script's scroll bars
)
_DOCS_POLICY: Final = (
    f"default-src 'none'; script-src 'self'; style-src {' '.join(_STYLES)}; img-src 'self' data:; "
    "connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@get("/openapi.json", media_type="application/json")
async def get_document(request: Request[Any, Any, Any], document: NamedDependency[bytes]) -> Response[bytes]:
    """Serve the contract as it is committed."""
    return conditional(request, document, etag_of(document), SHORT)


@get("/docs", media_type="text/html")
async def get_docs(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Serve the page that shows the contract; everything on it comes from here."""
    return _page(request, "index.html")


@get("/docs/redoc.js", media_type="text/javascript")
async def get_docs_script(request: Request[Any, Any, Any]) -> Response[bytes]:
    """Serve the documentation's script."""
    return _page(request, "redoc.standalone.js")


@cache
def _file(name: str) -> bytes:
    return (_DOCS / name).read_bytes()


def _page(request: Request[Any, Any, Any], name: str) -> Response[bytes]:
    content = _file(name)
    answer = conditional(request, content, etag_of(content), SHORT)
    answer.headers["Content-Security-Policy"] = _DOCS_POLICY
    return answer


HANDLERS: Final[tuple[HTTPRouteHandler, ...]] = (get_document, get_docs, get_docs_script)
