"""A random key of each new project, on which gold turns, orders, sides and item numbers depend.

Projects that exist keep the keys that depend on their seed: browsers keep numbers of their items.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("projects", sa.Column("random_key", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("projects") as table:
        table.drop_column("random_key")
