"""Columns that all tables share, and the metadata that knows the tables."""

from __future__ import annotations

from typing import TypeAlias

from relyon.core.packages import missing_package

try:
    import sqlalchemy as sa
    from sqlalchemy.dialects import postgresql, sqlite
except ImportError:
    raise missing_package("SQLAlchemy", purpose="judging", install="relyon[judge]") from None

__all__ = [
    "TableRow",
    "id_column",
    "metadata",
    "postgresql",
    "reference",
    "sa",
    "sqlite",
    "text_column",
    "time_column",
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


def id_column() -> sa.Column[int]:
    """Returns the column that numbers the rows of a table."""
    return sa.Column("id", sa.Integer, primary_key=True)


def reference(
    name: str, target: str, *, nullable: bool = False, primary_key: bool = False
) -> sa.Column[int]:
    """Returns a column with ids of another table, such as `users.id`."""
    return sa.Column(
        name, sa.Integer, sa.ForeignKey(target), nullable=nullable, primary_key=primary_key
    )


def text_column(name: str) -> sa.Column[str]:
    """Returns a column of text, empty by default."""
    return sa.Column(name, sa.Text, nullable=False, server_default="")


def time_column(name: str = "created_at", *, nullable: bool = False) -> sa.Column[float]:
    """Returns a column of times, in seconds since 1970 in UTC."""
    return sa.Column(name, sa.Double, nullable=nullable)
