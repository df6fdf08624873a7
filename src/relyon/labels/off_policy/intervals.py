"""Intervals of an off-policy estimate, by name."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from relyon.analysis.statistics import (
    ClusterSizes,
    Resampling,
    always_valid,
    bernstein_half,
    bernstein_interval,
    betting_evidence,
    betting_interval,
    first_refuted,
    interval,
    jackknife_ratio,
    ratio_interval,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.off_policy.estimator import Terms

    Bounds = tuple[float, float]

__all__ = ["EXACT", "Interval", "estimate_of", "interval_of"]

#: How an interval is made.
Interval = Literal["betting", "bernstein", "anytime", "bootstrap", "t"]

#: Those that are valid for any number of independent sessions, or groups of them.
EXACT = ("betting", "bernstein", "anytime")


def estimate_of(terms: Terms) -> float:
    """Returns Σ numerator / Σ denominator, of exact sums; NaN where the latter is 0."""
    above = math.fsum(terms.numerator.tolist())
    if terms.denominator is None:
        return above / len(terms.numerator)
    below = math.fsum(terms.denominator.tolist())
    return above / below if below else math.nan


def interval_of(
    terms: Terms,
    name: Interval,
    confidence: float,
    *,
    most: Bounds,
    resampling: Resampling,
    groups: NDArray[np.int64] | None = None,
    order: NDArray[np.int64] | None = None,
) -> Bounds:
    """Returns the interval of an estimate, within what a session can earn.

    NaN where sessions do not say how far off the estimate is: `bootstrap` and `t` do not where all
    are alike, or where one group decides. With groups, such as users, the sums
    of groups are the independent values: the estimate is the ratio of Σ numerator to Σ denominator
    over groups, and a group's sum is at most that of a session times the sessions of the largest
    group.

    Args:
        terms: What each session contributes.
        name: How it is made.
        confidence: Such as 0.95.
        most: The least and the most that a session can earn.
        resampling: Setting of the bootstrap.
        groups: The group of each session, from 0, where groups are independent and not sessions;
            not for `anytime`, which looks before the last session of a group.
        order: The sessions in an order that does not depend on them, for `betting`.

    References:
        Waudby-Smith and Ramdas (2024), JRSS B 86(1); Bell and McCaffrey (2002), Survey Methodology
        28(2), for `t` with groups.
    """
    import numpy as np

    if not terms.certain or (name == "anytime" and not terms.ordered):
        return math.nan, math.nan
    reach = most if terms.denominator is not None else (terms.low, terms.high)
    if groups is not None:
        terms = _grouped(terms, groups)
        # Numbers of groups follow their ids, which may follow what they do.
        order = np.random.default_rng(0).permutation(len(terms.numerator))
    above, below = terms.numerator, terms.denominator
    if name in EXACT:
        if name == "betting" and order is not None:
            above = above[order]
            below = None if below is None else below[order]
        low, high = (
            _of_mean(above, name, confidence, terms)
            if below is None
            else _of_ratio(above, below, name, confidence, terms=terms, most=reach)
        )
    else:
        below = np.ones(len(above)) if below is None else below
        if groups is not None and ClusterSizes.of(np.bincount(groups).astype(float)).decided:
            return math.nan, math.nan
        if name == "bootstrap":
            low, high = ratio_interval(above, below, confidence, resampling)
        elif groups is not None:
            low, high = jackknife_ratio(above, below).interval(confidence)
        else:
            # The delta method: a ratio of sums is about a mean of these.
            each = estimate_of(terms) + (above - estimate_of(terms) * below) / below.mean()
            low, high = interval("t", each, confidence=confidence)
        # All alike: how far they differ is unknown, which is not certainty.
        if not low < high:
            return math.nan, math.nan
    return min(max(low, most[0]), most[1]), max(min(high, most[1]), most[0])


def _grouped(terms: Terms, groups: NDArray[np.int64]) -> Terms:
    """Returns the sums of each group; the denominator counts sessions where there is none."""
    import numpy as np

    sizes = np.bincount(groups).astype(np.float64)
    below = terms.denominator
    largest = float(sizes.max())
    return replace(
        terms,
        numerator=np.bincount(groups, terms.numerator).astype(np.float64),
        denominator=sizes if below is None else np.bincount(groups, below).astype(np.float64),
        low=terms.low * largest,
        high=terms.high * largest,
    )


def _of_mean(values: NDArray[np.float64], name: str, confidence: float, terms: Terms) -> Bounds:
    """Returns an exact interval of the mean of the numerators."""
    if name == "bernstein":
        return bernstein_interval(values, terms.low, terms.high, confidence=confidence)
    if name == "betting":
        return betting_interval(values, terms.low, terms.high, confidence=confidence)
    width = terms.high - terms.low
    if not width > 0:
        return terms.low, terms.high
    looks = always_valid(2 * (values - terms.low) / width - 1, confidence=confidence)
    low, high = (
        terms.low + width * (float(bound[-1]) + 1) / 2 for bound in (looks.low, looks.high)
    )
    return low, high


def _of_ratio(
    above: NDArray[np.float64],
    below: NDArray[np.float64],
    name: str,
    confidence: float,
    *,
    terms: Terms,
    most: Bounds,
) -> Bounds:
    """Returns an exact interval of a ratio: each θ for which numerator − θ denominator may be 0."""
    import numpy as np

    count, width = len(above), terms.high - terms.low
    if count < 2 or not width > 0:
        return most
    means = above.mean(), below.mean()
    covariance = np.cov(above, below)

    def refuted(value: float, side: int) -> float:
        """Above 0 if the mean differs significantly from 0."""
        if name == "bernstein":
            variance = covariance[0, 0] - 2 * value * covariance[0, 1] + value**2 * covariance[1, 1]
            half = bernstein_half(max(float(variance), 0.0), width, count, confidence)
            return float(side * (means[0] - value * means[1])) - half
        # From 0 to 1, with the mean as 0.
        zero = (value - most[0]) / (most[1] - most[0])
        scaled = np.clip((above - value * below) / width + zero, 0.0, 1.0)
        if name == "betting":
            return betting_evidence(scaled, zero, side, confidence)
        looks = always_valid(2 * scaled - 1, confidence=confidence)
        bound = (looks.low if side > 0 else looks.high)[-1]
        return float(side * (bound - (2 * zero - 1)))

    def end(side: int, far: float) -> float:
        return first_refuted(lambda value: refuted(value, side), far, estimate_of(terms))

    return end(1, most[0]), end(-1, most[1])
