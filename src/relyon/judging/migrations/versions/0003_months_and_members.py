"""Members, invitations and identities; needs, samples and targets of projects; alarms sent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("projects") as table:
        table.add_column(
            sa.Column("members_only", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        table.add_column(sa.Column("target_agreement", sa.Double(), nullable=True))
    with op.batch_alter_table("jobs") as table:
        table.drop_constraint("kind", type_="check")
        table.create_check_constraint(
            "kind", "kind IN ('import', 'unpack', 'remove', 'model', 'correct')"
        )
    op.add_column(
        "items", sa.Column("removed", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.create_index(
        "ix_items_removed",
        "items",
        ["project_id"],
        sqlite_where=sa.text("removed = 1"),
        postgresql_where=sa.text("removed = true"),
    )
    with op.batch_alter_table("assignments") as table:
        table.drop_constraint("state", type_="check")
        table.create_check_constraint("state", "state IN ('open', 'later', 'done', 'removed')")
    with op.batch_alter_table("adjudications") as table:
        table.alter_column("grade", existing_type=sa.Double(), nullable=True)
    op.create_table(
        "results",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "query",
            sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("tier", sa.Text(), server_default="", nullable=False),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        sa.Column("low", sa.Double(), nullable=True),
        sa.Column("high", sa.Double(), nullable=True),
        sa.Column("spread", sa.Double(), nullable=False),
        sa.Column("noted", sa.Boolean(), nullable=False),
        sa.Column("imported", sa.Boolean(), nullable=False),
        sa.Column("acted_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"]),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.PrimaryKeyConstraint("item_id"),
    )
    for name in ("acted_at", "spread", "query"):
        op.create_index(
            f"ix_results_by_{name}", "results", ["project_id", "state", name, "item_id"]
        )
    op.create_index("ix_results_by_item_id", "results", ["project_id", "state", "item_id"])
    op.create_table(
        "result_marks",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("action_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.PrimaryKeyConstraint("project_id"),
    )
    op.create_table(
        "corrections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("grade", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("undoes", sa.Integer(), nullable=True),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('decide', 'reopen', 'reopen_others', 'remove', 'restore', 'undo')",
            name="kind",
        ),
        sa.CheckConstraint("state IN ('planned', 'running', 'done', 'stopped')", name="state"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.ForeignKeyConstraint(["undoes"], ["corrections.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("project_id", "request"),
    )
    op.create_table(
        "corrected",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("correction_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("applied", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("decision_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["correction_id"], ["corrections.id"]),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"]),
        sa.ForeignKeyConstraint(["decision_id"], ["adjudications.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("correction_id", "item_id"),
    )
    op.create_index("ix_corrected_item_id", "corrected", ["item_id"])
    op.create_table(
        "overrides",
        sa.Column("action_id", sa.Integer(), nullable=False),
        sa.Column("correction_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["action_id"], ["actions.id"]),
        sa.ForeignKeyConstraint(["correction_id"], ["corrections.id"]),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"]),
        sa.PrimaryKeyConstraint("action_id"),
    )
    op.create_index("ix_overrides_item_id", "overrides", ["item_id"])
    op.create_index("ix_overrides_correction_id", "overrides", ["correction_id"])
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("issuer", "subject"),
    )
    op.create_index("ix_identities_user_id", "identities", ["user_id"])
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=True),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=True),
        sa.Column("used_by", sa.Integer(), nullable=True),
        sa.Column("withdrawn_at", sa.Double(), nullable=True),
        sa.CheckConstraint("role IN ('judge', 'lead', 'admin')", name="role"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"]),
        sa.ForeignKeyConstraint(["used_by"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("secret_hash"),
    )
    op.create_table(
        "members",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("role IN ('judge', 'lead')", name="role"),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("project_id", "user_id"),
    )
    op.create_index("ix_members_user_id", "members", ["user_id"])
    op.create_table(
        "needs",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("need", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.PrimaryKeyConstraint("project_id", "query"),
    )
    op.create_table(
        "samples",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("month", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"]),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"]),
        sa.PrimaryKeyConstraint("project_id"),
    )
    op.create_table(
        "receivers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.true(), nullable=False),
        sa.Column("every_month", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("kind IN ('webhook', 'dingtalk', 'feishu', 'email')", name="kind"),
        sa.ForeignKeyConstraint(["created_by"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "messages",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("receiver_id", sa.Integer(), nullable=False),
        sa.Column("month", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("problem", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("due_at", sa.Double(), nullable=False),
        sa.Column("sent_at", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "state IN ('waiting', 'sending', 'sent', 'failed', 'unclear')", name="state"
        ),
        sa.ForeignKeyConstraint(["receiver_id"], ["receivers.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("receiver_id", "month"),
    )
    op.create_index("ix_messages_state_due_at", "messages", ["state", "due_at"])


def downgrade() -> None:
    for name in (
        "overrides",
        "corrected",
        "corrections",
        "result_marks",
        "results",
        "messages",
        "receivers",
        "samples",
        "needs",
        "members",
        "invitations",
        "identities",
    ):
        op.drop_table(name)
    with op.batch_alter_table("adjudications") as table:
        table.alter_column("grade", existing_type=sa.Double(), nullable=False)
    with op.batch_alter_table("assignments") as table:
        table.drop_constraint("state", type_="check")
        table.create_check_constraint("state", "state IN ('open', 'later', 'done')")
    op.drop_index("ix_items_removed", "items")
    with op.batch_alter_table("items") as table:
        table.drop_column("removed")
    with op.batch_alter_table("jobs") as table:
        table.drop_constraint("kind", type_="check")
        table.create_check_constraint("kind", "kind IN ('import', 'unpack', 'remove')")
    with op.batch_alter_table("projects") as table:
        table.drop_column("target_agreement")
        table.drop_column("members_only")
