"""Deadlines in SQL: the database alone says what time it is, so replicas may disagree about that.

An outage is time in which no serving process beat. While one has not been made good, every statement
that judges a deadline counts it; the first beat after it moves the deadlines, and by then nobody counts
it any more.
"""

from typing import Any, Final

from sqlalchemy import Float, case, func, literal_column, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.functions import FunctionElement

from service.db.tables import INSTANT, heartbeats, matches

OUTAGE_SECONDS: Final = 5
"""Nobody served if nobody beat for longer than this."""


class Now(FunctionElement[Any]):
    """The time of the database as a statement begins."""

    type = INSTANT
    inherit_cache = True


class After(FunctionElement[Any]):
    """A time and so many seconds."""

    type = INSTANT
    inherit_cache = True


class Elapsed(FunctionElement[Any]):
    """The seconds from the second time to the first."""

    type = Float()
    inherit_cache = True


class Earlier(FunctionElement[Any]):
    """The earlier of two times."""

    type = INSTANT
    inherit_cache = True


def _parts(element: FunctionElement[Any], compiler: SQLCompiler, **kw: Any) -> list[str]:  # noqa: ANN401
    return [compiler.process(part, **kw) for part in element.clauses]


@compiles(Now, "postgresql")
def _now_postgresql(_element: Now, _compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401
    return "statement_timestamp()"


@compiles(Now, "sqlite")
def _now_sqlite(_element: Now, _compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401
    return "(CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)"


@compiles(After, "postgresql")
def _after_postgresql(element: After, compiler: SQLCompiler, **kw: Any) -> str:  # noqa: ANN401
    instant, seconds = _parts(element, compiler, **kw)
    return f"({instant} + make_interval(secs => {seconds}))"


@compiles(After, "sqlite")
def _after_sqlite(element: After, compiler: SQLCompiler, **kw: Any) -> str:  # noqa: ANN401
    instant, seconds = _parts(element, compiler, **kw)
    return f"({instant} + CAST({seconds} * 1000000 AS INTEGER))"


@compiles(Elapsed, "postgresql")
def _elapsed_postgresql(element: Elapsed, compiler: SQLCompiler, **kw: Any) -> str:  # noqa: ANN401
    later, earlier = _parts(element, compiler, **kw)
    return f"CAST(EXTRACT(epoch FROM {later} - {earlier}) AS FLOAT)"


@compiles(Elapsed, "sqlite")
def _elapsed_sqlite(element: Elapsed, compiler: SQLCompiler, **kw: Any) -> str:  # noqa: ANN401
    later, earlier = _parts(element, compiler, **kw)
    return f"(({later} - {earlier}) / 1000000.0)"


@compiles(Earlier, "postgresql")
def _earlier_postgresql(element: Earlier, compiler: SQLCompiler, **kw: Any) -> str:  # noqa: ANN401
    return f"LEAST({', '.join(_parts(element, compiler, **kw))})"


@compiles(Earlier, "sqlite")
def _earlier_sqlite(element: Earlier, compiler: SQLCompiler, **kw: Any) -> str:  # noqa: ANN401
    return f"MIN({', '.join(_parts(element, compiler, **kw))})"


def _seconds(number: float) -> ColumnElement[float]:
    return literal_column(str(number), Float())


LAST_BEAT: Final = select(func.max(heartbeats.c.seen_at)).correlate(None).scalar_subquery()
"""When somebody last beat; NULL where nobody ever did."""

SINCE_BEAT: Final = Elapsed(Now(), LAST_BEAT)
"""The seconds since somebody beat; NULL where nobody ever did."""

IN_OUTAGE: Final = func.coalesce(SINCE_BEAT, _seconds(0)) > _seconds(OUTAGE_SECONDS)
"""Whether there is an outage that has not been made good."""

MOVED: Final = Earlier(After(matches.c.deadline, SINCE_BEAT), After(Now(), matches.c.turn_seconds))
"""A deadline moved by an outage; a wait that began in it, or just before, gets one whole turn."""

COUNTED: Final = case((IN_OUTAGE, MOVED), else_=matches.c.deadline)
"""The deadline that counts."""

OVERTIME: Final = case((matches.c.deadline.is_not(None), Elapsed(Now(), COUNTED))).label("overtime")
"""`StoredMatch.overtime`."""


def begun(seconds: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the deadline of a wait that begins now; NULL where nobody is waited for."""
    return After(Now(), seconds)


def kept_or_begun(version: ColumnElement[Any], seconds: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the deadline of a row that is written: a new one with each step, else the one it has."""
    return case((matches.c.version == version, matches.c.deadline), else_=begun(seconds))
