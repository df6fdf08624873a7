"""Tables of language models: their prompts, requests, answers and acceptance."""

from __future__ import annotations

from relyon.judging.schema.columns import (
    id_column,
    metadata,
    reference,
    sa,
    text_column,
    time_column,
)

__all__ = [
    "llm_acceptances",
    "llm_answers",
    "llm_configurations",
    "llm_probes",
    "llm_requests",
]


llm_configurations = sa.Table(
    "llm_configurations",
    metadata,
    id_column(),
    reference("project_id", "projects.id"),
    reference("user_id", "users.id"),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("endpoint", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("samples", sa.Integer, nullable=False),
    sa.Column("parameters", sa.JSON, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("prompt", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    time_column(),
    sa.CheckConstraint("samples >= 1", name="samples"),
    sa.UniqueConstraint("project_id", "user_id", "version"),
    sa.UniqueConstraint("project_id", "user_id", "digest"),
)

llm_requests = sa.Table(
    "llm_requests",
    metadata,
    sa.Column(
        "configuration_id", sa.Integer, sa.ForeignKey("llm_configurations.id"), primary_key=True
    ),
    sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
    # Of the endpoint and the whole request: the same request is sent once, in any project.
    sa.Column("request_hash", sa.Text, nullable=False),
    sa.Index(None, "item_id"),
    sa.Index(None, "request_hash"),
)

llm_probes = sa.Table(
    "llm_probes",
    metadata,
    sa.Column(
        "configuration_id", sa.Integer, sa.ForeignKey("llm_configurations.id"), primary_key=True
    ),
    sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
    sa.Column("probe", sa.Text, primary_key=True),
    # Why the item was chosen: at random, or because it is not relevant.
    text_column("drawn"),
    sa.Column("request_hash", sa.Text, nullable=False),
    sa.Index(None, "item_id"),
    sa.Index(None, "request_hash"),
)

llm_answers = sa.Table(
    "llm_answers",
    metadata,
    id_column(),
    sa.Column("request_hash", sa.Text, nullable=False),
    sa.Column("sample", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    text_column("content"),
    sa.Column("grade", sa.Double),
    text_column("reason"),
    text_column("problem"),
    sa.Column("prompt_tokens", sa.Integer, nullable=False),
    sa.Column("completion_tokens", sa.Integer, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),
    time_column(),
    sa.CheckConstraint("(grade IS NULL) = (problem <> '')", name="grade"),
    sa.UniqueConstraint("request_hash", "sample", "attempt"),
)

llm_acceptances = sa.Table(
    "llm_acceptances",
    metadata,
    id_column(),
    reference("configuration_id", "llm_configurations.id"),
    reference("user_id", "users.id"),
    sa.Column("accepted", sa.Boolean, nullable=False),
    sa.Column("items", sa.Integer, nullable=False),
    sa.Column("kappa", sa.Double),
    sa.Column("weighted_kappa", sa.Double),
    sa.Column("report", sa.JSON, nullable=False),
    text_column("note"),
    time_column(),
)
