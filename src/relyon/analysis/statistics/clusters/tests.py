"""Tests and intervals of a mean in clusters, by the names of those of independent values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.analysis.statistics.clusters.draws import (
    cluster_bootstrap_test,
    cluster_draws_interval,
)
from relyon.analysis.statistics.clusters.flips import flips_interval, flips_test
from relyon.analysis.statistics.paired import TestResult

if TYPE_CHECKING:
    from relyon.analysis.statistics.clusters.mean import ClusteredMean
    from relyon.analysis.statistics.paired import Resampling

__all__ = ["cluster_interval", "cluster_test"]


def cluster_test(name: str, found: ClusteredMean, resampling: Resampling) -> TestResult:
    """Tests whether a mean in clusters is 0.

    Args:
        name: `t`, `permutation` or `bootstrap`; `wilcoxon` and `sign` have no version for clusters
            and are NaN.
        found: The clusters' sums and sizes.
        resampling: Number of draws and seed.
    """
    if name == "t":
        return found.t_test()
    if name == "permutation":
        return flips_test(found, resampling)
    if name == "bootstrap":
        return cluster_bootstrap_test(found, resampling)
    return TestResult(math.nan, math.nan)


def cluster_interval(
    name: str, found: ClusteredMean, confidence: float, resampling: Resampling
) -> tuple[float, float]:
    """Returns the confidence interval of a mean in clusters.

    Args:
        name: `percentile` or `bca` draw clusters. `t` is Student's with the CR2 error for 40
            effective clusters or more; for fewer it is the interval of the sign flips, since of
            unequal clusters Student's is too narrow, and the two would often disagree. For so few
            that flips exclude nothing, it is Student's again.
        found: The clusters' sums and sizes.
        confidence: Such as 0.95.
        resampling: Number of draws and seed.

    Returns:
        The bounds; NaN if one cluster decides, or all clusters have the same mean.
    """
    if found.decided or not found.error > 0:
        return math.nan, math.nan
    if name != "t":
        return cluster_draws_interval(name, found, confidence, resampling)
    ends = flips_interval(found, confidence, resampling) if found.few else (math.nan, math.nan)
    return found.t_interval(confidence) if math.isnan(ends[0]) else ends
