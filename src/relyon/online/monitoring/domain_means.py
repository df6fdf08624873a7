"""Means over all sessions of a month, of those that have a value."""

from __future__ import annotations

import math
from collections.abc import Mapping

from relyon.online.sampling import Estimate, Sample, estimate

__all__ = ["domain_mean", "unknown"]


def domain_mean(
    sample: Sample, values: Mapping[str, float], *, confidence: float = 0.95
) -> tuple[Estimate, dict[str, Estimate]]:
    """Returns the mean over those sessions of a log that have a value, and that of every tier.

    Which sessions have one is not known before they are sampled, so that their number is an
    estimate too. With d = 1 where session i has a value y and 0 elsewhere, the mean is the ratio
    R = Σ w d y / Σ w d, and its variance that of the mean of d (y - R), over the squared share of
    sessions with a value. Where all sessions have one it is the sample's plain mean.

    Args:
        sample: The sampled sessions.
        values: The value of each session that has one, by its id.
        confidence: Confidence level of the intervals.

    Returns:
        The mean over all tiers, and the means of the tiers that have a value.

    References:
        Cochran (1977), Sampling Techniques, 3rd edition, 2.11-2.13 and 6.10.
    """
    present = {session: float(session in values) for session in sample.sessions["session"].unique()}
    share = estimate(sample, present, confidence=confidence)
    sums = estimate(
        sample, {name: values.get(name, 0.0) for name in present}, confidence=confidence
    )
    tier_of = dict(sample.sessions.select("session", "tier").iter_rows())
    counts: dict[str, int] = {}
    for tier, session in sample.sessions.select("tier", "session").iter_rows():
        counts[tier] = counts.get(tier, 0) + (session in values)
    ratios = {
        tier: sums.per_tier[tier].value / one.value
        for tier, one in share.per_tier.items()
        if one.value > 0
    }
    around = estimate(
        sample,
        {
            session: values[session] - ratios[tier_of[session]] if session in values else 0.0
            for session in present
        },
        confidence=confidence,
    )
    per_tier = {
        tier: _ratio(
            ratio, around.per_tier[tier], share.per_tier[tier].value, counts[tier], confidence
        )
        for tier, ratio in ratios.items()
    }
    if not share.value > 0:
        return unknown(confidence), per_tier
    whole = sums.value / share.value
    residuals = {
        session: values[session] - whole if session in values else 0.0 for session in present
    }
    found = estimate(sample, residuals, confidence=confidence)
    return _ratio(whole, found, share.value, sum(counts.values()), confidence), per_tier


def _ratio(
    value: float, residual: Estimate, share: float, count: int, confidence: float
) -> Estimate:
    error = residual.standard_error / share
    degrees = residual.degrees_of_freedom
    # What was sampled whole is known whole, however few sessions have a value.
    if math.isfinite(degrees):
        degrees = min(degrees, count - 1)
        if count < 2:
            error = math.nan
    # Residuals of equal values are rounding noise.
    if error <= 1e-12 * abs(value):
        error = 0.0
    half = _half(error, degrees, confidence)
    return Estimate(value, (value - half, value + half), error, degrees, count, confidence)


def _half(error: float, degrees: float, confidence: float) -> float:
    if error == 0 and math.isinf(degrees):
        return 0.0
    if error == 0 or math.isnan(error) or math.isnan(degrees) or degrees <= 0:
        return math.nan
    from relyon.analysis.statistics import student_quantile

    return student_quantile(degrees, 0.5 + confidence / 2) * error


def unknown(confidence: float) -> Estimate:
    """Returns the estimate of what no session shows."""
    return Estimate(math.nan, (math.nan, math.nan), math.nan, math.nan, 0, confidence)
