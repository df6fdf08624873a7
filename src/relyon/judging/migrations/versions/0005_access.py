"""Scopes and ends of tokens, sign-ins one by one, known browsers, distinct names, events."""

from __future__ import annotations

import time

import sqlalchemy as sa
from alembic import op

from relyon.judging.account_names import other_key

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("name_key", sa.Text(), nullable=True))
    op.add_column(
        "users", sa.Column("must_change", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    _fill_keys()
    op.create_index("ix_users_name_key", "users", ["name_key"], unique=True)

    op.add_column("tokens", sa.Column("scope", sa.Text(), server_default="read", nullable=False))
    op.add_column("tokens", sa.Column("expires_at", sa.Double(), nullable=True))
    op.add_column("tokens", sa.Column("used_at", sa.Double(), nullable=True))
    # Existing tokens keep working.
    op.execute("UPDATE tokens SET scope = 'admin'")

    _make_sign_ins()
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
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("actor", sa.Text(), server_default="", nullable=False),
        sa.Column("address", sa.Text(), server_default="", nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_created_at", "events", ["created_at"])
    op.create_index("ix_events_kind_id", "events", ["kind", "id"])
    op.create_index("ix_events_actor_id", "events", ["actor", "id"])


def _fill_keys() -> None:
    """Gives each account the key of its name, and accounts that are called alike keys apart."""
    users = sa.table(
        "users",
        sa.column("id", sa.Integer),
        sa.column("name", sa.Text),
        sa.column("machine", sa.Boolean),
        sa.column("name_key", sa.Text),
    )
    connection = op.get_bind()
    taken: set[str] = set()
    found = sa.select(users.c.id, users.c.name, users.c.machine).order_by(users.c.id)
    for row in connection.execute(found).all():
        key = row.name if row.machine else other_key(row.name, taken)
        taken.add(key)
        connection.execute(sa.update(users).where(users.c.id == row.id).values(name_key=key))


def _make_sign_ins() -> None:
    """Recreates the table, as SQLite requires, and keeps everybody signed in."""
    kept = ("secret_hash", "user_id", "created_at", "expires_at")
    old = sa.table("sign_ins", *map(sa.column, kept))
    connection = op.get_bind()
    rows = [dict(row._mapping) for row in connection.execute(sa.select(old))]
    op.drop_table("sign_ins")
    made = op.create_table(
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
    now = time.time()
    if rows:
        connection.execute(sa.insert(made), [{**row, "seen_at": now} for row in rows])


def downgrade() -> None:
    op.drop_table("events")
    op.drop_table("browsers")
    op.drop_table("sign_ins")
    op.create_table(
        "sign_ins",
        sa.Column("secret_hash", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sign_ins_user_id"),
        sa.PrimaryKeyConstraint("secret_hash", name="pk_sign_ins"),
    )
    op.create_index("ix_sign_ins_user_id", "sign_ins", ["user_id"])
    for name in ("used_at", "expires_at", "scope"):
        op.drop_column("tokens", name)
    op.drop_index("ix_users_name_key", "users")
    op.drop_column("users", "must_change")
    op.drop_column("users", "name_key")
