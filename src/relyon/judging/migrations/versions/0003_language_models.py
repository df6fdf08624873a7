"""Language models as judges: their settings, what they answered, and who accepted them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "users", sa.Column("machine", sa.Boolean(), server_default=sa.false(), nullable=False)
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
        "llm_requests",
        sa.Column("configuration_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["configuration_id"],
            ["llm_configurations.id"],
            name="fk_llm_requests_configuration_id",
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name="fk_llm_requests_item_id"),
        sa.PrimaryKeyConstraint("configuration_id", "item_id", name="pk_llm_requests"),
    )
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


def downgrade() -> None:
    op.drop_table("llm_acceptances")
    op.drop_table("llm_answers")
    op.drop_table("llm_requests")
    op.drop_table("llm_configurations")
    op.drop_column("users", "machine")
