"""The tables of a judging database.

    users ─────────────┐
    projects ── items ─┼─ assignments   the places of items: their judges and deciding actions
                  │    ├─ lapses        judges whose lease of an item expired
                  │    ├─ actions       all actions of judges, append-only
                  │    └─ adjudications decisions of leads, append-only
                  ├── gold              items whose grade is known
                  ├── key_notices       users notified that the keys of the page have changed
                  ├── sides             the two rankings of a side-by-side item
                  └── jobs              long work on a project: imports, archives, removals
    users ── sign_ins, tokens            hashes of the secrets of browsers and programs
          └─ browsers                    browsers in which an account signed in before
    attempts                             wrong passwords of the last hour
    events                               sign-ins and changes, append-only
    users ── llm_configurations          a language model as a judge of a project, and its prompt
                  ├── llm_requests ─ ─ llm_answers   requests of items; answers, append-only
                  └── llm_acceptances    leads' acceptance of its grades, append-only

A language model's grades are in `llm_answers` alone, never among the actions of people.

Times are seconds since 1970 in UTC. `migrations/` creates these tables; a test compares them.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Protocol, TypeAlias

from relyon.core.packages import missing_package

try:
    import sqlalchemy as sa
    from sqlalchemy.dialects import postgresql, sqlite
except ImportError:
    raise missing_package("SQLAlchemy", purpose="judging", install="relyon[judge]") from None

from relyon.judging.account_names import name_key
from relyon.judging.records import Item

__all__ = [
    "TableRow",
    "actions",
    "adjudications",
    "assignments",
    "attempts",
    "browsers",
    "events",
    "gold",
    "items",
    "jobs",
    "key_notices",
    "lapses",
    "llm_acceptances",
    "llm_answers",
    "llm_configurations",
    "llm_requests",
    "metadata",
    "postgresql",
    "projects",
    "sa",
    "sides",
    "sign_ins",
    "sqlite",
    "tokens",
    "users",
]

TableRow: TypeAlias = "sa.Row[*tuple[object, ...]]"
"""A row, with its columns as attributes."""

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _id() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


def _reference(name: str, target: str, *, nullable: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, sa.ForeignKey(target), nullable=nullable)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, server_default="")


def _time(name: str = "created_at", *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double, nullable=nullable)


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


class _Inserting(Protocol):
    """The argument that SQLAlchemy passes to a column's default."""

    def get_current_parameters(self) -> dict[str, str | bool]: ...


def _key_of_name(context: _Inserting) -> str:
    values = context.get_current_parameters()
    name = str(values["name"])
    return name if values.get("machine") else name_key(name)


users = sa.Table(
    "users",
    metadata,
    _id(),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("password_hash", sa.Text),
    sa.Column("active", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("machine", sa.Boolean, nullable=False, server_default=sa.false()),
    # Equal for names that a reader could take for each other; no two accounts share one.
    sa.Column("name_key", sa.Text, default=_key_of_name),
    # Not chosen by its owner: the password only opens the page that changes it.
    sa.Column("must_change", sa.Boolean, nullable=False, server_default=sa.false()),
    _time(),
    sa.Index(None, "name_key", unique=True),
    sa.CheckConstraint("role IN ('judge', 'lead', 'admin')", name="role"),
)

projects = sa.Table(
    "projects",
    metadata,
    _id(),
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
    _time(),
    # Since when a key is the grade itself, not its position on the scale.
    sa.Column("keys_changed_at", sa.Double),
    # What judges must not guess depends on it; empty if it depends on the seed.
    sa.Column("random_key", sa.Text, nullable=False, server_default=""),
    sa.CheckConstraint("kind IN ('grades', 'side_by_side')", name="kind"),
    sa.CheckConstraint("overlap >= 1", name="overlap"),
    sa.CheckConstraint("gold_share >= 0 AND gold_share < 1", name="gold_share"),
)

key_notices = sa.Table(
    "key_notices",
    metadata,
    sa.Column("project_id", sa.Integer, sa.ForeignKey("projects.id"), primary_key=True),
    sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id"), primary_key=True),
    _time(),
)

items = sa.Table(
    "items",
    metadata,
    _id(),
    _reference("project_id", "projects.id"),
    *_item_columns(),
    sa.Column("place", sa.BigInteger, nullable=False),
    # The import that added it, if in batches: no judge gets it before the import is done.
    sa.Column("job_id", sa.Integer),
    _time(),
    sa.UniqueConstraint("project_id", "query", "document"),
    sa.Index(None, "project_id", "place"),
)

jobs = sa.Table(
    "jobs",
    metadata,
    _id(),
    _reference("project_id", "projects.id"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    # The account that requested it; null on the command line.
    _reference("user_id", "users.id", nullable=True),
    # The process that runs it, and its last heartbeat: a dead process's job is cleaned up.
    _text("worker"),
    _time("seen_at"),
    _text("source"),
    sa.Column("done", sa.Integer, nullable=False, server_default="0"),
    sa.Column("total", sa.Integer, nullable=False, server_default="0"),
    sa.Column("items", sa.Integer, nullable=False, server_default="0"),
    sa.Column("grades", sa.Integer, nullable=False, server_default="0"),
    # The range of ids of its items, which are never reused.
    sa.Column("first_item", sa.Integer),
    sa.Column("last_item", sa.Integer),
    _text("message"),
    _time(),
    sa.CheckConstraint("kind IN ('import', 'unpack', 'remove')", name="kind"),
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
    _text("note"),
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
    _id(),
    _reference("project_id", "projects.id"),
    _reference("item_id", "items.id"),
    # The number of the place, below `overlap`; null for gold items, which every judge gets.
    sa.Column("slot", sa.Integer),
    _reference("user_id", "users.id", nullable=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("leased_until", sa.Double),
    sa.Column("swapped", sa.Boolean, nullable=False, server_default=sa.false()),
    # How many items the judge was given before: the order in which they are shown.
    sa.Column("given", sa.Integer, nullable=False, server_default=sa.text("0")),
    _reference("action_id", "actions.id", nullable=True),
    sa.CheckConstraint("state IN ('open', 'later', 'done')", name="state"),
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
    _time(),
    sa.Index(None, "user_id"),
)

actions = sa.Table(
    "actions",
    metadata,
    _id(),
    _reference("project_id", "projects.id"),
    _reference("item_id", "items.id"),
    _reference("user_id", "users.id"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("grade", sa.Double),
    _text("reason"),
    _text("note"),
    sa.Column("seconds", sa.Double),
    _reference("undoes", "actions.id", nullable=True),
    # Generated by the client for each action: a resent request has the same key.
    sa.Column("key", sa.Text, nullable=False),
    _time(),
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
    _id(),
    _reference("item_id", "items.id"),
    _reference("user_id", "users.id"),
    sa.Column("grade", sa.Double, nullable=False),
    _text("note"),
    sa.Column("key", sa.Text, nullable=False),
    _time(),
    sa.UniqueConstraint("user_id", "key"),
    sa.Index(None, "item_id"),
)

# Only hashes of credentials are stored.
sign_ins = sa.Table(
    "sign_ins",
    metadata,
    _id(),
    sa.Column("secret_hash", sa.Text, nullable=False, unique=True),
    _reference("user_id", "users.id"),
    _time(),
    _time("seen_at"),
    _time("expires_at"),
    _text("agent"),
    _text("address"),
    sa.Index(None, "user_id"),
)

browsers = sa.Table(
    "browsers",
    metadata,
    _id(),
    _reference("user_id", "users.id"),
    sa.Column("secret_hash", sa.Text, nullable=False),
    sa.Column("address_hash", sa.Text, nullable=False),
    _time("seen_at"),
    sa.UniqueConstraint("user_id", "secret_hash"),
    sa.Index(None, "user_id", "address_hash"),
)

tokens = sa.Table(
    "tokens",
    metadata,
    _id(),
    _reference("user_id", "users.id"),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("secret_hash", sa.Text, nullable=False, unique=True),
    sa.Column("scope", sa.Text, nullable=False, server_default="read"),
    _time(),
    _time("expires_at", nullable=True),
    _time("used_at", nullable=True),
    sa.Index(None, "user_id"),
)

llm_configurations = sa.Table(
    "llm_configurations",
    metadata,
    _id(),
    _reference("project_id", "projects.id"),
    _reference("user_id", "users.id"),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("endpoint", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("samples", sa.Integer, nullable=False),
    sa.Column("parameters", sa.JSON, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("prompt", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    _time(),
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

llm_answers = sa.Table(
    "llm_answers",
    metadata,
    _id(),
    sa.Column("request_hash", sa.Text, nullable=False),
    sa.Column("sample", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    _text("content"),
    sa.Column("grade", sa.Double),
    _text("reason"),
    _text("problem"),
    sa.Column("prompt_tokens", sa.Integer, nullable=False),
    sa.Column("completion_tokens", sa.Integer, nullable=False),
    sa.Column("seconds", sa.Double, nullable=False),
    _time(),
    sa.CheckConstraint("(grade IS NULL) = (problem <> '')", name="grade"),
    sa.UniqueConstraint("request_hash", "sample", "attempt"),
)

llm_acceptances = sa.Table(
    "llm_acceptances",
    metadata,
    _id(),
    _reference("configuration_id", "llm_configurations.id"),
    _reference("user_id", "users.id"),
    sa.Column("accepted", sa.Boolean, nullable=False),
    sa.Column("items", sa.Integer, nullable=False),
    sa.Column("kappa", sa.Double),
    sa.Column("weighted_kappa", sa.Double),
    sa.Column("report", sa.JSON, nullable=False),
    _text("note"),
    _time(),
)

attempts = sa.Table(
    "attempts",
    metadata,
    _id(),
    sa.Column("key_hash", sa.Text, nullable=False),
    _time(),
    sa.Index(None, "key_hash", "created_at"),
    sa.Index(None, "created_at"),
)

# Names, not references: events outlive their account.
events = sa.Table(
    "events",
    metadata,
    _id(),
    _time(),
    _text("actor"),
    _text("address"),
    sa.Column("kind", sa.Text, nullable=False),
    _text("detail"),
    sa.Index(None, "created_at"),
    sa.Index(None, "kind", "id"),
    sa.Index(None, "actor", "id"),
)
