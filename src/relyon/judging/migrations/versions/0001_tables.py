"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("scale", sa.JSON(), nullable=False),
        sa.Column("guideline_en", sa.Text(), server_default="", nullable=False),
        sa.Column("guideline_zh", sa.Text(), server_default="", nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("gold_share", sa.Double(), nullable=False),
        sa.Column("k", sa.Integer(), nullable=True),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("lease_seconds", sa.Double(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("kind IN ('grades', 'side_by_side')", name="kind"),
        sa.CheckConstraint("gold_share >= 0 AND gold_share < 1", name="gold_share"),
        sa.CheckConstraint("overlap >= 1", name="overlap"),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.UniqueConstraint("name", name="uq_projects_name"),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=True),
        sa.Column("active", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("role IN ('judge', 'lead', 'admin')", name="role"),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("name", name="uq_users_name"),
    )
    op.create_table(
        "items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("query_text", sa.Text(), server_default="", nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("snippet", sa.Text(), server_default="", nullable=False),
        sa.Column("url", sa.Text(), server_default="", nullable=False),
        sa.Column("image", sa.Text(), server_default="", nullable=False),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("tier", sa.Text(), server_default="", nullable=False),
        sa.Column("session", sa.Text(), server_default="", nullable=False),
        sa.Column("inclusion_probability", sa.Double(), nullable=True),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_items_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_items"),
        sa.UniqueConstraint(
            "project_id", "query", "document", name="uq_items_project_id_query_document"
        ),
    )
    op.create_table(
        "actions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("grade", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("(kind = 'grade') = (grade IS NOT NULL)", name="grade"),
        sa.CheckConstraint("(kind = 'undo') = (undoes IS NOT NULL)", name="undoes"),
        sa.CheckConstraint(
            "kind IN ('grade', 'cannot', 'skip', 'later', 'note', 'undo')", name="kind"
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_actions_item_id"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_actions_project_id"),
        sa.ForeignKeyConstraint(["undoes"], ["actions.id"], name="fk_actions_undoes"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_actions_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_actions"),
        sa.UniqueConstraint("undoes", name="uq_actions_undoes"),
        sa.UniqueConstraint("user_id", "key", name="uq_actions_user_id_key"),
    )
    op.create_index("ix_actions_item_id", "actions", ["item_id"])
    op.create_index("ix_actions_project_id_user_id", "actions", ["project_id", "user_id"])

    op.create_table(
        "adjudications",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("grade", sa.Double(), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_adjudications_item_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_adjudications_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_adjudications"),
        sa.UniqueConstraint("user_id", "key", name="uq_adjudications_user_id_key"),
    )
    op.create_index("ix_adjudications_item_id", "adjudications", ["item_id"])

    op.create_table(
        "gold",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("grade", sa.Double(), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_gold_item_id"),
        sa.PrimaryKeyConstraint("item_id", name="pk_gold"),
    )
    op.create_table(
        "lapses",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_lapses_item_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_lapses_user_id"),
        sa.PrimaryKeyConstraint("item_id", "user_id", name="pk_lapses"),
    )
    op.create_table(
        "sides",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("first", sa.Text(), nullable=False),
        sa.Column("second", sa.Text(), nullable=False),
        sa.Column("first_results", sa.JSON(), nullable=False),
        sa.Column("second_results", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_sides_item_id"),
        sa.PrimaryKeyConstraint("item_id", name="pk_sides"),
    )
    op.create_table(
        "assignments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=True),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("leased_until", sa.Double(), nullable=True),
        sa.Column("swapped", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("action_id", sa.Integer(), nullable=True),
        sa.CheckConstraint("state IN ('open', 'later', 'done')", name="state"),
        sa.ForeignKeyConstraint(["action_id"], ["actions.id"], name="fk_assignments_action_id"),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_assignments_item_id"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_assignments_project_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_assignments_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_assignments"),
        sa.UniqueConstraint("item_id", "slot", name="uq_assignments_item_id_slot"),
        sa.UniqueConstraint("item_id", "user_id", name="uq_assignments_item_id_user_id"),
    )
    op.create_index(
        "ix_assignments_project_id_state_user_id", "assignments", ["project_id", "state", "user_id"]
    )


def downgrade() -> None:
    op.drop_table("assignments")
    op.drop_table("sides")
    op.drop_table("lapses")
    op.drop_table("gold")
    op.drop_table("adjudications")
    op.drop_table("actions")
    op.drop_table("items")
    op.drop_table("users")
    op.drop_table("projects")
