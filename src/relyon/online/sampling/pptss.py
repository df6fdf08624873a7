"""PPTSS: queries drawn with probability proportional to their traffic, with replacement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.online.sampling.slots import choose_sessions, draw_queries

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.sessions import Sessions
    from relyon.online.sampling.tiers import Tiers

__all__ = ["draw_pptss", "inclusion_probability"]


def inclusion_probability(probability: float, draws: int) -> float:
    """Returns the chance 1 - (1 - p)^n to be drawn at least once in n draws.

    Examples:
        >>> round(inclusion_probability(0.5, 2), 4)
        0.75
    """
    if probability >= 1.0:
        return 1.0
    return -math.expm1(draws * math.log1p(-probability))


def draw_pptss(sessions: Sessions, tiers: Tiers, draws: int, seed: int) -> pl.DataFrame:
    """Draws queries by their traffic, and a session of the query at random for every draw.

    Args:
        sessions: The log.
        tiers: Its queries in tiers.
        draws: How many; a query may be drawn several times, and a session too.
        seed: Chooses the sample.

    Returns:
        `tier` (its number), `query`, `session`, `query_sessions`, `draw_probability` p of the
        query at every draw and its `inclusion_probability` 1 - (1 - p)^n; one row per draw, in
        order.
    """
    import polars as pl

    drawn = draw_queries(tiers.frame, draws, seed)
    slots = drawn.select(
        pl.col("draw").cast(pl.Int64).alias("slot"), "query", pl.lit(1).cast(pl.Int64).alias("take")
    )
    chosen = choose_sessions(sessions, slots, seed)
    total = tiers.frame["sessions"].sum()
    found = (
        chosen.join(tiers.frame.rename({"sessions": "query_sessions"}), on="query")
        .sort("slot")
        .with_columns((pl.col("query_sessions") / total).alias("draw_probability"))
    )
    chance = [inclusion_probability(p, draws) for p in found["draw_probability"]]
    return found.select(
        "tier",
        "query",
        "session",
        "query_sessions",
        "draw_probability",
        pl.Series("inclusion_probability", chance, dtype=pl.Float64),
    )
