"""The queries that a paired test needs, planned from the differences of a pilot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.analysis.statistics.differences import standard_deviation
from relyon.analysis.statistics.paired import tidy
from relyon.analysis.statistics.power import (
    ENOUGH_QUERIES,
    POWER,
    least_p,
    planned_power,
    queries_needed,
    spread_certainty,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RANK_TESTS", "plan_test"]

#: Tests of signs or ranks; all others need what the t test needs.
RANK_TESTS = ("sign", "wilcoxon")
#: Tests whose p cannot be below that of all wins or all losses.
SIGN_FLIPS = (*RANK_TESTS, "permutation", "tukey")


def plan_test(
    differences: NDArray[np.float64],
    difference: float,
    test: str = "t",
    *,
    alpha: float = 0.05,
    power: float = POWER,
    differing: int | None = None,
) -> int:
    """Returns how many queries a paired test needs, from a pilot's differences; 0 if unknown.

    That s is an estimate is counted, by `planned_power`: over pilots of this kind, the test detects
    the difference with the power. At least six of the queries must be expected to differ, more
    where six wins of six are not significant at the level; six of the pilot's must, else nothing is
    known.

    The t test, and the permutation and bootstrap tests, which have its power:
    n = (z_{α/2} + z_β)² s² / δ² + z²_{α/2} / 2.

    Tests of signs and ranks: the share κ of the queries differs, as in the pilot, and the
    difference comes from how many of them are won. A query that differs by |d| is won with the odds
    e^{2λ|d|}, and |d| is as frequent as in the pilot times cosh(λ|d|) / cosh(λ₀|d|), where λ₀ gives
    the pilot's own mean and λ the mean δ. So a normal distribution is shifted, and ties stay ties.
    With the scores φ (1, or the rank of |d|), the mean D of sign · φ and its variances v₀, v₁
    without and with the difference, n = (z_{α/2} √v₀ + z_β √v₁)² / D². For the sign test 1 / D is
    added, since its levels are discrete.

    Args:
        differences: Those of the pilot, one per query.
        difference: δ, above 0.
        test: The name of the test.
        alpha: Its level.
        power: 1 - β.
        differing: How many of the pilot's queries differ; by default, how many differences are not
            0.

    Examples:
        >>> import numpy as np
        >>> pilot = np.random.default_rng(0).normal(0.02, 0.1, 40)
        >>> [plan_test(pilot, 0.05, name) for name in ("t", "wilcoxon", "sign")]
        [23, 25, 39]

    Raises:
        ParameterError: If `alpha` or `power` is not between 0 and 1.

    References:
        Julious and Owen (2006), Pharmaceutical Statistics 5(1); Noether (1987), Journal of the
        American Statistical Association 82; Fleiss (1981), Statistical Methods for Rates and
        Proportions.
    """
    import numpy as np

    found = tidy(np.asarray(differences, dtype=np.float64))
    if differing is None:
        differing = int((found != 0).sum())
    certainty = spread_certainty(found)
    if differing < ENOUGH_QUERIES or not certainty or not difference > 0:
        return 0
    real = planned_power(power, alpha, round(certainty, 2))
    if test in RANK_TESTS:
        queries = _of_scores(found, difference, test, alpha, real)
    else:
        queries = queries_needed(difference, standard_deviation(found), alpha, real)
    least = ENOUGH_QUERIES
    if test in SIGN_FLIPS:
        while least_p(least) > alpha:
            least += 1
    return max(queries, math.ceil(least * len(found) / differing)) if queries else 0


def _of_scores(
    found: NDArray[np.float64], difference: float, test: str, alpha: float, real: float
) -> int:
    """Returns the queries for a test of signs or ranks."""
    from statistics import NormalDist

    import numpy as np

    differing = found[found != 0]
    sizes = np.sort(np.abs(differing))
    share = len(sizes) / len(found)
    wanted = difference / share
    if wanted >= sizes[-1]:
        return ENOUGH_QUERIES
    # The mean beyond what chance alone makes of it.
    beyond = differing.mean() ** 2 - differing.var() / (len(differing) - 1)
    plain = np.zeros(len(sizes))
    own = _rate(sizes, plain, math.sqrt(max(float(beyond), 0.0)))
    given = -_log_cosh(own * sizes)
    rate = _rate(sizes, given, wanted)
    weights = _weights(sizes, given, rate)
    wins = np.tanh(rate * sizes)
    if test == "sign":
        drift, null = share * float((weights * wins).sum()), share
        moved = null - drift**2
    else:
        ranks = _halfway(weights)
        drift = share * float((weights * ranks * wins).sum())
        null = share * float((weights * ranks**2).sum())
        # P(X > -x) of a positive and a negative x: what the statistic's projection consists of.
        won, lost = weights * (1 + wins) / 2, weights * (1 - wins) / 2
        upper = 1 - 2 * (lost.sum() - _halfway(lost))
        lower = 2 * (won.sum() - _halfway(won)) - 1
        moved = share * float((won * upper**2 + lost * lower**2).sum()) - 4 * drift**2 / share
    normal = NormalDist()
    level, chance = normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(real)
    spread = level * math.sqrt(null) + chance * math.sqrt(max(moved, 0.0))
    queries = (spread / drift) ** 2 + (1 / drift if test == "sign" else 0.0)
    return max(math.ceil(queries), ENOUGH_QUERIES)


def _rate(sizes: NDArray[np.float64], given: NDArray[np.float64], mean: float) -> float:
    """Returns the λ at which the mean of the signed sizes is as wanted, by bisection."""
    import numpy as np

    low, high = 0.0, 700 / float(sizes[-1])
    for _ in range(80):
        middle = (low + high) / 2
        reached = float((_weights(sizes, given, middle) * sizes * np.tanh(middle * sizes)).sum())
        low, high = (middle, high) if reached < mean else (low, middle)
    return high if mean > 0 else 0.0


def _weights(
    sizes: NDArray[np.float64], given: NDArray[np.float64], rate: float
) -> NDArray[np.float64]:
    """Returns how frequent each size is: e^given cosh(rate · size), which add up to 1."""
    import numpy as np

    logs = given + _log_cosh(rate * sizes)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def _halfway(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the sum of the weights before each, and half its own."""
    import numpy as np

    return np.asarray(np.cumsum(weights) - weights / 2)


def _log_cosh(values: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    return np.asarray(values + np.log1p(np.exp(-2 * values)) - math.log(2))
