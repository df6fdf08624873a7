"""Which pairs to judge again, and how many of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.analysis.stale.bounds import StaleSet, bounds_of
from relyon.analysis.stale.search import Extremes

if TYPE_CHECKING:
    import polars

    from relyon.analysis.stale.evidence import Judged
    from relyon.analysis.stale.scenarios import Scenarios

__all__ = ["pairs_again", "pairs_needed"]

Pair = tuple[str, str]


def pairs_needed(
    scenarios: Scenarios,
    stale: StaleSet,
    levels: Sequence[float],
    goals: Sequence[Sequence[float]],
    reach: Mapping[Pair, float],
    within: float,
) -> int:
    """Returns how many pairs to judge again until the widest range is narrow enough.

    The range narrows with every pair, so that the number is found by halving.
    """
    order = sorted(reach, key=lambda pair: -reach[pair])
    known: dict[Hashable, Extremes] = {}

    def wide(count: int) -> bool:
        left = stale.without({*order[:count]})
        widths = [one.width for one in bounds_of(scenarios, left, levels, goals, known=known)]
        return any(one > within for one in widths)

    least, most = 0, len(order)
    while least < most:
        middle = (least + most) // 2
        if wide(middle):
            least = middle + 1
        else:
            most = middle
    return least


def pairs_again(
    frame: polars.DataFrame, reach: Mapping[Pair, float], judged: Judged
) -> polars.DataFrame:
    """Returns the pairs to judge again, those that can move most first."""
    import polars as pl

    rows = [
        (query, document, judged.query_texts.get(query), grade, tier, reach.get((query, document)))
        for query, document, grade, tier, state, stale in frame.select(
            "query", "document", "grade", "tier", "state", "stale"
        ).iter_rows()
        if stale and state not in ("gone", "moved")
    ]
    rows.sort(key=lambda row: (-(row[5] or 0.0), row[0], row[1]))
    schema = {
        "query": pl.String, "document": pl.String, "query_text": pl.String, "grade": pl.Float64,
        "tier": pl.String, "reach": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")
