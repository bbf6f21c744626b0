import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision: str | None = "0002"

ID = sa.Uuid().with_variant(sa.LargeBinary(16), "sqlite")
INSTANT = sa.DateTime(timezone=True).with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "presence",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("replica", sa.Text, nullable=False),
        sa.Column("here", sa.Integer, nullable=False),
        sa.Column("since", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", "replica", name="pk_presence"),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name="fk_presence_match_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_index("ix_presence_since", "presence", ["since"])


def downgrade() -> None:
    op.drop_table("presence")
