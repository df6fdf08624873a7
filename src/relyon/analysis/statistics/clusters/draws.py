"""The bootstrap of whole clusters: the test of a mean, and its intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon import _native
from relyon.analysis.statistics.distributions import normal, normal_quantile
from relyon.analysis.statistics.paired import TestResult
from relyon.analysis.statistics.ratios import resampled_ratios
from relyon.analysis.statistics.resampling import Whole, chunks

if TYPE_CHECKING:
    from relyon.analysis.statistics.clusters.mean import ClusteredMean
    from relyon.analysis.statistics.paired import Resampling

__all__ = ["cluster_bootstrap_test", "cluster_draws_interval"]


def cluster_bootstrap_test(found: ClusteredMean, resampling: Resampling) -> TestResult:
    """Returns the bootstrap test of a mean with a studentised statistic, drawing whole clusters.

    Sums are shifted to a mean of 0. The statistic of a draw is its mean over the error of a ratio
    of sums, √Σ (s − m n)² / Σ n; the observed one has the same form. p is the share of draws with
    |t| at least the observed one, the observed one among them.

    Args:
        found: The clusters' sums and sizes.
        resampling: Number of draws and seed.

    Returns:
        The test; NaN for fewer than two clusters. If all cluster means are equal and not 0, p is
        the smallest possible, 1 / (B + 1).

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, §16.4; Cameron, Gelbach and
        Miller (2008), The Review of Economics and Statistics 90(3).
    """
    import numpy as np

    if math.isnan(found.error):
        return TestResult(math.nan, math.nan)
    if not found.sums.any():
        return TestResult(0.0, 1.0)
    if found.error == 0:
        least = 1 / (resampling.resamples + 1) if found.value else 1.0
        return TestResult(math.copysign(math.inf, found.value) if found.value else 0.0, least)
    rest = found.residuals / float(np.abs(found.residuals).max())
    sizes = found.sizes / float(found.sizes.max())
    centre = float((found.value * found.sizes.sum()) / np.abs(found.residuals).max())
    observed = centre / math.sqrt(math.fsum((rest * rest).tolist()))
    rows = (rest, sizes, rest * rest, rest * sizes, sizes * sizes)
    wholes = [Whole.of(row[np.newaxis]) for row in rows]
    values = np.concatenate([one.values for one in wholes])
    units = np.array([[one.unit] for one in wholes])
    at_least = 0
    for first, count in chunks(resampling):
        drawn = _native.resampled_sums(values, first, count, resampling.seed, resampling.threads)
        sums, weights, squares, crossed, weighed = drawn * units
        means = sums / weights
        spread = squares - 2 * means * crossed + means * means * weighed
        errors = np.sqrt(np.maximum(spread, 0.0))
        none = errors <= np.abs(sums) * 1e-9
        with np.errstate(divide="ignore", invalid="ignore"):
            statistics = np.where(none, np.where(sums == 0, 0.0, math.inf), np.abs(sums) / errors)
        at_least += int((statistics >= abs(observed) * (1 - 1e-9)).sum())
    return TestResult(found.value / found.error, (at_least + 1) / (resampling.resamples + 1))


def cluster_draws_interval(
    name: str, found: ClusteredMean, confidence: float, resampling: Resampling
) -> tuple[float, float]:
    """Returns a bootstrap interval of a mean, drawing whole clusters.

    Args:
        name: `percentile`, or `bca`, which corrects it for bias and skewness.
        found: The clusters' sums and sizes.
        confidence: Such as 0.95.
        resampling: Number of draws and seed.

    Returns:
        The bounds; NaN for fewer than two clusters, or without spread.

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, §13.3, §14.3.
    """
    import numpy as np

    if not found.error > 0:
        return math.nan, math.nan
    shifts = resampled_ratios(found.residuals, found.sizes, resampling)
    ends = [0.5 - confidence / 2, 0.5 + confidence / 2]
    if name == "bca":
        noise = 1e-12 * float(np.abs(found.residuals).max()) / float(found.sizes.sum())
        low = int((shifts < -noise).sum()) + int((np.abs(shifts) <= noise).sum()) / 2
        share = min(max(low, 0.5), len(shifts) - 0.5) / len(shifts)
        scaled = found.residuals / (1 - found.sizes / found.sizes.sum())
        scaled = scaled / float(np.abs(scaled).max())
        squares = math.fsum((scaled**2).tolist())
        acceleration = math.fsum((scaled**3).tolist()) / (6 * squares**1.5)
        bias = normal_quantile(share)
        moved = [bias + normal_quantile(end) for end in ends]
        ends = [normal(bias + one / (1 - acceleration * one)) for one in moved]
    lower, upper = np.quantile(shifts, ends)
    return found.value + float(lower), found.value + float(upper)
