"""Repeated runs of systems: how much runs of one system differ, and what that adds to an error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.distributions import f_tail, student_quantile
from relyon.analysis.statistics.tukey import two_way_anova

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Components", "RunEffect", "RunSpread", "components", "satterthwaite"]


@dataclass(frozen=True)
class RunSpread:
    """How much the runs of one system differ over the same queries.

    Attributes:
        runs: R, the number of runs.
        queries: n, the number of queries.
        between: s², the variance of the runs' means; NaN for one run.
        within: The mean square of runs x queries: how much one query's value varies from run to
            run, apart from what all queries share; NaN for one run or one query.
    """

    runs: int
    queries: int
    between: float
    within: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> RunSpread:
        """Returns the spread of the runs of one system.

        Args:
            values: Shape (runs, queries); the order of the runs does not matter.

        Examples:
            >>> import numpy as np
            >>> found = RunSpread.of(np.array([[0.1, 0.5, 0.3], [0.2, 0.6, 0.4]]))
            >>> round(found.between, 4), found.within
            (0.005, 0.0)
        """
        import numpy as np

        runs, queries = values.shape
        if runs < 2 or queries < 1 or not np.isfinite(values).all():
            return cls(runs, queries, math.nan, math.nan)
        found = two_way_anova(values[np.lexsort(values.T)])
        between = found.runs / queries / found.run_degrees
        noise = 8 * math.ulp(float(np.abs(values).max()))
        return cls(
            runs, queries, between if between > noise**2 else 0.0, found.residual_mean_square
        )

    @property
    def deviation(self) -> float:
        """The standard deviation of the runs' means."""
        return math.sqrt(self.between)

    def limit(self, confidence: float = 0.95) -> float:
        """Returns the difference that two further runs of the system stay below; NaN for one run.

        The difference of two runs has the standard deviation σ √2, and s estimates σ: the limit is
        t_{R-1} s √2, for the same queries.

        Args:
            confidence: The share of pairs of runs, such as 0.95.

        Examples:
            >>> round(RunSpread(5, 50, 0.0001, 0.01).limit(), 4)
            0.0393

        References:
            Bland and Altman (1999), Statistical Methods in Medical Research 8(2), the coefficient
            of repeatability; with t, since s is an estimate.
        """
        if self.runs < 2:
            return math.nan
        quantile = student_quantile(self.runs - 1, 0.5 + confidence / 2)
        return quantile * math.sqrt(2 * self.between)


def satterthwaite(*terms: tuple[float, float]) -> float:
    """Returns the degrees of freedom of a sum of variances: (Σ v)² / Σ v² / ν; NaN if it is 0.

    Args:
        *terms: The variances v, each with its degrees of freedom ν; those of 0 do not count.

    Examples:
        >>> satterthwaite((1.0, 4.0), (1.0, 4.0)), satterthwaite((2.0, 7.0), (0.0, 0.0))
        (8.0, 7.0)

    References:
        Satterthwaite (1946), Biometrics Bulletin 2(6).
    """
    kept = [(value, freedom) for value, freedom in terms if value]
    if not kept:
        return math.nan
    scale = max(abs(value) for value, _ in kept)
    total = math.fsum(value / scale for value, _ in kept)
    return float(total**2 / math.fsum((value / scale) ** 2 / freedom for value, freedom in kept))


@dataclass(frozen=True)
class RunEffect:
    """What moves all queries of a run alike, such as another training seed.

    It does not average out over queries: a test paired over queries only is about these very runs.

    Attributes:
        observed: V_r = Σ s² / R over the systems with several runs: the variance of the difference
            of two systems as the runs' means show it.
        expected: V_c, what of it is explained by noise that is independent from query to query.
        freedom: Degrees of freedom of `observed`.
        p: Of the F test of the hypothesis that there is no such effect; NaN if it is unknown.
        noise_freedom: Degrees of freedom of `expected`.
    """

    observed: float
    expected: float
    freedom: float
    p: float
    noise_freedom: float = math.inf

    @classmethod
    def of(cls, *spreads: RunSpread) -> RunEffect | None:
        """Returns the effect that the runs of two systems show; None if no system has several runs.

        Of a system with one run it is unknown, and not counted.

        Args:
            *spreads: Of each system.
        """
        known = [one for one in spreads if one.runs > 1 and one.queries > 1]
        if not known or not all(math.isfinite(one.between) for one in known):
            return None
        terms = [(one.between / one.runs, one.runs - 1.0) for one in known]
        noise = [
            (one.within / one.queries / one.runs, (one.queries - 1.0) * (one.runs - 1.0))
            for one in known
        ]
        observed = math.fsum(value for value, _ in terms)
        return cls(
            observed,
            math.fsum(value for value, _ in noise),
            _or_infinite(satterthwaite(*terms)),
            _f_test(known),
            _or_infinite(satterthwaite(*noise)),
        )

    @property
    def excess(self) -> float:
        """The variance that a test over queries leaves out: max(0, V_r - V_c)."""
        return max(0.0, self.observed - self.expected)

    def added_to(self, variance: float, freedom: float) -> tuple[float, float]:
        """Returns the variance of a mean difference with the effect, and its degrees of freedom.

        V = V_q + max(0, V_r - V_c). Without an excess V_q and its degrees of freedom stay; with
        one, those of V are Satterthwaite's, V² / (V_q² / ν_q + V_r² / ν_r + V_c² / ν_c), and at
        most ν_q.

        Args:
            variance: V_q, the squared standard error over queries.
            freedom: ν_q, its degrees of freedom.

        Examples:
            >>> effect = RunEffect(0.0004, 0.0001, 4.0, 0.02)
            >>> variance, freedom = effect.added_to(0.0001, 49.0)
            >>> round(variance, 6), round(freedom, 2)
            (0.0004, 3.98)

        References:
            Clark (1973), Journal of Verbal Learning and Verbal Behavior 12(4); Satterthwaite
            (1946), Biometrics Bulletin 2(6).
        """
        excess = self.excess
        if not excess or not math.isfinite(variance):
            return variance, freedom
        total = variance + excess
        terms = (
            (variance, freedom),
            (self.observed, self.freedom),
            (self.expected, self.noise_freedom),
        )
        parts = math.fsum((value / total) ** 2 / of_value for value, of_value in terms)
        return total, min(freedom, 1 / parts)


def _or_infinite(freedom: float) -> float:
    return math.inf if math.isnan(freedom) else freedom


def _f_test(known: list[RunSpread]) -> float:
    """Returns p of the F test of the runs' means against noise by query."""
    between = math.fsum(one.queries * one.between * (one.runs - 1) for one in known)
    within = math.fsum(one.within * (one.queries - 1) * (one.runs - 1) for one in known)
    above = sum(one.runs - 1 for one in known)
    below = sum((one.queries - 1) * (one.runs - 1) for one in known)
    if not within:
        return 0.0 if between else 1.0
    return float(f_tail(above, below, between / above / (within / below)))


@dataclass(frozen=True)
class Components:
    """The variance of one query's value in one run, by where it comes from.

    Attributes:
        query: How much queries differ, in both systems alike.
        interaction: System x query: how much the systems' difference varies from query to query.
        run: What moves all queries of a run alike.
        repeat: Repeat within query: what is left from run to run.
        truncated: The names of those that were estimated below 0, and are 0.
    """

    query: float
    interaction: float
    run: float
    repeat: float
    truncated: tuple[str, ...] = ()


def components(systems: list[NDArray[np.float64]]) -> Components | None:
    """Splits the variance of systems with repeated runs on the same queries.

    The model of a value is y = μ_system + query + system x query + run + repeat. The estimators are
    those of the analysis of variance with unweighted means of the systems, for any number of runs:
    repeat is the mean square of runs x queries within systems; run the variance of the runs' means
    less repeat / n; system x query and query come from the systems' means by query, less what
    repeat adds to them.

    Args:
        systems: Each of shape (runs, queries), with the same queries.

    Returns:
        The components; None if no system has several runs, or there are fewer than two systems or
        queries.

    Examples:
        >>> import numpy as np
        >>> seen = np.array([0.0, 1.0, 2.0, 3.0])
        >>> found = components([np.array([seen, seen + 0.2]), np.array([seen, seen])])
        >>> round(found.query, 4), found.interaction, round(found.run, 4), found.repeat
        (1.6667, 0.0, 0.01, 0.0)

    References:
        Searle, Casella and McCulloch (1992), Variance Components, §4 and §5.
    """
    import numpy as np

    queries = systems[0].shape[1]
    spreads = [RunSpread.of(one) for one in systems]
    known = [one for one in spreads if one.runs > 1]
    if len(systems) < 2 or queries < 2 or not known:
        return None
    if not all(np.isfinite(one).all() for one in systems):
        return None
    degrees = sum(one.runs - 1 for one in known)
    repeat = math.fsum(one.within * (one.runs - 1) for one in known) / degrees
    run = math.fsum(one.between * (one.runs - 1) for one in known) / degrees - repeat / queries
    means = np.array([np.sort(one, axis=0).mean(axis=0) for one in systems])
    table = two_way_anova(means)
    added = repeat * math.fsum(1 / len(one) for one in systems) / len(systems)
    crossed = table.residual_mean_square
    interaction = crossed - added
    query = (table.queries / table.query_degrees - crossed) / len(systems)
    found = {"query": query, "interaction": interaction, "run": run, "repeat": repeat}
    # What rounding alone leaves below 0 is 0, but was not estimated below it.
    noise = 64 * math.ulp(float(np.square(means).max()))
    truncated = tuple(name for name, value in found.items() if value < -noise)
    return Components(**{name: max(value, 0.0) for name, value in found.items()},
                      truncated=truncated)  # fmt: skip
