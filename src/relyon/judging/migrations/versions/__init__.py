"""One file per step; Alembic finds them by their revisions."""
