"""How wide the intervals of a month's number will be, before its sample is graded."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from relyon.analysis.statistics import normal_quantile
from relyon.online.monitoring.rounds import Round
from relyon.online.monitoring.sample_plan import SPREAD
from relyon.online.sampling import Stratum

__all__ = ["PlannedInterval", "plan_intervals"]


@dataclass(frozen=True)
class PlannedInterval:
    """The planned half widths of the intervals of a month, each as a share of its mean.

    Attributes:
        tiers: By tier, at its own k; NaN for a tier in which fewer than two sessions are sampled.
        all: Of all tiers together, at the common k.
        assumed: Whether the spread of the values is assumed, and not that of a graded month.
    """

    tiers: Mapping[str, float]
    all: float
    assumed: bool


def plan_intervals(
    tiers: Sequence[Stratum],
    month: Round | None = None,
    *,
    spread: float = SPREAD,
    confidence: float = 0.95,
) -> PlannedInterval:
    """Returns half widths: z √((1 - n/N) s²/n) of a tier, and z √(Σ W² (1 - n/N) s²/n) of all.

    They are about the sessions of the month itself, so they carry the correction for a finite
    population: a tier that is sampled whole has none.

    Args:
        tiers: The tiers of the sample.
        month: A graded month, whose means and standard deviations are taken. It is not used if its
            tiers are others, or one of them has fewer than two values.
        spread: Without `month`: the standard deviation of a session's value, as a share of the
            mean of its tier.
        confidence: The level.

    Examples:
        >>> import polars as pl
        >>> from relyon.online.sampling import draw_sample
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(6000)],
        ...     "query": [f"q{i % 1500}" for i in range(6000)],
        ...     "position": 1, "doc": "d",
        ... })
        >>> plan = plan_intervals(draw_sample(log, per_tier=100).tiers)
        >>> round(plan.tiers["head"], 3), round(plan.all, 3)
        (0.153, 0.088)

    References:
        Cochran (1977), Sampling Techniques, 3rd edition, 5.9.
    """
    there = [tier for tier in tiers if tier.sessions]
    own = _moments(month, there, "dcg")
    common = _moments(month, there, "common_dcg")
    assumed = own is None or common is None
    if own is None or common is None:
        own = common = {tier.name: (1.0, spread) for tier in there}
    z = normal_quantile(0.5 + confidence / 2)
    widths = {}
    variance = mean = 0.0
    for tier in there:
        value, deviation = own[tier.name]
        widths[tier.name] = z * math.sqrt(_variance(tier, deviation)) / value
        value, deviation = common[tier.name]
        variance += tier.share**2 * _variance(tier, deviation)
        mean += tier.share * value
    return PlannedInterval(widths, z * math.sqrt(variance) / mean if there else math.nan, assumed)


def _variance(tier: Stratum, deviation: float) -> float:
    """Returns the variance of the mean of a tier's sample."""
    if tier.sampled >= tier.sessions:
        return 0.0
    if tier.sampled < 2:
        return math.nan
    return (1 - tier.sampled / tier.sessions) * deviation**2 / tier.sampled


def _moments(
    month: Round | None, tiers: Sequence[Stratum], column: str
) -> dict[str, tuple[float, float]] | None:
    """Returns mean and standard deviation by tier; None without those of every tier."""
    if month is None:
        return None
    found = {}
    for tier in tiers:
        values = month.results.filter(month.results["tier"] == tier.name)[column].drop_nulls()
        mean, deviation = values.mean(), values.std()
        if not isinstance(mean, float) or not isinstance(deviation, float) or mean <= 0:
            return None
        found[tier.name] = (mean, deviation)
    return found
