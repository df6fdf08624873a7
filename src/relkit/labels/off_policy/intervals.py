"""Intervals of an off-policy estimate, by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from relkit.analysis.statistics import (
    Resampling,
    bernstein_half,
    bernstein_interval,
    interval,
    ratio_interval,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relkit.labels.off_policy.estimator import Terms

__all__ = ["Interval", "estimate_of", "interval_of"]

#: How an interval is made.
Interval = Literal["bernstein", "bootstrap", "t"]

STEPS = 60


def estimate_of(terms: Terms) -> float:
    """Returns Σ numerator / Σ denominator, of exact sums; NaN where the latter is 0."""
    above = math.fsum(terms.numerator.tolist())
    if terms.denominator is None:
        return above / len(terms.numerator)
    below = math.fsum(terms.denominator.tolist())
    return above / below if below else math.nan


def interval_of(
    terms: Terms,
    name: Interval,
    confidence: float,
    *,
    most: tuple[float, float],
    groups: NDArray[np.int64] | None = None,
    resampling: Resampling,
) -> tuple[float, float]:
    """Returns the interval of an estimate; NaN where sessions do not say how far off it is.

    Args:
        terms: What each session contributes.
        name: `bernstein`, `bootstrap` or `t`.
        confidence: Such as 0.95.
        most: The least and the most that a session can earn.
        groups: The group of each session, where groups are drawn and not sessions; not for
            `bernstein`.
        resampling: Of the bootstrap.
    """
    import numpy as np

    if not terms.certain:
        return math.nan, math.nan
    if name == "bernstein":
        return _cut(_bernstein(terms, confidence, most), most)
    above, below = terms.numerator, terms.denominator
    below = np.ones(len(above)) if below is None else below
    if groups is not None:
        above, below = (np.bincount(groups, values).astype(np.float64) for values in (above, below))
    if name == "bootstrap":
        return ratio_interval(above, below, confidence, resampling)
    # The delta method: a ratio of sums is about a mean of these.
    value = estimate_of(terms)
    return interval("t", value + (above - value * below) / below.mean(), confidence=confidence)


def _bernstein(terms: Terms, confidence: float, most: tuple[float, float]) -> tuple[float, float]:
    """Returns the empirical Bernstein interval.

    Of a ratio, it is every value θ at which the mean of numerator − θ denominator may be 0.
    """
    import numpy as np

    if terms.denominator is None:
        return bernstein_interval(terms.numerator, terms.low, terms.high, confidence=confidence)
    above, below = terms.numerator, terms.denominator
    count = len(above)
    if count < 2:
        return most
    width = terms.high - terms.low
    means = above.mean(), below.mean()
    covariance = np.cov(above, below)

    def excess(value: float, sign: int) -> float:
        """By how much the mean is further from 0 than it may be."""
        variance = covariance[0, 0] - 2 * value * covariance[0, 1] + value**2 * covariance[1, 1]
        half = bernstein_half(max(float(variance), 0.0), width, count, confidence)
        return float(sign * (means[0] - value * means[1])) - half

    value = estimate_of(terms)
    return (
        _edge(lambda one: excess(one, 1), most[0], value),
        _edge(lambda one: excess(one, -1), most[1], value),
    )


def _edge(excess: Callable[[float], float], far: float, near: float) -> float:
    """Returns where an excess that `near` does not have begins on the way to `far`."""
    if not excess(far) > 0:
        return far
    for _ in range(STEPS):
        middle = (far + near) / 2
        if excess(middle) > 0:
            far = middle
        else:
            near = middle
    return far


def _cut(bounds: tuple[float, float], most: tuple[float, float]) -> tuple[float, float]:
    low, high = bounds
    return min(max(low, most[0]), most[1]), max(min(high, most[1]), most[0])
