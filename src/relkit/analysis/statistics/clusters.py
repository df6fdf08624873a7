"""Ratios of sums over clusters, such as clicks per result by user: their errors and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RatioEstimate", "ratio_of_sums"]


@dataclass(frozen=True)
class RatioEstimate:
    """A ratio of sums and its standard error.

    Attributes:
        value: The ratio; NaN where the sum below is 0.
        error: Its standard error; NaN for fewer than two clusters.
        clusters: How many clusters there are.
    """

    value: float
    error: float
    clusters: int

    def interval(self, confidence: float) -> tuple[float, float]:
        """Returns value ± t_{clusters - 1} error; NaN where the error is not known."""
        if math.isnan(self.error):
            return math.nan, math.nan
        from scipy.special import stdtrit

        half = float(stdtrit(self.clusters - 1, 0.5 + confidence / 2)) * self.error
        return self.value - half, self.value + half

    @property
    def p(self) -> float:
        """Two-sided p-value of the hypothesis that the ratio is 0; NaN without an error."""
        if math.isnan(self.error):
            return math.nan
        if self.error == 0:
            return 1.0 if self.value == 0 else math.ulp(0.0)
        from scipy.special import stdtr

        p = 2 * float(stdtr(self.clusters - 1, -abs(self.value) / self.error))
        return max(p, math.ulp(0.0))


def ratio_of_sums(sums: NDArray[np.float64], counts: NDArray[np.float64]) -> RatioEstimate:
    """Returns Σ sums / Σ counts with the standard error of the delta method.

    error² = C/(C−1) Σ (s_c − r n_c)² / (Σ n_c)². Clusters are independent of each other; what lies
    within one need not be. Clusters whose count is 0 are no clusters.

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
    rest = sums - value * counts
    # What is left of equal ratios is rounding noise.
    rest[np.abs(rest) <= 4 * math.ulp(1.0) * np.abs(sums)] = 0.0
    spread = math.fsum(np.square(rest).tolist()) * clusters / (clusters - 1)
    return RatioEstimate(value, math.sqrt(spread) / whole, clusters)
