"""Shares of queries with their intervals, and numbers at a base rate of unanswerable queries."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.document.json import json_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Rate", "hull", "rate_of", "weighted_sum"]


@dataclass(frozen=True)
class Rate:
    """A number between 0 and 1 with its interval.

    Attributes:
        value: The number; NaN without queries.
        low: The lower bound; NaN if there is no interval.
        high: The upper bound.
        queries: The number of queries behind it.
    """

    value: float
    low: float
    high: float
    queries: int

    @property
    def bounds(self) -> tuple[float, float]:
        """Both bounds."""
        return self.low, self.high

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "value": json_number(self.value),
            "low": json_number(self.low),
            "high": json_number(self.high),
            "queries": self.queries,
        }


def rate_of(values: NDArray[np.float64], confidence: float) -> Rate:
    """Returns the mean of values from 0 to 1 with its interval.

    Shares of yes and no have the exact interval of Clopper and Pearson; values in between, which
    come from ties counted in expectation, have that of `mean_interval`.

    Args:
        values: One per query.
        confidence: Such as 0.95.

    Examples:
        >>> import numpy as np
        >>> one = rate_of(np.array([0.0] * 9 + [1.0]), 0.95)
        >>> one.value, round(one.low, 4), round(one.high, 4)
        (0.1, 0.0025, 0.445)
    """
    from relyon.analysis.statistics.bounded import mean_interval

    if not len(values):
        return Rate(math.nan, math.nan, math.nan, 0)
    low, high = mean_interval(values, 0.0, 1.0, confidence).bounds
    return Rate(float(values.mean()), low, high, len(values))


def hull(rate: Rate, other: Rate) -> Rate:
    """Returns a rate whose interval contains its own and that of another estimate.

    Args:
        rate: The rate.
        other: The other; without an interval it changes nothing.
    """
    if math.isnan(rate.low) or math.isnan(other.low):
        return rate
    return Rate(rate.value, min(rate.low, other.low), max(rate.high, other.high), rate.queries)


def weighted_sum(first: Rate, second: Rate, weight: float) -> Rate:
    """Returns weight · first + (1 − weight) · second of independent rates, with its interval.

    The interval recovers each rate's variance from its own bounds (MOVER): the lower bound is
    θ − √((w (p₁ − l₁))² + ((1 − w) (p₂ − l₂))²), the upper one alike.

    Args:
        first: A rate.
        second: Another, of other queries.
        weight: The weight of the first.

    References:
        Zou and Donner (2008), Statistics in Medicine 27; Newcombe (1998), Statistics in Medicine
        17, method 10, is the case of a difference.
    """
    value = weight * first.value + (1 - weight) * second.value
    down = math.hypot(
        weight * (first.value - first.low), (1 - weight) * (second.value - second.low)
    )
    up = math.hypot(
        weight * (first.high - first.value), (1 - weight) * (second.high - second.value)
    )
    queries = first.queries + second.queries
    return (
        Rate(value, max(value - down, 0.0), min(value + up, 1.0), queries)
        if not math.isnan(down + up)
        else Rate(value, math.nan, math.nan, queries)
    )
