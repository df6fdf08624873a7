"""Rows that lack what every row must have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.data.lazy import gather
from relyon.data.sessions import REQUIRED
from relyon.online.logs.log_check import Check, Finding, Log, register, total

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MissingValues"]


@register
class MissingValues(Check):
    """Rows without a session, a query, a position or a document."""

    name = "missing-values"

    def apply(self, log: Log) -> Finding | None:
        """Counts them by column; an action without an impression may lack its position."""
        import narwhals as nw

        missing = {name: nw.col(name).is_null() for name in REQUIRED}
        if log.has("shown"):
            missing["position"] = missing["position"] & nw.col("shown")
        every = nw.any_horizontal(*missing.values(), ignore_nulls=True)
        counts = gather(
            log.everything.select(
                nw.len().alias("all"),
                total(every).alias("any"),
                *(total(one).alias(name) for name, one in missing.items()),
            )
        ).row(0, named=True)
        if not counts["any"]:
            return None
        columns = ", ".join(name for name in REQUIRED if counts[name])
        return Finding(
            self.name,
            "warning",
            int(counts["any"]),
            int(counts["all"]),
            "rows",
            log.examples(log.everything.filter(every)),
            {"columns": columns},
            fixable=True,
        )

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Leaves them out."""
        import polars as pl

        missing = [pl.col(name).is_null() for name in REQUIRED if name != "position"]
        place = pl.col("position").is_null()
        bad = pl.any_horizontal(*missing, place & pl.col("shown") if log.has("shown") else place)
        return frame.filter(~bad), frame.filter(bad)
