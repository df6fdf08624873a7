"""The queries that repeated runs need: the power of the test that counts what runs share."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from relyon.analysis.statistics.components import Components, RunEffect
from relyon.analysis.statistics.distributions import normal, student_quantile
from relyon.analysis.statistics.power import ENOUGH_QUERIES, POWER
from relyon.core.parameters import check_fraction, check_whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MOST_QUERIES", "power_of_runs", "queries_for_runs"]

#: Queries that are tried at most.
MOST_QUERIES = 1_000_000
#: Samples of the variances.
DRAWS = 300


@lru_cache(maxsize=64)
def _squares(freedom: float, place: int) -> NDArray[np.float64]:
    """Returns quantiles of χ² / ν in a random order, the same for each place."""
    import numpy as np

    random = np.random.default_rng([place, int(freedom)])
    return np.asarray(random.standard_gamma(freedom / 2, DRAWS) * 2 / freedom)


def power_of_runs(
    parts: Components, difference: float, queries: int, runs: int, alpha: float = 0.05
) -> float:
    """Returns the power of the t test of two systems with as many runs each.

    The variances V_q, V_r and V_c that the test uses are drawn, the power given them is exact for
    normal values; 300 draws from a fixed seed.

    Args:
        parts: The variance components.
        difference: δ.
        queries: n, at least 2.
        runs: R, of each system, at least 2.
        alpha: The level of the test.

    Raises:
        ParameterError: If there are too few queries or runs, or `alpha` is not between 0 and 1.

    Examples:
        >>> parts = Components(query=0.04, interaction=0.01, run=0.0001, repeat=0.01)
        >>> [round(power_of_runs(parts, 0.05, 100, runs), 1) for runs in (2, 3, 10)]
        [0.5, 0.7, 0.9]
    """
    check_fraction("alpha", alpha)
    check_whole("queries", queries, least=2)
    check_whole("runs", runs, least=2)
    noise = parts.repeat / queries / runs
    by_query = 2 * (parts.interaction / queries + noise)
    shared = parts.run / runs
    error = math.sqrt(by_query + 2 * shared)
    if not error > 0:
        return 1.0
    first, second = ((shared + noise) * _squares(runs - 1, place) for place in (0, 1))
    least = max((queries - 1) * (runs - 1), 1)
    expected = noise * (_squares(least, 2) + _squares(least, 3))
    seen = by_query * _squares(queries - 1, 4)
    found = []
    for one, other, left, own in zip(
        first.tolist(), second.tolist(), expected.tolist(), seen.tolist(), strict=True
    ):
        observed = one + other
        freedom = observed**2 * (runs - 1) / (one**2 + other**2) if observed else math.inf
        effect = RunEffect(observed, left, freedom, math.nan, 2.0 * least)
        variance, degrees = effect.added_to(own, queries - 1.0)
        critical = student_quantile(degrees, 1 - alpha / 2) * math.sqrt(variance)
        found.append(normal((difference - critical) / error))
    return math.fsum(found) / len(found)


def queries_for_runs(
    parts: Components, difference: float, runs: int, *, alpha: float = 0.05, power: float = POWER
) -> int:
    """Returns how many queries detect a difference with so many runs of each system.

    Args:
        parts: The variance components.
        difference: δ, above 0.
        runs: R, of each system, at least 2.
        alpha: The level of the test.
        power: 1 - β.

    Returns:
        At least six; 0 if no number of queries up to 1,000,000 is enough, since what runs share
        does not average out over queries.

    Examples:
        >>> parts = Components(query=0.04, interaction=0.01, run=0.0001, repeat=0.01)
        >>> queries_for_runs(parts, 0.01, 3)
        0
        >>> 70 < queries_for_runs(parts, 0.05, 10) < 85
        True

    Raises:
        ParameterError: If there are too few runs, or `alpha` or `power` is not between 0 and 1.
    """
    check_fraction("power", power)

    def enough(queries: int) -> bool:
        return power_of_runs(parts, difference, queries, runs, alpha) >= power

    if not difference > 0 or not enough(MOST_QUERIES):
        return 0
    high = ENOUGH_QUERIES
    while not enough(high):
        high = min(2 * high, MOST_QUERIES)
    low = max(high // 2, ENOUGH_QUERIES - 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
