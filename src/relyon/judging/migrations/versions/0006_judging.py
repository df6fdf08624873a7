"""Keys that are grades; items in the order in which they were given; seeds that nobody can guess.

Keys stood for the place of a grade in its scale. Projects in which somebody graded or decided, and
whose keys are others now, remember since when, so that their judges are told.
"""

from __future__ import annotations

import json
import secrets
import time
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

#: Seeds are below the prime that orders items.
SEEDS = 2**31 - 1


def upgrade() -> None:
    op.add_column("projects", sa.Column("keys_changed_at", sa.Double()))
    op.add_column(
        "assignments", sa.Column("given", sa.Integer(), nullable=False, server_default=sa.text("0"))
    )
    op.create_table(
        "key_notices",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["project_id"], ["projects.id"], name="fk_key_notices_project_id_projects"
        ),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_key_notices_user_id_users"),
        sa.PrimaryKeyConstraint("project_id", "user_id", name="pk_key_notices"),
    )
    connection = op.get_bind()
    _announce(connection)
    # The seed that everybody knows would say which items are gold. Sides have been drawn by theirs.
    guessed = "SELECT id FROM projects WHERE seed = 0 AND kind = 'grades'"
    for (project,) in connection.execute(sa.text(guessed)).all():
        connection.execute(
            sa.text("UPDATE projects SET seed = :seed WHERE id = :project"),
            {"seed": 1 + secrets.randbelow(SEEDS - 1), "project": project},
        )


def _announce(connection: sa.Connection) -> None:
    used = """
        SELECT id, scale FROM projects WHERE kind = 'grades' AND (
            EXISTS (SELECT 1 FROM actions WHERE actions.project_id = projects.id
                AND actions.key NOT LIKE :imported)
            OR EXISTS (SELECT 1 FROM adjudications JOIN items ON items.id = adjudications.item_id
                WHERE items.project_id = projects.id))
    """
    for project, scale in connection.execute(sa.text(used), {"imported": "import %"}).all():
        if _keys_change(json.loads(scale) if isinstance(scale, str) else scale):
            connection.execute(
                sa.text("UPDATE projects SET keys_changed_at = :now WHERE id = :project"),
                {"now": time.time(), "project": project},
            )


def _keys_change(scale: dict[str, Any]) -> bool:
    """Says whether the keys of a scale are others than the places of its grades."""
    grades = [level["grade"] for level in scale["levels"]]
    return bool(grades) and grades != [place + 1 for place in range(len(grades))]


def downgrade() -> None:
    op.drop_table("key_notices")
    op.drop_column("assignments", "given")
    op.drop_column("projects", "keys_changed_at")
