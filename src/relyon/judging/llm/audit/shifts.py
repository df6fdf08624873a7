"""How far grades shift between two gradings of the same items, with queries as the sample."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.clusters.flips import flips_test
from relyon.analysis.statistics.clusters.mean import ClusteredMean
from relyon.analysis.statistics.paired import Resampling
from relyon.analysis.uncertainty.mean_intervals import clustered_interval
from relyon.core.document.json import json_values
from relyon.core.errors import InputError
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.data.scale import Scale

__all__ = ["FEWEST_QUERIES", "Estimate", "Shift", "ends_of", "measure_mean", "measure_shift"]

#: Below this number of queries there is no interval: too few to show a spread.
FEWEST_QUERIES = 6


@dataclass(frozen=True)
class Estimate:
    """A mean over items with its interval over queries.

    Attributes:
        value: The mean; NaN without items.
        low: The lower end of the interval; NaN for fewer than six queries.
        high: The upper end.
    """

    value: float
    low: float = math.nan
    high: float = math.nan

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return json_values({"value": self.value, "low": self.low, "high": self.high})

    @property
    def excluded(self) -> float:
        """The smallest amount beyond which, in either direction, the interval excludes all.

        NaN without an interval.
        """
        return math.nan if math.isnan(self.low) else max(abs(self.low), abs(self.high))


@dataclass(frozen=True)
class Shift:
    """How far the grades of the same items differ between two gradings.

    Attributes:
        items: Items with both grades.
        queries: Their queries.
        mean: The mean of the second grade minus the first, in grades.
        flips: The share of items whose grades differ.
        p: Two-sided p-value of no shift, by sign flips of whole queries; NaN for fewer than two.
    """

    items: int
    queries: int
    mean: Estimate
    flips: Estimate
    p: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "items": self.items,
            "queries": self.queries,
            "mean": self.mean.to_dict(),
            "flips": self.flips.to_dict(),
            **json_values({"p": self.p}),
        }


def ends_of(scale: Scale) -> tuple[float, float]:
    """Returns the lowest and the highest grade of a scale.

    Raises:
        InputError: If the scale is open: it has no levels.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> ends_of(SEARCH)
        (0.0, 3.0)
    """
    if not scale.levels:
        raise InputError(
            message("judging.scale-has-no-levels", scale_name=scale.name),
            hint=message("judging.create-project-with-scale"),
        )
    return min(scale.gains), max(scale.gains)


def measure_shift(
    first: Sequence[float],
    second: Sequence[float],
    queries: Sequence[str],
    bounds: tuple[float, float],
    *,
    confidence: float = 0.95,
    resampling: Resampling | None = None,
) -> Shift:
    """Measures how far the second grade of each item is from the first.

    If nothing but chance tells the two gradings apart, each difference could as well have the other
    sign, regardless of how the noise depends on the grade: the test flips the signs of all items of
    a query at once, and is exact. The interval is that of a mean of bounded values in clusters,
    `relyon.measure_intervals`: it never claims certainty because no item moved.

    Args:
        first: The grade of each item, such as that of the unchanged item.
        second: The grade to compare, in the same order.
        queries: The query of each item.
        bounds: The lowest and the highest grade.
        confidence: Confidence level of the intervals.
        resampling: Number of sign patterns and seed, for more than 16 queries.

    Examples:
        >>> first, second = [0, 1, 0, 2, 0, 1, 0], [1, 2, 0, 3, 1, 1, 1]
        >>> found = measure_shift(first, second, list("abcdefg"), (0, 3))
        >>> round(found.mean.value, 2), round(found.flips.value, 2), found.p
        (0.71, 0.71, 0.0625)
        >>> found.mean.low < 0 < found.mean.high
        True

    References:
        Fisher (1935), The Design of Experiments, §21, for the flips.
    """
    import numpy as np

    # Sums must not depend on the order in which items were read.
    order = sorted(range(len(queries)), key=lambda n: (queries[n], first[n], second[n]))
    names = [queries[n] for n in order]
    apart = np.array([second[n] - first[n] for n in order], dtype=np.float64)
    width = bounds[1] - bounds[0]
    places = {query: place for place, query in enumerate(sorted(set(names)))}
    clusters = ClusteredMean.of(apart, np.array([places[name] for name in names], dtype=np.int64))
    test = flips_test(clusters, resampling or Resampling())
    return Shift(
        len(names),
        len(places),
        measure_mean(apart, names, (-width, width), confidence),
        measure_mean((apart != 0).astype(np.float64), names, (0.0, 1.0), confidence),
        test.p,
    )


def measure_mean(
    values: NDArray[np.float64],
    queries: Sequence[str],
    bounds: tuple[float, float],
    confidence: float,
) -> Estimate:
    """Returns the mean of values of items, with its interval over queries.

    Args:
        values: One per item.
        queries: The query of each.
        bounds: The range that values cannot leave.
        confidence: Confidence level of the interval.
    """
    if not len(values):
        return Estimate(math.nan)
    mean = math.fsum(values.tolist()) / len(values)
    if len(set(queries)) < FEWEST_QUERIES:
        return Estimate(mean)
    # Items are numbered: several of one query are values of one cluster.
    numbers = [str(number) for number in range(len(values))]
    found = clustered_interval(
        values, numbers, bounds, confidence, dict(zip(numbers, queries, strict=True))
    )
    return Estimate(mean, *found.bounds)
