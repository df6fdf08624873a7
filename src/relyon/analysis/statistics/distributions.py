"""Distributions: tails and quantiles of numbers, and the exact tests that follow from them.

The core computes them. They agree with SciPy's to 1e-13 of the value, or to 5e-12 for
probabilities below 1e-30: `tests/unit/test_distributions.py`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon._native import (
    binomial,
    binomial_tail,
    chi_square_tail,
    f_tail,
    normal,
    normal_quantile,
    student,
    student_quantile,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "binomial_p",
    "chi_square_tail",
    "f_tail",
    "independence_p",
    "normal",
    "normal_quantile",
    "signed_rank_p",
    "student",
    "student_quantile",
]


def binomial_p(successes: int, trials: int, share: float = 0.5) -> float:
    """Returns the two-sided p-value of the exact binomial test.

    p = Σ P(X = k) over all k at most as likely as the observation.

    Args:
        successes: Number of successful trials.
        trials: Number of trials.
        share: The share of successes under the hypothesis, 0 < share < 1.

    Examples:
        >>> round(binomial_p(9, 10), 6)
        0.021484
        >>> binomial_p(0, 0)
        1.0

    References:
        Conover (1999), Practical Nonparametric Statistics, §3.1.
    """
    expected = share * trials
    if successes == expected:
        return 1.0
    if successes > expected:
        return binomial_p(trials - successes, trials, 1 - share)
    # Rounding must not separate equally likely outcomes.
    bound = binomial(successes, trials, share) * (1 + 1e-7)
    low, high = math.ceil(expected), trials + 1
    while low < high:  # beyond its peak, the probability falls
        middle = (low + high) // 2
        if binomial(middle, trials, share) <= bound:
            high = middle
        else:
            low = middle + 1
    p = binomial_tail(successes, trials, share)
    return min(1.0, p + binomial_tail(trials - low, trials, 1 - share))


def independence_p(table: Sequence[Sequence[float]], *, correct: bool = False) -> float:
    """Returns the p-value of Pearson's χ² test that rows and columns are independent.

    χ² = Σ (observed - expected)² / expected, with (rows - 1)(columns - 1) degrees of freedom.

    Args:
        table: Counts; no row or column may sum to 0.
        correct: Yates' continuity correction with one degree of freedom.

    Examples:
        >>> round(independence_p([[90, 110], [120, 80]]), 6)
        0.002667

    References:
        Conover (1999), Practical Nonparametric Statistics, §4.2.
    """
    rows = [math.fsum(row) for row in table]
    columns = [math.fsum(column) for column in zip(*table, strict=True)]
    whole = math.fsum(rows)
    degrees = (len(rows) - 1) * (len(columns) - 1)
    shift = 0.5 if correct and degrees == 1 else 0.0
    parts = []
    for row, observed in zip(rows, table, strict=True):
        for column, count in zip(columns, observed, strict=True):
            expected = row * column / whole
            away = abs(count - expected)
            parts.append((away - min(shift, away)) ** 2 / expected)
    return chi_square_tail(degrees, math.fsum(parts)) if degrees else 1.0


def signed_rank_p(differences: NDArray[np.float64]) -> tuple[float, float]:
    """Returns the smaller sum of signed ranks and its two-sided p-value.

    Under the hypothesis each rank is positive or negative with probability 1/2. Exact for up to 50
    differences without ties and up to 13 with them; else W is taken as normal with variance
    n(n + 1)(2n + 1) / 24 minus Σ (t³ - t) / 48 over groups of t ties.

    Args:
        differences: All nonzero.

    Examples:
        >>> import numpy as np
        >>> signed_rank_p(np.array([1.0, 2.0, 3.0, 4.0, -5.0]))
        (5.0, 0.625)

    References:
        Wilcoxon (1945), Biometrics Bulletin 1(6); Pratt and Gibbons (1981), Concepts of
        Nonparametric Theory, §3.
    """
    import numpy as np

    size = len(differences)
    if not size:
        return 0.0, 1.0
    _, place, times = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    twice = (2 * np.cumsum(times) - times + 1)[place]  # of the mean ranks, whole numbers
    positive = int(twice[differences > 0].sum())
    smaller = min(positive, size * (size + 1) - positive)
    if size <= (50 if len(times) == size else 13):
        ways = np.zeros(size * (size + 1) + 1, dtype=np.int64)  # of each sum: at most 2^50
        ways[0] = 1
        for rank in twice.tolist():
            ways[rank:] += ways[:-rank].copy()
        return smaller / 2, min(1.0, 2 * math.ldexp(int(ways[: smaller + 1].sum()), -size))
    ties = float((times.astype(float) ** 3 - times).sum())
    variance = size * (size + 1) * (2 * size + 1) / 24 - ties / 48
    distance = smaller / 2 - size * (size + 1) / 4
    return smaller / 2, min(1.0, 2 * normal(distance / math.sqrt(variance)))
