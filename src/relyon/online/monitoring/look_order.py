"""Whether the queries that are graded so far differ from the others in what is known of all."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["FAR", "follows_traffic", "rank_deviate"]

#: A deviate of ranks beyond which the order of grading is no chance: two in 4,000 looks.
FAR = 3.5
#: Queries that must be graded, and that must be left, for an order to show.
FEWEST = 4


def follows_traffic(
    values: pl.DataFrame, graded: Collection[str], traffic: Mapping[str, int]
) -> bool:
    """Returns whether the graded queries of a tier are searched more or less, or have longer lists.

    Both are known before anyone grades, so that comparing graded queries with the others by them is
    no look at the quality.

    Args:
        values: The sessions of the tier, with `query` and `shown`.
        graded: The queries that are graded.
        traffic: How often each query is searched for.
    """
    import polars as pl

    lists = values.filter(pl.col("shown") > 0).group_by("query").agg(pl.col("shown").mean())
    queries = lists.sort("query")
    held = [query in graded for query in queries["query"]]
    facts = [[traffic[query] for query in queries["query"]], queries["shown"].to_list()]
    return any(abs(rank_deviate(fact, held)) > FAR for fact in facts)


def rank_deviate(values: Sequence[float], held: Sequence[bool]) -> float:
    """Returns the normal deviate of the rank sum of some values among all; 0 if too few.

    z = (W - n (N + 1) / 2) / s, with the variance n (N - n) / 12 · (N + 1 - Σ (t³ - t) / (N (N -
    1))) over ties of t values.

    Args:
        values: One per query.
        held: Which ones are graded.

    Examples:
        >>> round(rank_deviate([9, 8, 7, 6, 5, 4, 3, 2, 1, 1], [True] * 5 + [False] * 5), 2)
        2.62

    References:
        Mann and Whitney (1947), Annals of Mathematical Statistics 18(1).
    """
    import numpy as np

    chosen: NDArray[np.bool_] = np.array(held, dtype=np.bool_)
    whole, count = len(chosen), int(chosen.sum())
    if min(count, whole - count) < FEWEST:
        return 0.0
    _, place, times = np.unique(np.array(values), return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[place]
    ties = float((times.astype(float) ** 3 - times).sum()) / (whole * (whole - 1))
    variance = count * (whole - count) / 12 * (whole + 1 - ties)
    if not variance > 1e-9:
        return 0.0
    return float((ranks[chosen].sum() - count * (whole + 1) / 2) / math.sqrt(variance))
