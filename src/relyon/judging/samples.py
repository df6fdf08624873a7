"""The sample behind a project: with the project's grades, it is a month."""

from __future__ import annotations

import os
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from relyon.judging.schema import sa, samples
from relyon.online.sampling import Sample, read_sample

if TYPE_CHECKING:
    from relyon.judging.database_part import Base
    from relyon.judging.records import User

__all__ = ["KeptSample", "find_sample", "list_sampled", "sampled_month", "store_sample"]


@dataclass(frozen=True)
class KeptSample:
    """The sample that a project was made of.

    Attributes:
        month: Such as `2026-11`.
        sample: The sampled sessions and what they were shown.
        source: The name of the log, for display.
        at: When it was drawn, in seconds since 1970.
    """

    month: str
    sample: Sample
    source: str
    at: float


def store_sample(
    connection: sa.Connection,
    project_id: int,
    month: str,
    sample: Sample,
    *,
    source: str = "",
    by: User | None = None,
    now: float,
) -> None:
    """Stores the sample of a project, as part of a transaction.

    Args:
        connection: A connection in a write transaction.
        project_id: A project without a sample.
        month: Such as `2026-11`.
        sample: The sample.
        source: The name of the log, for display.
        by: The account that drew it.
        now: The time, in seconds since 1970.
    """
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "sample.parquet")
        sample.write(path)
        with open(path, "rb") as file:
            content = file.read()
    connection.execute(
        sa.insert(samples).values(
            project_id=project_id,
            month=month,
            content=content,
            source=source[:500],
            user_id=None if by is None else by.id,
            created_at=now,
        )
    )


def find_sample(store: Base, project_id: int) -> KeptSample | None:
    """Returns the sample of a project, or None if it has none."""
    query = sa.select(samples).where(samples.c.project_id == project_id)
    with store.database.read() as connection:
        row = connection.execute(query).one_or_none()
    if row is None:
        return None
    with TemporaryDirectory() as folder:
        path = os.path.join(folder, "sample.parquet")
        with open(path, "wb") as file:
            file.write(row.content)
        found = read_sample(path)
    return KeptSample(row.month, found, row.source, row.created_at)


def sampled_month(store: Base, project_id: int) -> str | None:
    """Returns the month of a project's sample, or None if it has no sample."""
    query = sa.select(samples.c.month).where(samples.c.project_id == project_id)
    with store.database.read() as connection:
        return connection.execute(query).scalar_one_or_none()


def list_sampled(store: Base) -> dict[int, str]:
    """Returns the months of all projects with a sample, by project."""
    query = sa.select(samples.c.project_id, samples.c.month).order_by(samples.c.project_id)
    with store.database.read() as connection:
        return {row.project_id: row.month for row in connection.execute(query)}
