"""Intervals of a mean that are valid at any sample size, given only the range of the values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["bernstein_half", "bernstein_interval"]


def bernstein_half(variance: float, width: float, count: int, confidence: float) -> float:
    """Returns the half-width of the empirical Bernstein interval of a mean.

    √(2 V L / n) + 7 R L / (3 (n − 1)), with L = ln(4 / (1 − confidence)): each side has half of the
    error rate. Infinite for fewer than two values.

    Args:
        variance: V, with the divisor n − 1.
        width: R, the width of the range that values cannot leave.
        count: n.
        confidence: Such as 0.95.

    References:
        Maurer and Pontil (2009), COLT, theorem 4.
    """
    if count < 2:
        return math.inf
    logarithm = math.log(4 / (1 - confidence))
    noise = 7 * width * logarithm / (3 * (count - 1))
    return math.sqrt(2 * variance * logarithm / count) + noise


def bernstein_interval(
    values: NDArray[np.float64], low: float, high: float, *, confidence: float = 0.95
) -> tuple[float, float]:
    """Returns the empirical Bernstein interval of a mean, cut to the range of the values.

    It is valid for any number of independent values, even if few are nonzero, without assuming
    normality; so it is wide. Fewer than two values give the range itself.

    Args:
        values: Independent values.
        low: Lower bound of the values.
        high: Upper bound of the values.
        confidence: Such as 0.95.

    Raises:
        ParameterError: If a value lies outside the range.

    Examples:
        >>> import numpy as np
        >>> found = bernstein_interval(np.repeat([0.0, 1.0], 500), 0, 1)
        >>> [round(bound, 4) for bound in found]
        [0.4429, 0.5571]
        >>> bernstein_interval(np.array([1.0]), 0, 1)
        (0.0, 1.0)

    References:
        Maurer and Pontil (2009), COLT, theorem 4.
    """
    import numpy as np

    check_fraction("confidence", confidence)
    slack = 1e-9 * max(abs(low), abs(high), 1.0)
    if len(values) and not (low - slack <= values.min() and values.max() <= high + slack):
        raise ParameterError(message("analysis.value-lies-outside-given", low=low, high=high))
    if len(values) < 2:
        return float(low), float(high)
    centre = math.fsum(values.tolist()) / len(values)
    variance = float(np.var(values, ddof=1))
    half = bernstein_half(variance, high - low, len(values), confidence)
    return max(centre - half, float(low)), min(centre + half, float(high))
