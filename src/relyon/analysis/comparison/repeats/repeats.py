"""Repeated runs of the two systems of a pairing: their noise, and what it adds to the error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon.analysis.statistics.components import (
    Components,
    RunEffect,
    RunSpread,
    components,
)
from relyon.analysis.statistics.differences import mean, standard_deviation
from relyon.analysis.statistics.distributions import (
    normal_quantile,
    student,
    student_quantile,
)
from relyon.core.document.json import json_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.statistics import TestResult
    from relyon.analysis.statistics.clusters.mean import ClusteredMean

__all__ = ["NoiseFloor", "RepeatedValues", "Repeats", "repeats_of"]


@dataclass(frozen=True, eq=False)
class RepeatedValues:
    """The values of all runs of two systems on the queries of a pairing.

    Attributes:
        baseline: Shape (runs, queries), in the order of the pairing's queries; each row has the
            run's number as its mean.
        candidate: Those of the candidate.
    """

    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]

    @cached_property
    def spreads(self) -> tuple[RunSpread, RunSpread]:
        """How much the runs of each system differ."""
        return RunSpread.of(self.baseline), RunSpread.of(self.candidate)

    @cached_property
    def effect(self) -> RunEffect | None:
        """What moves all queries of a run alike; None if it is unknown."""
        return RunEffect.of(*self.spreads)

    @property
    def excess(self) -> float:
        """The variance of the difference that a test over queries leaves out."""
        return 0.0 if self.effect is None else self.effect.excess

    def error(
        self, differences: NDArray[np.float64], clustered: ClusteredMean | None = None
    ) -> tuple[float, float]:
        """Returns the squared error of the mean of differences, and its degrees of freedom.

        Args:
            differences: One per query.
            clustered: Their mean in clusters, if queries are not independent.
        """
        found = _query_error(differences, clustered)
        return found if self.effect is None else self.effect.added_to(*found)

    def t_test(
        self, differences: NDArray[np.float64], clustered: ClusteredMean | None = None
    ) -> TestResult:
        """Tests differences with the error that counts the run effect.

        Args:
            differences: One per query.
            clustered: Their mean in clusters, if queries are not independent.
        """
        from relyon.analysis.statistics import TestResult

        variance, freedom = self.error(differences, clustered)
        if not variance > 0:
            return TestResult(math.nan, math.nan)
        statistic = mean(differences) / math.sqrt(variance)
        return TestResult(statistic, max(2 * student(freedom, -abs(statistic)), math.ulp(0.0)))

    def t_interval(
        self,
        differences: NDArray[np.float64],
        confidence: float,
        clustered: ClusteredMean | None = None,
    ) -> tuple[float, float]:
        """Returns mean ± t error, with the error that counts the run effect.

        Args:
            differences: One per query.
            confidence: Such as 0.95.
            clustered: Their mean in clusters, if queries are not independent.
        """
        variance, freedom = self.error(differences, clustered)
        if not variance > 0:
            return math.nan, math.nan
        half = student_quantile(freedom, 0.5 + confidence / 2) * math.sqrt(variance)
        centre = mean(differences)
        return centre - half, centre + half

    def size(
        self,
        differences: NDArray[np.float64],
        alpha: float,
        clustered: ClusteredMean | None = None,
    ) -> tuple[float, int]:
        """Returns the detectable difference, and the queries that detect the observed one.

        More queries do not lower what the runs share: the second number is 0 if no number of
        queries is enough.

        Args:
            differences: One per query.
            alpha: The level of the test.
            clustered: Their mean in clusters, if queries are not independent.
        """
        from relyon.analysis.statistics.power import POWER, queries_needed, smallest_detectable

        variance, freedom = self.error(differences, clustered)
        units = freedom + 1
        detectable = smallest_detectable(units, math.sqrt(variance * units), alpha)
        multiple = normal_quantile(1 - alpha / 2) + normal_quantile(POWER)
        centre = mean(differences)
        left = centre * centre - multiple * multiple * self.excess
        if not left > 0:
            return detectable, 0
        own = _query_error(differences, clustered)[0] * len(differences)
        return detectable, queries_needed(math.sqrt(left), math.sqrt(own) or math.nan, alpha)

    def half_widths(
        self,
        differences: NDArray[np.float64],
        confidence: float,
        clustered: ClusteredMean | None = None,
    ) -> tuple[float, float, float] | None:
        """Returns half of the interval's width now, with twice the queries, and twice the runs.

        From the same components: twice the queries halve V_q and V_c, not what the runs share;
        twice the runs halve V_r, and V_c within V_q.

        Args:
            differences: One per query.
            confidence: Such as 0.95.
            clustered: Their mean in clusters, if queries are not independent.

        Returns:
            None unless both systems have several runs and the error is known.
        """
        effect = self.effect
        variance, freedom = _query_error(differences, clustered)
        if effect is None or min(one.runs for one in self.spreads) < 2 or not variance > 0:
            return None
        noise, excess = effect.expected, effect.excess
        runs = sum(one.runs for one in self.spreads)
        less = max(variance - noise / 2, variance / 2)
        more_runs = effect.freedom * (2 * runs - 2) / (runs - 2)
        errors = (
            self.error(differences, clustered),
            _error(variance / 2, 2 * freedom + 1, excess, noise / 2, effect.freedom),
            _error(less, freedom, excess / 2, noise / 2, more_runs),
        )
        now, queries, more = (
            student_quantile(degrees, 0.5 + confidence / 2) * math.sqrt(one)
            for one, degrees in errors
        )
        return now, queries, more


def _query_error(
    differences: NDArray[np.float64], clustered: ClusteredMean | None
) -> tuple[float, float]:
    """Returns V_q, the squared error over queries, and its degrees of freedom."""
    if clustered is not None:
        return clustered.error * clustered.error, clustered.degrees
    count = len(differences)
    deviation = standard_deviation(differences)
    return deviation * deviation / max(count, 1), count - 1.0


def _error(
    variance: float, freedom: float, excess: float, noise: float, run_freedom: float
) -> tuple[float, float]:
    """Returns V_q + excess and its degrees of freedom, with V_r = excess + noise."""
    total = variance + excess
    if not excess:
        return total, freedom
    parts = (variance / total) ** 2 / freedom + ((excess + noise) / total) ** 2 / run_freedom
    return total, min(freedom, 1 / parts)


@dataclass(frozen=True)
class NoiseFloor:
    """How far the runs of one system are apart.

    Attributes:
        runs: The number of runs.
        means: The number of each run, in the order given.
        deviation: The standard deviation of these numbers; NaN for one run.
        limit: What two runs of the system differ by less than, in 95% of pairs (or the
            comparison's confidence), over the same queries; NaN for one run.
    """

    runs: int
    means: tuple[float, ...]
    deviation: float
    limit: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; missing numbers are null."""
        return {
            "runs": self.runs,
            "means": [json_number(one) for one in self.means],
            "deviation": json_number(self.deviation),
            "limit": json_number(self.limit),
        }


@dataclass(frozen=True)
class Repeats:
    """What the repeated runs of two systems show on one measure.

    Attributes:
        baseline: The noise floor of the baseline.
        candidate: That of the candidate.
        components: The split of the variance of one query's value in one run; None if unknown.
        excess: The variance of the difference from what moves all queries of a run alike, beyond
            noise by query; 0 if none shows, NaN if it is unknown.
        p_run: Of the F test of the hypothesis that there is no such effect; NaN if unknown.
        included: Whether p and interval count it: the t test and t interval of a mean do. Without
            it they are about these very runs, not about others of the same systems.
        half_widths: Half of the t interval's width now, with twice the queries, and with twice the
            runs of both systems; None if unknown.
    """

    baseline: NoiseFloor
    candidate: NoiseFloor
    components: Components | None
    excess: float
    p_run: float
    included: bool
    half_widths: tuple[float, float, float] | None = None

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values; missing numbers are null."""
        parts = self.components
        widths = self.half_widths
        return {
            "baseline": self.baseline.to_dict(),
            "candidate": self.candidate.to_dict(),
            "variance": None
            if parts is None
            else {
                "query": parts.query,
                "system_query": parts.interaction,
                "run": parts.run,
                "repeat": parts.repeat,
                "truncated": [
                    "system_query" if name == "interaction" else name for name in parts.truncated
                ],
            },
            "excess": json_number(self.excess),
            "p_run": json_number(self.p_run),
            "included": self.included,
            "half_widths": None
            if widths is None
            else dict(zip(("now", "twice_queries", "twice_runs"), widths, strict=True)),
        }

    def to_row(self) -> dict[str, object]:
        """Returns the same as columns of a table."""
        row: dict[str, object] = {}
        for side, floor in (("baseline", self.baseline), ("candidate", self.candidate)):
            row[f"{side}_runs"] = floor.runs
            row[f"{side}_run_deviation"] = json_number(floor.deviation)
            row[f"{side}_run_limit"] = json_number(floor.limit)
        parts = self.components
        for name in ("query", "interaction", "run", "repeat"):
            key = "system_query" if name == "interaction" else name
            row[f"variance_{key}"] = None if parts is None else getattr(parts, name)
        row["run_excess"], row["p_run"] = json_number(self.excess), json_number(self.p_run)
        row["run_effect_included"] = self.included
        widths = self.half_widths or (math.nan,) * 3
        for name, width in zip(("now", "twice_queries", "twice_runs"), widths, strict=True):
            row[f"half_width_{name}"] = json_number(width)
        return row


def repeats_of(
    values: RepeatedValues,
    confidence: float,
    *,
    included: bool,
    half_widths: tuple[float, float, float] | None = None,
) -> Repeats:
    """Returns what repeated runs show.

    Args:
        values: Of all runs, on the paired queries.
        confidence: The level of the noise floor.
        included: Whether the run effect is in p and interval.
        half_widths: Of the interval, now and with more queries or runs.
    """
    effect = values.effect
    baseline, candidate = values.spreads
    return Repeats(
        baseline=_floor(baseline, values.baseline, confidence),
        candidate=_floor(candidate, values.candidate, confidence),
        components=components([values.baseline, values.candidate]),
        excess=math.nan if effect is None else effect.excess,
        p_run=math.nan if effect is None else effect.p,
        included=included,
        half_widths=half_widths,
    )


def _floor(spread: RunSpread, rows: NDArray[np.float64], confidence: float) -> NoiseFloor:
    deviation = spread.deviation if spread.runs > 1 else math.nan
    means = tuple(mean(row) for row in rows)
    return NoiseFloor(spread.runs, means, deviation, spread.limit(confidence))
