"""Guidelines by language in one column: a new language needs no new column."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

LANGUAGES = ("en", "zh")
PROJECTS = sa.table(
    "projects",
    sa.column("id", sa.Integer),
    sa.column("guideline", sa.JSON),
    *(sa.column(f"guideline_{language}", sa.Text) for language in LANGUAGES),
)


def upgrade() -> None:
    op.add_column(
        "projects", sa.Column("guideline", sa.JSON(), server_default="{}", nullable=False)
    )
    bind = op.get_bind()
    for row in bind.execute(sa.select(PROJECTS)).mappings().all():
        texts = {language: row[f"guideline_{language}"] for language in LANGUAGES}
        said = {language: text for language, text in texts.items() if text}
        bind.execute(sa.update(PROJECTS).where(PROJECTS.c.id == row["id"]).values(guideline=said))
    for language in LANGUAGES:
        op.drop_column("projects", f"guideline_{language}")


def downgrade() -> None:
    for language in LANGUAGES:
        op.add_column(
            "projects",
            sa.Column(f"guideline_{language}", sa.Text(), server_default="", nullable=False),
        )
    bind = op.get_bind()
    for row in bind.execute(sa.select(PROJECTS.c.id, PROJECTS.c.guideline)).all():
        texts = {f"guideline_{one}": row.guideline.get(one, "") for one in LANGUAGES}
        bind.execute(sa.update(PROJECTS).where(PROJECTS.c.id == row.id).values(**texts))
    op.drop_column("projects", "guideline")
