"""Counting a log in a cluster: distinct sessions come here, not rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon import _native
from relyon.data.columns.spark_partitions import blocks, streamed
from relyon.labels.log_counts import Dropped, Fold, counted, fill

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from relyon.labels.rules import Rules

__all__ = ["CountTask", "Part", "count_in_cluster", "merged"]

#: Distinct sessions that come here at once.
PATTERNS = 1 << 17


def count_in_cluster(
    frame: DataFrame, folds: Sequence[Fold | None], rules: Rules, threads: int
) -> tuple[list[_native.ClickLog], Dropped]:
    """Counts the distinct sessions of a log where its rows are.

    Spark brings the rows of each session together; each task counts its sessions with the native
    log. What comes here are the distinct sessions of each task and how often each came, and they
    are added up: the result does not depend on how the rows are partitioned.

    Args:
        frame: `Rules.columns` of the log.
        folds: The parts; `None` is the whole log.
        rules: Which rows count, and which of their clicks.
        threads: Threads of the logs that are returned.

    Returns:
        One log per fold, and what was left out.

    Raises:
        InputError: If positions count from 0.
    """
    together = frame.repartition("session", "query").sortWithinPartitions("session", "query")
    parts = streamed(together, CountTask(rules, tuple(folds)))
    return merged(parts, folds, rules, threads)


def merged(
    parts: Iterable[Part], folds: Sequence[Fold | None], rules: Rules, threads: int = 0
) -> tuple[list[_native.ClickLog], Dropped]:
    """Adds up what tasks counted; no two of them had rows of the same session.

    Args:
        parts: What all of them gave, in any order.
        folds: See `count_in_cluster`.
        rules: See `count_in_cluster`.
        threads: See `count_in_cluster`.
    """
    natives = [_native.ClickLog(rules.depth, remember=True, threads=threads) for _ in folds]
    dropped = Dropped()
    for part in parts:
        dropped.rows += part.dropped.rows
        dropped.clicks += part.dropped.clicks
        sessions, results = part.sessions, part.results
        natives[part.fold].merge(
            sessions["query"],
            sessions["count"],
            sessions["size"],
            results["document"],
            results["position"],
            results["clicked"],
            part.faults,
        )
    for native in natives:
        native.finish()
    return natives, dropped


@dataclass(frozen=True)
class Part:
    """Some distinct sessions of a fold, as a task counted them.

    Attributes:
        fold: The number of the fold.
        sessions: `query`, `count` and `size` of each.
        results: `document`, `position` and `clicked` of each of their results.
        faults: Results that were deep, repeated and shared.
        dropped: What was left out before.
    """

    fold: int
    sessions: pl.DataFrame
    results: pl.DataFrame
    faults: tuple[int, int, int]
    dropped: Dropped


@dataclass(frozen=True)
class CountTask:
    """Counts the sessions of a partition that is sorted by session and query.

    Attributes:
        rules: Which rows count, and which of their clicks.
        folds: The parts of the log.
    """

    rules: Rules
    folds: tuple[Fold | None, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[Part]:
        dropped = Dropped()
        natives = [_native.ClickLog(self.rules.depth, remember=True, threads=1) for _ in self.folds]
        fill(natives, self.folds, self._counted(batches, dropped))
        for fold, native in enumerate(natives):
            yield from _parts(fold, native, dropped)
            dropped = Dropped()

    def _counted(
        self, batches: Iterable[pa.RecordBatch], dropped: Dropped
    ) -> Iterator[pl.DataFrame]:
        import polars as pl

        for block in blocks(batches):
            yield counted(pl.DataFrame(block), self.rules, dropped)


def _parts(fold: int, native: _native.ClickLog, dropped: Dropped) -> Iterator[Part]:
    """Yields the distinct sessions of a log, so many at a time; at least one part."""
    import numpy as np
    import polars as pl

    found = native.patterns()
    starts = found["starts"]
    queries, documents = pl.Series(native.queries()), pl.Series(native.documents())
    faults = (native.deep, native.repeated, native.shared)
    for first in range(0, max(len(starts) - 1, 1), PATTERNS):
        ends = starts[first : first + PATTERNS + 1]
        some = slice(int(ends[0]), int(ends[-1]))
        pairs = found["pairs"][some]
        heads = found["pairs"][ends[:-1]]
        sessions = {
            "query": queries.gather(heads),
            "count": found["counts"][first : first + PATTERNS].astype(np.int64),
            "size": np.diff(ends),
        }
        results = {
            "document": documents.gather(pairs),
            "position": found["positions"][some].astype(np.int64),
            "clicked": found["clicked"][some].astype(np.int8),
        }
        yield Part(fold, pl.DataFrame(sessions), pl.DataFrame(results), faults, dropped)
        faults, dropped = (0, 0, 0), Dropped()
