"""Which of many systems differ: every pair tested together, step by step, by paired draws.

Each system has a value per unit (a query, or a cluster of queries), possibly in several parts
(tasks). Two tests look at every pair, and a pair is separated only if both separate it:

- Sign flips. In each draw a random half of the units changes the sign of its differences. Exact if
  differences are symmetric, for any number of units.
- Bootstrap t. In each draw units are drawn with replacement, and the mean is divided by its error
  in that draw. It follows the skewness of differences.

Both compare the largest statistic of all pairs and both directions, and leave out step by step the
pairs that are already separated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.paired import Resampling
from relyon.analysis.statistics.power import ENOUGH_QUERIES
from relyon.analysis.statistics.separation.draws import EXACT, batches, counts, signs
from relyon.analysis.statistics.separation.maxima import Maxima
from relyon.analysis.statistics.separation.pairs import Pairs
from relyon.analysis.statistics.separation.parts import Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Separation", "separation"]


@dataclass(frozen=True)
class Separation:
    """Corrected p-values of pairs of systems; the direction is that of the estimates.

    Attributes:
        values: Each system's value: the weighted mean of the means of the parts.
        errors: The standard error of each value.
        difference_errors: Systems x systems: that of each difference.
        p: Systems x systems: corrected for all pairs.
        own_p: Row by row: corrected for the pairs of this one system, chosen beforehand.
        best_p: For each system: of the hypothesis that no other one is better.
        draws: Sign patterns, and bootstrap samples.
        units: How many units there are, after batches are made.
    """

    values: Floats
    errors: Floats
    difference_errors: Floats
    p: Floats
    own_p: Floats
    best_p: Floats
    draws: tuple[int, int]
    units: int

    def ranks(self, alpha: float, own: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Returns the first and the last rank of each system's interval.

        1 + the number of systems that are separated from it and better, and the number of systems
        minus the number of those that are separated and worse.

        Args:
            alpha: 1 - the confidence level.
            own: Whether the level holds for one system chosen beforehand, not for all together.
        """
        better, worse = self.apart(alpha, own)
        return better.sum(axis=1) + 1, len(self.values) - worse.sum(axis=1)

    def apart(self, alpha: float, own: bool = False) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Returns, row by row, the systems that are separated from this one: better, and worse.

        Args:
            alpha: 1 - the confidence level.
            own: As for `ranks`.
        """
        table = (self.own_p if own else self.p) <= alpha
        higher = self.values[None, :] > self.values[:, None]
        lower = self.values[None, :] < self.values[:, None]
        return table & higher, table & lower


def separation(parts: Sequence[Part], draws: Resampling | None = None) -> Separation:
    r"""Tests every pair of systems on the same units, with one error rate for all pairs.

    With d the difference of two systems in a unit (θ = Σ d / number of values), the two statistics
    are u = Σ d / √Σ d², redrawn as Σ ε d / √Σ d² with random signs ε; and t = θ / error(θ), redrawn
    as (θ* - θ) / error*(θ*), where error*² is at least 5% of error². A pair's p is the larger of
    the two, each (draws with a maximum at least as large + 1) / (draws + 1): the maximum runs over
    both directions of all pairs with the same or a smaller statistic, and the reverse direction of
    all others (step-down). Up to 12 units all sign patterns are used, in place of draws.

    The chance that any pair is separated wrongly, because the two are equal or in the other order,
    is at most α, if differences are symmetric, or there are many units. Pairs that differ in fewer
    than six units have p = 1.

    With several parts (fixed tasks) of six units or more θ is the weighted mean of their means, the
    bootstrap draws within each part, and the signs change differences minus the means of the parts
    that fit θ = 0 best. More than 1,000 units are first added up at random in 500 batches.

    Args:
        parts: One per task; higher values are better. All have the same systems.
        draws: Number of draws (1,000) and seed.

    Raises:
        ValueError: If a part has fewer than six units, and there are several.

    Examples:
        >>> import numpy as np
        >>> from relyon.analysis.statistics.separation import Part, separation
        >>> values = np.random.default_rng(0).normal(size=(3, 50)) + [[0.0], [0.1], [2.0]]
        >>> found = separation([Part(values, np.ones(50))])
        >>> [rank.tolist() for rank in found.ranks(0.05)]
        [[2, 2, 1], [3, 3, 1]]

    References:
        Romano and Wolf (2005), JASA 100, for step-down maxima; Mogstad, Romano, Shaikh and Wilhelm
        (2024), Review of Economic Studies 91(1), for ranks; Efron and Tibshirani (1993), §12.5, for
        the bootstrap t; Hsu (1981), Annals of Statistics 9, for the best.
    """
    resampling = draws or Resampling(1000)
    if len(parts) > 1 and any(one.sums.shape[1] < ENOUGH_QUERIES for one in parts):
        raise ValueError("a part has fewer than six units")
    used = batches(parts, resampling.seed)
    systems = len(used[0].sums)
    pairs = Pairs.of(used)
    flips = Maxima.of(pairs, pairs.flip_statistic(), systems)
    units = sum(one.sums.shape[1] for one in used)
    for drawn_signs in signs(units, resampling):
        flips.add(pairs.flipped(drawn_signs))
    # All patterns contain that of the data; drawn ones do not.
    p, own, best = flips.p(0 if units <= EXACT else 1)
    boots = Maxima.of(pairs, pairs.t_statistic(), systems)
    for drawn in counts(used, resampling):
        boots.add(pairs.drawn(drawn))
    for first, second in zip((p, own, best), boots.p(1), strict=True):
        first[:] = first.clip(second, None)
    return Separation(
        sum(one.weight * one.means for one in parts),  # type: ignore[arg-type]
        pairs.errors(),
        pairs.difference_errors(systems),
        p,
        own,
        best,
        (flips.draws, boots.draws),
        units,
    )
