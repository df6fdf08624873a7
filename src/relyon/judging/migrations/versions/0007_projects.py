"""Projects that are closed or removed; imports and other long work, by job."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("worker", sa.Text(), server_default="", nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("done", sa.Integer(), server_default="0", nullable=False),
        sa.Column("total", sa.Integer(), server_default="0", nullable=False),
        sa.Column("items", sa.Integer(), server_default="0", nullable=False),
        sa.Column("grades", sa.Integer(), server_default="0", nullable=False),
        sa.Column("first_item", sa.Integer(), nullable=True),
        sa.Column("last_item", sa.Integer(), nullable=True),
        sa.Column("message", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("kind IN ('import', 'unpack', 'remove')", name="kind"),
        sa.CheckConstraint(
            "state IN ('running', 'stopping', 'done', 'failed', 'stopped')", name="state"
        ),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_jobs_project_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_jobs_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_project_id_state", "jobs", ["project_id", "state"])
    op.add_column("projects", sa.Column("state", sa.Text(), server_default="open", nullable=False))
    op.add_column("items", sa.Column("job_id", sa.Integer(), nullable=True))
    # What a judge did is counted without reading the rows.
    op.drop_index("ix_assignments_project_id_user_id", "assignments")
    op.create_index(
        "ix_assignments_project_id_user_id_item_id",
        "assignments",
        ["project_id", "user_id", "item_id"],
    )
    op.drop_index("ix_actions_project_id_user_id", "actions")
    op.create_index(
        "ix_actions_project_id_user_id_kind_item_id_seconds",
        "actions",
        ["project_id", "user_id", "kind", "item_id", "seconds"],
    )
    op.create_index("ix_lapses_user_id", "lapses", ["user_id"])
    # What refers to a row is found when that is removed.
    op.create_index("ix_assignments_action_id", "assignments", ["action_id"])
    op.create_index("ix_llm_requests_item_id", "llm_requests", ["item_id"])
    op.create_index("ix_llm_requests_request_hash", "llm_requests", ["request_hash"])


def downgrade() -> None:
    op.drop_index("ix_llm_requests_request_hash", "llm_requests")
    op.drop_index("ix_llm_requests_item_id", "llm_requests")
    op.drop_index("ix_assignments_action_id", "assignments")
    op.drop_index("ix_lapses_user_id", "lapses")
    op.drop_index("ix_actions_project_id_user_id_kind_item_id_seconds", "actions")
    op.create_index("ix_actions_project_id_user_id", "actions", ["project_id", "user_id"])
    op.drop_index("ix_assignments_project_id_user_id_item_id", "assignments")
    op.create_index("ix_assignments_project_id_user_id", "assignments", ["project_id", "user_id"])
    op.drop_column("items", "job_id")
    op.drop_column("projects", "state")
    op.drop_table("jobs")
