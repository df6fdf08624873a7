"""What is expected of a pair without a grade: the mean of its gain, and how far off that can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.next_pairs.frame import Frame

__all__ = ["Prior", "expect"]

#: Last ranks of the groups in which the gains of graded pairs are averaged.
RANKS = (1, 2, 3, 5, 10, 20, 50)
#: How many graded pairs the next wider group counts as: all grades for a group, the flat
#: distribution over the possible grades for all grades.
STRENGTH = 5.0
#: The least variance, as a share of that of the flat distribution: no pair is certain.
LEAST = 0.05


@dataclass(frozen=True)
class Prior:
    """Expected gains.

    Attributes:
        mean: The expected gain of each pair.
        deviation: The root mean square of gain minus mean that is expected, above 0.
    """

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]


def expect(
    frame: Frame, gains: NDArray[np.float64], model: NDArray[np.float64] | None = None
) -> Prior:
    """Returns what is expected of each pair, given those that are graded.

    Pairs are grouped by the grade that a model gave them, or else by their best rank and by
    whether both runs return them. The mean of a group is that of its graded pairs and
    `STRENGTH` pairs of the mean over all groups, which in turn has as many of the flat
    distribution over the possible grades; a group of a model's grade starts at that grade's gain.
    These numbers cannot bias the estimate; bad ones widen its interval.

    Args:
        frame: The pairs.
        gains: The gain of each pair, NaN if it is not known.
        model: The gain of each pair by a model's grades, NaN without one.
    """
    import numpy as np

    flat = frame.linear.gains()
    flat_variance = max(float(flat.var()), 1e-300)
    known = ~np.isnan(gains)
    whole_mean, whole_variance = _shrunk(gains[known], float(flat.mean()), flat_variance)
    best = np.where(frame.ranks > 0, frame.ranks, np.iinfo(np.int64).max).min(axis=1)
    group = np.searchsorted(RANKS, best) * 2 + (frame.ranks > 0).all(axis=1)
    start = np.full(int(group.max(initial=0)) + 1, whole_mean)
    spread = np.full(len(start), whole_variance)
    if model is not None:
        graded = ~np.isnan(model)
        values, place = np.unique(model[graded], return_inverse=True)
        group = group.copy()
        group[graded] = len(start) + place
        start = np.concatenate([start, values])
        spread = np.concatenate([spread, np.full(len(values), flat_variance)])
    mean, variance = start, spread
    for one in np.unique(group[known]).tolist():
        inside = gains[known & (group == one)]
        mean[one], variance[one] = _shrunk(inside, float(start[one]), float(spread[one]))
    deviation = np.sqrt(np.maximum(variance, LEAST * flat_variance))
    return Prior(mean[group], deviation[group])


def _shrunk(gains: NDArray[np.float64], mean: float, variance: float) -> tuple[float, float]:
    """Returns the mean and variance of some gains and `STRENGTH` pairs of a wider group."""
    count = len(gains) + STRENGTH
    centre = (float(gains.sum()) + STRENGTH * mean) / count
    inside = float(((gains - centre) ** 2).sum()) if len(gains) else 0.0
    return centre, (inside + STRENGTH * (variance + (mean - centre) ** 2)) / count
