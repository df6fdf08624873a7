"""Columns that mean something else: rates as clicks, and query and document swapped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.data.day_first import day_first_values
from relyon.data.log_facts import facts_of
from relyon.io.log_checks import LEAST_LISTS, SWAPPED
from relyon.online.logs.log_check import Check, Finding, Log, register, total

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ClickValues", "DayFirstTimestamps", "SwappedColumns"]


@register
class ClickValues(Check):
    """Clicks or impressions that are neither 0 nor 1: rates, or counts."""

    name = "click-values"

    def apply(self, log: Log) -> Finding | None:
        """Counts the rows, and says whether all values are whole: counts of clicks on one row."""
        facts = log.sessions.facts or facts_of(log.sessions.raw)
        if not facts.odd:
            return None
        name = max(facts.odd, key=lambda one: facts.odd[one])
        return Finding(
            self.name,
            "warning",
            facts.odd[name],
            log.rows,
            "rows",
            (),
            {"column": name, "value": facts.first[name]},
            fixable=name == "clicked" and _whole(log),
        )

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Changes nothing more: every count above 0 is read as a click."""
        import polars as pl

        raw: pl.LazyFrame = log.sessions.raw.to_native()
        number = pl.col("clicked").cast(pl.Float64, strict=False)
        return frame, raw.filter((number != 0) & (number != 1))


def _whole(log: Log) -> bool:
    """Returns whether every value of the clicks is a whole number, of a log that Polars reads."""
    import polars as pl

    raw = log.sessions.raw.to_native()
    if not isinstance(raw, pl.LazyFrame):
        return False
    number = pl.col("clicked").cast(pl.Float64, strict=False)
    broken = raw.select((number != number.round(0)).any()).collect(engine="streaming").item()
    return not broken


@register
class SwappedColumns(Check):
    """Lists in which the query changes from result to result, and the document does not."""

    name = "swapped-columns"

    def apply(self, log: Log) -> Finding | None:
        """Counts the lists of several results that look so, where most of them do."""
        import narwhals as nw

        from relyon.data.lazy import gather

        swapped = (nw.col("docs") == 1) & (nw.col("query") != nw.col("other_query"))
        several = log.lists.filter(nw.col("rows") > 1)
        counted = gather(several.select(nw.len().alias("all"), total(swapped).alias("swapped")))
        lists, found = (int(value or 0) for value in counted.row(0))
        if lists < LEAST_LISTS or found <= SWAPPED * lists:
            return None
        examples = log.examples(several.filter(swapped), "session", "query", "other_query", "docs")
        return Finding(self.name, "warning", found, lists, "sessions", examples)


@register
class DayFirstTimestamps(Check):
    """Times that begin with a day or a month: their order cannot be known."""

    name = "day-first-timestamps"

    def apply(self, log: Log) -> Finding | None:
        """Counts them, and how many can only be one or the other."""
        facts = log.sessions.facts or facts_of(log.sessions.raw)
        if not facts.day_first:
            return None
        values = day_first_values(log.sessions.raw)
        return Finding(
            self.name, "warning", facts.day_first, facts.times, "rows", (), evidence=values
        )
