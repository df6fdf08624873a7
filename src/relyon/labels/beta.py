"""Uncertain probabilities as Beta distributions, by their mean and weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.packages import scipy_part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

__all__ = ["Relevance", "exceeds", "interval", "product"]

#: Shapes below it are indistinguishable from 0.
TINY = 1e-100


@dataclass(frozen=True)
class Relevance:
    """The estimated relevance of each pair, and its evidence.

    Attributes:
        value: The mean.
        weight: Effective impressions, if what all pairs share were known.
        spread: The standard error of the logarithm of the value that comes from what all pairs
            share; None if that is known.
        hidden: Whether successes are never seen as such: whether a click satisfied. Then 0 can be
            as likely as little, and the lower end is at most that of a normal distribution, or 0.
    """

    value: Values
    weight: Values
    spread: Values | None = None
    hidden: bool = False

    @property
    def evidence(self) -> Values:
        """Effective impressions with all that is uncertain.

        The variance of m is m²s² + m(1 − m) / (n + 1), with the weight n and the spread s; the
        evidence is that of the Beta distribution with this variance.
        """
        import numpy as np

        if self.spread is None:
            return self.weight
        below = np.minimum(self.value, 1 - 1e-12)
        odds = self.spread**2 * below / (1 - below)
        found: Values = np.maximum(1 / (odds + 1 / (self.weight + 1)) - 1, 0.0)
        return np.where(self.spread > 0, found, self.weight)

    def interval(self, level: float) -> tuple[Values, Values]:
        """Returns the interval of each value, with all that is uncertain.

        The two errors are independent: on the logarithm of the value, the distances of the ends are
        the root of the sum of squares of what the Beta distribution of value and weight has, and of
        the normal one with the spread. The upper end is at most 1.

        Args:
            level: The probability of the interval.

        Source: Zou, Donner, Construction of confidence limits about effect measures (2008).

        Examples:
            >>> import numpy as np
            >>> mean, weight = np.array([0.4]), np.array([50.0])
            >>> low, high = Relevance(mean, weight, np.array([0.2])).interval(0.95)
            >>> low.round(2).tolist(), high.round(2).tolist()
            ([0.23], [0.65])
        """
        import numpy as np

        ends = interval(self.value, self.weight, level)
        times = float(scipy_part("special").ndtri((1 + level) / 2))
        if self.spread is not None:
            ends = self._widened(*ends, times * self.spread)
        if not self.hidden:
            return ends
        error = np.sqrt(self.value * (1 - self.value) / (self.evidence + 1))
        return np.minimum(ends[0], np.maximum(self.value - times * error, 0.0)), ends[1]

    def _widened(self, low: Values, high: Values, far: Values) -> tuple[Values, Values]:
        """The ends with another error: on the logarithm it alone would have them so far away."""
        import numpy as np

        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            down = np.hypot(np.log(self.value / low), far)
            up = np.hypot(np.log(high / self.value), far)
            lower, upper = self.value * np.exp(-down), np.minimum(self.value * np.exp(up), 1.0)
        known = (self.value > 0) & (low > 0) & (far > 0)
        return np.where(known, lower, low), np.where(known, np.maximum(upper, high), high)


def interval(mean: Values, weight: Values, level: float) -> tuple[Values, Values]:
    """Returns the central interval of Beta(mean · weight, (1 − mean) · weight).

    Where the mean is 0 or 1, or the weight 0 or infinite, it is the mean twice.

    Examples:
        >>> import numpy as np
        >>> low, high = interval(np.array([0.5, 1.0]), np.array([2.0, 9.0]), 0.9)
        >>> low.round(2).tolist(), high.round(2).tolist()
        ([0.05, 1.0], [0.95, 1.0])
    """
    import numpy as np

    betaincinv = scipy_part("special").betaincinv

    inside, first, second = _shapes(mean, weight)
    low, high = (
        np.where(inside, betaincinv(first, second, share), mean)
        for share in ((1 - level) / 2, (1 + level) / 2)
    )
    # Of a mean close to 0 or 1, half of the interval's ends can be on one side of it.
    return np.minimum(low, mean), np.maximum(high, mean)


def exceeds(mean: Values, weight: Values, threshold: float) -> Values:
    """Returns how probable it is that each probability is a threshold or more.

    Examples:
        >>> import numpy as np
        >>> exceeds(np.array([0.5, 0.5]), np.array([2.0, 1e6]), 0.4).round(2).tolist()
        [0.6, 1.0]
    """
    import numpy as np

    betaincc = scipy_part("special").betaincc

    inside, first, second = _shapes(mean, weight)
    found: Values = np.where(
        inside, betaincc(first, second, threshold), (mean >= threshold).astype(float)
    )
    return found


def _shapes(mean: Values, weight: Values) -> tuple[NDArray[np.bool_], Values, Values]:
    """Where there is anything to be uncertain about, and the two shapes there; elsewhere 1."""
    import numpy as np

    known = np.where(np.isfinite(weight), weight, 0.0)
    first, second = mean * known, (1 - mean) * known
    inside = (first > TINY) & (second > TINY)
    return inside, np.where(inside, first, 1.0), np.where(inside, second, 1.0)


def product(
    first: Values, first_weight: Values, second: Values, second_weight: Values
) -> Relevance:
    """Returns the product of two independent Beta variables as the one with its two moments.

    With means p and q of weights n and m, the variance of pq is
    (p² + v)(q² + w) − p²q², where v = p(1 − p) / (n + 1) and w likewise.
    """
    import numpy as np

    one = first * (1 - first) / (first_weight + 1)
    other = second * (1 - second) / (second_weight + 1)
    mean = first * second
    sure = np.isinf(first_weight) & np.isinf(second_weight)
    variance = np.where(sure, 0.0, (first**2 + one) * (second**2 + other) - mean**2)
    most = mean * (1 - mean)
    weight = np.divide(most, variance, out=np.full_like(mean, np.inf), where=variance > 0) - 1
    return Relevance(mean, np.where(np.isfinite(weight), np.maximum(weight, 0.0), first_weight))
