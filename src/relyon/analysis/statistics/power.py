"""Power: the smallest detectable difference, and the queries that a difference needs."""

from __future__ import annotations

import math

from relyon.core.parameters import check_fraction

__all__ = [
    "ENOUGH_QUERIES",
    "POWER",
    "is_significant",
    "least_p",
    "queries_needed",
    "smallest_detectable",
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
    queries: int, standard_deviation: float, alpha: float = 0.05, power: float = POWER
) -> float:
    """Returns the smallest difference that a two-sided paired t test detects with a given power.

    Solves n = (z_{α/2} + z_β)² σ² / δ² + z²_{α/2} / 2 for δ. NaN if there are too few queries for
    any difference, or the standard deviation is unknown.

    Args:
        queries: n.
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

    n = (z_{α/2} + z_β)² σ² / δ² + z²_{α/2} / 2, rounded up. Undefined for a difference of 0 or an
    unknown standard deviation.

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
    return math.ceil(queries) if math.isfinite(queries) else 0
