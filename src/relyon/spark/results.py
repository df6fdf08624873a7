"""The results of an evaluation in a cluster: numbers here, values per query there."""

from __future__ import annotations

import math
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.evaluation.results import Results

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from relyon.core.notes import Note
    from relyon.data.convention import Convention
    from relyon.evaluation.entry import Entry

__all__ = ["SparkResults"]


class SparkResults(Results):
    """Measures whose values by query stay in the cluster.

    Attributes:
        frame: A frame of Spark with one row per query and one column per measure, null if it is
            undefined. Spark keeps it until `unpersist`, or until these results are deleted.
    """

    def __init__(
        self,
        *,
        run: str,
        entries: Mapping[str, Entry],
        convention: Convention,
        notes: tuple[Note, ...],
        frame: DataFrame,
        kept: DataFrame,
    ) -> None:
        super().__init__(run=run, entries=entries, convention=convention, notes=notes)
        self.frame = frame
        self._release = weakref.finalize(self, _unpersist, kept)
        self._release.atexit = False  # Spark may be gone by then

    def collect(self) -> Results:
        """Collects the values of the queries.

        Returns:
            The same results, with one row per query, in the order of their names.
        """
        import polars as pl

        names = list(self.entries)
        rows = sorted(tuple(row) for row in self.frame.collect())
        table = pl.DataFrame(
            rows, {"query": pl.String, **dict.fromkeys(names, pl.Float64)}, orient="row"
        ).with_columns(pl.col(*names).fill_null(math.nan))
        return Results(
            run=self.run,
            entries=self.entries,
            convention=self.convention,
            notes=self.notes,
            queries=table["query"].to_list,
            columns={name: table[name].to_list for name in names},
        )

    def unpersist(self) -> None:
        """Frees Spark's memory; `frame` is recomputed if it is used."""
        self._release()

    def __getstate__(self) -> dict[str, object]:
        """Returns the numbers; a frame belongs to its session."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("frame", "_release")}


def _unpersist(kept: DataFrame) -> None:
    try:
        kept.unpersist()
    except Exception:  # the session has ended, and its memory is freed
        return
