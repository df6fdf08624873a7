"""The queries behind the mean: which are worst, and which fell most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relyon.data.convention import Convention
from relyon.online.monitoring.rounds import Round
from relyon.online.monitoring.session_values import session_values

if TYPE_CHECKING:
    import polars as pl

__all__ = ["query_values"]


def query_values(
    after: Round, before: Round | None, k: int, convention: Convention
) -> pl.DataFrame:
    """Returns every sampled query of a month, the worst first; of equal ones the most frequent.

    Args:
        after: The month.
        before: The month before, if there is one.
        k: Ranks that count, the same for all tiers.
        convention: The rules.

    Returns:
        `query`, `tier`, `sessions` (of the query in the log), `sampled`, `dcg` and `ndcg` (means
        over its sampled sessions), `before` (DCG of the month before, null where it was not
        sampled) and `change`.
    """
    import polars as pl

    found = _means(after, k, convention)
    if before is None:
        earlier = pl.DataFrame(schema={"query": pl.String, "before": pl.Float64})
    else:
        earlier = _means(before, k, convention).select("query", pl.col("dcg").alias("before"))
    joined = found.join(earlier, on="query", how="left")
    return joined.with_columns((pl.col("dcg") - pl.col("before")).alias("change")).sort(
        "dcg", "sessions", "query", descending=[False, True, False]
    )


def _means(one: Round, k: int, convention: Convention) -> pl.DataFrame:
    import polars as pl

    values = session_values(one.sample, one.judgments, convention, dict.fromkeys(one.depths, k))
    traffic = one.sample.sessions.group_by("query").agg(
        pl.col("query_sessions").first().alias("sessions")
    )
    return (
        values.filter(pl.col("dcg").is_not_null())
        .group_by("query")
        .agg(
            pl.col("tier").first(),
            pl.len().cast(pl.Int64).alias("sampled"),
            pl.col("dcg").mean(),
            pl.col("ndcg").mean(),
        )
        .join(traffic, on="query")
        .select("query", "tier", "sessions", "sampled", "dcg", "ndcg")
        .sort("query")
    )
