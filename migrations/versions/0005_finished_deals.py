import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision: str | None = "0004"

DEAL_ENDED = sa.text("type IN ('deal_scored', 'deal_voided', 'deal_unfinished')")


def upgrade() -> None:
    op.create_index(
        "ix_events_deals",
        "events",
        ["match_id", "version"],
        postgresql_where=DEAL_ENDED,
        sqlite_where=DEAL_ENDED,
    )


def downgrade() -> None:
    op.drop_index("ix_events_deals", "events")
