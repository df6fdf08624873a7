"""Sessions that are more than one search, and queries that differ in their writing only."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from relyon.online.logs.log_check import Check, Finding, Log, register

if TYPE_CHECKING:
    import polars as pl

__all__ = ["QueryVariants", "SeveralQueries", "fold_query"]


def fold_query(query: str) -> str:
    """Returns a query without what its writing varies in: width, case, spaces.

    Unicode compatibility form (NFKC), full case folding, runs of white space as one space.

    Examples:
        >>> fold_query(" ｉＰｈｏｎｅ　15  pro ")
        'iphone 15 pro'
    """
    if query.isascii():
        return " ".join(query.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", query).casefold())
    return " ".join(folded.split())


@register
class SeveralQueries(Check):
    """Sessions with several queries: visits, not searches."""

    name = "several-queries"

    def apply(self, log: Log) -> Finding | None:
        """Counts the sessions."""
        import narwhals as nw

        if not log.counts["several_queries"]:
            return None
        bad = log.lists.filter(nw.col("query") != nw.col("other_query"))
        return Finding(
            self.name,
            "warning",
            log.counts["several_queries"],
            log.counts["sessions"],
            "sessions",
            log.examples(bad, "session", "query", "other_query"),
        )


@register
class QueryVariants(Check):
    """Queries that differ only in case, width or white space."""

    name = "query-variants"

    def apply(self, log: Log) -> Finding | None:
        """Counts the queries that are spelling variants of a more frequent one."""
        variants = _variants(log.queries)
        if not variants.height:
            return None
        examples = variants.sort(["sessions", "query"], descending=[True, False]).head(3)
        return Finding(
            self.name,
            "warning",
            variants.height,
            log.queries.height,
            "queries",
            tuple(examples.select("query", "kept", "sessions").to_dicts()),
            {"sessions": int(variants["sessions"].sum())},
            fixable=True,
        )

    def repair(self, frame: pl.LazyFrame, log: Log) -> tuple[pl.LazyFrame, pl.LazyFrame]:
        """Writes each of them as its most frequent form."""
        import polars as pl

        counts = (
            frame.filter(pl.col("query").is_not_null())
            .group_by("query")
            .agg(pl.col("session").n_unique().alias("sessions"))
        )
        queries = counts.collect(engine="streaming").sort(
            ["sessions", "query"], descending=[True, False]
        )
        variants = _variants(queries).select("query", "kept").lazy()
        marked = frame.join(variants, on="query", how="left", maintain_order="left")
        changed = marked.with_columns(query=pl.coalesce("kept", "query")).drop("kept")
        return changed.select(frame.collect_schema().names()), frame.join(
            variants, on="query", how="semi"
        )


def _variants(queries: pl.DataFrame) -> pl.DataFrame:
    """Returns the queries that have a more frequent writing, and that writing.

    Args:
        queries: Each query with its sessions, the most frequent first.
    """
    import polars as pl

    text = pl.col("query")
    folded = pl.Series("folded", [fold_query(query) for query in queries["query"]], pl.String)
    part = queries.with_columns(folded)
    kept = text.first().over("folded")
    return part.with_columns(kept=kept).filter(pl.col("kept") != text)
