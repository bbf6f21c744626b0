"""Deadlines in SQL: the database alone says what time it is, so replicas may disagree about that.

An outage is time in which no serving process beat; a clock that is set forward looks the same. While one has
not been made good, every statement that judges a deadline counts it; the first beat after it moves the
deadlines, and by then nobody counts it any more.

If the clock is set back, the last beat lies in the future. Until the first beat after that has moved the
deadlines back, every statement that judges a deadline or begins a wait takes the time of the last beat.
"""

from typing import Any, Final

from sqlalchemy import Float, case, func, literal_column, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.functions import FunctionElement

from service.db.tables import INSTANT, heartbeats, matches

OUTAGE_SECONDS: Final = 5
"""Nobody served if nobody beat for longer than this."""

SET_BACK_SECONDS: Final = 1
"""The clock was set back if it is behind the last beat by more than this.

A statement knows the time at which it began, and may read a beat that is a little later.
"""


class Now(FunctionElement[Any]):
    """The time of the database as a statement begins."""

    type = INSTANT
    inherit_cache = True


class Actual(FunctionElement[Any]):
    """The time of the database as this is evaluated."""

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


class Later(FunctionElement[Any]):
    """The later of two times; the first if the second is NULL."""

    type = INSTANT
    inherit_cache = True


def _parts(element: FunctionElement[Any], compiler: SQLCompiler, **kw: Any) -> list[str]:  # noqa: ANN401
    return [compiler.process(part, **kw) for part in element.clauses]


@compiles(Now, "postgresql")
def _now_postgresql(_element: Now, _compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401
    return "statement_timestamp()"


@compiles(Actual, "postgresql")
def _actual_postgresql(_element: Actual, _compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401
    return "clock_timestamp()"


@compiles(Now, "sqlite")
@compiles(Actual, "sqlite")
def _now_sqlite(_element: Now | Actual, _compiler: SQLCompiler, **_: Any) -> str:  # noqa: ANN401
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


@compiles(Later, "postgresql")
def _later_postgresql(element: Later, compiler: SQLCompiler, **kw: Any) -> str:  # noqa: ANN401
    return f"GREATEST({', '.join(_parts(element, compiler, **kw))})"


@compiles(Later, "sqlite")
def _later_sqlite(element: Later, compiler: SQLCompiler, **kw: Any) -> str:  # noqa: ANN401
    first, second = _parts(element, compiler, **kw)
    return f"MAX({first}, coalesce({second}, 0))"


def _seconds(number: float) -> ColumnElement[float]:
    return literal_column(str(number), Float())


LAST_BEAT: Final = select(func.max(heartbeats.c.seen_at)).correlate(None).scalar_subquery()
"""When somebody last beat; NULL where nobody ever did."""

SINCE_BEAT: Final = Elapsed(Now(), LAST_BEAT)
"""The seconds since somebody beat; NULL where nobody ever did."""

IN_OUTAGE: Final = func.coalesce(SINCE_BEAT, _seconds(0)) > _seconds(OUTAGE_SECONDS)
"""Whether there is an outage that has not been made good."""

IS_SET_BACK: Final = func.coalesce(Elapsed(Actual(), LAST_BEAT), _seconds(0)) < _seconds(-SET_BACK_SECONDS)
"""Whether the clock was set back and that has not been made good.

A statement that was held up has an old `Now`, so this asks for the time as it is evaluated.
"""

IS_TO_BE_MADE_GOOD: Final = or_(IN_OUTAGE, IS_SET_BACK)

TIME: Final = Later(Now(), LAST_BEAT)
"""The time by which deadlines are written and judged: never before the last beat."""

MOVED: Final = Earlier(After(matches.c.deadline, SINCE_BEAT), After(Now(), matches.c.turn_seconds))
"""A deadline moved by an outage or with the clock, to a whole turn from now at most."""

COUNTED: Final = case((IN_OUTAGE, MOVED), else_=matches.c.deadline)
"""The deadline that counts."""

OVERTIME: Final = case((matches.c.deadline.is_not(None), Elapsed(TIME, COUNTED))).label("overtime")
"""`StoredMatch.overtime`."""


def begun(seconds: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the deadline of a wait that begins now; NULL where nobody is waited for."""
    # Without a clock the last beat is not asked for.
    return case((seconds.is_not(None), After(TIME, seconds)))


def kept_or_begun(version: ColumnElement[Any], seconds: ColumnElement[Any]) -> ColumnElement[Any]:
    """Return the deadline of a row that is written: a new one with each step, else the one it has."""
    return case((matches.c.version == version, matches.c.deadline), else_=begun(seconds))
