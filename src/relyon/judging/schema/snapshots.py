"""Tables of snapshots: what an engine answered to all queries of a project."""

from __future__ import annotations

from relyon.judging.schema.columns import (
    id_column,
    metadata,
    reference,
    sa,
    text_column,
    time_column,
)

__all__ = ["snapshot_answers", "snapshots"]

snapshots = sa.Table(
    "snapshots",
    metadata,
    id_column(),
    reference("project_id", "projects.id"),
    reference("user_id", "users.id", nullable=True),
    sa.Column("name", sa.Text, nullable=False),
    # As the engine's file says; never its address.
    sa.Column("engine", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("variant", sa.Text, nullable=False),
    sa.Column("parameters", sa.JSON, nullable=False),
    sa.Column("k", sa.Integer, nullable=False),
    # The fingerprint of templates and paths: with another recipe it cannot go on.
    sa.Column("recipe", sa.Text, nullable=False),
    sa.Column("queries", sa.Integer, nullable=False),
    # open: some queries have no answer yet; whole.
    sa.Column("state", sa.Text, nullable=False),
    # Of the answers, once it is whole: as on a tape.
    text_column("checksum"),
    sa.Column("p50", sa.Double),
    sa.Column("p95", sa.Double),
    # Queries that the engine refused, queries without results, and requests sent again.
    sa.Column("failed", sa.Integer, nullable=False, server_default="0"),
    sa.Column("empty", sa.Integer, nullable=False, server_default="0"),
    sa.Column("retried", sa.Integer, nullable=False, server_default="0"),
    time_column(),
    time_column("ended_at", nullable=True),
    sa.CheckConstraint("state IN ('open', 'whole')", name="state"),
    sa.CheckConstraint("k >= 1", name="k"),
    sa.UniqueConstraint("project_id", "name"),
)

# One row per query: its answer is null until the engine has given it.
snapshot_answers = sa.Table(
    "snapshot_answers",
    metadata,
    id_column(),
    reference("snapshot_id", "snapshots.id"),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("query_text", sa.Text, nullable=False),
    # The entry of a tape, and the fields of its documents, as JSON.
    sa.Column("entry", sa.Text),
    text_column("documents"),
    sa.UniqueConstraint("snapshot_id", "query"),
)
