"""Power: the smallest detectable difference, and the queries that a difference needs."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from relyon.core.parameters import check_fraction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "ENOUGH_QUERIES",
    "POWER",
    "is_significant",
    "least_p",
    "planned_power",
    "queries_needed",
    "smallest_detectable",
    "spread_certainty",
]

POWER = 0.8
#: Queries from which on a difference can be called significant: that five of five favour one side
#: happens by chance in 6% of cases, and six of six in 3%.
ENOUGH_QUERIES = 6


def is_significant(queries: int, p: float, alpha: float) -> bool:
    """Whether a difference is significant: p is at most α, of six queries or more.

    Args:
        queries: Number of paired queries.
        p: The p-value, corrected if there are several; NaN is not significant.
        alpha: α, the significance level.

    Examples:
        >>> is_significant(50, 0.01, 0.05), is_significant(5, 0.01, 0.05)
        (True, False)
    """
    return queries >= ENOUGH_QUERIES and p <= alpha


def least_p(queries: int) -> float:
    """Returns the smallest two-sided p-value that a sign-flip test of n queries can reach.

    2 of the 2^n patterns of signs are as extreme as all wins or all losses: 2^(1 - n).

    Args:
        queries: n, at least 1.

    Examples:
        >>> least_p(5), least_p(6)
        (0.0625, 0.03125)
    """
    return 2.0 ** (1 - queries)


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    """Returns z_{α/2} and z_β."""
    from statistics import NormalDist

    for name, value in (("alpha", alpha), ("power", power)):
        check_fraction(name, value)
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(power)


def smallest_detectable(
    queries: float, standard_deviation: float, alpha: float = 0.05, power: float = POWER
) -> float:
    """Returns the smallest difference that a two-sided paired t test detects with a given power.

    Solves n = (z_{α/2} + z_β)² σ² / δ² + z²_{α/2} / 2 for δ. NaN if there are too few queries for
    any difference, or the standard deviation is unknown.

    Args:
        queries: n; degrees of freedom + 1, if there are fewer of them.
        standard_deviation: σ of the differences.
        alpha: The level of the test.
        power: 1 - β, the probability of detecting the difference.

    Examples:
        >>> round(smallest_detectable(50, 0.2), 4)
        0.0808

    Raises:
        ParameterError: If `alpha` or `power` is not between 0 and 1.

    References:
        Sakai (2016), Information Retrieval Journal 19, doi 10.1007/s10791-015-9273-z.
    """
    level, chance = _quantiles(alpha, power)
    effective = queries - level**2 / 2
    if math.isnan(standard_deviation) or effective <= 0:
        return math.nan
    return (level + chance) * standard_deviation / math.sqrt(effective)


def queries_needed(
    difference: float, standard_deviation: float, alpha: float = 0.05, power: float = POWER
) -> int:
    """Returns how many queries detect a difference with a given power; 0 if undefined.

    n = (z_{α/2} + z_β)² σ² / δ² + z²_{α/2} / 2, rounded up, and at least six, as fewer are never
    significant. Undefined for a difference of 0 or an unknown standard deviation.

    Args:
        difference: δ.
        standard_deviation: σ of the differences.
        alpha: The level of the test.
        power: 1 - β, the probability of detecting the difference.

    Examples:
        >>> queries_needed(0.05, 0.2)
        128

    Raises:
        ParameterError: If `alpha` or `power` is not between 0 and 1.

    References:
        Sakai (2016), Information Retrieval Journal 19, doi 10.1007/s10791-015-9273-z.
    """
    if not difference or math.isnan(difference) or math.isnan(standard_deviation):
        return 0
    level, chance = _quantiles(alpha, power)
    ratio = (level + chance) * standard_deviation / difference
    queries = ratio * ratio + level**2 / 2
    return max(math.ceil(queries), ENOUGH_QUERIES) if math.isfinite(queries) else 0


def spread_certainty(values: NDArray[np.float64]) -> float:
    """Returns how well values show their variance: the degrees of freedom ν of s².

    s² has the relative variance 2 / ν. For normal values ν = n - 1; a variance that a few large
    values make up is known less well:

        ν = 2 (n - 1) / (2 + G₂),  G₂ the excess kurtosis, unbiased for normal values, 0 or more.

    Values too large and too rare to be among the given ones are not counted. At least 1, if the
    values are not all equal; 0 if they are.

    Args:
        values: One per query.

    Examples:
        >>> import numpy as np
        >>> even = np.linspace(-1, 1, 20)
        >>> spread_certainty(even), round(spread_certainty(np.append(even * 0.1, 2.0)), 1)
        (19.0, 1.8)

    References:
        O'Neill (2014), The American Statistician 68(4); Joanes and Gill (1998), The Statistician
        47(1).
    """
    import numpy as np

    count = len(values)
    apart = np.asarray(values, dtype=np.float64) - np.mean(values) if count else values
    variance = float(np.mean(apart**2)) if count else 0.0
    if count < 2 or variance <= 0:
        return 0.0
    if count < 4:
        return count - 1.0
    excess = float(np.mean(apart**4)) / variance**2 - 3
    unbiased = (count - 1) / ((count - 2) * (count - 3)) * ((count + 1) * excess + 6)
    return max(2 * (count - 1) / (2 + max(unbiased, 0.0)), 1.0)


@lru_cache(maxsize=1024)
def planned_power(power: float, alpha: float, certainty: float) -> float:
    """Returns the power to plan for as if σ were known, so that the promised one is reached.

    A plan takes s for σ. Over the samples that s could come from, n = c² s² / δ² queries have the
    power P(T ≤ c) of a noncentral t with ν degrees of freedom and the noncentrality z_{α/2}. This
    returns Φ(c - z_{α/2}) for the c that gives the promised power, which is more than that power.

    Args:
        power: The promised power.
        alpha: The level of the test.
        certainty: ν, the degrees of freedom of s², as `spread_certainty` returns them.

    Examples:
        >>> round(planned_power(0.8, 0.05, 9), 3), round(planned_power(0.8, 0.05, 1e6), 3)
        (0.869, 0.8)

    Raises:
        ParameterError: If `alpha` or `power` is not between 0 and 1.

    References:
        Julious and Owen (2006), Pharmaceutical Statistics 5(1); Browne (1995), Statistics in
        Medicine 14(17).
    """
    from statistics import NormalDist

    level, chance = _quantiles(alpha, power)
    normal = NormalDist()
    if certainty > 2000:
        return power
    # χ_ν / √ν by the midpoint rule, on the scale of its logarithm.
    width = min(8 / math.sqrt(2 * certainty), 12.0)
    steps = 160
    logs = [width * (2 * (place + 0.5) / steps - 1) for place in range(steps)]
    heights = [certainty * (one - math.exp(2 * one) / 2 + 0.5) for one in logs]
    scales = [math.exp(one) for one in logs]
    weights = [math.exp(max(one, -700.0)) for one in heights]
    total = math.fsum(weights)

    def reached(critical: float) -> float:
        return (
            math.fsum(
                weight * normal.cdf(critical * scale - level)
                for weight, scale in zip(weights, scales, strict=True)
            )
            / total
        )

    low, high = 0.0, level + chance
    while reached(high) < power and high < 1e6:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if reached(middle) < power else (low, middle)
    return min(normal.cdf(high - level), 1 - 1e-15)
