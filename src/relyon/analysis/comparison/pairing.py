"""Two runs on one measure, query by query: the input of every paired statistic."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import gain_sign
from relyon.analysis.comparison.repeats.repeats import RepeatedValues
from relyon.measures.logarithms import geometric_parts
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.comparison.query_facts import QueryFacts
    from relyon.analysis.statistics import ClusteredMean, PooledScores
    from relyon.evaluation.results import Results
    from relyon.measures.definition import Measure

__all__ = ["Pairing", "Sample", "common_values", "pair", "pseudo_values"]

Ratio = Callable[[float, float], float]


@dataclass(frozen=True)
class Sample:
    """One measure of one run, query by query.

    Attributes:
        values: By query; NaN if the measure is undefined and the convention skips the query.
        average: How queries become one number: `macro`, `micro` or `sum`.
        numerators: By query, for a ratio of sums.
        denominators: By query, for a ratio of sums.
        ratio: Computes a number from summed numerators and denominators.
        scores: By query, the scores of its positives and of its negatives, for a pooled AUC.
        equal: By query, PNR's positive and negative pairs of equal labels.
        measure: If the values come from an evaluation: gives the details beside the number.
        details: The evaluation's details over all queries.
        repeats: If this is the mean over several runs of one system: each run's.
    """

    values: Mapping[str, float]
    average: str = "macro"
    numerators: Mapping[str, float] | None = None
    denominators: Mapping[str, float] | None = None
    ratio: Ratio | None = None
    scores: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]] | None = None
    equal: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    measure: Measure | None = None
    details: Mapping[str, float] = field(default_factory=dict)
    repeats: tuple[Sample, ...] = ()

    @classmethod
    def of(cls, results: Results, name: str) -> Sample:
        """Extracts one measure from an evaluation.

        A measure that pools the documents of all queries, like AUC, has no per-query shares: it
        keeps the scores. Pooled measures other than AUC take the mean over queries. A mean with
        unequal weights is a ratio of sums.
        """
        entry = results.entries[name]
        measure, average = parse_measure(entry.definition), entry.average
        instead = measure.counted(results.convention)
        values = results.values_by_query(name)
        if not math.isnan(instead):
            values |= {query: instead for query, value in values.items() if math.isnan(value)}
        plain = cls(values, average, measure=measure, details=entry.details)
        if measure.combine == "pooled" and average == "micro":
            scores = _scores(results, name) if measure.resampled() else None
            return replace(plain, average="macro" if scores is None else average, scores=scores)
        summed = average in {"micro", "geometric"}
        if not summed and measure.combine != "ratio":
            return plain
        import numpy as np

        parts = [np.asarray(part).tolist() for part in results.parts(name)]
        weights = zip(results.queries, parts[1], strict=True)
        if not summed and all(one == 1.0 or math.isnan(values[query]) for query, one in weights):
            # A weighted mean is a ratio of sums; with all weights 1 it is a plain mean.
            return plain
        numerators, denominators = (dict(zip(results.queries, part, strict=True)) for part in parts)
        if average == "geometric":
            logs = {query: geometric_parts(value) for query, value in values.items()}
            numerators = {query: part[0] for query, part in logs.items()}
            denominators = {query: part[1] for query, part in logs.items()}
        pairs = zip(*results.equal_pairs(name), strict=True)
        return replace(
            plain,
            numerators=numerators,
            denominators=denominators,
            ratio=measure.micro,
            equal=dict(zip(results.queries, pairs, strict=False)),
        )

    def weighted(self) -> Sample:
        """Returns a mean as a ratio of sums, in which queries with a value have weight 1."""
        if self.ratio is not None or self.measure is None:
            return self
        known = {query: not math.isnan(value) for query, value in self.values.items()}
        return replace(
            self,
            numerators={query: self.values[query] if one else 0.0 for query, one in known.items()},
            denominators={query: float(one) for query, one in known.items()},
            ratio=self.measure.micro,
        )

    def pooled(self, queries: Sequence[str]) -> PooledScores | None:
        """Returns the scores of queries, `None` for measures that do not pool them."""
        if self.scores is None:
            return None
        import numpy as np

        from relyon.analysis.statistics import PooledScores

        nothing = (np.empty(0), np.empty(0))
        lists = [one for query in queries for one in self.scores.get(query, nothing)]
        sizes = [len(one) for one in lists]
        return PooledScores(
            np.concatenate(lists) if lists else np.empty(0),
            np.repeat(np.arange(len(lists)) // 2, sizes),
            np.repeat(1 - np.arange(len(lists)) % 2, sizes).astype(np.uint8),
            len(queries),
        )

    def beside(self, queries: Sequence[str]) -> Mapping[str, float]:
        """Returns the details beside the number of queries, such as PNR's strict value."""
        if self.measure is None or not self.details:
            return {}
        if self.average != "micro":
            # Sums do not give the mean over some of the queries.
            return self.details if len(queries) == len(self.values) else {}
        sums = [math.fsum(part.tolist()) for part in self.parts(queries)]
        equal = [self.equal.get(query, (0.0, 0.0)) for query in queries]
        totals = math.fsum(one[0] for one in equal), math.fsum(one[1] for one in equal)
        return self.measure.details(sums[0], sums[1], totals)

    def counts(self, query: str) -> bool:
        """Whether a query contributes to a ratio of sums."""
        return any(
            part is not None and part[query] != 0 for part in (self.numerators, self.denominators)
        )

    def parts(self, queries: Sequence[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns numerators and denominators of queries."""
        import numpy as np

        above, below = (
            np.array([part[query] for query in queries], dtype=np.float64)
            for part in (self.numerators, self.denominators)
            if part is not None
        )
        return above, below

    def by_run(self, queries: Sequence[str]) -> NDArray[np.float64]:
        """Returns runs x queries, each row with the run's number as its mean."""
        import numpy as np

        runs = self.repeats or (self,)
        if self.ratio is not None:
            return np.array([one.pseudo_values(queries)[1] for one in runs])
        factor = len(queries) if self.average == "sum" else 1
        rows = [[one.values[query] * factor for query in queries] for one in runs]
        return np.array(rows, dtype=np.float64).reshape(len(runs), len(queries))

    def without(self, queries: Sequence[str]) -> tuple[float, NDArray[np.float64]]:
        """Returns a ratio of sums, and the ratio without each query."""
        from relyon.analysis.statistics.left_out import left_out_ratios

        return left_out_ratios(*self.parts(queries), self.ratio)

    def pseudo_values(self, queries: Sequence[str]) -> tuple[float, NDArray[np.float64]]:
        """Returns a ratio of sums, and one value per query that has this ratio as its mean.

        The jackknife's pseudo-values n R - (n - 1) R without the query, shifted to have the ratio
        R as their mean (Tukey 1958, Annals of Mathematical Statistics 29).
        """
        whole, without = self.without(queries)
        return whole, pseudo_values(whole, without)


def pseudo_values(whole: float, without: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the jackknife's pseudo-values, shifted to have the number as their mean."""
    import numpy as np

    count = len(without)
    if not math.isfinite(whole):
        return np.full(count, math.nan)
    if count < 2:
        return np.full(count, whole)
    if not np.isfinite(without).all():
        # Only one query keeps the ratio finite, so its variance is unknown.
        return np.full(count, math.nan)
    pseudo = count * whole - (count - 1) * without
    return pseudo - _number(pseudo, "macro") + whole


@dataclass(frozen=True)
class Pairing:
    """One measure of two runs, paired by query.

    Attributes:
        measure: The measure's name.
        average: How queries become one number: `macro`, `micro` or `sum`.
        queries: Ids sorted by code points, so that the order of the input does not matter.
        baseline: The baseline's value of each query.
        candidate: The candidate's.
        differences: One per query; their mean is the difference of the two runs. For a mean over
            queries they are candidate - baseline, for a sum that times the number of queries, for
            a ratio of sums the jackknife's pseudo-values, shifted to have the difference of the
            two ratios as their mean.
        baseline_value: The baseline's number over these queries.
        candidate_value: The candidate's.
        left_out: Queries without a value in one of the runs, or in one run only.
        infinite: Of those, queries whose value is infinite in one of the runs.
        pools: For a pooled AUC: the scores of the baseline and of the candidate.
        details: Details of the two numbers.
        repeats: The values of all runs, if one of the two systems has several.
        parts: For a ratio of sums: numerators and denominators of the baseline, and those of
            the candidate, each in the order of `queries`.
        without: For a ratio of sums: the baseline's number without each query, then the
            candidate's.
        ratio: For a ratio of sums: makes a number of summed numerators and denominators.
        clusters: The number of each query's cluster, if clusters are known.
        cluster_names: The names of the clusters, by their numbers.
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
    without: tuple[NDArray[np.float64], ...] = ()
    ratio: Ratio | None = None
    pools: tuple[PooledScores, PooledScores] | None = None
    details: tuple[Mapping[str, float], Mapping[str, float]] = ({}, {})
    repeats: RepeatedValues | None = None
    clusters: NDArray[np.int64] | None = None
    cluster_names: tuple[str, ...] = ()

    @cached_property
    def clustered(self) -> ClusteredMean | None:
        """The mean of the differences in clusters; None without any cluster of two queries."""
        import numpy as np

        if self.clusters is None or len(np.unique(self.clusters)) == len(self.queries):
            return None
        from relyon.analysis.statistics import ClusteredMean

        return ClusteredMean.of(self.differences, self.clusters)

    @property
    def units(self) -> int:
        """How many independent differences there are: clusters, or queries without any."""
        return len(self.queries) if self.clustered is None else self.clustered.count

    @property
    def wins_ties_losses(self) -> tuple[int, int, int]:
        """Queries on which the candidate is better, equal and worse."""
        higher = int((self.candidate > self.baseline).sum())
        lower = int((self.candidate < self.baseline).sum())
        wins, losses = (higher, lower) if gain_sign(self.measure) > 0 else (lower, higher)
        return wins, int((self.candidate == self.baseline).sum()), losses

    @property
    def own_changes(self) -> dict[str, float]:
        """What each query's own value changes by: candidate - baseline.

        Queries without a value of their own are left out; equal infinities do not differ.
        """
        pairs = zip(self.queries, self.baseline.tolist(), self.candidate.tolist(), strict=True)
        changes = {
            query: 0.0 if before == after else after - before for query, before, after in pairs
        }
        return {query: change for query, change in changes.items() if not math.isnan(change)}

    @property
    def changes(self) -> NDArray[np.bool_]:
        """Whether the runs differ on each query."""
        import numpy as np

        if self.pools is not None:
            first, second = (one.order for one in self.pools)
            if len(first) != len(second):
                return np.ones(len(self.queries), dtype=np.bool_)
            items = np.unique(self.pools[0].sorted_items[first != second])
            return np.isin(np.arange(len(self.queries)), items)
        if self.parts:
            above, below, other_above, other_below = self.parts
            return np.asarray((above != other_above) | (below != other_below))
        return np.asarray(self.baseline != self.candidate)

    @property
    def changed(self) -> int:
        """How many queries the runs differ on."""
        return int(self.changes.sum())

    @property
    def difference(self) -> float:
        """Candidate - baseline."""
        return self.candidate_value - self.baseline_value


def common_values(
    samples: Sequence[Sample],
) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """Returns the queries for which all runs have a value, and runs x queries of values.

    The mean of a row is the run's number: a sum's values are multiplied by their count, a ratio
    of sums and a pooled AUC have the jackknife's pseudo-values.
    """
    import numpy as np

    queries = sorted(set.intersection(*(set(one.values) for one in samples)))
    pools = [one.pooled(queries) for one in samples]
    if samples[0].scores is not None:
        return tuple(queries), np.array([one.pseudo_values for one in pools if one is not None])
    if samples[0].ratio is not None:
        queries = [q for q in queries if any(one.counts(q) for one in samples)]
    if samples[0].ratio is None:
        rows = np.array([[one.values[q] for q in queries] for one in samples], dtype=np.float64)
        held = np.asarray(np.isfinite(rows).all(axis=0))
        queries = list(compress(queries, held))
        factor = len(queries) if samples[0].average == "sum" else 1
        return tuple(queries), np.ascontiguousarray(rows[:, held]) * factor
    return tuple(queries), np.array([one.pseudo_values(queries)[1] for one in samples])


def pair(
    measure: str, baseline: Sample, candidate: Sample, facts: QueryFacts | None = None
) -> Pairing:
    """Pairs one measure of two runs.

    Args:
        measure: Its name.
        baseline: The baseline run.
        candidate: The candidate run.
        facts: The clusters of the queries, if known.
    """
    if (baseline.ratio is None) != (candidate.ratio is None):  # all weights of one are 1
        baseline, candidate = baseline.weighted(), candidate.weighted()
    found = _pair(measure, baseline, candidate)
    if baseline.repeats or candidate.repeats:
        rows = (one.by_run(found.queries) for one in (baseline, candidate))
        found = replace(found, repeats=RepeatedValues(*rows))
    groups = None if facts is None else facts.groups(found.queries)
    if groups is None:
        return found
    return replace(found, clusters=groups[0], cluster_names=groups[1])


def _pair(measure: str, baseline: Sample, candidate: Sample) -> Pairing:
    import numpy as np

    common = sorted(baseline.values.keys() & candidate.values.keys())
    total = len(baseline.values.keys() | candidate.values.keys())
    if baseline.ratio is not None:
        common = [query for query in common if baseline.counts(query) or candidate.counts(query)]
    first = np.array([baseline.values[query] for query in common], dtype=np.float64)
    second = np.array([candidate.values[query] for query in common], dtype=np.float64)
    if baseline.ratio is not None:
        parts = (*baseline.parts(common), *candidate.parts(common))
        ours, theirs = baseline.without(common), candidate.without(common)
        return Pairing(
            measure=measure,
            average=baseline.average,
            queries=tuple(common),
            baseline=first,
            candidate=second,
            differences=pseudo_values(*theirs) - pseudo_values(*ours),
            baseline_value=ours[0],
            candidate_value=theirs[0],
            left_out=total - len(common),
            parts=parts,
            without=(ours[1], theirs[1]),
            ratio=baseline.ratio,
            details=(baseline.beside(common), candidate.beside(common)),
        )
    pools = baseline.pooled(common), candidate.pooled(common)
    if pools[0] is not None and pools[1] is not None:
        return Pairing(
            measure=measure,
            average=baseline.average,
            queries=tuple(common),
            baseline=first,
            candidate=second,
            differences=pools[1].pseudo_values - pools[0].pseudo_values,
            baseline_value=pools[0].area,
            candidate_value=pools[1].area,
            left_out=total - len(common),
            pools=(pools[0], pools[1]),
        )
    held = np.isfinite(first) & np.isfinite(second)
    queries = tuple(compress(common, held.tolist()))
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
        details=(baseline.beside(queries), candidate.beside(queries)),
    )


def _scores(
    results: Results, name: str
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] | None:
    """Returns each query's scores of positives and of negatives, `None` if not kept."""
    import numpy as np

    pool = results.pool(name)
    if pool is None:
        return None
    nothing = np.empty(0)
    found = dict.fromkeys(results.queries, (nothing, nothing))
    scores = [np.asarray(part, dtype=np.float64) for part in pool[:2]]
    starts = [0, 0]
    for row, *sizes in zip(*pool[2:], strict=True):
        lists = [
            part[start : start + size]
            for part, start, size in zip(scores, starts, sizes, strict=True)
        ]
        found[results.queries[row]] = lists[0], lists[1]
        starts = [start + size for start, size in zip(starts, sizes, strict=True)]
    return found


def _number(values: NDArray[np.float64], average: str) -> float:
    if average == "sum":
        return math.fsum(values.tolist())
    return math.fsum(values.tolist()) / len(values) if len(values) else math.nan
