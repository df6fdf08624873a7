"""Paired queries in clusters: clusters as the units of a pooled number, and facts about them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from relyon.analysis.comparison.clusters.facts import ClusterFacts
from relyon.analysis.comparison.pairing import Pairing, pseudo_values
from relyon.analysis.comparison.pooled.ratio import is_pooled_ratio, spread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.statistics import PooledScores

__all__ = ["cluster_facts", "in_clusters", "needed_queries"]


def in_clusters(pairing: Pairing) -> Pairing:
    """Returns a pairing whose units are the clusters, if its number is pooled over queries.

    A ratio of sums gets the sums of each cluster, a pooled AUC its documents: then a cluster is
    what a query is without clusters. A mean over queries stays as it is, as `Pairing.clustered`
    sums its differences.
    """
    import numpy as np

    pooled = pairing.pools is not None or is_pooled_ratio(pairing)
    if not pooled or pairing.clusters is None or pairing.clustered is None:
        return pairing
    numbers, places = np.unique(pairing.clusters, return_inverse=True)
    count = len(numbers)
    queries = tuple(pairing.cluster_names[number] for number in numbers.tolist())
    unknown = np.full(count, math.nan)
    shared = replace(
        pairing,
        queries=queries,
        baseline=unknown,
        candidate=unknown,
        clusters=None,
        cluster_names=(),
    )
    if pairing.pools is not None:
        first, second = (_gathered(one, places, count) for one in pairing.pools)
        moved = second.pseudo_values - first.pseudo_values
        return replace(shared, pools=(first, second), differences=moved)
    from relyon.analysis.statistics.left_out import left_out_ratios

    parts = tuple(_sums(part, places, count) for part in pairing.parts)
    ours, theirs = (left_out_ratios(parts[at], parts[at + 1], pairing.ratio) for at in (0, 2))
    return replace(
        shared,
        parts=parts,
        without=(ours[1], theirs[1]),
        differences=pseudo_values(*theirs) - pseudo_values(*ours),
    )


def _sums(
    values: NDArray[np.float64], places: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    """Returns exact sums by cluster, so that the order of the queries does not matter."""
    import numpy as np

    found: list[list[float]] = [[] for _ in range(count)]
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        found[place].append(value)
    return np.array([math.fsum(one) for one in found])


def _gathered(scores: PooledScores, places: NDArray[np.int64], count: int) -> PooledScores:
    from relyon.analysis.statistics import PooledScores

    return PooledScores(scores.scores, places[scores.items], scores.positive, count)


def needed_queries(pairing: Pairing, clusters: float) -> int:
    """Returns the queries in so many clusters of the present sizes."""
    return math.ceil(clusters * len(pairing.queries) / pairing.units * (1 - 1e-12))


def cluster_facts(pairing: Pairing, unit: Pairing, needed: int, column: str) -> ClusterFacts | None:
    """Returns the facts about the clusters of a pairing; None without any.

    Args:
        pairing: The two runs by query.
        unit: The same by cluster, as `in_clusters` returns it.
        needed: Clusters needed to detect the difference.
        column: The name of the clusters' column.
    """
    import numpy as np

    from relyon.analysis.statistics import ClusterSizes, correlation_within

    if pairing.clusters is None or not pairing.queries:
        return None
    numbers, sizes = np.unique(pairing.clusters, return_counts=True)
    shape = ClusterSizes.of(sizes.astype(np.float64))
    place = int(sizes.argmax())
    alone = pairing.clustered is None
    changed = len({*pairing.clusters[pairing.changes].tolist()})
    return ClusterFacts(
        column=column,
        count=len(numbers),
        largest=shape.largest,
        name=pairing.cluster_names[int(numbers[place])],
        effective=shape.effective,
        changed=changed,
        design_effect=_design_effect(pairing, unit),
        correlation=correlation_within(pairing.differences, pairing.clusters),
        needed=needed,
        alone=alone,
        decided=len(numbers) < 2 or shape.decided,
    )


def _design_effect(pairing: Pairing, unit: Pairing) -> float:
    """Returns the variance of the difference by clusters over that by queries."""
    from relyon.analysis.statistics import standard_deviation

    found = pairing.clustered
    if found is None:
        return 1.0
    if unit is pairing:
        return found.design_effect(pairing.differences)
    errors = []
    for one in (pairing, unit):
        ratio = is_pooled_ratio(one)
        deviation = spread(one)[1] if ratio else standard_deviation(one.differences)
        errors.append(deviation / math.sqrt(len(one.queries)))
    return errors[1] ** 2 / errors[0] ** 2 if errors[0] > 0 else math.nan
