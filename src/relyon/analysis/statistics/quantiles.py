"""Intervals of a quantile from ordered values: they need no shape of the distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence

from relyon._native import binomial_tail
from relyon.core.parameters import check_fraction

__all__ = ["quantile_interval"]


def quantile_interval(
    values: Sequence[float], share: float, confidence: float = 0.95
) -> tuple[float, float]:
    """Returns an interval of a quantile between two of the values, the exact one of the binomial.

    It covers the quantile of any distribution in at least the stated part of samples, with any
    tails; between equal values it covers more. An end for which there are too few values is NaN:
    the median needs six for 95%, the 95th percentile 72 for its upper end.

    Args:
        values: Independent values, in any order.
        share: The quantile: 0.5 is the median.
        confidence: Such as 0.95.

    Raises:
        ParameterError: If the share or the confidence is not between 0 and 1.

    Examples:
        >>> quantile_interval([1, 2, 3, 4, 5, 100], 0.5)
        (1, 100)
        >>> quantile_interval(range(100), 0.5)
        (39, 60)
        >>> quantile_interval([1, 2, 3], 0.5)
        (nan, nan)

    References:
        David and Nagaraja (2003), Order Statistics, §7.1.
    """
    check_fraction("share", share)
    check_fraction("confidence", confidence)
    ordered = sorted(values)
    count, tail = len(ordered), (1 - confidence) / 2
    below = _most(count, share, tail)
    above = _most(count, 1 - share, tail)
    low = ordered[below] if below is not None else math.nan
    high = ordered[count - 1 - above] if above is not None else math.nan
    return low, high


def _most(count: int, share: float, tail: float) -> int | None:
    """Returns the largest r with P(Bin(count, share) <= r) of at most a tail; None without one."""
    low, high = -1, count
    while high - low > 1:
        middle = (low + high) // 2
        if binomial_tail(middle, count, share) <= tail:
            low = middle
        else:
            high = middle
    return low if low >= 0 else None
