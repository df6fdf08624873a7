"""Tests of slices on queries that were not searched, corrected over the slices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["TestedSlices", "halves", "held_out_tests"]

#: Numbers drawn at a time, so that many queries take little memory.
CHUNK = 1 << 21
#: Degrees of freedom of the common variance in that of a slice.
PRIOR = 0.5


@dataclass(frozen=True)
class TestedSlices:
    """Two p-values per slice, each corrected over the slices.

    Attributes:
        elsewhere: Of the hypothesis that the slice's mean is that of the other queries or more.
        loss: Of the hypothesis that the slice's mean is 0 or more.
    """

    elsewhere: NDArray[np.float64]
    loss: NDArray[np.float64]


def halves(clusters: NDArray[np.int64], seed: int) -> NDArray[np.bool_]:
    """Returns which queries are in the first half; a cluster is never cut.

    Clusters in a random order go to the half with fewer queries. The order depends on the seed and
    on the number of queries only, not on their values.

    Args:
        clusters: The number of each query's cluster.
        seed: Equal seeds give equal halves.

    Examples:
        >>> import numpy as np
        >>> int(halves(np.arange(10), 0).sum())
        5
    """
    import numpy as np

    names, places, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    order = np.random.default_rng([seed, len(clusters)]).permutation(len(names))
    first = np.zeros(len(names), dtype=np.bool_)
    counts = [0, 0]
    for one in order:
        half = 0 if counts[0] <= counts[1] else 1
        counts[half] += int(sizes[one])
        first[one] = half == 0
    return np.asarray(first[places])


def held_out_tests(
    values: NDArray[np.float64],
    members: NDArray[np.bool_],
    clusters: NDArray[np.int64] | None,
    *,
    draws: int,
    seed: int,
) -> TestedSlices:
    """Tests whether slices lose, and whether they lose more than the other queries.

    `elsewhere`: Welch's t between a slice and the other queries, compared with that of queries in
    random orders, which is exact if no slice differs from the others in any way (Janssen 1997;
    Chung and Romano 2013 for unequal variances). With clusters, in place of orders each cluster's
    differences from the mean get random signs (Cameron, Gelbach and Miller 2008).

    `loss`: t of the slice's mean, compared with that of queries, or clusters, with random signs,
    which is exact if differences are symmetric about 0.

    Both are one-sided, and corrected over the slices step by step by the largest statistic of each
    draw (Westfall and Young 1993): p of the i-th largest is the share of draws, the observed one
    among them, in which the largest of the statistics i, i + 1, ... reaches it.

    Args:
        values: The gain of each query, positive if the candidate run is better.
        members: Shape (slices, queries): the queries of each slice.
        clusters: The cluster of each query; None if each is one of its own.
        draws: The number of random draws.
        seed: Equal seeds give identical results.

    Examples:
        >>> import numpy as np
        >>> values = np.array([-0.5, -0.4, -0.6, -0.5, -0.3, -0.7] * 2 + [0.0, 0.1, -0.1] * 9)
        >>> found = held_out_tests(values, (np.arange(39) < 12)[None], None, draws=999, seed=0)
        >>> float(found.elsewhere[0]), float(found.loss[0])
        (0.001, 0.001)
    """
    import numpy as np

    chance = np.random.default_rng([seed, 1 + len(values)])
    loss = _flipped(values, members / members.sum(axis=1, keepdims=True), clusters, draws, chance)
    if clusters is None:
        return TestedSlices(_permuted(values, members, draws, chance), loss)
    own, rest = members.sum(axis=1, keepdims=True), (~members).sum(axis=1, keepdims=True)
    weights = members / own - ~members / rest
    elsewhere = _flipped(values - values.mean(), weights, clusters, draws, chance)
    return TestedSlices(elsewhere, loss)


def _permuted(
    values: NDArray[np.float64],
    members: NDArray[np.bool_],
    draws: int,
    chance: np.random.Generator,
) -> NDArray[np.float64]:
    """Returns corrected p-values of Welch's t, from random orders."""
    import numpy as np

    inside = members.T.astype(np.float64)
    sizes, count = inside.sum(axis=0), len(values)
    total, square = float(values.sum()), float((values**2).sum())
    common = float(values.var())
    if common <= 1e-24 * float((values**2).max(initial=0.0)):
        return np.ones(len(members))

    def statistics(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        sums, squares = rows @ inside, (rows * rows) @ inside
        own, rest = sums / sizes, (total - sums) / (count - sizes)
        errors = [
            (np.maximum(part - n * mean**2, 0.0) + PRIOR * common) / (n - 1 + PRIOR) / n
            for part, n, mean in (
                (squares, sizes, own),
                (square - squares, count - sizes, rest),
            )
        ]
        return np.asarray((rest - own) / np.sqrt(errors[0] + errors[1]))

    observed = statistics(values[np.newaxis])[0]
    step = max(1, CHUNK // count)
    drawn = (
        statistics(chance.permuted(np.tile(values, (min(step, draws - first), 1)), axis=1))
        for first in range(0, draws, step)
    )
    return _stepped(observed, drawn, draws)


def _flipped(
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
    draws: int,
    chance: np.random.Generator,
) -> NDArray[np.float64]:
    """Returns corrected p-values of weighted sums below 0, from random signs of clusters."""
    import numpy as np

    parts = -(weights * values).T
    if clusters is not None:
        places = np.unique(clusters, return_inverse=True)[1]
        sums = np.zeros((int(places.max()) + 1, parts.shape[1]))
        np.add.at(sums, places, parts)
        parts = sums
    spread = np.sqrt((parts**2).sum(axis=0))
    # Without any difference there is nothing to test.
    parts = parts / np.where(spread > 0, spread, 1.0)
    observed = np.where(spread > 0, parts.sum(axis=0), -np.inf)
    step = max(1, CHUNK // len(parts))
    drawn = (
        (chance.integers(0, 2, (min(step, draws - first), len(parts)), np.int8) * 2.0 - 1.0) @ parts
        for first in range(0, draws, step)
    )
    return _stepped(observed, drawn, draws)


def _stepped(
    observed: NDArray[np.float64], drawn: Iterator[NDArray[np.float64]], draws: int
) -> NDArray[np.float64]:
    """Returns step-down p-values of the largest statistics."""
    import numpy as np

    order = np.argsort(-observed, kind="stable")
    # Sums of equal numbers in another order differ by rounding.
    least = observed[order] - 1e-9 * np.maximum(1.0, np.abs(observed[order]))
    reached = np.zeros(len(observed))
    for rows in drawn:
        largest = np.maximum.accumulate(rows[:, order[::-1]], axis=1)[:, ::-1]
        reached += (largest >= least).sum(axis=0)
    stepped = np.maximum.accumulate((reached + 1) / (draws + 1))
    found = np.empty(len(observed))
    found[order] = np.where(np.isfinite(observed[order]), stepped, 1.0)
    return found
