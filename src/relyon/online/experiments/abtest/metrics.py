"""Metrics of an A/B test: ratios of sums over users, and how two arms differ in them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics import RatioEstimate, difference_of, jackknife_ratio

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from relyon.online.experiments.abtest.traffic import Traffic

__all__ = ["METRICS", "Adjusted", "Metric", "adjusted_difference", "lacks"]


@dataclass(frozen=True)
class Metric:
    """A ratio of two sums over users.

    Attributes:
        name: Its name.
        above: The sum above the line.
        below: The sum below it.
        needs: The column of the log that it needs.
        inverted: Whether it is one less the ratio.
        most: The most that it can be; the least is 0.
    """

    name: str
    above: str
    below: str
    needs: str
    inverted: bool = False
    most: float = 1.0

    def sums(
        self, users: pl.DataFrame, prefix: str = ""
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Returns both sums of each user."""
        above = users[prefix + self.above].to_numpy().astype(float)
        below = users[prefix + self.below].to_numpy().astype(float)
        return (below - above if self.inverted else above), below

    def estimate(self, users: pl.DataFrame, prefix: str = "") -> RatioEstimate:
        """Returns the ratio with its error by user."""
        return jackknife_ratio(*self.sums(users, prefix))

    def interval(self, estimate: RatioEstimate, level: float) -> tuple[float, float]:
        """Returns the interval of an estimate, within what the metric can be."""
        low, high = estimate.interval(level)
        return (low, high) if math.isnan(low) else (max(low, 0.0), min(high, self.most))


METRICS = (
    Metric("ctr", "clicks", "results", "clicked"),
    Metric("abandonment", "clicked", "sessions", "clicked", inverted=True),
    Metric("conversion", "bought", "sessions", "purchase"),
    Metric("first-click", "seconds", "waits", "clicked", most=math.inf),
)


def lacks(metric: Metric, traffic: Traffic) -> str:
    """Returns why a metric cannot be computed, as a key of the texts; empty if it can."""
    if metric.needs not in traffic.columns:
        return f"no-{metric.needs}"
    if metric.name == "first-click":
        if "timestamp" not in traffic.columns:
            return "no-timestamp"
        if not traffic.waits:
            return "one-time"
    return "" if traffic.users[metric.below].sum() else "nothing"


@dataclass(frozen=True)
class Adjusted:
    """A difference from which the users' history was taken away.

    Attributes:
        difference: The difference, with its error.
        reduction: The part of the variance that this took away.
    """

    difference: RatioEstimate
    reduction: float


def adjusted_difference(metric: Metric, first: pl.DataFrame, second: pl.DataFrame) -> Adjusted:
    """Returns the difference between two arms by CUPED, for a ratio of sums.

    Each user's contribution to the ratio, linearised, is l = r + (a − r b) / mean(b); x is the same
    of the history, with one ratio for both arms, 0 without history. With θ = Σ cov(l, x) / Σ var(x)
    over the arms, the difference is that of the means of l − θ x. As x was there before the test,
    both arms expect the same of it.

    Its error is of the residuals e / (1 − h) of each arm, with h a share of the arm plus a share
    of the histories' sum of squares; degrees of freedom are one less than the users of equal h with
    the same information. NaN where one user decides.

    References:
        Bell and McCaffrey (2002), Survey Methodology 28(2), for the error.
        Deng, Xu, Kohavi and Walker (2013), WSDM: CUPED, with appendix B on ratios.
    """
    import numpy as np

    arms = [metric.sums(users) for users in (first, second)]
    past = [metric.sums(users, "pre_") for users in (first, second)]
    below = float(sum(one[1].sum() for one in past))
    plain = difference_of(*(jackknife_ratio(*one) for one in arms))
    if not below or math.isnan(plain.error):
        return Adjusted(RatioEstimate(math.nan, math.nan, plain.clusters), math.nan)
    ratio = sum(one[0].sum() for one in past) / below
    scale = sum(map(len, (first, second))) / below
    lines, histories, shares = [], [], []
    for (above, under), (above_before, under_before) in zip(arms, past, strict=True):
        # A user without a session in the denominator does not count for this metric.
        there = under > 0
        shares.append(under[there] / under.sum())
        value = above.sum() / under.sum()
        lines.append(value + (above - value * under)[there] / under[there].mean())
        histories.append(((above_before - ratio * under_before) * scale)[there])
    pairs = [np.cov(line, history) for line, history in zip(lines, histories, strict=True)]
    spread = sum(pair[1, 1] for pair in pairs)
    if not spread > 0:
        return Adjusted(RatioEstimate(math.nan, math.nan, plain.clusters), math.nan)
    slope = sum(pair[0, 1] for pair in pairs) / spread
    squares = sum(float(np.square(history - history.mean()).sum()) for history in histories)
    estimates = []
    for line, history, share in zip(lines, histories, shares, strict=True):
        kept = line - slope * history
        count = len(kept)
        # A user counts in the mean by their share of it, and in θ by how unusual their history is.
        lever = share + np.square(history - history.mean()) / squares
        effective = 1 / float(np.square(lever / lever.sum()).sum())
        if effective < 2 or lever.max() >= 1:
            return Adjusted(RatioEstimate(math.nan, math.nan, plain.clusters), math.nan)
        left = (kept - kept.mean()) / (1 - lever)
        error = math.sqrt((count - 1) / count * float(np.square(left).sum())) / count
        estimates.append(RatioEstimate(float(kept.mean()), error, count, effective - 1))
    found = difference_of(*estimates)
    reduction = 1 - found.error**2 / plain.error**2 if plain.error else math.nan
    return Adjusted(found, reduction)
