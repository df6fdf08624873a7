"""Tables of alarms: receivers, and what was sent."""

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
    "messages",
    "receivers",
]


# Who is notified of alarms.
receivers = sa.Table(
    "receivers",
    metadata,
    id_column(),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    text_column("name"),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False, server_default=sa.true()),
    # Whether a month without an alarm is sent, too.
    sa.Column("every_month", sa.Boolean, nullable=False, server_default=sa.false()),
    reference("created_by", "users.id"),
    time_column(),
    sa.CheckConstraint("kind IN ('webhook', 'dingtalk', 'feishu', 'email')", name="kind"),
)

# What was sent, or could not be: at most one message for each receiver and month.
messages = sa.Table(
    "messages",
    metadata,
    id_column(),
    reference("receiver_id", "receivers.id"),
    sa.Column("month", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    text_column("content"),
    text_column("problem"),
    time_column(),
    # When it is due; once it is being sent, when that began.
    time_column("due_at"),
    time_column("sent_at", nullable=True),
    sa.CheckConstraint(
        "state IN ('waiting', 'sending', 'sent', 'failed', 'unclear')", name="state"
    ),
    sa.UniqueConstraint("receiver_id", "month"),
    sa.Index(None, "state", "due_at"),
)
