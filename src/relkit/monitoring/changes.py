"""What changed from one month to the next, and whether it is more than chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from relkit.monitoring.points import ALL, Point, Reach
from relkit.render import json_number
from relkit.sampling import Estimate
from relkit.statistics import adjust
from relkit.statistics.power import POWER

__all__ = ["Difference", "MonthlyChange", "compare_points", "difference"]

Verdict = Literal["fell", "rose", "undecided"]

NOISE = 1e-12


@dataclass(frozen=True)
class Difference:
    """The difference of two independent estimates.

    Attributes:
        value: The later one less the earlier one.
        interval: Its confidence interval.
        standard_error: Its standard error.
        degrees_of_freedom: Of the interval and the test, by Satterthwaite.
        p: Two-sided p-value of Welch's t test; NaN where the samples are too small.
        detectable: The smallest change that such samples show with power 0.8.
    """

    value: float
    interval: tuple[float, float]
    standard_error: float
    degrees_of_freedom: float
    p: float
    detectable: float

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready values: NaN and infinity become null."""
        values: dict[str, Any] = {name: json_number(value) for name, value in vars(self).items()
                                  if name != "interval"}  # fmt: skip
        values["interval"] = [json_number(bound) for bound in self.interval]
        return values


def difference(
    before: Estimate, after: Estimate, *, confidence: float = 0.95, alpha: float = 0.05
) -> Difference:
    """Compares two months whose samples were drawn independently.

    With s the standard errors of both estimates and ν their degrees of freedom:

        s_d² = s_1² + s_2²,  t = (m_2 - m_1) / s_d,
        degrees of freedom = s_d⁴ / (s_1⁴ / ν_1 + s_2⁴ / ν_2),
        smallest detectable change = (t_{α/2} + t_β) s_d.

    What is compared is what users of the two months got, as far as the samples show it: a month
    that was sampled whole has no error, and its change is certain however small it is. Samples
    that share their seed hold queries that both months have more often than chance would: their
    errors partly cancel, and the test finds a little less than it could.

    Args:
        before: The earlier month's mean.
        after: The later month's mean.
        confidence: Of the interval.
        alpha: The level of the test that `detectable` is about.

    Examples:
        >>> one = Estimate(2.0, (1.8, 2.2), 0.1, 50, 51, 0.95)
        >>> two = Estimate(1.5, (1.3, 1.7), 0.1, 50, 51, 0.95)
        >>> found = difference(one, two)
        >>> found.value, round(found.standard_error, 4), round(found.p, 5)
        (-0.5, 0.1414, 0.00062)

    References:
        Welch (1947), Biometrika 34; Cochran (1977), Sampling Techniques, 3rd edition, 2.14.
    """
    value = after.value - before.value
    # Sums in another order differ in their last digits, which is no change.
    if abs(value) <= NOISE * max(abs(before.value), abs(after.value)):
        value = 0.0
    error = math.hypot(before.standard_error, after.standard_error)
    if math.isnan(value) or math.isnan(error):
        nan = math.nan
        return Difference(value, (nan, nan), error, nan, nan, nan)
    if error == 0:
        p = 1.0 if value == 0 else math.ulp(0.0)
        return Difference(value, (value, value), 0.0, math.inf, p, 0.0)
    parts = [
        one.standard_error**4 / one.degrees_of_freedom
        for one in (before, after)
        if one.standard_error > 0
    ]
    degrees = error**4 / math.fsum(parts) if math.fsum(parts) else math.inf
    from scipy.special import stdtr, stdtrit

    half = float(stdtrit(degrees, 0.5 + confidence / 2)) * error
    p = max(2 * float(stdtr(degrees, -abs(value) / error)), math.ulp(0.0))
    quantiles = float(stdtrit(degrees, 1 - alpha / 2)) + float(stdtrit(degrees, POWER))
    return Difference(value, (value - half, value + half), error, degrees, p, quantiles * error)


@dataclass(frozen=True)
class MonthlyChange:
    """The change of one tier, or of all tiers together, from one month to the next.

    Attributes:
        tier: The tier, or `all`.
        reach: Whether `k` is the tier's `own`, or `common` to all tiers.
        k: Ranks that count.
        before: The earlier month.
        after: The later month.
        dcg: The difference of the means of DCG@k.
        ndcg: The difference of the means of NDCG@k, ideal over the retrieved.
        p_adjusted: The p-value of DCG, corrected by Holm for the tiers that are tested together.
        alpha: The level that it is held against.
        mix: For all tiers: the part of the change that is traffic moving between tiers; NaN for a
            single tier.
    """

    tier: str
    reach: Reach
    k: int
    before: Point
    after: Point
    dcg: Difference
    ndcg: Difference
    p_adjusted: float
    alpha: float
    mix: float

    @property
    def watched(self) -> bool:
        """Whether alarms look at it: all tiers together, and each tier at its own k."""
        return self.after.watched

    @property
    def relative(self) -> float:
        """The change of DCG as a share of the earlier month; NaN where that is 0."""
        return self.dcg.value / self.before.dcg.value if self.before.dcg.value > 0 else math.nan

    @property
    def verdict(self) -> Verdict:
        """Whether DCG `fell` or `rose` by more than chance explains, or it is `undecided`."""
        if math.isnan(self.p_adjusted) or self.p_adjusted > self.alpha or not self.dcg.value:
            return "undecided"
        return "fell" if self.dcg.value < 0 else "rose"

    @property
    def hidden(self) -> bool:
        """Whether DCG fell and NDCG does not show it: the sign of a failing recall stage."""
        if self.verdict != "fell" or math.isnan(self.ndcg.value):
            return False
        shown = self.ndcg.value < 0 and self.ndcg.p <= self.alpha
        return not shown

    def to_dict(self) -> dict[str, Any]:
        """Returns JSON-ready values: NaN becomes null."""
        return {
            "tier": self.tier,
            "reach": self.reach,
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
    correction holds the chance of any false alarm in a month below alpha. Tiers at the common k are
    another family.

    Args:
        before: The earlier month's points.
        after: The later month's points.
        confidence: Of the intervals.
        alpha: The level of the tests.
    """
    earlier = {(one.tier, one.reach): one for one in before}
    pairs = [
        (earlier[one.tier, one.reach], one)
        for one in after
        if (one.tier, one.reach) in earlier and earlier[one.tier, one.reach].k == one.k
    ]
    watched = sum(one.watched for _, one in pairs)
    found = []
    for old, new in pairs:
        family = watched if new.watched else max(len(pairs) - watched, 1)
        found.append(
            MonthlyChange(
                tier=new.tier,
                reach=new.reach,
                k=new.k,
                before=old,
                after=new,
                dcg=difference(old.dcg, new.dcg, confidence=confidence, alpha=alpha / family),
                ndcg=difference(old.ndcg, new.ndcg, confidence=confidence, alpha=alpha / family),
                p_adjusted=math.nan,
                alpha=alpha,
                mix=_mix(before, after) if new.tier == ALL else math.nan,
            )
        )
    for member in (True, False):
        places = [place for place, one in enumerate(found) if one.watched == member]
        for place, p in zip(
            places, adjust([found[place].dcg.p for place in places], "holm"), strict=True
        ):
            found[place] = replace(found[place], p_adjusted=p)
    return found


def _mix(before: Sequence[Point], after: Sequence[Point]) -> float:
    """Returns the sum over tiers of the change of their share, times their mean of both months."""
    shared = [
        {one.tier: one for one in points if one.reach == "common" and one.tier != ALL}
        for points in (before, after)
    ]
    old, new = shared
    if set(old) != set(new):
        return math.nan
    return math.fsum(
        (new[tier].share - old[tier].share) * (new[tier].dcg.value + old[tier].dcg.value) / 2
        for tier in old
    )
