"""What a measure can be if stale grades are given again, and which grades can move it most."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.stale.scenarios import Asked, Scenarios
from relyon.analysis.stale.search import Extremes, Task, find_extremes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Bounds", "Figures", "StaleSet", "bounds_of", "figures_of", "mean_of", "reaches"]

Pair = tuple[str, str]


@dataclass(frozen=True)
class StaleSet:
    """The grades that are in doubt.

    Attributes:
        open: Documents to judge again, by query.
        gone: Documents without a grade in all bounds, as they are no longer in the collection.
    """

    open: Mapping[str, Sequence[str]]
    gone: Mapping[str, Sequence[str]]

    def fixed(self, query: str) -> dict[str, float | None]:
        """Returns the grades of a query's documents that are gone: none."""
        return dict.fromkeys(self.gone.get(query, ()), None)

    def without(self, settled: Collection[Pair]) -> StaleSet:
        """Returns the set without pairs that were judged again with the same grade."""
        left = {
            query: [one for one in documents if (query, one) not in settled]
            for query, documents in self.open.items()
        }
        return StaleSet({query: one for query, one in left.items() if one}, self.gone)


@dataclass(frozen=True, slots=True)
class Bounds:
    """The range of a mean over queries.

    Attributes:
        low: The lowest mean that new grades of the stale documents can give.
        high: The highest.
        exact: Whether no grades give a mean outside.
    """

    low: float
    high: float
    exact: bool

    @property
    def width(self) -> float:
        """The highest minus the lowest; NaN without a value."""
        return self.high - self.low


@dataclass(frozen=True, slots=True)
class Figures:
    """One number: a run's mean, or the difference of two runs.

    Attributes:
        value: With all grades as they are.
        left_out: Without the stale grades.
        without_gone: Without the grades of documents that are gone.
        bounds: Its range.
        queries: The number of queries with a value.
    """

    value: float
    left_out: float
    without_gone: float
    bounds: Bounds
    queries: int


def figures_of(
    scenarios: Scenarios,
    stale: StaleSet,
    levels: Sequence[float],
    factors: Sequence[Sequence[float]],
) -> list[Figures]:
    """Returns each number with its range.

    Args:
        scenarios: Judgments and runs.
        stale: The grades that are in doubt.
        levels: The grades that a document can have, ascending.
        factors: For each number the factors of the runs' values.
    """
    queries = list(scenarios.judgments)
    whole = scenarios.values((query, {}) for query in queries)
    kept = scenarios.values((query, stale.fixed(query)) for query in queries)
    out: list[Asked] = [
        (query, stale.fixed(query) | dict.fromkeys(stale.open.get(query, ()), None))
        for query in queries
    ]
    rest = scenarios.values(out)
    ranges = bounds_of(scenarios, stale, levels, factors, kept)
    found = []
    for one, bounds in zip(factors, ranges, strict=True):
        own = _combined(whole, one)
        value, count = mean_of(own)
        left, without = mean_of(_combined(rest, one))[0], mean_of(_combined(kept, one))[0]
        found.append(Figures(value, left, without, bounds, count))
    return found


def bounds_of(
    scenarios: Scenarios,
    stale: StaleSet,
    levels: Sequence[float],
    factors: Sequence[Sequence[float]],
    kept: NDArray[np.float64] | None = None,
    known: dict[Hashable, Extremes] | None = None,
) -> list[Bounds]:
    """Returns the range of each number; queries are independent, so that ranges add up.

    Args:
        scenarios: Judgments and runs.
        stale: The grades that are in doubt.
        levels: The grades that a document can have, ascending.
        factors: For each number the factors of the runs' values.
        kept: The values without the documents that are gone, in the order of the judgments.
        known: Ranges of queries found before with the same judgments, which are added to.
    """
    queries = list(scenarios.judgments)
    if kept is None:
        kept = scenarios.values((query, stale.fixed(query)) for query in queries)
    moving = [query for query in queries if stale.open.get(query)]
    tasks = [_task(scenarios, stale, query, one) for one in factors for query in moving]
    extremes = find_extremes(scenarios, tasks, levels, known)
    still = [place for place, query in enumerate(queries) if not stale.open.get(query)]
    found = []
    for number, one in enumerate(factors):
        fixed = [value for value in _combined(kept[still], one).tolist() if not math.isnan(value)]
        own = extremes[number * len(moving) : (number + 1) * len(moving)]
        low = _mean(fixed, own, lambda each: each.low, 1.0)
        high = _mean(fixed, own, lambda each: each.high, -1.0)
        found.append(Bounds(low, high, all(each.exact for each in own)))
    return found


def reaches(
    scenarios: Scenarios,
    stale: StaleSet,
    levels: Sequence[float],
    factors: Sequence[Sequence[float]],
) -> dict[Pair, float]:
    """Returns by how much a new grade of each document alone can move the means.

    The others keep their grades; of several numbers the largest change counts. A query that then
    has no value counts as one with the mean.

    Args:
        scenarios: Judgments and runs.
        stale: The grades that are in doubt.
        levels: The grades that a document can have.
        factors: For each number the factors of the runs' values.
    """
    import numpy as np

    pairs = [(query, one) for query, documents in stale.open.items() for one in documents]
    questions = [
        (query, {**stale.fixed(query), one: grade}) for query, one in pairs for grade in levels
    ]
    values = scenarios.values(questions)
    queries = list(scenarios.judgments)
    kept = scenarios.values((query, stale.fixed(query)) for query in queries)
    most = np.zeros(len(pairs))
    for one in factors:
        mean, count = mean_of(_combined(kept, one))
        own = _combined(values, one).reshape(len(pairs), len(levels))
        own = np.where(np.isnan(own), 0.0 if math.isnan(mean) else mean, own)
        most = np.maximum(most, (own.max(axis=1) - own.min(axis=1)) / max(count, 1))
    return dict(zip(pairs, most.tolist(), strict=True))


def mean_of(values: NDArray[np.float64]) -> tuple[float, int]:
    """Returns the mean of the values that exist, and their number."""
    known = [one for one in values.tolist() if not math.isnan(one)]
    return (math.fsum(known) / len(known) if known else math.nan), len(known)


def _combined(values: NDArray[np.float64], factors: Sequence[float]) -> NDArray[np.float64]:
    import numpy as np

    weights = np.array(factors)
    used = weights != 0
    found: NDArray[np.float64] = values[:, used] @ weights[used]
    return found


def _task(scenarios: Scenarios, stale: StaleSet, query: str, factors: Sequence[float]) -> Task:
    documents = tuple(stale.open[query])
    known = scenarios.judgments[query]
    grades = tuple(known[one] for one in documents)
    return Task(query, documents, grades, stale.fixed(query), tuple(factors))


def _mean(
    fixed: Sequence[float],
    moving: Sequence[Extremes],
    value: Callable[[Extremes], float],
    sign: float,
) -> float:
    """Returns the lowest (sign 1) or highest (sign -1) mean.

    A query that may have no value is left out of the mean as far as that makes it lower: of these
    queries those with the lowest values are in it, as long as each is below the mean so far.
    """
    ends = [(value(one), one.sometimes) for one in moving if not math.isnan(value(one))]
    surely = [*fixed, *(one for one, sometimes in ends if not sometimes)]
    total, count = math.fsum(surely), len(surely)
    for one in sorted((one for one, sometimes in ends if sometimes), key=lambda each: sign * each):
        if count and not sign * one < sign * total / count:
            break
        total, count = total + one, count + 1
    return total / count if count else math.nan
