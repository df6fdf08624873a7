"""The bootstrap of a ratio of sums, such as a weighted mean."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon import _native
from relyon.analysis.statistics.resampling import Whole, chunks
from relyon.core.parameters import check_fraction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.statistics.paired import Resampling

__all__ = ["ratio_interval", "resampled_ratios"]


def ratio_interval(
    numerators: NDArray[np.float64],
    denominators: NDArray[np.float64],
    confidence: float,
    resampling: Resampling,
) -> tuple[float, float]:
    """Returns the percentile bootstrap interval of Σ numerators / Σ denominators.

    Items are drawn with replacement. Draws whose denominators sum to 0 are left out; NaN if there
    are no others, and for fewer than two items. It is too narrow if few items dominate the sums,
    and has no width if the sums are 0.

    Args:
        numerators: One per item.
        denominators: One per item, 0 or more.
        confidence: Such as 0.95.
        resampling: Number of draws and seed.

    Examples:
        >>> import numpy as np
        >>> from relyon.analysis.statistics import Resampling
        >>> clicks, weights = np.array([1.0, 0.0, 2.0, 1.0]), np.array([2.0, 2.0, 2.0, 1.0])
        >>> low, high = ratio_interval(clicks, weights, 0.95, Resampling())
        >>> low < 4 / 7 < high
        True

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, §13.3.
    """
    import numpy as np

    check_fraction("confidence", confidence)
    ratios = resampled_ratios(numerators, denominators, resampling)
    if not len(ratios):
        return math.nan, math.nan
    low, high = np.quantile(ratios, (0.5 - confidence / 2, 0.5 + confidence / 2))
    return float(low), float(high)


def resampled_ratios(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64], resampling: Resampling
) -> NDArray[np.float64]:
    """Returns Σ numerators / Σ denominators of items drawn with replacement, once per resample.

    Draws whose denominators sum to 0 are left out; empty for fewer than two items.

    Args:
        numerators: One per item.
        denominators: One per item, 0 or more.
        resampling: Number of draws and seed.
    """
    import numpy as np

    if len(numerators) < 2:
        return np.zeros(0)
    above, below = Whole.of(numerators[np.newaxis]), Whole.of(denominators[np.newaxis])
    values = np.concatenate([above.values, below.values])
    drawn = [
        _native.resampled_sums(values, first, count, resampling.seed, resampling.threads)
        for first, count in chunks(resampling)
    ]
    sums = np.concatenate(drawn, axis=1).astype(np.float64)
    known = sums[1] > 0
    ratios: NDArray[np.float64] = sums[0, known] * above.unit / (sums[1, known] * below.unit)
    return ratios
