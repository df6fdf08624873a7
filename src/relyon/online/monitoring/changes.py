"""Changes from one month to the next, and their significance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from relyon.analysis.statistics import adjust
from relyon.analysis.statistics.power import POWER
from relyon.core.document.json import json_number
from relyon.online.monitoring.month_variance import MonthMean, spread
from relyon.online.monitoring.points import ALL, Depth, Point

__all__ = ["Difference", "MonthlyChange", "compare_points", "difference"]

Verdict = Literal["fell", "rose", "undecided"]

NOISE = 1e-12


@dataclass(frozen=True)
class Difference:
    """The difference of two months, as a change of the process behind them.

    Attributes:
        value: The later mean minus the earlier one.
        interval: Its confidence interval; NaN where there is no error.
        standard_error: Its standard error, queries being what varies independently; NaN where one
            month has a single query, and 0 where no query differs from another.
        degrees_of_freedom: Of the interval and the test; NaN where there is no error.
        p: Two-sided p-value; NaN where one month has a single query.
        detectable: The smallest change that such samples show with power 0.8; NaN where there is no
            error.
        queries: Different queries that both months rest on together.
    """

    value: float
    interval: tuple[float, float]
    standard_error: float
    degrees_of_freedom: float
    p: float
    detectable: float
    queries: int

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN and infinity become null."""
        values: dict[str, object] = {name: json_number(value) for name, value in vars(self).items()
                                  if name != "interval"}  # fmt: skip
        values["interval"] = [json_number(bound) for bound in self.interval]
        values["about"] = "process"
        return values


def difference(
    before: MonthMean, after: MonthMean, *, confidence: float = 0.95, alpha: float = 0.05
) -> Difference:
    """Compares two months as two draws of one process.

    With the standard error s of `process.spread` and its degrees of freedom ν:

        t = (m_2 - m_1) / s,  smallest detectable change = (t_{α/2} + t_β) s.

    Nothing is sampled whole of a process: that all sessions of a month were taken makes its mean
    certain and not its change. Sessions of one query are one source, in one month and in both.
    Where no query of either month differs from the others there is no error to be estimated, and p
    is the least that a permutation test could give: 2 over the ways to deal out their means.

    Args:
        before: The earlier month's mean.
        after: The later month's mean.
        confidence: Of the interval.
        alpha: The level of the test that `detectable` is about.

    Examples:
        >>> import polars as pl
        >>> from relyon.online.monitoring.month_variance import month_means
        >>> from relyon.online.sampling import draw_sample
        >>> log = pl.DataFrame({
        ...     "session": [f"s{i}" for i in range(12)], "query": list("aabbccddeeff"),
        ...     "position": [1] * 12, "doc": ["d"] * 12,
        ... })
        >>> sample = draw_sample(log, cuts=[], names=["all queries"])
        >>> one, _ = month_means(sample, {f"s{i}": 3 + i % 3 for i in range(12)})
        >>> two, _ = month_means(sample, {f"s{i}": 1 + i % 4 for i in range(12)})
        >>> found = difference(one, two)
        >>> found.value, found.queries
        (-1.5, 6)

    References:
        Cochran (1977), Sampling Techniques, 3rd edition, 2.14; Bell and McCaffrey (2002), Survey
        Methodology 28(2); Fisher (1935), The Design of Experiments.
    """
    value = after.value - before.value
    # Sums in another order differ in their last digits, which is no change.
    if abs(value) <= NOISE * max(abs(before.value), abs(after.value)):
        value = 0.0
    found = spread(before, after)
    error, degrees, nan = found.error, found.degrees_of_freedom, math.nan
    if math.isnan(value) or math.isnan(error):
        return Difference(value, (nan, nan), nan, nan, nan, nan, found.queries)
    if error == 0:
        p = min(1.0, 2 / found.arrangements) if value else 1.0
        p = max(p, math.ulp(0.0))
        return Difference(value, (nan, nan), 0.0, nan, p, nan, found.queries)
    from relyon.analysis.statistics import student, student_quantile

    half = student_quantile(degrees, 0.5 + confidence / 2) * error
    p = max(2 * student(degrees, -abs(value) / error), math.ulp(0.0))
    quantiles = student_quantile(degrees, 1 - alpha / 2) + student_quantile(degrees, POWER)
    bounds = (value - half, value + half)
    return Difference(value, bounds, error, degrees, p, quantiles * error, found.queries)


@dataclass(frozen=True)
class MonthlyChange:
    """The change of one tier, or of all tiers together, from one month to the next.

    Attributes:
        tier: The tier, or `all`.
        depth: Whether `k` is the tier's `tier`, or `common` to all tiers.
        k: Ranks that count.
        before: The earlier month.
        after: The later month.
        dcg: The difference of the means of DCG@k.
        ndcg: The difference of the means of NDCG@k, ideal over the retrieved.
        p_adjusted: The p-value of DCG, corrected by Holm for the tiers that are tested together.
        alpha: The significance level.
        mix: For all tiers: the part of the change that is traffic moving between tiers; NaN for a
            single tier.
    """

    tier: str
    depth: Depth
    k: int
    before: Point
    after: Point
    dcg: Difference
    ndcg: Difference
    p_adjusted: float
    alpha: float
    mix: float

    @property
    def can_alarm(self) -> bool:
        """Whether it can raise an alarm: all tiers together, and each tier at its own k."""
        return self.after.can_alarm

    @property
    def relative(self) -> float:
        """The change of DCG as a share of the earlier month; NaN where that is 0."""
        return self.dcg.value / self.before.dcg.value if self.before.dcg.value > 0 else math.nan

    @property
    def verdict(self) -> Verdict:
        """`fell` or `rose` if DCG changed significantly, else `undecided`."""
        if math.isnan(self.p_adjusted) or self.p_adjusted > self.alpha or not self.dcg.value:
            return "undecided"
        return "fell" if self.dcg.value < 0 else "rose"

    @property
    def beyond_reach(self) -> bool:
        """Whether the samples are too small to show even a fall to 0 with power 0.8."""
        return self.dcg.detectable > self.before.dcg.value > 0

    @property
    def hidden(self) -> bool:
        """Whether DCG fell and NDCG does not show it: the sign of a failing recall stage."""
        if self.verdict != "fell" or math.isnan(self.ndcg.value):
            return False
        shown = self.ndcg.value < 0 and self.ndcg.p <= self.alpha
        return not shown

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values: NaN becomes null."""
        return {
            "tier": self.tier,
            "depth": self.depth,
            "k": self.k,
            "before": self.before.month,
            "after": self.after.month,
            "dcg": self.dcg.to_dict(),
            "ndcg": self.ndcg.to_dict(),
            "relative": json_number(self.relative),
            "p_adjusted": json_number(self.p_adjusted),
            "verdict": self.verdict,
            "hidden": self.hidden,
            "mix": json_number(self.mix),
        }


def compare_points(
    before: Sequence[Point], after: Sequence[Point], *, confidence: float, alpha: float
) -> list[MonthlyChange]:
    """Compares the points that two months share.

    All tiers together at the common k, and each tier at its own k, are tested as one family: Holm's
    correction controls the family-wise error rate of a month at alpha. Tiers at the common k are
    another family.

    Args:
        before: The earlier month's points.
        after: The later month's points.
        confidence: Confidence level of the intervals.
        alpha: The level of the tests.
    """
    earlier = {(one.tier, one.depth): one for one in before}
    pairs = [
        (earlier[one.tier, one.depth], one)
        for one in after
        if (one.tier, one.depth) in earlier and earlier[one.tier, one.depth].k == one.k
    ]
    watched = sum(one.can_alarm for _, one in pairs)
    found = []
    for old, new in pairs:
        family = watched if new.can_alarm else max(len(pairs) - watched, 1)
        found.append(
            MonthlyChange(
                tier=new.tier,
                depth=new.depth,
                k=new.k,
                before=old,
                after=new,
                dcg=difference(
                    old.dcg_mean, new.dcg_mean, confidence=confidence, alpha=alpha / family
                ),
                ndcg=difference(
                    old.ndcg_mean, new.ndcg_mean, confidence=confidence, alpha=alpha / family
                ),
                p_adjusted=math.nan,
                alpha=alpha,
                mix=_mix(before, after) if new.tier == ALL else math.nan,
            )
        )
    for member in (True, False):
        places = [place for place, one in enumerate(found) if one.can_alarm == member]
        for place, p in zip(
            places, adjust([found[place].dcg.p for place in places], "holm"), strict=True
        ):
            found[place] = replace(found[place], p_adjusted=p)
    return found


def _mix(before: Sequence[Point], after: Sequence[Point]) -> float:
    """Returns the sum over tiers of the change of their share, times their mean of both months."""
    shared = [
        {one.tier: one for one in points if one.depth == "common" and one.tier != ALL}
        for points in (before, after)
    ]
    old, new = shared
    if set(old) != set(new):
        return math.nan
    return math.fsum(
        (new[tier].share - old[tier].share) * (new[tier].dcg.value + old[tier].dcg.value) / 2
        for tier in old
    )
