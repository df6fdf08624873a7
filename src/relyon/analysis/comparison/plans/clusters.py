"""The independent differences that a plan rests on: of clusters, or of queries without any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.comparison.query_facts import QueryFacts

__all__ = ["Units", "units_of"]


@dataclass(frozen=True)
class Units:
    """One difference per query or cluster, with the mean difference as their mean.

    Attributes:
        values: The differences. Of a cluster of size n with the sum s, m + (s − m n) / n̄ / (1 − w)
            (G − 1) / G, with the mean m, the mean size n̄ and the share w: so their standard
            deviation over √G is the jackknife's error, which unlike CR2 is not too small if large
            clusters are as alike as small ones.
        differing: How many of them differ: clusters with a query that does.
        size: The mean number of queries of a cluster; 0 if queries are independent.
    """

    values: NDArray[np.float64]
    differing: int
    size: float = 0.0

    def queries(self, units: int) -> int:
        """Returns the queries in so many units."""
        return round(units * self.size) if self.size else units


def units_of(deltas: Mapping[str, float], facts: QueryFacts) -> Units:
    """Returns the independent differences of queries.

    Args:
        deltas: The difference of each query.
        facts: Their clusters, if known.
    """
    import numpy as np

    values = np.array(list(deltas.values()), dtype=np.float64)
    groups = facts.groups(list(deltas))
    plain = Units(values, int(np.count_nonzero(values)))
    if groups is None or len(groups[1]) == len(values):
        return plain
    from relyon.analysis.statistics import ClusteredMean

    found = ClusteredMean.of(values, groups[0])
    if found.decided:
        return Units(np.array([found.value]), 0, len(values) / found.count)
    count, whole = found.count, float(found.sizes.sum())
    size = whole / count
    apart = found.residuals / size / (1 - found.sizes / whole)
    differing = len(np.unique(groups[0][values != 0]))
    return Units(found.value + apart * (count - 1) / count, differing, size)
