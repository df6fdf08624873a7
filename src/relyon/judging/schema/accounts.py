"""Tables of accounts, what lets them in, and what they did."""

from __future__ import annotations

from typing import Protocol

from relyon.judging.account_names import name_key
from relyon.judging.schema.columns import (
    id_column,
    metadata,
    reference,
    sa,
    text_column,
    time_column,
)

__all__ = [
    "attempts",
    "browsers",
    "events",
    "identities",
    "invitations",
    "sign_ins",
    "tokens",
    "users",
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
    id_column(),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("role", sa.Text, nullable=False),
    sa.Column("password_hash", sa.Text),
    sa.Column("active", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("machine", sa.Boolean, nullable=False, server_default=sa.false()),
    # Equal for names that a reader could take for each other; no two accounts share one.
    sa.Column("name_key", sa.Text, default=_key_of_name),
    # Not chosen by its owner: the password only opens the page that changes it.
    sa.Column("must_change", sa.Boolean, nullable=False, server_default=sa.false()),
    time_column(),
    sa.Index(None, "name_key", unique=True),
    sa.CheckConstraint("role IN ('judge', 'lead', 'admin')", name="role"),
)

# Only hashes of credentials are stored.
sign_ins = sa.Table(
    "sign_ins",
    metadata,
    id_column(),
    sa.Column("secret_hash", sa.Text, nullable=False, unique=True),
    reference("user_id", "users.id"),
    time_column(),
    time_column("seen_at"),
    time_column("expires_at"),
    text_column("agent"),
    text_column("address"),
    sa.Index(None, "user_id"),
)

browsers = sa.Table(
    "browsers",
    metadata,
    id_column(),
    reference("user_id", "users.id"),
    sa.Column("secret_hash", sa.Text, nullable=False),
    sa.Column("address_hash", sa.Text, nullable=False),
    time_column("seen_at"),
    sa.UniqueConstraint("user_id", "secret_hash"),
    sa.Index(None, "user_id", "address_hash"),
)

tokens = sa.Table(
    "tokens",
    metadata,
    id_column(),
    reference("user_id", "users.id"),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("secret_hash", sa.Text, nullable=False, unique=True),
    sa.Column("scope", sa.Text, nullable=False, server_default="read"),
    time_column(),
    time_column("expires_at", nullable=True),
    time_column("used_at", nullable=True),
    sa.Index(None, "user_id"),
)

attempts = sa.Table(
    "attempts",
    metadata,
    id_column(),
    sa.Column("key_hash", sa.Text, nullable=False),
    time_column(),
    sa.Index(None, "key_hash", "created_at"),
    sa.Index(None, "created_at"),
)

# Names, not references: events outlive their account.
events = sa.Table(
    "events",
    metadata,
    id_column(),
    time_column(),
    text_column("actor"),
    text_column("address"),
    sa.Column("kind", sa.Text, nullable=False),
    text_column("detail"),
    sa.Index(None, "created_at"),
    sa.Index(None, "kind", "id"),
    sa.Index(None, "actor", "id"),
)

# Accounts of an identity provider that sign in to an account here.
identities = sa.Table(
    "identities",
    metadata,
    sa.Column("issuer", sa.Text, primary_key=True),
    sa.Column("subject", sa.Text, primary_key=True),
    reference("user_id", "users.id"),
    time_column(),
    sa.Index(None, "user_id"),
)

# Links that create one account; only hashes of their secrets are stored.
invitations = sa.Table(
    "invitations",
    metadata,
    id_column(),
    sa.Column("secret_hash", sa.Text, nullable=False, unique=True),
    sa.Column("role", sa.Text, nullable=False),
    # The name of the account; empty lets whoever accepts choose one.
    text_column("name"),
    # The project of which the account becomes a member, if any, and its role there.
    reference("project_id", "projects.id", nullable=True),
    text_column("note"),
    reference("created_by", "users.id"),
    time_column(),
    time_column("expires_at"),
    time_column("used_at", nullable=True),
    reference("used_by", "users.id", nullable=True),
    time_column("withdrawn_at", nullable=True),
    sa.CheckConstraint("role IN ('judge', 'lead', 'admin')", name="role"),
)
