from typing import Final

from sqlalchemy import (
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

ID: Final = Uuid().with_variant(LargeBinary(16), "sqlite")
"""A UUID; in SQLite its sixteen bytes."""

INSTANT: Final = DateTime(timezone=True).with_variant(Integer(), "sqlite")
"""A time in UTC to the microsecond; in SQLite the microseconds since 1970."""

metadata: Final = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)

matches: Final = Table(
    "matches",
    metadata,
    Column("id", ID, nullable=False),
    Column("status", Text, nullable=False),
    Column("visibility", Text, nullable=False),
    Column("ruleset", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("generations", Text, nullable=False),
    Column("snapshot", LargeBinary, nullable=False),
    Column("join_digest", LargeBinary, nullable=True),
    Column("created_at", INSTANT, nullable=False),
    Column("updated_at", INSTANT, nullable=False),
    Column("finished_at", INSTANT, nullable=True),
    Column("turn_seconds", Integer, nullable=True),
    Column("deadline", INSTANT, nullable=True),
    PrimaryKeyConstraint("id"),
    UniqueConstraint("join_digest"),
    CheckConstraint("version >= 1", name="version"),
    sqlite_strict=True,
)
"""One row a match; the columns are the first fields of `service.db.rows.StoredMatch`."""

# Private matches are most of them and never listed, so they stay out of these indexes; there is one for
# each pair of conditions, for a page of few matches must not be looked for among many finished ones.
LISTED: Final = text("visibility = 'public'")
for _name, _columns in (
    ("ix_matches_public", ()),
    ("ix_matches_public_status", (matches.c.status,)),
    ("ix_matches_public_ruleset", (matches.c.ruleset,)),
    ("ix_matches_public_ruleset_status", (matches.c.ruleset, matches.c.status)),
):
    Index(_name, *_columns, matches.c.id, postgresql_where=LISTED, sqlite_where=LISTED)

# Few matches wait for a player at a time, and the sweepers look for those whose time is up.
RUNNING: Final = text("deadline IS NOT NULL")
Index("ix_matches_deadline", matches.c.deadline, postgresql_where=RUNNING, sqlite_where=RUNNING)

events: Final = Table(
    "events",
    metadata,
    Column("match_id", ID, ForeignKey(matches.c.id), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("type", Text, nullable=False),
    Column("seat", Integer, nullable=True),
    Column("at", INSTANT, nullable=False),
    Column("action", LargeBinary, nullable=True),
    Column("nonce", LargeBinary, nullable=True),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("match_id", "seq"),
    CheckConstraint("seq >= 1", name="seq"),
    CheckConstraint("version >= 1", name="version"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""One row an event; the columns are the fields of `service.db.rows.StoredEvent`."""

# A deal ends with exactly one of these events, so the n-th of a match is that of deal n.
DEAL_ENDED: Final = text("type IN ('deal_scored', 'deal_voided', 'deal_unfinished')")
Index(
    "ix_events_deals",
    events.c.match_id,
    events.c.version,
    postgresql_where=DEAL_ENDED,
    sqlite_where=DEAL_ENDED,
)

heartbeats: Final = Table(
    "heartbeats",
    metadata,
    Column("replica", Text, nullable=False),
    Column("seen_at", INSTANT, nullable=False),
    PrimaryKeyConstraint("replica"),
    sqlite_strict=True,
)
"""One row a serving process: when it last was up and reached the database, by the database's time."""

presence: Final = Table(
    "presence",
    metadata,
    Column("match_id", ID, ForeignKey(matches.c.id), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("replica", Text, nullable=False),
    Column("here", Integer, nullable=False),
    Column("since", INSTANT, nullable=False),
    PrimaryKeyConstraint("match_id", "seat", "replica"),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""One row a seat that has, or last had, a stream at a process: 1 or 0, and since when.

It is written when a seat's first stream there opens and its last one closes; a process that has stopped
beating has no streams.
"""
# Who looks for what has changed lately finds it without reading the rest.
Index("ix_presence_since", presence.c.since)
