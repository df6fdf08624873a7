"""Wrong passwords, counted for all processes of the app; items by their place in random orders."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_attempts"),
    )
    op.create_index("ix_attempts_key_hash_created_at", "attempts", ["key_hash", "created_at"])
    op.create_index("ix_attempts_created_at", "attempts", ["created_at"])
    op.create_index("ix_items_project_id_place", "items", ["project_id", "place"])
    op.create_index("ix_assignments_project_id_user_id", "assignments", ["project_id", "user_id"])


def downgrade() -> None:
    op.drop_index("ix_assignments_project_id_user_id", "assignments")
    op.drop_index("ix_items_project_id_place", "items")
    op.drop_table("attempts")
