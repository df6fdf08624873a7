"""Agreement of two gradings, each figure with an interval from resampled queries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from relyon.analysis.statistics import Resampling
from relyon.data.scale import Scale
from relyon.judging.coefficients import cohen_kappa, krippendorff_alpha

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Figure", "Figures", "Unit", "measure_figures", "weighted_kappas"]

#: Coincidences of an item with m grades weigh 1 / (m - 1), as integer multiples of this.
_WEIGHT = 2520


@dataclass(frozen=True)
class Unit:
    """One item with several grades.

    Attributes:
        query: Its query, the resampling unit.
        pairs: The pairs of compared grades, the first one's grade first.
        groups: Grades of the same unit, for Krippendorff's alpha.
    """

    query: str
    pairs: tuple[tuple[float, float], ...]
    groups: tuple[tuple[float, ...], ...]

    @classmethod
    def of_two(cls, query: str, first: float, second: float) -> Unit:
        """Returns an item graded by two."""
        return cls(query, ((first, second),), ((first, second),))

    @classmethod
    def of_one_with_each(cls, query: str, first: float, others: Sequence[float]) -> Unit:
        """Returns an item graded by one and by several others, who are not compared."""
        pairs = tuple((first, other) for other in others)
        return cls(query, pairs, pairs)

    @classmethod
    def of_several(cls, query: str, grades: Sequence[float]) -> Unit:
        """Returns an item graded by equals: all pairs, in both orders."""
        return cls(query, tuple(permutations(grades, 2)), (tuple(grades),))


@dataclass(frozen=True)
class Figure:
    """A number with its interval.

    Attributes:
        value: NaN if undefined.
        low: The lower end; NaN for fewer than two queries.
        high: The upper end.
    """

    value: float
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Figures:
    """Agreement of two gradings.

    Attributes:
        items: Items with both gradings.
        queries: Their queries.
        equal: The share of pairs with equal grades.
        kappa: Cohen's kappa.
        weighted_kappa: With quadratic weights.
        alpha_ordinal: Krippendorff's alpha.
        difference: The mean of the first grade minus the second: above 0 is generous.
        relevant_equal: The share of pairs that agree on relevance.
        relevant_kappa: Cohen's kappa of that.
    """

    items: int
    queries: int
    equal: Figure
    kappa: Figure
    weighted_kappa: Figure
    alpha_ordinal: Figure
    difference: Figure
    relevant_equal: Figure
    relevant_kappa: Figure


NAMES = (
    "equal", "kappa", "weighted_kappa", "alpha_ordinal", "difference", "relevant_equal",
    "relevant_kappa",
)  # fmt: skip


def measure_figures(
    units: Iterable[Unit],
    scale: Scale,
    *,
    confidence: float = 0.95,
    resampling: Resampling | None = None,
) -> Figures:
    """Measures how far two gradings agree.

    Queries are drawn with replacement, all items of a query together, because grades within a query
    are correlated; the interval is the central part of the resampled values. Resamples in which a
    figure is undefined are ignored.

    Args:
        units: Items with both gradings.
        scale: The scale, which defines relevance.
        confidence: Confidence level of the intervals.
        resampling: Number of resamples and seed; 2,000 resamples by default.

    Examples:
        >>> from relyon.data.scale import SEARCH
        >>> units = [Unit.of_two("a", 3, 3), Unit.of_two("a", 2, 1), Unit.of_two("b", 0, 0)]
        >>> found = measure_figures(units, SEARCH)
        >>> round(found.kappa.value, 4), round(found.difference.value, 4)
        (0.5714, 0.3333)

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, §13.3.
    """
    given = list(units)
    pairs = [pair for unit in given for pair in unit.pairs]
    values = _values(pairs, [group for unit in given for group in unit.groups], scale)
    intervals = _intervals(given, scale, confidence, resampling or Resampling(2000))
    return Figures(
        len(given),
        len({unit.query for unit in given}),
        **{name: Figure(values[name], *intervals[name]) for name in NAMES},
    )


def _values(
    pairs: Sequence[tuple[float, float]], units: Sequence[Sequence[float]], scale: Scale
) -> dict[str, float]:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    relevant = [
        (float(one >= scale.relevant_from), float(other >= scale.relevant_from))
        for one, other in pairs
    ]
    return {
        "equal": _mean([one == other for one, other in pairs]),
        "kappa": cohen_kappa(first, second),
        "weighted_kappa": cohen_kappa(first, second, weights="quadratic"),
        "alpha_ordinal": krippendorff_alpha(units, level="ordinal"),
        "difference": _mean([one - other for one, other in pairs]),
        "relevant_equal": _mean([one == other for one, other in relevant]),
        "relevant_kappa": cohen_kappa(
            [one for one, _ in relevant], [other for _, other in relevant]
        ),
    }


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _intervals(
    units: Sequence[Unit], scale: Scale, confidence: float, resampling: Resampling
) -> dict[str, tuple[float, float]]:
    import numpy as np

    from relyon import _native

    queries = {
        query: place for place, query in enumerate(dict.fromkeys(one.query for one in units))
    }
    if len(queries) < 2:
        return dict.fromkeys(NAMES, (math.nan, math.nan))
    levels = sorted({grade for unit in units for group in unit.groups for grade in group})
    size = len(levels)
    place = {grade: index for index, grade in enumerate(levels)}
    # Per-query counts of pairs of grades: all that the figures depend on.
    counts = np.zeros((2, size, size, len(queries)), dtype=np.int64)
    for unit in units:
        column = queries[unit.query]
        for one, other in unit.pairs:
            counts[0, place[one], place[other], column] += 1
        for group in unit.groups:
            weight = round(_WEIGHT / (len(group) - 1))
            for one, other in permutations(group, 2):
                counts[1, place[one], place[other], column] += weight
    sums = _native.resampled_sums(
        np.ascontiguousarray(counts.reshape(2 * size * size, len(queries))),
        0,
        resampling.resamples,
        resampling.seed,
        resampling.threads,
    )
    tables = np.moveaxis(sums.reshape(2, size, size, -1), -1, 1).astype(np.float64)
    drawn = resampled_figures(tables[0], tables[1] / _WEIGHT, np.array(levels), scale)
    ends = (0.5 - confidence / 2, 0.5 + confidence / 2)
    found = {}
    for name in NAMES:
        defined = drawn[name][np.isfinite(drawn[name])]
        low, high = np.quantile(defined, ends) if len(defined) else (math.nan, math.nan)
        found[name] = (float(low), float(high))
    return found


def resampled_figures(
    pairs: NDArray[np.float64],
    coincidences: NDArray[np.float64],
    levels: NDArray[np.float64],
    scale: Scale,
) -> dict[str, NDArray[np.float64]]:
    """Returns every figure of many tables at once.

    Args:
        pairs: Counts of pairs of grades, shape (tables, levels, levels).
        coincidences: The same as counted by Krippendorff.
        levels: The grades of rows and columns.
        scale: The scale, which defines relevance.
    """
    import numpy as np

    distance = levels[:, np.newaxis] - levels
    relevant = levels >= scale.relevant_from
    differs = (relevant[:, np.newaxis] != relevant).astype(np.float64)
    total = pairs.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "equal": 1 - (pairs * (distance != 0)).sum(axis=(1, 2)) / total,
            "kappa": _kappas(pairs, (distance != 0).astype(np.float64)),
            "weighted_kappa": _kappas(pairs, distance**2),
            "alpha_ordinal": _alphas(coincidences),
            "difference": (pairs * distance).sum(axis=(1, 2)) / total,
            "relevant_equal": 1 - (pairs * differs).sum(axis=(1, 2)) / total,
            "relevant_kappa": _kappas(pairs, differs),
        }


def weighted_kappas(
    tables: NDArray[np.float64], levels: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Returns Cohen's kappa with quadratic weights of many tables of pairs of grades at once.

    Args:
        tables: Counts of pairs, shape (tables, levels, levels).
        levels: The grades of rows and columns.
    """
    return _kappas(tables, (levels[:, None] - levels) ** 2)


def _kappas(tables: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.einsum("ti,ij,tj->t", rows, weights, columns) / rows.sum(axis=1)
        found: NDArray[np.float64] = 1 - (tables * weights).sum(axis=(1, 2)) / expected
    return found


def _alphas(tables: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    totals = tables.sum(axis=2)
    places = np.cumsum(totals, axis=1) - totals / 2
    distances = (places[:, :, np.newaxis] - places[:, np.newaxis, :]) ** 2
    expected = np.einsum("ti,tij,tj->t", totals, distances, totals) / (totals.sum(axis=1) - 1)
    found: NDArray[np.float64] = 1 - (tables * distances).sum(axis=(1, 2)) / expected
    return found
