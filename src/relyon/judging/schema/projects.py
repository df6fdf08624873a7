"""Tables of projects: their items, places, grades and decisions."""

from __future__ import annotations

from dataclasses import fields

from relyon.judging.records import Item
from relyon.judging.schema.columns import (
    id_column,
    metadata,
    reference,
    sa,
    text_column,
    time_column,
)

__all__ = [
    "actions",
    "adjudications",
    "assignments",
    "gold",
    "items",
    "jobs",
    "key_notices",
    "lapses",
    "members",
    "needs",
    "projects",
    "samples",
    "sides",
]


#: The type of an item's column, by the type of its part, without type arguments.
COLUMN_TYPES: dict[str, type[sa.Text | sa.Integer | sa.Double[float] | sa.JSON]] = {
    "str": sa.Text,
    "int | None": sa.Integer,
    "float | None": sa.Double,
    "Mapping": sa.JSON,
}


def _item_columns() -> list[sa.Column[object]]:
    """Returns a column for every part of an item except its id."""
    return [
        sa.Column(
            one.name,
            COLUMN_TYPES[str(one.type).partition("[")[0]],
            nullable="None" in str(one.type),
            server_default="" if one.default == "" else None,
        )
        for one in fields(Item)
        if one.name != "id"
    ]


projects = sa.Table(
    "projects",
    metadata,
    id_column(),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("scale", sa.JSON, nullable=False),
    # Texts by language.
    sa.Column("guideline", sa.JSON, nullable=False, server_default="{}"),
    sa.Column("overlap", sa.Integer, nullable=False),
    sa.Column("gold_share", sa.Double, nullable=False),
    sa.Column("k", sa.Integer),
    sa.Column("seed", sa.Integer, nullable=False),
    sa.Column("lease_seconds", sa.Double, nullable=False),
    # open; closed: read only, and hidden from judges; making, removing, removed: hidden.
    sa.Column("state", sa.Text, nullable=False, server_default="open"),
    time_column(),
    # Since when a key is the grade itself, not its position on the scale.
    sa.Column("keys_changed_at", sa.Double),
    # What judges must not guess depends on it; empty if it depends on the seed.
    sa.Column("random_key", sa.Text, nullable=False, server_default=""),
    # Whether only members see it, or everybody.
    sa.Column("members_only", sa.Boolean, nullable=False, server_default=sa.false()),
    # The agreement (ordinal alpha) below which a month asks before it is stored.
    sa.Column("target_agreement", sa.Double),
    sa.CheckConstraint("kind IN ('grades', 'side_by_side')", name="kind"),
    sa.CheckConstraint("overlap >= 1", name="overlap"),
    sa.CheckConstraint("gold_share >= 0 AND gold_share < 1", name="gold_share"),
)

key_notices = sa.Table(
    "key_notices",
    metadata,
    sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), primary_key=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), primary_key=True),
    time_column(),
)

items = sa.Table(
    "items",
    metadata,
    id_column(),
    reference("project_id", "projects.id"),
    *_item_columns(),
    sa.Column("place", sa.BigInteger, nullable=False),
    # The import that added it, if in batches: no judge gets it before the import is done.
    sa.Column("job_id", sa.Integer),
    # Whether a lead took it out: it counts nowhere, and can be restored.
    sa.Column("removed", sa.Boolean, nullable=False, server_default=sa.false()),
    time_column(),
    sa.UniqueConstraint("project_id", "query", "document"),
    sa.Index(None, "project_id", "place"),
    sa.Index(
        "ix_items_removed",
        "project_id",
        sqlite_where=sa.text("removed = 1"),
        postgresql_where=sa.text("removed = true"),
    ),
)

jobs = sa.Table(
    "jobs",
    metadata,
    id_column(),
    reference("project_id", "projects.id"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    # The account that requested it; null on the command line.
    reference("user_id", "users.id", nullable=True),
    # The process that runs it, and its last heartbeat: a dead process's job is cleaned up.
    text_column("worker"),
    time_column("seen_at"),
    text_column("source"),
    sa.Column("done", sa.Integer, nullable=False, server_default="0"),
    sa.Column("total", sa.Integer, nullable=False, server_default="0"),
    sa.Column("items", sa.Integer, nullable=False, server_default="0"),
    sa.Column("grades", sa.Integer, nullable=False, server_default="0"),
    # The range of ids of its items, which are never reused.
    sa.Column("first_item", sa.Integer),
    sa.Column("last_item", sa.Integer),
    text_column("message"),
    time_column(),
    sa.CheckConstraint(
        "kind IN ('import', 'unpack', 'remove', 'model', 'correct', 'search', 'audit')",
        name="kind",
    ),
    sa.CheckConstraint(
        "state IN ('running', 'stopping', 'done', 'failed', 'stopped')", name="state"
    ),
    sa.Index(None, "project_id", "state"),
)

gold = sa.Table(
    "gold",
    metadata,
    sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
    sa.Column("grade", sa.Double, nullable=False),
    text_column("note"),
)

sides = sa.Table(
    "sides",
    metadata,
    sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
    sa.Column("first", sa.Text, nullable=False),
    sa.Column("second", sa.Text, nullable=False),
    sa.Column("first_results", sa.JSON, nullable=False),
    sa.Column("second_results", sa.JSON, nullable=False),
)

assignments = sa.Table(
    "assignments",
    metadata,
    id_column(),
    reference("project_id", "projects.id"),
    reference("item_id", "items.id"),
    # The number of the place, below `overlap`; null for gold items, which every judge gets.
    sa.Column("slot", sa.Integer),
    reference("user_id", "users.id", nullable=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("leased_until", sa.Double),
    sa.Column("swapped", sa.Boolean, nullable=False, server_default=sa.false()),
    # How many items the judge was given before: the order in which they are shown.
    sa.Column("given", sa.Integer, nullable=False, server_default=sa.text("0")),
    reference("action_id", "actions.id", nullable=True),
    # removed: the item is, and its place counts nowhere; what it was follows from its action.
    sa.CheckConstraint("state IN ('open', 'later', 'done', 'removed')", name="state"),
    sa.UniqueConstraint("item_id", "slot"),
    sa.UniqueConstraint("item_id", "user_id"),
    sa.Index(None, "project_id", "state", "user_id"),
    sa.Index(None, "project_id", "user_id", "item_id"),
    sa.Index(None, "action_id"),
)

# Judges whose lease of an item expired before another judge took it: a late grade may count.
lapses = sa.Table(
    "lapses",
    metadata,
    sa.Column("item_id", sa.Integer, sa.ForeignKey("items.id"), primary_key=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), primary_key=True),
    time_column(),
    sa.Index(None, "user_id"),
)

actions = sa.Table(
    "actions",
    metadata,
    id_column(),
    reference("project_id", "projects.id"),
    reference("item_id", "items.id"),
    reference("user_id", "users.id"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("grade", sa.Double),
    text_column("reason"),
    text_column("note"),
    sa.Column("seconds", sa.Double),
    reference("undoes", "actions.id", nullable=True),
    # Generated by the client for each action: a resent request has the same key.
    sa.Column("key", sa.Text, nullable=False),
    time_column(),
    sa.CheckConstraint("kind IN ('grade', 'cannot', 'skip', 'later', 'note', 'undo')", name="kind"),
    sa.CheckConstraint("(kind = 'grade') = (grade IS NOT NULL)", name="grade"),
    sa.CheckConstraint("(kind = 'undo') = (undoes IS NOT NULL)", name="undoes"),
    sa.UniqueConstraint("user_id", "key"),
    sa.UniqueConstraint("undoes"),
    sa.Index(None, "project_id", "user_id", "kind", "item_id", "seconds"),
    sa.Index(None, "item_id"),
)

adjudications = sa.Table(
    "adjudications",
    metadata,
    id_column(),
    reference("item_id", "items.id"),
    reference("user_id", "users.id"),
    # Null withdraws the decision before.
    sa.Column("grade", sa.Double),
    text_column("note"),
    sa.Column("key", sa.Text, nullable=False),
    time_column(),
    sa.UniqueConstraint("user_id", "key"),
    sa.Index(None, "item_id"),
)

members = sa.Table(
    "members",
    metadata,
    reference("project_id", "projects.id", primary_key=True),
    reference("user_id", "users.id", primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    time_column(),
    sa.CheckConstraint("role IN ('judge', 'lead')", name="role"),
    sa.Index(None, "user_id"),
)

# What users meant by a query: judges read it beside the query.
needs = sa.Table(
    "needs",
    metadata,
    reference("project_id", "projects.id", primary_key=True),
    sa.Column("query", sa.Text, primary_key=True),
    sa.Column("need", sa.Text, nullable=False),
    time_column(),
)

# The sampled sessions whose results a project grades: with its grades they are a month.
samples = sa.Table(
    "samples",
    metadata,
    reference("project_id", "projects.id", primary_key=True),
    sa.Column("month", sa.Text, nullable=False),
    # What `write_sample` writes as Parquet.
    sa.Column("content", sa.LargeBinary, nullable=False),
    text_column("source"),
    reference("user_id", "users.id", nullable=True),
    time_column(),
)
