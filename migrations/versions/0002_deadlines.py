import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision: str | None = "0001"

INSTANT = sa.DateTime(timezone=True).with_variant(sa.Integer(), "sqlite")
RUNNING = sa.text("deadline IS NOT NULL")


def upgrade() -> None:
    op.add_column("matches", sa.Column("turn_seconds", sa.Integer, nullable=True))
    op.add_column("matches", sa.Column("deadline", INSTANT, nullable=True))
    op.create_index(
        "ix_matches_deadline", "matches", ["deadline"], postgresql_where=RUNNING, sqlite_where=RUNNING
    )
    op.create_table(
        "heartbeats",
        sa.Column("replica", sa.Text, nullable=False),
        sa.Column("seen_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("replica", name="pk_heartbeats"),
        sqlite_strict=True,
    )


def downgrade() -> None:
    op.drop_table("heartbeats")
    op.drop_index("ix_matches_deadline", "matches")
    op.drop_column("matches", "deadline")
    op.drop_column("matches", "turn_seconds")
