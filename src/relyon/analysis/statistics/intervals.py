"""Confidence intervals of a mean difference, by name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.analysis.statistics.differences import mean, standard_deviation
from relyon.analysis.statistics.distributions import student_quantile
from relyon.analysis.statistics.paired import Resampling
from relyon.analysis.statistics.resampling import bca_interval, percentile_interval
from relyon.core.parameters import check_choice, check_fraction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["INTERVALS", "interval", "t_interval"]

INTERVALS = ("t", "percentile", "bca")


def t_interval(differences: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Returns Student's interval: mean ± t_{n-1} standard deviation / √n; NaN for n < 2.

    Examples:
        >>> import numpy as np
        >>> [round(bound, 4) for bound in t_interval(np.array([0.1, 0.2, 0.0, 0.3]), 0.95)]
        [-0.0554, 0.3554]
    """
    count = len(differences)
    deviation = standard_deviation(differences)
    if math.isnan(deviation):
        return math.nan, math.nan
    quantile = student_quantile(count - 1, 0.5 + confidence / 2)
    centre = mean(differences)
    half = quantile * deviation / math.sqrt(count)
    return centre - half, centre + half


def interval(
    name: str,
    differences: NDArray[np.float64],
    *,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int = 0,
) -> tuple[float, float]:
    """Returns a confidence interval of the mean difference.

    NaN for fewer than two differences, or if one is NaN or infinite; for equal differences both
    bounds are that number.

    Args:
        name: `t`, `percentile` or `bca` (both bootstrap).
        differences: One per query, in an order that does not depend on the input's.
        confidence: Such as 0.95.
        resamples: Number of bootstrap resamples.
        seed: Seed of the bootstrap.
        threads: Threads of the bootstrap.

    Raises:
        ParameterError: If the interval is unknown, or another parameter is invalid.

    Examples:
        >>> import numpy as np
        >>> low, high = interval("bca", np.array([0.1, 0.2, 0.0, 0.3, 0.1]))
        >>> low < 0.14 < high
        True
    """
    resampling = Resampling(resamples, seed, threads)
    check_choice("interval", name, INTERVALS)
    check_fraction("confidence", confidence)
    if name == "t":
        return t_interval(differences, confidence)
    if name == "percentile":
        return percentile_interval(differences, confidence, resampling)
    return bca_interval(differences, confidence, resampling)
