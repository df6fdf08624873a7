"""The interval over queries of a measure's mean over repeated runs, with queries in clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from relyon.analysis.statistics.bounded import BoundedInterval, mean_interval
from relyon.analysis.statistics.clusters.mean import ClusteredMean
from relyon.analysis.uncertainty.interval_evaluation import query_interval
from relyon.analysis.uncertainty.intervals import MeasureInterval
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.evaluation.results import Results
    from relyon.measures.definition import Measure

__all__ = ["clustered_interval", "mean_interval_of"]


def mean_interval_of(
    runs: Sequence[Results],
    name: str,
    *,
    level: float = 0.95,
    clusters: Mapping[str, str] | None = None,
) -> MeasureInterval:
    """Returns a measure, its mean over repeated runs, with its interval over queries.

    One run without clusters has the interval of `relyon.measure_intervals`. Otherwise each query's
    value is its mean over the runs, m = Σ values / n, and only means over queries have an interval.
    Clusters of one size are treated like queries, by their means; with those of several sizes it
    spans that interval and m ± t(level, ν) · error, with the cluster-robust error CR2 and its
    degrees of freedom ν, since either alone is too short for few or skewed clusters.

    Args:
        runs: The evaluations of a system's runs, over the same queries.
        name: The measure.
        level: The confidence level.
        clusters: The cluster of each query; a query without one is a cluster of its own.

    Examples:
        >>> import relyon
        >>> judgments = {f"q{n}": {"good": 1} for n in range(40)}
        >>> run = {f"q{n}": {"bad" if n % 4 else "good": 1.0} for n in range(40)}
        >>> results = relyon.evaluate(judgments, run, "success@1")
        >>> [round(bound, 2) for bound in mean_interval_of([results], "success@1").queries]
        [0.13, 0.41]
        >>> four = {f"q{n}": str(n % 4) for n in range(40)}
        >>> found = mean_interval_of([results], "success@1", clusters=four)
        >>> found.value, [round(bound, 2) for bound in found.queries]
        (0.25, [0.01, 0.81])

    References:
        Bell and McCaffrey (2002), Survey Methodology 28(2).
    """
    entry = runs[0].entries[name]
    value = math.fsum(one.entries[name].value for one in runs) / len(runs)
    counted = min(one.entries[name].queries for one in runs)
    if len(runs) == 1 and not clusters:
        found = query_interval(runs[0], name, level)
    else:
        measure = parse_measure(entry.definition)
        is_mean = entry.average == "macro" and measure.combine == "mean"
        if is_mean:
            values, queries = _means(runs, name, measure)
            found = clustered_interval(values, queries, measure.bounds, level, clusters or {})
        else:
            found = BoundedInterval.none("no-formula")
    nothing = (math.nan, math.nan)
    return MeasureInterval(
        value, found.bounds, nothing, math.nan, counted, found.method, found.missing
    )


def _means(
    runs: Sequence[Results], name: str, measure: Measure
) -> tuple[NDArray[np.float64], list[str]]:
    """Returns each query's mean over the runs, and the queries, sorted; undefined ones left out."""
    import numpy as np

    instead = measure.counted(runs[0].convention)
    columns = [one.values_by_query(name) for one in runs]
    queries = sorted(set.intersection(*map(set, columns)))
    rows = np.array([[column[query] for column in columns] for query in queries], float)
    values = np.where(np.isnan(rows), instead, rows).mean(axis=1)
    known = ~np.isnan(values)
    return values[known], [query for query, kept in zip(queries, known, strict=True) if kept]


def clustered_interval(
    values: NDArray[np.float64],
    queries: Sequence[str],
    bounds: tuple[float, float],
    level: float,
    clusters: Mapping[str, str],
) -> BoundedInterval:
    """Returns the interval of a mean of values in clusters, or why there is none.

    Args:
        values: One per query, in an order that does not depend on them.
        queries: The queries.
        bounds: The range that the values cannot leave.
        level: The confidence level.
        clusters: The cluster of each query; a query without one is a cluster of its own.
    """
    import numpy as np

    if not clusters:
        return mean_interval(values, *bounds, level)
    names = [clusters.get(query, f"\0{query}") for query in queries]
    places = {name: place for place, name in enumerate(sorted(set(names)))}
    found = ClusteredMean.of(values, np.array([places[name] for name in names]))
    if found.count < 2:
        return BoundedInterval.none("one-value")
    if found.decided:
        return BoundedInterval.none("one-decides")
    # Means of clusters of one size are values like those of queries.
    alone = mean_interval(found.sums / found.sizes, *bounds, level)
    if len(set(found.sizes.tolist())) == 1 or math.isnan(alone.bounds[0]):
        return alone
    low, high = found.t_interval(level)
    spanned = (min(low, alone.bounds[0]), max(high, alone.bounds[1]))
    return BoundedInterval(spanned, alone.method).cut(*bounds)
