"""Alembic's entry point, on the connection opened by `relyon.judging.database`."""

from __future__ import annotations

from alembic import context

from relyon.judging.schema import metadata

if not __name__.startswith("relyon."):  # Alembic runs this file; other importers only read it
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        # SQLite changes a table by copying it.
        render_as_batch=True,
    )
    with context.begin_transaction():
        context.run_migrations()
