"""What a sample of paired differences says without a test."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["effect_size", "mean", "standard_deviation"]


def mean(differences: NDArray[np.float64]) -> float:
    """Returns the mean, correctly rounded whatever the order; NaN for no value."""
    count = len(differences)
    return math.fsum(differences.tolist()) / count if count else math.nan


def standard_deviation(differences: NDArray[np.float64]) -> float:
    """Returns the standard deviation with the divisor n - 1; NaN for fewer than two values.

    Sums are exact, so that the order of the values does not matter. Deviations that are rounding
    noise of the values themselves count as 0: equal differences have no spread.
    """
    count = len(differences)
    if count < 2:
        return math.nan
    values = differences.tolist()
    centre = mean(differences)
    deviation = math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (count - 1))
    noise = 4 * math.ulp(max(abs(value) for value in values))
    return 0.0 if deviation <= noise else deviation


def effect_size(differences: NDArray[np.float64]) -> float:
    """Returns Cohen's d_z: the mean difference divided by the differences' standard deviation.

    0 where all differences are 0; infinite where they are all the same other number; NaN for
    fewer than two.

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
