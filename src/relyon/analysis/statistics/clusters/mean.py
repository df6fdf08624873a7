"""The mean of values that are alike within clusters: its error, and how unequal clusters are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.analysis.statistics.clusters.ratios import ClusterSizes, residuals
from relyon.analysis.statistics.differences import standard_deviation
from relyon.analysis.statistics.distributions import student, student_quantile
from relyon.analysis.statistics.paired import TestResult
from relyon.analysis.statistics.power import least_p

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FEW_CLUSTERS", "ClusteredMean", "correlation_within", "degrees_of_sizes"]

#: With fewer effective clusters than this, a t test is too liberal if clusters are unequal.
FEW_CLUSTERS = 40


@dataclass(frozen=True)
class ClusteredMean:
    """Σ sums / Σ sizes over clusters, such as the mean difference of queries in clusters.

    The error is the cluster-robust one with the correction CR2, for the mean m and the share w of
    each cluster:

        error² = Σ (s − m n)² / (1 − w) / (Σ n)²

    If values are independent after all, it is unbiased for clusters of any size. With clusters of
    one value it is that of the paired t test.

    Attributes:
        sums: s, one per cluster.
        sizes: n, one per cluster, above 0.

    References:
        Bell and McCaffrey (2002), Survey Methodology 28(2).
    """

    sums: NDArray[np.float64]
    sizes: NDArray[np.float64]

    @classmethod
    def of(cls, values: NDArray[np.float64], clusters: NDArray[np.int64]) -> ClusteredMean:
        """Sums values within their clusters.

        Args:
            values: One per item, in an order that does not depend on the input's.
            clusters: The cluster of each item, whole numbers.

        Examples:
            >>> import numpy as np
            >>> values = np.array([0.2, 0.4, 0.0, 0.1, 0.3])
            >>> found = ClusteredMean.of(values, np.array([0, 0, 1, 1, 2]))
            >>> round(found.value, 9), round(found.error, 4), round(found.degrees, 2)
            (0.2, 0.0957, 1.8)
        """
        import numpy as np

        numbers, places = np.unique(clusters, return_inverse=True)
        by_cluster: list[list[float]] = [[] for _ in numbers]
        for place, value in zip(places.tolist(), values.tolist(), strict=True):
            by_cluster[place].append(value)
        known = bool(np.isfinite(values).all())
        sums = [math.fsum(one) if known else math.nan for one in by_cluster]
        return cls(np.array(sums), np.array([float(len(one)) for one in by_cluster]))

    @property
    def count(self) -> int:
        """Number of clusters."""
        return len(self.sums)

    @cached_property
    def value(self) -> float:
        """The mean; NaN without values, or if one is NaN or infinite."""
        size = math.fsum(self.sizes.tolist())
        return math.fsum(self.sums.tolist()) / size if size > 0 else math.nan

    @cached_property
    def shape(self) -> ClusterSizes:
        """How unequal the clusters are."""
        return ClusterSizes.of(self.sizes)

    @property
    def decided(self) -> bool:
        """Whether one cluster decides: fewer than two effective ones do not show a spread."""
        return self.count < 2 or self.shape.decided

    @property
    def few(self) -> bool:
        """Whether clusters are flipped instead of a t test: fewer than 40 effective ones."""
        return not self.shape.effective >= FEW_CLUSTERS * (1 - 1e-9)

    @cached_property
    def residuals(self) -> NDArray[np.float64]:
        """s − m n, one per cluster; rounding noise is 0."""
        return residuals(self.sums, self.value, self.sizes)

    @cached_property
    def error(self) -> float:
        """The standard error; NaN for fewer than two clusters, 0 if all their means are equal."""
        if self.count < 2 or math.isnan(self.value):
            return math.nan
        whole = math.fsum(self.sizes.tolist())
        largest = float(abs(self.residuals).max()) or 1.0
        scaled = self.residuals / largest
        spread = math.fsum((scaled * scaled / (1 - self.sizes / whole)).tolist())
        return largest * math.sqrt(spread) / whole if self.residuals.any() else 0.0

    @cached_property
    def degrees(self) -> float:
        """Degrees of freedom of the error, as `degrees_of_sizes`; NaN for fewer than two."""
        return degrees_of_sizes(self.sizes)

    @property
    def deviation(self) -> float:
        """The standard deviation of as many equal clusters as there are degrees of freedom, + 1."""
        return self.error * math.sqrt(self.degrees + 1)

    def t_test(self) -> TestResult:
        """Returns t = m / error, with Satterthwaite's degrees of freedom.

        If all clusters have the same mean, t does not exist: p is that of as many signs that agree.
        """
        if math.isnan(self.error):
            return TestResult(math.nan, math.nan)
        if not self.sums.any():
            return TestResult(0.0, 1.0)
        if self.error == 0:
            infinite = math.copysign(math.inf, self.value) if self.value else 0.0
            return TestResult(infinite, max(least_p(self.count), math.ulp(0.0)))
        statistic = self.value / self.error
        return TestResult(statistic, max(2 * student(self.degrees, -abs(statistic)), math.ulp(0.0)))

    def t_interval(self, confidence: float) -> tuple[float, float]:
        """Returns m ± t error; NaN if the error is unknown."""
        if math.isnan(self.error):
            return math.nan, math.nan
        half = student_quantile(self.degrees, 0.5 + confidence / 2) * self.error
        return self.value - half, self.value + half

    def design_effect(self, values: NDArray[np.float64]) -> float:
        """Returns error² over that of as many independent values; NaN if they are all equal.

        Args:
            values: The values that were summed.

        References:
            Kish (1965), Survey Sampling, §5.4.
        """
        deviation = standard_deviation(values)
        return (self.error / deviation) ** 2 * len(values) if deviation > 0 else math.nan


def degrees_of_sizes(sizes: NDArray[np.float64]) -> float:
    """Returns Satterthwaite's degrees of freedom of the CR2 error of a mean.

    With the shares w of the clusters,

        ν = 1 / (Σ w² + Σ_{g≠h} w_g² w_h² / ((1 − w_g)(1 − w_h))),

    the degrees of freedom of a χ² with the mean and variance that the squared error has if values
    are independent and normal. For G equal clusters it is G − 1.

    Args:
        sizes: n, one per cluster, above 0.

    Returns:
        ν; NaN for fewer than two clusters.

    Examples:
        >>> import numpy as np
        >>> round(degrees_of_sizes(np.full(8, 5.0)), 9), round(
        ...     degrees_of_sizes(np.array([35.0, 5, 5, 5, 5, 5, 5, 5])), 2
        ... )
        (7.0, 3.07)

    References:
        Bell and McCaffrey (2002), Survey Methodology 28(2); Satterthwaite (1946), Biometrics
        Bulletin 2.
    """
    if len(sizes) < 2:
        return math.nan
    shares = sizes / math.fsum(sizes.tolist())
    squares = shares * shares
    across = squares / (1 - shares)
    crossed = math.fsum(across.tolist()) ** 2 - math.fsum((across * across).tolist())
    return 1 / (math.fsum(squares.tolist()) + crossed)


def correlation_within(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> float:
    """Returns the intraclass correlation of values in clusters, by analysis of variance.

    ρ = (B − W) / (B + (n₀ − 1) W), with the mean squares B between and W within clusters and
    n₀ = (n − Σ n_g² / n) / (G − 1). 1 if values are equal within clusters; it can be below 0.

    Args:
        values: One per item.
        clusters: The cluster of each, whole numbers.

    Returns:
        ρ; NaN if no cluster has two values, there is only one, or all values are equal.

    Examples:
        >>> import numpy as np
        >>> values = np.array([0.1, 0.2, 0.5, 0.7, 0.3, 0.3])
        >>> round(correlation_within(values, np.array([0, 0, 1, 1, 2, 2])), 3)
        0.853

    References:
        Donner (1986), International Statistical Review 54(1).
    """
    import numpy as np

    numbers, places = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(places, minlength=len(numbers)).astype(np.float64)
    items, groups = len(values), len(sizes)
    if groups < 2 or items <= groups or not np.isfinite(values).all():
        return math.nan
    apart = values - values.mean()
    scale = float(np.abs(apart).max())
    if scale <= 4 * math.ulp(float(np.abs(values).max())):
        return math.nan
    apart = apart / scale
    means = np.bincount(places, apart) / sizes
    between = float((sizes * means**2).sum()) / (groups - 1)
    within = float(((apart - means[places]) ** 2).sum()) / (items - groups)
    typical = (items - float((sizes**2).sum()) / items) / (groups - 1)
    below = between + (typical - 1) * within
    return (between - within) / below if below > 0 else math.nan
