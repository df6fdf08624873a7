"""Ratios of sums over clusters, such as clicks per result by user, and their differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from relyon.analysis.statistics.distributions import student, student_quantile
from relyon.analysis.statistics.jackknife import effective_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "ClusterSizes",
    "RatioEstimate",
    "difference_of",
    "jackknife_mean",
    "jackknife_ratio",
    "ratio_of_sums",
    "residuals",
]

#: Fewer degrees of freedom than this, one cluster decides: there is no error. Two equal ones are 1.
FEWEST = 1 - 1e-9


@dataclass(frozen=True)
class ClusterSizes:
    """How unequal clusters are, such as users of unequal activity.

    Attributes:
        count: Number of clusters.
        effective: Clusters of equal size with the same information: 1 / Σ w², with w the share of a
            cluster.
        largest: The share of the largest one.
    """

    count: int
    effective: float
    largest: float

    @classmethod
    def of(cls, counts: NDArray[np.float64]) -> ClusterSizes:
        """Returns the sizes of clusters; NaN if all counts are 0.

        Args:
            counts: n, one per cluster, 0 or more; clusters of 0 are ignored.

        Examples:
            >>> import numpy as np
            >>> found = ClusterSizes.of(np.array([50.0, 25.0, 25.0]))
            >>> found.count, round(found.effective, 3), found.largest
            (3, 2.667, 0.5)

        References:
            Kish (1965), Survey Sampling.
        """
        import numpy as np

        whole = math.fsum(counts.tolist())
        if not whole:
            return cls(0, math.nan, math.nan)
        weights = counts / whole
        square = math.fsum(np.square(weights).tolist())
        return cls(int((counts > 0).sum()), 1 / square, float(weights.max()))

    @property
    def decided(self) -> bool:
        """Whether one cluster decides: fewer than two effective ones do not show a spread."""
        return not self.effective - 1 >= FEWEST


@dataclass(frozen=True)
class RatioEstimate:
    """A ratio of sums, or the difference of two, and its standard error.

    Attributes:
        value: The ratio; NaN if the denominator is 0.
        error: Its standard error; NaN for fewer than two clusters.
        clusters: Number of clusters.
        freedom: Degrees of freedom of the error; None for those of one ratio, clusters − 1.
        sizes: The clusters' shares of the denominator; None if they were not needed.
        influence: (Σ d²)² / Σ d⁴ of the clusters' residuals d = s − r n: how many of them carry the
            error; NaN if unknown.
    """

    value: float
    error: float
    clusters: int
    freedom: float | None = None
    sizes: ClusterSizes | None = None
    influence: float = math.nan

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the error."""
        return self.clusters - 1 if self.freedom is None else self.freedom

    def interval(self, confidence: float) -> tuple[float, float]:
        """Returns value ± t error; NaN if the error is unknown."""
        if math.isnan(self.error):
            return math.nan, math.nan
        half = student_quantile(self.degrees, 0.5 + confidence / 2) * self.error
        return self.value - half, self.value + half

    def share_interval(self, confidence: float, trials: float) -> tuple[float, float]:
        """Returns Wilson's interval, for a ratio that is a share of trials that succeeded.

        Trials within a cluster are correlated. The error gives the effective number of independent
        trials, n = p(1 - p) / error², at most the actual number. So the interval stays within 0 and
        1, and a share of 0 or 1 has one too. Student's quantile allows for few clusters. In
        simulations of 30 clusters of like size it covers shares of 0.1 and 0.5 in 95% and one of
        0.02 in 92% of cases, the plain interval the last in 86%; of clusters of very unequal
        size it covers fewer (`tests/honest/test_share_intervals.py`).

        Args:
            confidence: Such as 0.95.
            trials: Number of trials.

        Returns:
            The bounds; NaN if the error is unknown.

        Examples:
            >>> low, high = RatioEstimate(0.0, 0.0, 5).share_interval(0.95, 100)
            >>> round(low, 4), round(high, 4)
            (0.0, 0.0716)

        References:
            Wilson (1927), JASA 22; Korn and Graubard (1998), Survey Methodology 24(2), for the
            effective number of trials.
        """
        if math.isnan(self.error):
            return math.nan, math.nan
        share, spread = self.value, self.value * (1 - self.value)
        if self.error > 0:
            trials = min(trials, spread / self.error**2)
        if not trials > 0:
            return 0.0, 1.0
        squared = student_quantile(self.degrees, 0.5 + confidence / 2) ** 2
        centre = (share + squared / (2 * trials)) / (1 + squared / trials)
        half = math.sqrt(squared * (spread + squared / (4 * trials)) / trials)
        half /= 1 + squared / trials
        return max(min(centre - half, share), 0.0), min(max(centre + half, share), 1.0)

    @property
    def p(self) -> float:
        """Two-sided p-value of the hypothesis that the ratio is 0; NaN without an error."""
        if math.isnan(self.error):
            return math.nan
        if self.error == 0:
            return 1.0 if self.value == 0 else math.ulp(0.0)
        p = 2 * student(self.degrees, -abs(self.value) / self.error)
        return max(p, math.ulp(0.0))


def ratio_of_sums(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> RatioEstimate:
    """Returns Σ sums / Σ counts with the standard error of the delta method.

    error² = C/(C−1) Σ (s_c − r n_c)² / (Σ n_c)². Clusters are independent of each other; items
    within one need not be. Clusters with a count of 0 are ignored.

    Args:
        sums: s, one per cluster.
        counts: n, one per cluster, 0 or more.

    Examples:
        >>> import numpy as np
        >>> found = ratio_of_sums(np.array([1.0, 0.0, 2.0]), np.array([2.0, 2.0, 2.0]))
        >>> found.value, round(found.error, 4)
        (0.5, 0.2887)

    References:
        Cochran (1977), Sampling Techniques, §6.4. Deng, Knoblich and Lu (2018), KDD: Applying the
        delta method in metric analytics.
    """
    import numpy as np

    kept = counts > 0
    sums, counts = sums[kept], counts[kept]
    whole = math.fsum(counts.tolist())
    clusters = len(counts)
    if not whole:
        return RatioEstimate(math.nan, math.nan, 0)
    value = math.fsum(sums.tolist()) / whole
    if clusters < 2:
        return RatioEstimate(value, math.nan, clusters)
    spread = (
        math.fsum(np.square(residuals(sums, value, counts)).tolist()) * clusters / (clusters - 1)
    )
    return RatioEstimate(value, math.sqrt(spread) / whole, clusters)


def jackknife_ratio(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> RatioEstimate:
    """Returns Σ sums / Σ counts with the jackknife's standard error, for clusters of unequal size.

    error² = (C−1)/C Σ (d_c / (1 − w_c))² / (Σ n_c)², with d = s − r n and w = n / Σ n: how much the
    ratio moves without each cluster. The degrees of freedom are 1 / Σ w² − 1, those of as many
    clusters of equal size as carry the same information. With fewer than one of them a single
    cluster decides, and there is no error. Of clusters of equal size it is `ratio_of_sums`; of
    unequal ones, that one's error is too small.

    Args:
        sums: s, one per cluster.
        counts: n, one per cluster, 0 or more.

    Examples:
        >>> import numpy as np
        >>> found = jackknife_ratio(np.array([1.0, 0.0, 2.0]), np.array([2.0, 2.0, 2.0]))
        >>> found.value, round(found.error, 4), round(found.degrees, 9)
        (0.5, 0.2887, 2.0)
        >>> found = jackknife_ratio(np.array([9.0, 1.0, 2.0]), np.array([10.0, 2.0, 4.0]))
        >>> found.sizes.largest, round(found.sizes.effective, 2), round(found.degrees, 2)
        (0.625, 2.13, 1.13)

    References:
        Bell and McCaffrey (2002), Survey Methodology 28(2); Cameron and Miller (2015), Journal of
        Human Resources 50(2), §VI; Deng, Lu and Litz (2017), WSDM: trustworthy analysis of online
        A/B tests.
    """
    import numpy as np

    kept = counts > 0
    sums, counts = sums[kept], counts[kept]
    whole = math.fsum(counts.tolist())
    clusters = len(counts)
    if not whole:
        return RatioEstimate(math.nan, math.nan, 0)
    value = math.fsum(sums.tolist()) / whole
    sizes = ClusterSizes.of(counts)
    rest = residuals(sums, value, counts)
    influence = effective_count(rest) or math.nan
    found = RatioEstimate(value, math.nan, clusters, sizes.effective - 1, sizes, influence)
    if sizes.decided:
        return found
    left = rest / (1 - counts / whole)
    spread = math.fsum(np.square(left).tolist()) * (clusters - 1) / clusters
    return replace(found, error=math.sqrt(spread) / whole)


def jackknife_mean(
    values: NDArray[np.float64], groups: Sequence[NDArray[np.int64]]
) -> tuple[RatioEstimate, tuple[RatioEstimate, ...]]:
    """Returns a mean whose values are alike within each of one or two groupings, such as users.

    With one grouping it is `jackknife_ratio`. With two, such as users and queries, the variance is
    that of the first plus that of the second, minus that of their cells, and at least the larger of
    the two; the degrees of freedom are the smaller ones. So it generalises to other users and to
    other queries at once.

    Args:
        values: One per item.
        groups: The group of each item, whole numbers from 0: one or two arrays.

    Returns:
        The mean with its error, and with that of each grouping alone.

    Examples:
        >>> import numpy as np
        >>> values = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
        >>> users, queries = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 0, 1])
        >>> both, (by_user, by_query) = jackknife_mean(values, [users, queries])
        >>> round(both.error, 4), round(by_user.error, 4), by_query.error, round(both.degrees, 9)
        (0.1667, 0.1667, 0.0, 1.0)

    References:
        Cameron, Gelbach and Miller (2011), Journal of Business & Economic Statistics 29(2); Cameron
        and Miller (2015), Journal of Human Resources 50(2), §V.
    """
    import numpy as np

    each = tuple(_mean_of(values, group) for group in groups)
    if len(each) == 1:
        return each[0], each
    first, second = each
    if math.isnan(first.error) or math.isnan(second.error):
        return replace(first, error=math.nan, freedom=min(first.degrees, second.degrees)), each
    width = int(groups[1].max()) + 1
    _, cells = np.unique(groups[0] * width + groups[1], return_inverse=True)
    one, two, within = (
        error**2 for error in (first.error, second.error, _mean_of(values, cells).error)
    )
    variance = max(one + two - within, one, two)
    freedom = min(first.degrees, second.degrees)
    return replace(first, error=math.sqrt(variance), freedom=freedom), each


def _mean_of(values: NDArray[np.float64], group: NDArray[np.int64]) -> RatioEstimate:
    import numpy as np

    return jackknife_ratio(
        np.bincount(group, values).astype(np.float64), np.bincount(group).astype(np.float64)
    )


def residuals(
    sums: NDArray[np.float64], value: float, counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns s − r n; of equal ratios it is rounding noise, and 0."""
    import numpy as np

    rest: NDArray[np.float64] = sums - value * counts
    rest[np.abs(rest) <= 4 * math.ulp(1.0) * np.abs(sums)] = 0.0
    return rest


def difference_of(first: RatioEstimate, second: RatioEstimate) -> RatioEstimate:
    """Returns the second of two independent estimates minus the first, with Welch's error.

    Examples:
        >>> found = difference_of(RatioEstimate(0.5, 0.3, 10), RatioEstimate(0.75, 0.4, 20))
        >>> found.value, found.error, round(found.degrees, 1)
        (0.25, 0.5, 27.8)

    References:
        Welch (1947), Biometrika 34(1-2).
    """
    one, two = first.error**2, second.error**2
    known = one + two > 0
    below = one**2 / first.degrees + two**2 / second.degrees if known else math.nan
    return RatioEstimate(
        second.value - first.value,
        math.sqrt(one + two),
        first.clusters + second.clusters,
        (one + two) ** 2 / below if known else first.degrees + second.degrees,
    )
