"""Descriptive statistics of paired differences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["effect_size", "mean", "standard_deviation"]


def mean(differences: NDArray[np.float64]) -> float:
    """Returns the mean from an exact sum, so that the order does not matter; NaN without values."""
    import numpy as np

    values = differences.tolist()
    if not values:
        return math.nan
    # math.fsum refuses infinities of both signs; their plain sum is NaN.
    total = math.fsum(values) if np.isfinite(differences).all() else sum(values)
    return float(total / len(values))


def standard_deviation(differences: NDArray[np.float64]) -> float:
    """Returns the standard deviation with the divisor n - 1.

    NaN for fewer than two values, or if one is NaN or infinite.

    Sums are exact, so that the order of the values does not matter. Deviations that are rounding
    noise of the values themselves count as 0: equal differences have no spread.
    """
    import numpy as np

    count = len(differences)
    if count < 2 or not np.isfinite(differences).all():
        return math.nan
    # Scaled by a power of two, squares neither overflow nor vanish.
    exponent = math.frexp(float(np.abs(differences).max()))[1]
    scaled = np.ldexp(differences, -exponent)
    centre = math.fsum(scaled.tolist()) / count
    deviation = math.sqrt(math.fsum(((scaled - centre) ** 2).tolist()) / (count - 1))
    noise = 2 * math.ulp(1.0)
    return 0.0 if deviation <= noise else math.ldexp(deviation, exponent)


def effect_size(differences: NDArray[np.float64]) -> float:
    """Returns Cohen's d_z: the mean difference divided by the differences' standard deviation.

    0 if all differences are 0; infinite if all are the same nonzero number; NaN for fewer than two.

    Examples:
        >>> import numpy as np
        >>> effect_size(np.array([1.0, 2.0, 3.0]))
        2.0

    References:
        Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, §2.3.5.
    """
    deviation = standard_deviation(differences)
    centre = mean(differences)
    if deviation == 0:
        return math.copysign(math.inf, centre) if centre else 0.0
    return centre / deviation
