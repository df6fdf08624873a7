"""Two runs on one measure, query by query: what every paired statistic is computed from."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relkit.measures.names import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relkit.results import Results

__all__ = ["Pairing", "Sample", "common_values", "pair"]

Ratio = Callable[[float, float], float]

UNDEFINED = {"skip": math.nan, "zero": 0.0, "one": 1.0}


@dataclass(frozen=True)
class Sample:
    """One measure of one run, query by query.

    Attributes:
        values: By query; NaN where the measure is undefined and the convention leaves it out.
        average: How queries become one number: `macro`, `micro` or `sum`.
        numerators: By query, for a ratio of sums.
        denominators: By query, for a ratio of sums.
        ratio: Makes a number of summed numerators and denominators.
    """

    values: Mapping[str, float]
    average: str = "macro"
    numerators: Mapping[str, float] | None = None
    denominators: Mapping[str, float] | None = None
    ratio: Ratio | None = None

    @classmethod
    def of(cls, results: Results, name: str) -> Sample:
        """Takes one measure out of an evaluation.

        A form that pools the documents of all queries, as AUC's, gives no query its share; the
        mean over queries stands in for it.
        """
        measure = parse_measure(name)
        average = results.entries[name].average
        instead = UNDEFINED[results.convention.undefined]
        values = {
            query: instead if math.isnan(value) else value
            for query, value in results.values_by_query(name).items()
        }
        if average != "micro" or measure.combine == "pooled":
            return cls(values, "macro" if measure.combine == "pooled" else average)
        import numpy as np

        numerators, denominators = (
            dict(zip(results.queries, np.asarray(part).tolist(), strict=True))
            for part in results.parts(name)
        )
        return cls(values, average, numerators, denominators, measure.micro)

    def parts(self, queries: Sequence[str]) -> tuple[NDArray[np.float64], ...]:
        """Returns numerators and denominators of queries."""
        import numpy as np

        return tuple(
            np.array([part[query] for query in queries], dtype=np.float64)
            for part in (self.numerators, self.denominators)
            if part is not None
        )

    def pseudo_values(self, queries: Sequence[str]) -> tuple[float, NDArray[np.float64]]:
        """Returns a ratio of sums, and one value a query that has this ratio as its mean.

        The jackknife's pseudo-values n R - (n - 1) R without the query, shifted to have the ratio
        R as their mean (Tukey 1958, Annals of Mathematical Statistics 29).
        """
        import numpy as np

        ratio = self.ratio or operator.truediv
        numerators, denominators = self.parts(queries)
        count = len(numerators)
        numerator, denominator = math.fsum(numerators.tolist()), math.fsum(denominators.tolist())
        whole = ratio(numerator, denominator)
        if not math.isfinite(whole):
            return whole, np.full(count, math.nan)
        if count < 2:
            return whole, np.full(count, whole)
        without = np.array(
            [
                ratio(numerator - ours, denominator - theirs)
                for ours, theirs in zip(numerators.tolist(), denominators.tolist(), strict=True)
            ]
        )
        if not np.isfinite(without).all():
            # One query alone keeps the ratio finite: nothing says how it would vary.
            return whole, np.full(count, math.nan)
        pseudo = count * whole - (count - 1) * without
        return whole, pseudo - _number(pseudo, "macro") + whole


@dataclass(frozen=True)
class Pairing:
    """One measure of two runs, paired by query.

    Attributes:
        measure: The measure's name.
        average: How queries become one number: `macro`, `micro` or `sum`.
        queries: Ids in the order of their code points, so that the order of the input does
            not matter.
        baseline: The baseline's value of each query.
        candidate: The candidate's.
        differences: One a query; their mean is the difference of the two runs. For a mean over
            queries they are candidate - baseline, for a sum that times the number of queries, for
            a ratio of sums the jackknife's pseudo-values, shifted to have the difference of the
            two ratios as their mean.
        baseline_value: The baseline's number over these queries.
        candidate_value: The candidate's.
        left_out: Queries without a value in one of the runs, or in one run only.
        infinite: Of those, queries whose value is infinite in one of the runs.
        parts: For a ratio of sums: numerators and denominators of the baseline, and those of
            the candidate, each in the order of `queries`.
        ratio: For a ratio of sums: makes a number of summed numerators and denominators.
    """

    measure: str
    average: str
    queries: tuple[str, ...]
    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]
    differences: NDArray[np.float64]
    baseline_value: float
    candidate_value: float
    left_out: int
    infinite: int = 0
    parts: tuple[NDArray[np.float64], ...] = ()
    ratio: Ratio | None = None

    @property
    def wins_ties_losses(self) -> tuple[int, int, int]:
        """Queries on which the candidate is better, equal and worse."""
        wins = int((self.candidate > self.baseline).sum())
        losses = int((self.candidate < self.baseline).sum())
        return wins, int((self.candidate == self.baseline).sum()), losses

    @property
    def difference(self) -> float:
        """Candidate - baseline."""
        return self.candidate_value - self.baseline_value


def common_values(
    samples: Sequence[Sample],
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Returns the queries for which all runs have a value, and runs x queries of values.

    The mean of a row is the run's number: a sum's values are multiplied by their count, a ratio
    of sums has the jackknife's pseudo-values.
    """
    import numpy as np

    queries = sorted(set.intersection(*(set(one.values) for one in samples)))
    if samples[0].ratio is None:
        queries = [q for q in queries if all(math.isfinite(one.values[q]) for one in samples)]
        factor = len(queries) if samples[0].average == "sum" else 1
        rows = [[one.values[query] * factor for query in queries] for one in samples]
        return tuple(queries), np.array(rows, dtype=np.float64)
    return tuple(queries), np.array([one.pseudo_values(queries)[1] for one in samples])


def pair(measure: str, baseline: Sample, candidate: Sample) -> Pairing:
    """Pairs one measure of two runs.

    Args:
        measure: Its name.
        baseline: The run to compare with.
        candidate: The run that may be better.
    """
    import numpy as np

    common = sorted(baseline.values.keys() & candidate.values.keys())
    total = len(baseline.values.keys() | candidate.values.keys())
    first = np.array([baseline.values[query] for query in common], dtype=np.float64)
    second = np.array([candidate.values[query] for query in common], dtype=np.float64)
    if baseline.ratio is not None:
        parts = (*baseline.parts(common), *candidate.parts(common))
        ours, theirs = baseline.pseudo_values(common), candidate.pseudo_values(common)
        return Pairing(
            measure=measure,
            average=baseline.average,
            queries=tuple(common),
            baseline=first,
            candidate=second,
            differences=theirs[1] - ours[1],
            baseline_value=ours[0],
            candidate_value=theirs[0],
            left_out=total - len(common),
            parts=parts,
            ratio=baseline.ratio,
        )
    held = np.isfinite(first) & np.isfinite(second)
    queries = tuple(query for query, kept in zip(common, held, strict=True) if kept)
    infinite = int(np.sum(np.isinf(first) | np.isinf(second)))
    first, second = first[held], second[held]
    return Pairing(
        measure=measure,
        average=baseline.average,
        queries=queries,
        baseline=first,
        candidate=second,
        differences=(second - first) * (len(queries) if baseline.average == "sum" else 1),
        baseline_value=_number(first, baseline.average),
        candidate_value=_number(second, baseline.average),
        left_out=total - len(queries),
        infinite=infinite,
    )


def _number(values: NDArray[np.float64], average: str) -> float:
    if average == "sum":
        return math.fsum(values.tolist())
    return math.fsum(values.tolist()) / len(values) if len(values) else math.nan
