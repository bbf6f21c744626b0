import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision: str | None = "0003"

LISTED = sa.text("visibility = 'public'")


def upgrade() -> None:
    for name, columns in (
        ("ix_matches_public_ruleset", ["ruleset", "id"]),
        ("ix_matches_public_ruleset_status", ["ruleset", "status", "id"]),
    ):
        op.create_index(name, "matches", columns, postgresql_where=LISTED, sqlite_where=LISTED)


def downgrade() -> None:
    op.drop_index("ix_matches_public_ruleset_status", "matches")
    op.drop_index("ix_matches_public_ruleset", "matches")
