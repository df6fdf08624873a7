"""The table of pairs that were drawn to be graded next: one row per batch."""

from __future__ import annotations

from relyon.judging.schema.columns import (
    id_column,
    metadata,
    reference,
    sa,
    text_column,
    time_column,
)

__all__ = ["pair_draws"]

pair_draws = sa.Table(
    "pair_draws",
    metadata,
    id_column(),
    reference("project_id", "projects.id"),
    reference("user_id", "users.id", nullable=True),
    # The fingerprint of the runs and rules, the same for all batches of a series.
    sa.Column("series", sa.Text, nullable=False),
    sa.Column("batch", sa.Integer, nullable=False),
    # The names of the runs, for display.
    text_column("title"),
    # The drawn pairs with their probabilities, and what was graded before the first batch, as JSON.
    sa.Column("drawn", sa.Text, nullable=False),
    text_column("known"),
    time_column(),
    sa.UniqueConstraint("project_id", "series", "batch"),
)
