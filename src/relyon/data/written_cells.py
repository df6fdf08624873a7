"""Cells of a log that their column's type would lose, as they were written."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from relyon.data.lazy import gather, utc
from relyon.data.log_facts import FLAGS, Facts
from relyon.data.sessions import written_column

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.sessions import Sessions

__all__ = ["ISO", "has_texts", "odd_columns", "restored", "unread_columns"]

ISO = "%Y-%m-%dT%H:%M:%S%.6fZ"


def odd_columns(facts: Facts | None) -> tuple[str, ...]:
    """Returns the columns of yes and no with values that are neither.

    Args:
        facts: What was counted of the log; None if nothing was.
    """
    return () if facts is None else tuple(name for name in FLAGS if facts.odd.get(name))


def has_texts(sessions: Sessions) -> bool:
    """Returns whether the times of a log are texts, which may be no times."""
    import polars as pl

    raw = sessions.raw.to_native()
    return isinstance(raw, pl.LazyFrame) and raw.collect_schema().get("timestamp") == pl.String


def unread_columns(sessions: Sessions, facts: Facts | None) -> tuple[str, ...]:
    """Returns the columns with cells that their type would lose; one pass over the times.

    These are times that cannot be read, and clicks that are neither 0 nor 1.

    Args:
        sessions: The log.
        facts: What was counted of it; None if nothing was.
    """
    import narwhals as nw

    odd = odd_columns(facts)
    if not has_texts(sessions):
        return odd
    raw: pl.LazyFrame = sessions.raw.to_native()
    lost = utc("timestamp", sessions.zone).is_null() & _cell().is_not_null()
    there = gather(nw.from_native(raw.select(lost.any()))).item()
    return ("timestamp", *odd) if there else odd


def restored(frame: pl.LazyFrame, names: Collection[str]) -> pl.LazyFrame:
    """Puts cells as they were written where their column's type has lost them.

    Args:
        frame: Rows with the cells as they were written, as of `Sessions.with_written`.
        names: The columns. Times that were read are written as ISO 8601 in UTC.
    """
    import polars as pl

    parts = [pl.col(written_column(name)).alias(name) for name in names if name != "timestamp"]
    if "timestamp" in names:
        time = pl.col("timestamp").dt.strftime(ISO)
        parts.append(pl.coalesce(time, _cell(written_column("timestamp"))).alias("timestamp"))
    return frame.with_columns(parts).drop(written_column(name) for name in names)


def _cell(name: str = "timestamp") -> pl.Expr:
    """Returns a text without the spaces around it; null if there is none."""
    import polars as pl

    text = pl.col(name).str.strip_chars()
    return pl.when(text != "").then(text)
