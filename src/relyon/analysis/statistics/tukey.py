"""Several runs at once: analysis of variance, and every pair of runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.distributions import f_tail
from relyon.analysis.statistics.paired import Resampling
from relyon.analysis.statistics.resampling import tukey_p_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Anova", "PairOutcome", "tukey_hsd", "two_way_anova"]


@dataclass(frozen=True)
class Anova:
    """Two-way analysis of variance without replication: runs and queries.

    Attributes:
        runs: Sum of squares between runs.
        queries: Sum of squares between queries.
        residual: Residual sum of squares.
        run_degrees: Degrees of freedom of the runs.
        query_degrees: Degrees of freedom of the queries.
        residual_degrees: Degrees of freedom of the residual.
        f: Mean square of the runs divided by that of the residual.
        p: P-value of the hypothesis that all runs are equal.
    """

    runs: float
    queries: float
    residual: float
    run_degrees: int
    query_degrees: int
    residual_degrees: int
    f: float
    p: float

    @property
    def residual_mean_square(self) -> float:
        """The variance that neither runs nor queries explain; NaN without degrees of freedom."""
        return self.residual / self.residual_degrees if self.residual_degrees else math.nan


def two_way_anova(values: NDArray[np.float64]) -> Anova:
    """Decomposes the variance of runs x queries.

    Args:
        values: Shape (runs, queries), two or more of each.

    Examples:
        >>> import numpy as np
        >>> found = two_way_anova(np.array([[1.0, 4.0, 2.0], [3.0, 4.0, 5.0]]))
        >>> round(found.runs, 4), round(found.queries, 4), round(found.residual, 4)
        (4.1667, 4.3333, 2.3333)

    References:
        Sakai (2018), Laboratory Experiments in Information Retrieval, §5.
    """
    import numpy as np

    runs, queries = values.shape
    whole = values.mean()
    of_runs = float(queries * np.square(values.mean(axis=1) - whole).sum())
    of_queries = float(runs * np.square(values.mean(axis=0) - whole).sum())
    left = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + whole
    # Rounding noise of the values counts as 0.
    noise = 8 * math.ulp(float(np.abs(values).max()))
    residual = float(np.square(left).sum()) if np.abs(left).max() > noise else 0.0
    degrees = (runs - 1, queries - 1, (runs - 1) * (queries - 1))
    if not degrees[2]:
        return Anova(of_runs, of_queries, residual, *degrees, math.nan, math.nan)
    unit = residual / degrees[2]
    f = of_runs / degrees[0] / unit if unit else (math.inf if of_runs else math.nan)
    p = f_tail(degrees[0], degrees[2], f) if math.isfinite(f) else math.nan
    return Anova(of_runs, of_queries, residual, *degrees, f, p)


@dataclass(frozen=True)
class PairOutcome:
    """Two of several runs.

    Attributes:
        difference: Mean of the second - mean of the first.
        p: P-value corrected for all pairs.
        effect_size: The difference divided by the residual standard deviation.
    """

    difference: float
    p: float
    effect_size: float


def tukey_hsd(
    values: NDArray[np.float64],
    *,
    clusters: NDArray[np.int64] | None = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int = 0,
) -> dict[tuple[int, int], PairOutcome]:
    """Tests every pair of runs, with one error rate for all pairs: randomised Tukey HSD.

    Args:
        values: Shape (runs, queries).
        clusters: The cluster of each query, whole numbers, if queries are alike within clusters:
            then the runs are shuffled once per cluster, for all of its queries.
        resamples: Number of shuffles of the runs.
        seed: Equal seeds give identical results.
        threads: 0 uses all cores.

    Returns:
        The outcome of each pair of row numbers, the smaller one first; NaN for fewer than two
        queries or clusters, or if a value is NaN or infinite.

    Examples:
        >>> import numpy as np
        >>> values = np.array([[0.1, 0.4, 0.2, 0.3], [0.3, 0.4, 0.5, 0.4], [0.2, 0.4, 0.3, 0.2]])
        >>> for (first, second), outcome in tukey_hsd(values).items():
        ...     print(first, second, round(outcome.difference, 3), round(outcome.p, 1))
        0 1 0.15 0.2
        0 2 0.025 1.0
        1 2 -0.125 0.3

    References:
        Carterette (2012), ACM TOIS 30(1); Sakai (2014), SIGIR Forum 48(1), for the effect size.
    """
    runs, queries = values.shape
    import numpy as np

    shuffled = values if clusters is None else _sums_by_cluster(values, clusters)
    if shuffled.shape[1] < 2 or not np.isfinite(values).all():
        nothing = PairOutcome(math.nan, math.nan, math.nan)
        return {
            (first, second): nothing for first in range(runs) for second in range(first + 1, runs)
        }
    means = [math.fsum(row) / queries for row in values.tolist()]
    deviation = math.sqrt(two_way_anova(values).residual_mean_square)
    found = {}
    for (first, second), p in tukey_p_values(
        shuffled, Resampling(resamples, seed, threads)
    ).items():
        difference = means[second] - means[first]
        effect = difference / deviation if deviation else math.copysign(math.inf, difference)
        found[first, second] = PairOutcome(difference, p, effect if difference else 0.0)
    return found


def _sums_by_cluster(
    values: NDArray[np.float64], clusters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Returns the exact sums of each row's values by cluster."""
    import numpy as np

    numbers, places = np.unique(clusters, return_inverse=True)
    rows: list[list[list[float]]] = [[[] for _ in numbers] for _ in values]
    for row, found in zip(values.tolist(), rows, strict=True):
        for place, value in zip(places.tolist(), row, strict=True):
            found[place].append(value)
    return np.array([[math.fsum(one) for one in found] for found in rows])
