"""Two runs tested at every look while queries arrive: always-valid intervals and p-values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.comparison.contrast import NoInterval
from relyon.analysis.comparison.pooled.ratio import is_pooled_ratio, on_scale_of, spread
from relyon.analysis.statistics.power import POWER
from relyon.core.errors import ParameterError
from relyon.core.texts import message
from relyon.measures.parser import measure as parse_measure

if TYPE_CHECKING:
    from relyon.analysis.comparison.pairing import Pairing
    from relyon.analysis.comparison.settings import AlwaysValid, Settings

__all__ = ["FIRST_LOOK", "Look", "look", "moved_p"]

#: Queries or clusters that changed, from which on the asymptotic test is used.
FIRST_LOOK = 30


@dataclass(frozen=True)
class Look:
    """What the queries so far show.

    Attributes:
        test: `anytime` or `asymptotic`.
        p: The p-value of no difference; 1 if nothing is known yet.
        interval: The interval of the difference.
        quotient: Of a ratio without a limit: the interval of candidate / baseline.
        missing: Why there is no interval.
        size: By betting: the difference that so many queries would show with a power of .8, and the
            queries until the observed difference is shown with it; None if the test is asymptotic.
    """

    test: AlwaysValid
    p: float
    interval: tuple[float, float]
    quotient: tuple[float, float] = (math.nan, math.nan)
    missing: NoInterval = ""
    size: tuple[float, int] | None = None


def look(pairing: Pairing, settings: Settings) -> Look:
    """Returns the always-valid interval and p-value of a difference.

    `anytime`: the mean over queries of differences that cannot leave a range, as of NDCG from -1 to
    1, is bet against (`kelly_interval`): valid for any number of queries. `asymptotic`
    (`mixture_half`) from 30 queries or clusters that changed on: if it was chosen, and for what has
    no range of its own: DCG, sums, ratios of sums, a pooled AUC, values of other programs, queries
    in clusters.

    Both are valid if queries arrive in an order that has nothing to do with the differences, such
    as a random one, or are themselves drawn at random: then no look needs a record of those before.

    Args:
        pairing: The two runs, with clusters as units where the number is pooled.
        settings: The test and levels.

    Raises:
        ParameterError: If a system has several runs: what they share is not in the queries.
    """
    if pairing.repeats is not None:
        raise ParameterError(
            message("analysis.anytime-of-repeats"), hint=message("analysis.compare-one-run-each")
        )
    nothing = math.nan, math.nan
    if not pairing.queries:
        return Look("anytime", 1.0, nothing, missing="one-query")
    limits = _range(pairing, settings)
    if limits is not None:
        return _bet(pairing, limits, settings)
    found = _Estimate.of(pairing)
    if found.missing:
        return Look("asymptotic", 1.0, nothing, missing=found.missing)
    from relyon.analysis.statistics import mixture_half

    half = mixture_half(found.error, found.degrees, found.x, settings.confidence)
    ends = found.value - half, found.value + half
    if found.pooled:
        low, high = (on_scale_of(pairing, end) for end in ends)
        base = pairing.baseline_value
        unlimited = (low, high) != ends
        quotient = (1 + low / base, 1 + high / base) if unlimited and base > 0 else nothing
        return Look("asymptotic", found.p(), (low, high), quotient)
    return Look("asymptotic", found.p(), ends)


def _bet(pairing: Pairing, limits: tuple[float, float], settings: Settings) -> Look:
    """Returns what betting against the differences shows.

    Detectable is half the interval at level α plus z_.8 standard errors; NaN without a spread.
    """
    from relyon.analysis.statistics import (
        kelly_interval,
        kelly_p,
        kelly_units,
        normal_quantile,
        standard_deviation,
    )

    values, alpha = pairing.differences, settings.alpha
    ends = kelly_interval(values, *limits, confidence=settings.confidence)
    own = ends
    if settings.confidence != 1 - alpha:
        own = kelly_interval(values, *limits, confidence=1 - alpha)
    spread_of = standard_deviation(values) if len(values) > 1 else 0.0
    extra = normal_quantile(POWER) * spread_of / math.sqrt(len(values))
    detectable = (own[1] - own[0]) / 2 + extra if spread_of > 0 else math.nan
    size = detectable, kelly_units(values, *limits, alpha, power=POWER)
    return Look("anytime", kelly_p(values, 0.0, *limits), ends, size=size)


def moved_p(pairing: Pairing, settings: Settings, expected: float) -> float:
    """Returns the p-value of another expected difference than 0; 1 if nothing is known yet.

    Args:
        pairing: The two runs.
        settings: The test.
        expected: The difference under the hypothesis.
    """
    limits = _range(pairing, settings)
    if limits is not None:
        from relyon.analysis.statistics import kelly_p

        if not limits[0] <= expected <= limits[1]:
            return 0.0
        return kelly_p(pairing.differences, expected, *limits)
    found = _Estimate.of(pairing)
    if found.missing:
        return 1.0
    if found.pooled and on_scale_of(pairing, 1.0) != 1.0:
        base = pairing.baseline_value
        expected = math.log1p(expected / base) if base + expected > 0 else -math.inf
    return found.p(expected)


def _range(pairing: Pairing, settings: Settings) -> tuple[float, float] | None:
    """Returns the range of the differences of independent queries; None if they have none."""
    if settings.test == "asymptotic" or pairing.clustered is not None:
        return None
    if pairing.pools is not None or pairing.ratio is not None:
        return None
    try:
        low, high = parse_measure(pairing.measure).bounds
    except (LookupError, ValueError):
        return None
    width = (high - low) * (len(pairing.queries) if pairing.average == "sum" else 1)
    # Grades below 0 may leave the usual range.
    if not math.isfinite(width) or not (abs(pairing.differences) <= width * (1 + 1e-9)).all():
        return None
    return -width, width


@dataclass(frozen=True)
class _Estimate:
    """A difference with its standard error.

    Attributes:
        value: The difference; of a ratio without a limit that of the logarithms.
        error: Its standard error.
        degrees: The degrees of freedom of the error.
        x: The ratio of `mixture_p`.
        pooled: Whether it is a ratio of sums over all queries.
        missing: Why it cannot be tested.
    """

    value: float = math.nan
    error: float = math.nan
    degrees: float = math.nan
    x: float = math.nan
    pooled: bool = False
    missing: NoInterval = ""

    @classmethod
    def of(cls, pairing: Pairing) -> _Estimate:
        from relyon.analysis.statistics import PER_UNIT, standard_deviation

        count, pooled = len(pairing.queries), is_pooled_ratio(pairing)
        clustered = pairing.clustered
        units = float(count)
        if clustered is not None and not pooled and pairing.pools is None:
            if clustered.decided:
                return cls(missing="one-cluster")
            units = clustered.shape.effective
            value, error, degrees = pairing.difference, clustered.error, clustered.degrees
        else:
            value, deviation = pairing.difference, math.nan
            if pooled:
                value, deviation = spread(pairing)
            elif count > 1:
                deviation = standard_deviation(pairing.differences)
            error, degrees = deviation / math.sqrt(count), count - 1
        if units < FIRST_LOOK:
            return cls(missing="first-look")
        if not pairing.changed:
            return cls(missing="unchanged")
        # Those that are tied say nothing about how skewed the others are.
        if _changed_units(pairing) < FIRST_LOOK:
            return cls(missing="first-look")
        if not math.isfinite(value):
            return cls(missing="not-finite")
        if not error > 0:
            return cls(missing="one-decides" if pooled else "equal-changes")
        return cls(value, error, degrees, PER_UNIT * units, pooled)

    def p(self, expected: float = 0.0) -> float:
        """Returns the p-value of an expected difference."""
        from relyon.analysis.statistics import mixture_p

        if math.isinf(expected):
            return 0.0
        return mixture_p(self.value - expected, self.error, self.degrees, self.x)


def _changed_units(pairing: Pairing) -> int:
    """Returns how many queries the runs differ on, or clusters with such queries."""
    if pairing.clustered is None or pairing.clusters is None:
        return pairing.changed
    return len({*pairing.clusters[pairing.changes].tolist()})
