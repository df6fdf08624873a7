"""Probes of language models: which changed copy of an item was asked in which request."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("jobs") as table:
        table.drop_constraint("kind", type_="check")
        table.create_check_constraint(
            "kind",
            "kind IN ('import', 'unpack', 'remove', 'model', 'correct', 'search', 'audit')",
        )
    op.create_table(
        "llm_probes",
        sa.Column("configuration_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("probe", sa.Text(), nullable=False),
        sa.Column("drawn", sa.Text(), server_default="", nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["configuration_id"], ["llm_configurations.id"]),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"]),
        sa.PrimaryKeyConstraint("configuration_id", "item_id", "probe"),
    )
    op.create_index("ix_llm_probes_item_id", "llm_probes", ["item_id"])
    op.create_index("ix_llm_probes_request_hash", "llm_probes", ["request_hash"])


def downgrade() -> None:
    op.drop_table("llm_probes")
    op.execute("DELETE FROM jobs WHERE kind = 'audit'")
    with op.batch_alter_table("jobs") as table:
        table.drop_constraint("kind", type_="check")
        table.create_check_constraint(
            "kind", "kind IN ('import', 'unpack', 'remove', 'model', 'correct', 'search')"
        )
