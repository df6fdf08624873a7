"""The area below a ROC curve: its value, interval, and the difference of two on the same items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.distributions import normal_quantile, student, student_quantile
from relyon.analysis.statistics.power import least_p
from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Area", "AreaDifference", "area", "area_difference"]

STEPS = 60


@dataclass(frozen=True)
class Area:
    """An area below a ROC curve, A = P(X > Y) + P(X = Y) / 2 for a positive X and a negative Y.

    Attributes:
        value: A: the share of pairs in which the positive scores higher, ties half.
        above: Per positive, the share of negatives below it, ties half.
        below: Per negative, the share of positives above it, ties half.
    """

    value: float
    above: NDArray[np.float64]
    below: NDArray[np.float64]

    @property
    def error(self) -> float:
        """DeLong's standard error, √(s²(above) / m + s²(below) / n); NaN for fewer than two."""
        return _welch(self.above, self.below)[0]

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Returns an interval of the area: at each end the wider of two.

        - DeLong's error on the logit scale, with Student's quantile and the degrees of freedom of
          Welch and Satterthwaite. Plain normal limits would leave [0, 1], and cover far too little
          near 1.
        - Newcombe's score interval with the variance of Hanley and McNeil. It exists for an area of
          0 or 1, where DeLong's error is 0, and is steadier with few negatives or positives; alone
          it is too narrow if one class is spread much wider than the other.

        In simulations with 2 to 100 per class it covers the truth in 93% or more of cases at a
        level of 95% (`tests/honest/test_abstention.py`).

        Args:
            confidence: Such as 0.95.

        Returns:
            The bounds; NaN with fewer than two positives or negatives.

        Examples:
            >>> import numpy as np
            >>> one = area(np.array([3.0, 4.0, 2.0]), np.array([1.0, 2.0, 0.0]))
            >>> round(one.value, 4), [round(end, 2) for end in one.interval()]
            (0.9444, [0.21, 1.0])

        References:
            DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44; Newcombe (2006), Statistics in
            Medicine 25, method 5; Hanley and McNeil (1982), Radiology 143; Pepe (2003), §5.2, for
            the logit.
        """
        check_fraction("confidence", confidence)
        positives, negatives = len(self.above), len(self.below)
        if min(positives, negatives) < 2:
            return math.nan, math.nan
        low, high = _score_interval(self.value, positives, negatives, confidence)
        error, freedom = _welch(self.above, self.below)
        if error > 0 and 0 < self.value < 1:
            spread = self.value * (1 - self.value)
            half = student_quantile(freedom, 0.5 + confidence / 2) * error / spread
            centre = math.log(self.value / (1 - self.value))
            low = min(low, _logistic(centre - half))
            high = max(high, _logistic(centre + half))
        return low, high


@dataclass(frozen=True)
class AreaDifference:
    """The difference of two areas on the same items.

    Attributes:
        value: Second minus first.
        error: DeLong's standard error of the difference; 0 if both order all pairs alike.
        freedom: Its degrees of freedom, after Welch and Satterthwaite.
        items: The number of positives or of negatives, whichever is smaller.
    """

    value: float
    error: float
    freedom: float
    items: int

    @property
    def p(self) -> float:
        """Two-sided p-value; 1 for equal orders, NaN if the error is unknown.

        A difference that is the same for all items has no spread: as in the t test, p is that of
        as many signs that agree, 2^(1 − n), for the smaller number n of positives or negatives.
        """
        if math.isnan(self.error):
            return math.nan
        if self.error == 0:
            return 1.0 if abs(self.value) <= 1e-12 else max(least_p(self.items), math.ulp(0.0))
        return max(2 * student(self.freedom, -abs(self.value) / self.error), math.ulp(0.0))

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Returns value ± t error, within −1 and 1; NaN if the error is unknown or 0."""
        check_fraction("confidence", confidence)
        if not self.error > 0:
            return math.nan, math.nan
        half = student_quantile(self.freedom, 0.5 + confidence / 2) * self.error
        return max(self.value - half, -1.0), min(self.value + half, 1.0)


def area(positives: NDArray[np.float64], negatives: NDArray[np.float64]) -> Area:
    """Returns the area below the ROC curve of scores; −∞ is a score like others.

    Args:
        positives: Scores of the positives, of shape (m,).
        negatives: Scores of the negatives, of shape (n,).

    Raises:
        ParameterError: If there are none of either.

    Examples:
        >>> import numpy as np
        >>> area(np.array([0.9, 0.5]), np.array([0.5, 0.1])).value
        0.875

    References:
        Mann and Whitney (1947); DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, for the
        components.
    """
    import numpy as np

    if not len(positives) or not len(negatives):
        raise ParameterError(message("analysis.area-needs-both"))
    above = _below(np.sort(negatives), positives)
    below = 1.0 - _below(np.sort(positives), negatives)
    return Area(float(above.mean()), above, below)


def area_difference(first: Area, second: Area) -> AreaDifference:
    """Returns second − first, for areas of two systems on the same positives and negatives.

    The components of both are paired by item: s²(above₂ − above₁) / m + s²(below₂ − below₁) / n.

    Args:
        first: The baseline's.
        second: The candidate's, with its items in the same order.

    Examples:
        >>> import numpy as np
        >>> no = np.array([0.1, 0.3, 0.5, 0.2])
        >>> old, new = area(np.array([0.2, 0.6, 0.4]), no), area(np.array([0.7, 0.6, 0.4]), no)
        >>> round(area_difference(old, new).value, 4)
        0.2083

    References:
        DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44.
    """
    error, freedom = _welch(second.above - first.above, second.below - first.below)
    items = min(len(first.above), len(first.below))
    return AreaDifference(second.value - first.value, error, freedom, items)


def _below(ordered: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the share of sorted scores that each score exceeds, ties half."""
    import numpy as np

    left = np.searchsorted(ordered, scores, "left").astype(np.float64)
    right = np.searchsorted(ordered, scores, "right").astype(np.float64)
    shares: NDArray[np.float64] = (left + right) / (2 * len(ordered))
    return shares


def _welch(above: NDArray[np.float64], below: NDArray[np.float64]) -> tuple[float, float]:
    """Returns √(s₁²/m + s₂²/n) and its degrees of freedom; NaN for fewer than two of either."""
    if min(len(above), len(below)) < 2:
        return math.nan, math.nan
    parts = [float(one.var(ddof=1)) / len(one) for one in (above, below)]
    whole = sum(parts)
    if whole <= 1e-24:  # rounding of equal components
        return 0.0, math.nan
    squares = parts[0] ** 2 / (len(above) - 1) + parts[1] ** 2 / (len(below) - 1)
    return math.sqrt(whole), whole**2 / squares


def _score_interval(
    value: float, positives: int, negatives: int, confidence: float
) -> tuple[float, float]:
    """Returns all areas θ with (A − θ)² ≤ z² V(θ), V with the mean number of both classes."""
    squared = normal_quantile(0.5 + confidence / 2) ** 2
    more = (positives + negatives) / 2 - 1

    def variance(theta: float) -> float:
        spread = 1 + more * (1 - theta) / (2 - theta) + more * theta / (1 + theta)
        return theta * (1 - theta) * spread / (positives * negatives)

    def end(outer: float) -> float:
        inner = value
        for _ in range(STEPS):
            middle = (inner + outer) / 2
            if (value - middle) ** 2 <= squared * variance(middle):
                inner = middle
            else:
                outer = middle
        return inner

    return end(0.0), end(1.0)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else 1 - 1 / (1 + math.exp(x))
