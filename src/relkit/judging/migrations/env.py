"""What Alembic runs: on the connection that `relkit.judging.database` opened."""

from __future__ import annotations

from alembic import context

from relkit.judging.schema import metadata

if not __name__.startswith("relkit."):  # Alembic runs this file; what imports it only reads it
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        # SQLite changes a table by copying it.
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()
