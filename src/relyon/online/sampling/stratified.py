"""Stratified sampling of sessions: a simple random sample of every tier, without replacement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from relyon.online.sampling.slots import choose_sessions, places_of

if TYPE_CHECKING:
    import polars as pl

    from relyon.data.sessions import Sessions
    from relyon.online.sampling.tiers import Tiers

__all__ = ["draw_stratified"]


def draw_stratified(
    sessions: Sessions, tiers: Tiers, sizes: Sequence[int], seed: int
) -> pl.DataFrame:
    """Draws sessions of every tier; each has the inclusion probability n_h / N_h of its tier.

    Args:
        sessions: The log.
        tiers: Its queries in tiers.
        sizes: Sessions wanted of each tier, at most as many as it has.
        seed: Chooses the sample.

    Returns:
        `tier` (its number), `query`, `session`, `query_sessions` and `inclusion_probability`, in
        order of tier, query and session.
    """
    import polars as pl

    parts = []
    for number, size in enumerate(sizes):
        queries = tiers.frame.filter(pl.col("tier") == number)
        places = pl.Series("take", places_of(queries, size, seed), dtype=pl.Int64)
        parts.append(queries.with_columns(places).filter(pl.col("take") > 0))
    slots = pl.concat(parts)
    chosen = choose_sessions(
        sessions, slots.select(pl.lit(0).cast(pl.Int64).alias("slot"), "query", "take"), seed
    )
    chance = [
        size / total if total else 0.0 for size, total in zip(sizes, tiers.sessions, strict=True)
    ]
    found = chosen.join(slots.rename({"sessions": "query_sessions"}), on="query")
    return found.select(
        "tier",
        "query",
        "session",
        "query_sessions",
        pl.col("tier")
        .replace_strict(list(range(len(chance))), chance, return_dtype=pl.Float64)
        .alias("inclusion_probability"),
    ).sort("tier", "query", "session")
