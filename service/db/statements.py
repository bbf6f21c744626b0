"""Statements are built and compiled once; sessions hand their text to the drivers."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Final, Generic, TypeVar

from sqlalchemy import (
    ARRAY,
    Column,
    Delete,
    Insert,
    Integer,
    Select,
    Table,
    Text,
    Update,
    any_,
    bindparam,
    column,
    func,
    insert,
    select,
    union_all,
    update,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.elements import ColumnElement
from sqlalchemy.sql.selectable import CTE

from service.db.deadlines import OVERTIME, begun, kept_or_begun
from service.db.rows import StoredMatch
from service.db.tables import ID, events, matches

R = TypeVar("R")

CHANGING: Final = (
    "status",
    "version",
    "generations",
    "snapshot",
    "join_digest",
    "updated_at",
    "finished_at",
    "turn_seconds",
)
"""The columns of ``matches`` that a step may change; it changes the deadline by the last of them."""

MATCH_FIELDS: Final = tuple(one.name for one in matches.c)
EVENT_FIELDS: Final = tuple(one.name for one in events.c)

match_fields: Final = attrgetter(*MATCH_FIELDS)
"""Returns a `StoredMatch` as its columns, in their order."""


class Query(Generic[R]):
    """A SELECT with named parameters, and what each row becomes."""

    def __init__(self, statement: Select[*tuple[object, ...]], into: Callable[..., R]) -> None:
        self.statement = statement
        self.into = into


class Command:
    """A statement that changes rows and returns none, with named parameters."""

    def __init__(self, statement: Insert | Update | Delete) -> None:
        self.statement = statement


class Prepared:
    """A statement as text for one driver, whose parameters have an order instead of names."""

    def __init__(
        self, statement: Select[*tuple[object, ...]] | Insert | Update | Delete, dialect: Dialect
    ) -> None:
        compiled = statement.compile(dialect=dialect)
        self.sql: str = str(compiled)
        self.names: tuple[str, ...] = tuple(compiled.positiontup or ())
        self._written: dict[str, object] = dict(compiled.params)

    def arguments(self, values: Mapping[str, object]) -> list[object]:
        """Return the values in order, with those that the statement was written with."""
        known = {**self._written, **values}
        return [known[name] for name in self.names]


@cache
def rows_by_ids(count: int, *, judged: bool = False) -> Query[StoredMatch]:
    """Return the query for the matches ``id_0`` to ``id_<count - 1>``, with their overtime to be judged."""
    ids = [bindparam(f"id_{number}", type_=ID) for number in range(count)]
    found = select(matches, OVERTIME) if judged else select(matches)
    return Query(found.where(matches.c.id.in_(ids)), StoredMatch)


ROWS_BY_ARRAY: Final = Query(
    select(matches, OVERTIME).where(matches.c.id == any_(bindparam("ids", type_=ARRAY(ID)))), StoredMatch
)
"""The matches whose ids are in the array ``ids``, to be judged."""

INSERT_MATCH: Final = insert(matches).values(
    {name: bindparam(name) for name in MATCH_FIELDS}
    | {"deadline": begun(bindparam("turn_seconds", type_=Integer))}
)
INSERT_EVENT: Final = insert(events).values({name: bindparam(name) for name in EVENT_FIELDS})
UPDATE_MATCH: Final = (
    update(matches)
    .values({name: bindparam(name) for name in CHANGING})
    .values(
        deadline=kept_or_begun(bindparam("version", type_=Integer), bindparam("turn_seconds", type_=Integer))
    )
    .where(
        matches.c.id == bindparam("match"),
        matches.c.version == bindparam("read_version"),
        matches.c.generations == bindparam("read_generations"),
    )
)
"""Changes the row that was read, or no row: the count says who won."""

DEADLINE: Final = select(matches.c.deadline).where(matches.c.id == bindparam("match", type_=ID))


def _unnested(table: Table, prefix: str, more: Sequence[Column[object]] = ()) -> CTE:
    """Return arrays ``<prefix>_<column>`` side by side, one row an element."""
    columns: list[ColumnElement[object]] = [column(one.name, one.type) for one in (*table.c, *more)]
    arrays = [bindparam(f"{prefix}_{one.name}", type_=ARRAY(one.type)) for one in (*table.c, *more)]
    rows = func.unnest(*arrays).table_valued(*columns, name=prefix).render_derived()
    return select(*rows.c).cte(f"{prefix}_rows")


def _save_batch() -> Select[*tuple[object, ...]]:
    """Build the one statement that saves a batch and returns the ids of those that won, with deadlines.

    Rows are locked in the order of their ids, so that two writers wait for each other and never
    block each other for good. Of two that read the same version the second finds it moved.
    """
    saved = _unnested(matches, "match", (Column("read_version", Integer), Column("read_generations", Text)))
    happened = _unnested(events, "event")
    read = select(saved.c.id).where(saved.c.read_version.is_not(None))
    locked = (
        select(matches.c.id)
        .where(matches.c.id.in_(read))
        .order_by(matches.c.id)
        .with_for_update(key_share=True)
        .cte("locked")
    )
    moved = (
        update(matches)
        .values({name: saved.c[name] for name in CHANGING})
        .values(deadline=kept_or_begun(saved.c.version, saved.c.turn_seconds))
        .where(
            matches.c.id == saved.c.id,
            matches.c.id == locked.c.id,
            matches.c.version == saved.c.read_version,
            matches.c.generations == saved.c.read_generations,
        )
        .returning(matches.c.id, matches.c.deadline)
        .cte("moved")
    )
    made = (
        insert(matches)
        .from_select(
            MATCH_FIELDS,
            select(
                *(
                    begun(saved.c.turn_seconds) if name == "deadline" else saved.c[name]
                    for name in MATCH_FIELDS
                )
            ).where(saved.c.read_version.is_(None)),
        )
        .returning(matches.c.id, matches.c.deadline)
        .cte("made")
    )
    won = union_all(select(moved), select(made)).cte("won")
    logged = (
        insert(events)
        .from_select(
            EVENT_FIELDS,
            select(*(happened.c[name] for name in EVENT_FIELDS)).where(
                happened.c.match_id.in_(select(won.c.id))
            ),
        )
        .cte("logged")
    )
    return select(won).add_cte(logged)


SAVE_BATCH: Final = _save_batch()
