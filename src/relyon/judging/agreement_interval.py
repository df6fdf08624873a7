"""The uncertainty of an agreement: other results of the same kind would have given another one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from relyon.judging.coefficients import patterns_alpha

if TYPE_CHECKING:
    from relyon.judging.agreement import Ratings, UnitT

__all__ = ["AGREEMENT_FEW", "agreement_bounds"]

#: Results of several judges below which an agreement says too little.
AGREEMENT_FEW = 30
DRAWS = 400


def agreement_bounds(
    ratings: Ratings[UnitT], *, confidence: float = 0.95, seed: int = 0
) -> tuple[float, float]:
    """Returns a bootstrap interval of the ordinal alpha, over the units.

    Args:
        ratings: Grades by unit and judge.
        confidence: The level.
        seed: Of the draws.

    Returns:
        The percentiles of the alphas of units drawn with replacement. NaN for fewer than two units
        with several grades, or if most draws have no alpha.

    Examples:
        >>> ratings = {n: {"Ann": n % 4, "Bo": n % 4 if n % 5 else 0} for n in range(60)}
        >>> low, high = agreement_bounds(ratings)
        >>> 0.4 < low < high < 1
        True

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, 13.3.
    """
    import numpy as np

    counts = _patterns(ratings)
    total = counts.total()
    if total < 2:
        return math.nan, math.nan
    patterns = list(counts)
    shares = np.array([counts[one] for one in patterns]) / total
    drawn = np.random.default_rng(seed).multinomial(total, shares, size=DRAWS)
    values = [
        patterns_alpha(
            Counter({one: int(n) for one, n in zip(patterns, row, strict=True) if n}), "ordinal"
        )
        for row in drawn
    ]
    known = sorted(value for value in values if not math.isnan(value))
    if len(known) < DRAWS / 2:
        return math.nan, math.nan
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _patterns(ratings: Mapping[UnitT, Mapping[str, float]]) -> Counter[tuple[float, ...]]:
    """Returns how often each set of grades was given; the order of judges does not matter."""
    return Counter(tuple(sorted(found.values())) for found in ratings.values() if len(found) > 1)
