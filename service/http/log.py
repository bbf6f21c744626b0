"""One line a request and one a failure, as JSON, without anything that a request or an answer held."""

import sys
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final

import msgspec
import structlog

LOG_NAME: Final = "ginrummy"

_ROOT: Final = str(Path(__file__).parents[2])
_OURS: Final = tuple(f"{_ROOT}/{package}/" for package in ("engine", "service", "migrations"))


def configure(stream: BinaryIO | None = None) -> None:
    """Send structured lines to a stream of bytes; standard output where none is given."""
    structlog.configure(
        processors=[
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
            structlog.processors.JSONRenderer(serializer=_serialise),
        ],
        logger_factory=structlog.BytesLoggerFactory(stream or sys.stdout.buffer),
        wrapper_class=structlog.BoundLogger,
        cache_logger_on_first_use=False,
    )


def frames_of(error: BaseException) -> list[str]:
    """Return where an error passed through our own code, as ``file:line``, innermost last.

    Neither its message nor a local variable is read: both may hold cards and tokens.
    """
    frames: list[str] = []
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(_OURS):
            frames.append(f"{file.removeprefix(_ROOT)[1:]}:{trace.tb_lineno}")
        trace = trace.tb_next
    return frames


def log_failure(request_id: str, error: BaseException) -> None:
    """Write down that a request failed: the kinds of the error and its causes, and our frames."""
    kinds: list[str] = []
    frames: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < 8:  # noqa: PLR2004  a bound against causes in a circle
        kinds.append(type(cause).__qualname__)
        frames += frames_of(cause)
        cause = cause.__cause__ or cause.__context__
    structlog.get_logger(LOG_NAME).error(
        event="request_failed", request_id=request_id, errors=kinds, frames=frames
    )


def _serialise(fields: object, **_options: object) -> bytes:
    return msgspec.json.encode(fields)
