"""Confidence intervals of a mean difference, by name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relkit.statistics.differences import mean, standard_deviation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["t_interval"]


def t_interval(differences: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Returns Student's interval: mean ± t_{n-1} standard deviation / √n; NaN for n < 2.

    Examples:
        >>> import numpy as np
        >>> [round(bound, 4) for bound in t_interval(np.array([0.1, 0.2, 0.0, 0.3]), 0.95)]
        [-0.0554, 0.3554]
    """
    count = len(differences)
    if count < 2:
        return math.nan, math.nan
    from scipy.special import stdtrit

    quantile = float(stdtrit(count - 1, 0.5 + confidence / 2))
    centre = mean(differences)
    half = quantile * standard_deviation(differences) / math.sqrt(count)
    return centre - half, centre + half
