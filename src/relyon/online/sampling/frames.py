"""The log as a lazy frame of any engine, and what is read from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import InputError
from relyon.core.texts import message
from relyon.data.columns.batches import batches, collect
from relyon.data.columns.spark_partitions import blocks, is_spark_frame, streamed
from relyon.data.sessions import Sessions
from relyon.io.log_checks import read_log

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from relyon.data.lazy import LazyRows

__all__ = ["count_queries", "folded", "results_of", "searches"]


def folded(
    frame: LazyRows, fold: Callable[[Iterable[pl.DataFrame]], pl.DataFrame]
) -> list[pl.DataFrame]:
    """Reads the rows of a frame where they are: in Spark each partition is folded by its executor.

    Args:
        frame: Rows of a Polars, DuckDB or PySpark frame.
        fold: Makes one small frame of the parts that it is given.

    Returns:
        What `fold` made, of each partition or of everything.
    """
    native = frame.to_native()
    return list(streamed(native, _Fold(fold))) if is_spark_frame(native) else [fold(batches(frame))]


@dataclass(frozen=True)
class _Fold:
    """Folds a partition on an executor."""

    fold: Callable[[Iterable[pl.DataFrame]], pl.DataFrame]

    def __call__(self, parts: Iterator[pa.RecordBatch]) -> Iterator[pl.DataFrame]:
        import polars as pl

        yield self.fold(pl.DataFrame(table) for table in blocks(parts))


def count_queries(sessions: object) -> pl.DataFrame:
    """Returns every query with its number of sessions, most sessions first, then by query.

    A session counts once for a query, however many rows it has. The engine does the work; what is
    collected is one row per query. Rows without a session or a query are left out.

    Args:
        sessions: What `relyon.read_sessions` takes.

    Raises:
        InputError: If it is no log, or no row is left.
    """
    import narwhals as nw
    import polars as pl

    found = collect(
        searches(read_log(sessions)).group_by("query").agg(nw.len().alias("sessions"))
    ).filter(pl.col("query").str.strip_chars() != "")
    if found.is_empty():
        raise InputError(message("online.log-holds-no-session"))
    return found.select("query", pl.col("sessions").cast(pl.Int64)).sort(
        "sessions", "query", descending=[True, False]
    )


def searches(sessions: Sessions, queries: Sequence[str] | None = None) -> LazyRows:
    """Returns every pair of a session and its query once, of all queries or some of them.

    Ids are taken as they came: blank ones are left out per pair rather than
    per row, which is several times faster in DuckDB.
    """
    import narwhals as nw

    rows = sessions.raw.select(nw.col("session").cast(nw.String), nw.col("query").cast(nw.String))
    if queries is not None:
        rows = rows.filter(nw.col("query").is_in(list(queries)))
    # `unique` numbers the rows of every group in SQL engines; an aggregate only hashes them.
    pairs = rows.group_by("session", "query").agg(nw.len().alias("rows"))
    return pairs.select("session", "query").filter(nw.col("session").str.strip_chars() != "")


def results_of(sessions: Sessions, ids: Sequence[str], depth: int) -> pl.DataFrame:
    """Reads the first results of some sessions: one row per session, query and document.

    Documents of which no impression was logged are left out: their positions are unknown.

    Args:
        sessions: The log.
        ids: Session ids.
        depth: The last position that is read.

    Raises:
        InputError: If a position is not 1 or more.
    """
    import narwhals as nw
    import polars as pl

    # Rows are chosen by the ids as they came, before anything is computed of them.
    rows = sessions.raw.filter(nw.col("session").cast(nw.String).is_in(list(ids)))
    wanted = Sessions.from_frame(rows.to_native()).frame.filter(nw.col("position") <= depth)
    if "shown" in sessions.columns:
        wanted = wanted.filter(nw.col("shown"))
    found = collect(wanted.select("session", "query", "position", "doc")).drop_nulls()
    low = found.filter(pl.col("position") < 1)
    if not low.is_empty():
        session, position = low.sort("session", "position").select("session", "position").row(0)
        raise InputError(
            message(
                "core.session-has-result",
                session=session,
                position=position,
            ),
            hint=message("core.relyon-logs-doctor-log"),
        )
    return found.group_by("session", "query", "doc").agg(pl.col("position").min())
