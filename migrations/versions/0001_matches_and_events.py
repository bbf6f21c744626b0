import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None

ID = sa.Uuid().with_variant(sa.LargeBinary(16), "sqlite")
INSTANT = sa.DateTime(timezone=True).with_variant(sa.Integer(), "sqlite")
LISTED = sa.text("visibility = 'public'")


def upgrade() -> None:
    op.create_table(
        "matches",
        sa.Column("id", ID, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("visibility", sa.Text, nullable=False),
        sa.Column("ruleset", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("generations", sa.Text, nullable=False),
        sa.Column("snapshot", sa.LargeBinary, nullable=False),
        sa.Column("join_digest", sa.LargeBinary, nullable=True),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.Column("finished_at", INSTANT, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_matches"),
        sa.UniqueConstraint("join_digest", name="uq_matches_join_digest"),
        sa.CheckConstraint("version >= 1", name=op.f("ck_matches_version")),
        sqlite_strict=True,
    )
    for name, columns in (
        ("ix_matches_public", ["id"]),
        ("ix_matches_public_status", ["status", "id"]),
    ):
        op.create_index(name, "matches", columns, postgresql_where=LISTED, sqlite_where=LISTED)
    op.create_table(
        "events",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, nullable=True),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("action", sa.LargeBinary, nullable=True),
        sa.Column("nonce", sa.LargeBinary, nullable=True),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seq", name="pk_events"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_events_match_id"),
        sa.CheckConstraint("seq >= 1", name=op.f("ck_events_seq")),
        sa.CheckConstraint("version >= 1", name=op.f("ck_events_version")),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("events")
    op.drop_table("matches")
