"""Snapshots: what an engine answered to all queries of a project, and the jobs that ask it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("jobs") as table:
        table.drop_constraint("kind", type_="check")
        table.create_check_constraint(
            "kind", "kind IN ('import', 'unpack', 'remove', 'model', 'correct', 'search')"
        )
    op.create_table(
        "snapshots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("k", sa.Integer(), nullable=False),
        sa.Column("recipe", sa.Text(), nullable=False),
        sa.Column("queries", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("checksum", sa.Text(), server_default="", nullable=False),
        sa.Column("p50", sa.Double(), nullable=True),
        sa.Column("p95", sa.Double(), nullable=True),
        sa.Column("failed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("empty", sa.Integer(), server_default="0", nullable=False),
        sa.Column("retried", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.CheckConstraint("state IN ('open', 'whole')", name="state"),
        sa.CheckConstraint("k >= 1", name="k"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project_id", "name"),
    )
    op.create_table(
        "snapshot_answers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("snapshot_id", sa.Integer(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("query_text", sa.Text(), nullable=False),
        sa.Column("entry", sa.Text(), nullable=True),
        sa.Column("documents", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["snapshot_id"], ["snapshots.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("snapshot_id", "query"),
    )


def downgrade() -> None:
    op.drop_table("snapshot_answers")
    op.drop_table("snapshots")
    op.execute("DELETE FROM jobs WHERE kind = 'search'")
    with op.batch_alter_table("jobs") as table:
        table.drop_constraint("kind", type_="check")
        table.create_check_constraint(
            "kind", "kind IN ('import', 'unpack', 'remove', 'model', 'correct')"
        )
