"""What paired queries show about a difference: its test, and whether it lies within a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Difference", "effective_units", "exceeds", "mean_interval", "paired_p"]

#: With none of n changes seen, at most 3 / n of them change in 95 of 100 cases.
RULE_OF_THREE = 3.0


@dataclass(frozen=True)
class Difference:
    """One measure of both runs, paired per query.

    Attributes:
        baseline: The baseline's value.
        candidate: The candidate's value.
        p: Two-sided p-value of the paired t-test over queries that have a value in both runs;
            1 if fewer than two have one.
        queries: The number of those queries.
        interval: The interval of their mean difference, of confidence 1 - 2α; NaN for fewer than
            six queries or clusters.
        clusters: The number of clusters that the queries are in, if they are known; p and interval
            are then those of clusters. 1 if one of them decides.
    """

    baseline: float
    candidate: float
    p: float
    queries: int
    interval: tuple[float, float] = (math.nan, math.nan)
    clusters: int | None = None

    @property
    def units(self) -> int:
        """How many independent differences there are: clusters, or queries without any."""
        return self.queries if self.clusters is None else self.clusters

    @property
    def difference(self) -> float:
        """Candidate minus baseline."""
        return self.candidate - self.baseline

    def within(self, margin: float) -> bool:
        """Whether the two are equivalent: two one-sided tests exclude a change of the margin.

        At level α the interval of confidence 1 - 2α lies within the margin on both sides.

        References:
            Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6).
        """
        low, high = self.interval
        return -margin < low and high < margin


def mean_interval(
    values: NDArray[np.float64], alpha: float, clusters: NDArray[np.int64] | None = None
) -> tuple[float, float]:
    """Returns the interval of a mean of confidence 1 - 2α: Student's; NaN for fewer than six.

    If fewer than six values differ from 0, their spread is unknown: the interval is wider by 3 / n
    on both sides, the share of such values that may be unseen, each of at most 1.

    Args:
        values: One per query, between -1 and 1.
        alpha: α, the level of a test on one side.
        clusters: The cluster of each value, if values are alike within clusters: the interval is
            then that of clusters, of which there must be six.

    Examples:
        >>> import numpy as np
        >>> low, high = mean_interval(np.array([0.1, 0.2, 0.3] * 4), 0.05)
        >>> round(low, 3), round(high, 3)
        (0.156, 0.244)
        >>> mean_interval(np.zeros(300), 0.05)
        (-0.01, 0.01)

    References:
        Hanley and Lippman-Hand (1983), JAMA 249(13), for the 3 / n.
    """
    from relyon.analysis.statistics import ENOUGH_QUERIES, interval

    confidence = max(1 - 2 * alpha, 1e-9)
    if clusters is not None:
        return _cluster_interval(values, confidence, clusters)
    count = len(values)
    if count < ENOUGH_QUERIES:
        return math.nan, math.nan
    low, high = interval("t", values, confidence=confidence)
    unseen = RULE_OF_THREE / count if int((values != 0).sum()) < ENOUGH_QUERIES else 0.0
    return low - unseen, high + unseen


def _cluster_interval(
    values: NDArray[np.float64], confidence: float, clusters: NDArray[np.int64]
) -> tuple[float, float]:
    import numpy as np

    from relyon.analysis.statistics import (
        ENOUGH_QUERIES,
        ClusteredMean,
        Resampling,
        cluster_interval,
    )

    found = ClusteredMean.of(values, clusters)
    if found.count < ENOUGH_QUERIES or found.decided:
        return math.nan, math.nan
    differing = len(np.unique(clusters[values != 0]))
    unseen = RULE_OF_THREE / found.count if differing < ENOUGH_QUERIES else 0.0
    low, high = cluster_interval("t", found, confidence, Resampling())
    if math.isnan(low) and found.error == 0:
        low = high = found.value
    return low - unseen, high + unseen


def exceeds(
    values: NDArray[np.float64],
    limit: float,
    alpha: float,
    clusters: NDArray[np.int64] | None = None,
) -> bool:
    """Whether a mean is above a limit by a one-sided t-test at level α, of six values or more.

    With clusters it is a test of clusters, of six or more.

    Examples:
        >>> import numpy as np
        >>> exceeds(np.array([0.1, 0.2, 0.3] * 4), 0.1, 0.05)
        True
    """
    return mean_interval(values, alpha, clusters)[0] > limit


def paired_p(differences: NDArray[np.float64], clusters: NDArray[np.int64] | None = None) -> float:
    """Returns the two-sided p-value of the paired t-test, 1 for fewer than two differences.

    Of differences in clusters, it is that of sign flips of whole clusters, or with many clusters of
    the t-test with their error, as in a comparison; 1 if one cluster decides.
    """
    from relyon.analysis.statistics import ClusteredMean, Resampling, cluster_test, paired_test

    if clusters is None:
        p = paired_test("t", differences).p
        return 1.0 if math.isnan(p) else p
    found = ClusteredMean.of(differences, clusters)
    if found.decided:
        return 1.0
    p = cluster_test("permutation" if found.few else "t", found, Resampling()).p
    return 1.0 if math.isnan(p) else p


def effective_units(clusters: NDArray[np.int64]) -> int:
    """Returns the number of clusters; 1 if one has so many values that the others hardly count."""
    import numpy as np

    from relyon.analysis.statistics import ClusterSizes

    sizes = np.unique(clusters, return_counts=True)[1].astype(np.float64)
    return 1 if ClusterSizes.of(sizes).decided else len(sizes)
