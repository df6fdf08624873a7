"""All tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
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
    op.create_index("ix_attempts_created_at", "attempts", ["created_at"])
    op.create_index("ix_attempts_key_hash_created_at", "attempts", ["key_hash", "created_at"])
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("actor", sa.Text(), server_default="", nullable=False),
        sa.Column("address", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_actor_id", "events", ["actor", "id"])
    op.create_index("ix_events_created_at", "events", ["created_at"])
    op.create_index("ix_events_kind_id", "events", ["kind", "id"])
    op.create_table(
        "llm_answers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("grade", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("problem", sa.Text(), server_default="", nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("(grade IS NULL) = (problem <> '')", name="grade"),
        sa.PrimaryKeyConstraint("id", name="pk_llm_answers"),
        sa.UniqueConstraint(
            "request_hash", "sample", "attempt", name="uq_llm_answers_request_hash_sample_attempt"
        ),
    )
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("scale", sa.JSON(), nullable=False),
        sa.Column("guideline", sa.JSON(), server_default="{}", nullable=False),
        sa.Column("overlap", sa.Integer(), nullable=False),
        sa.Column("gold_share", sa.Double(), nullable=False),
        sa.Column("k", sa.Integer(), nullable=True),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("lease_seconds", sa.Double(), nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("keys_changed_at", sa.Double(), nullable=True),
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
        sa.Column("machine", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=True),
        sa.Column("must_change", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("role IN ('judge', 'lead', 'admin')", name="role"),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("name", name="uq_users_name"),
    )
    op.create_index("ix_users_name_key", "users", ["name_key"], unique=True)
    op.create_table(
        "browsers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("address_hash", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_browsers_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_browsers"),
        sa.UniqueConstraint("user_id", "secret_hash", name="uq_browsers_user_id_secret_hash"),
    )
    op.create_index("ix_browsers_user_id_address_hash", "browsers", ["user_id", "address_hash"])
    op.create_table(
        "items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("query_text", sa.Text(), server_default="", nullable=False),
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
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_items_project_id"),
        sa.PrimaryKeyConstraint("id", name="pk_items"),
        sa.UniqueConstraint(
            "project_id", "query", "document", name="uq_items_project_id_query_document"
        ),
    )
    op.create_index("ix_items_project_id_place", "items", ["project_id", "place"])
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
    op.create_table(
        "key_notices",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name="fk_key_notices_project_id"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_key_notices_user_id"),
        sa.PrimaryKeyConstraint("project_id", "user_id", name="pk_key_notices"),
    )
    op.create_table(
        "llm_configurations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("samples", sa.Integer(), nullable=False),
        sa.Column("parameters", sa.JSON(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("samples >= 1", name="samples"),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_llm_configurations_project_id"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_llm_configurations_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_llm_configurations"),
        sa.UniqueConstraint(
            "project_id",
            "user_id",
            "digest",
            name="uq_llm_configurations_project_id_user_id_digest",
        ),
        sa.UniqueConstraint(
            "project_id",
            "user_id",
            "version",
            name="uq_llm_configurations_project_id_user_id_version",
        ),
    )
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.Column("agent", sa.Text(), server_default="", nullable=False),
        sa.Column("address", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sign_ins_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_sign_ins"),
        sa.UniqueConstraint("secret_hash", name="uq_sign_ins_secret_hash"),
    )
    op.create_index("ix_sign_ins_user_id", "sign_ins", ["user_id"])
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), server_default="read", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=True),
        sa.Column("used_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_tokens_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("secret_hash", name="uq_tokens_secret_hash"),
    )
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])
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
    op.create_index(
        "ix_actions_project_id_user_id_kind_item_id_seconds",
        "actions",
        ["project_id", "user_id", "kind", "item_id", "seconds"],
    )
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
    op.create_index("ix_lapses_user_id", "lapses", ["user_id"])
    op.create_table(
        "llm_acceptances",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("configuration_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.Column("kappa", sa.Double(), nullable=True),
        sa.Column("weighted_kappa", sa.Double(), nullable=True),
        sa.Column("report", sa.JSON(), nullable=False),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["configuration_id"],
            ["llm_configurations.id"],
            name="fk_llm_acceptances_configuration_id",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_llm_acceptances_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_llm_acceptances"),
    )
    op.create_table(
        "llm_requests",
        sa.Column("configuration_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["configuration_id"], ["llm_configurations.id"], name="fk_llm_requests_configuration_id"
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_llm_requests_item_id"),
        sa.PrimaryKeyConstraint("configuration_id", "item_id", name="pk_llm_requests"),
    )
    op.create_index("ix_llm_requests_item_id", "llm_requests", ["item_id"])
    op.create_index("ix_llm_requests_request_hash", "llm_requests", ["request_hash"])
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
        sa.Column("given", sa.Integer(), server_default=sa.text("0"), nullable=False),
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
    op.create_index("ix_assignments_action_id", "assignments", ["action_id"])
    op.create_index(
        "ix_assignments_project_id_state_user_id", "assignments", ["project_id", "state", "user_id"]
    )
    op.create_index(
        "ix_assignments_project_id_user_id_item_id",
        "assignments",
        ["project_id", "user_id", "item_id"],
    )


def downgrade() -> None:
    for name in (
        "assignments",
        "sides",
        "llm_requests",
        "llm_acceptances",
        "lapses",
        "gold",
        "adjudications",
        "actions",
        "tokens",
        "sign_ins",
        "llm_configurations",
        "key_notices",
        "jobs",
        "items",
        "browsers",
        "users",
        "projects",
        "llm_answers",
        "events",
        "attempts",
    ):
        op.drop_table(name)
