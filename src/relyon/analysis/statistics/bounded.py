"""Intervals of the mean of values that cannot leave a range, such as success@10 or NDCG."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from relyon._native import binomial_tail
from relyon.analysis.statistics.betting import betting_interval
from relyon.analysis.statistics.differences import mean, standard_deviation
from relyon.analysis.statistics.intervals import t_interval
from relyon.core.parameters import check_fraction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "FEW",
    "BoundedInterval",
    "Method",
    "Missing",
    "clopper_pearson",
    "few_differ",
    "mean_interval",
]

Method = Literal["", "t", "exact", "betting", "ratio", "log-ratio"]
#: Why there is no interval.
Missing = Literal[
    "",
    "one-value",
    "equal-values",
    "few-differ",
    "one-decides",
    "no-formula",
    "infinite",
]

#: Values that must differ from the most frequent one before their spread is believed.
FEW = 6
#: Whole steps from one end of the range to the other that must lie between the values and the
#: nearer end, all values together.
STEPS_FROM_END = 2
STEPS = 60


@dataclass(frozen=True)
class BoundedInterval:
    """An interval of a mean, or why there is none.

    Attributes:
        bounds: The interval; NaN if there is none.
        method: `t` (Student), `exact` (Clopper and Pearson), `betting`, `ratio` (of sums) or
            `log-ratio`; empty without an interval.
        missing: Why there is none; empty if there is one.
    """

    bounds: tuple[float, float]
    method: Method = ""
    missing: Missing = ""

    @classmethod
    def none(cls, missing: Missing) -> BoundedInterval:
        """Returns no interval, with the reason."""
        return cls((math.nan, math.nan), "", missing)

    def cut(self, low: float, high: float) -> BoundedInterval:
        """Returns the interval within a range, which keeps its coverage."""
        first, second = self.bounds
        if math.isnan(first) or first > high or second < low:
            return self
        return BoundedInterval((max(first, low), min(second, high)), self.method, self.missing)


def clopper_pearson(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Returns the exact interval of a share: all p that neither tail of the binomial refutes.

    It covers the true share in at least the stated part of cases, for any number of trials.

    Args:
        successes: Number of successful trials.
        trials: Number of trials, at least 1.
        confidence: Such as 0.95.

    Examples:
        >>> [round(bound, 4) for bound in clopper_pearson(6, 6, 0.95)]
        [0.5407, 1.0]
        >>> [round(bound, 4) for bound in clopper_pearson(9, 10, 0.95)]
        [0.555, 0.9975]

    References:
        Clopper and Pearson (1934), Biometrika 26; Brown, Cai and DasGupta (2001), Statistical
        Science 16, for the alternatives.
    """
    tail = (1 - confidence) / 2
    failures = trials - successes

    def lower(of: int) -> float:
        """The p at which at least that many successes have the probability of one tail."""
        if not of:
            return 0.0
        low, high = 0.0, of / trials
        for _ in range(STEPS):
            middle = (low + high) / 2
            # P(X >= of) = P(failures <= trials - of)
            if binomial_tail(trials - of, trials, 1 - middle) < tail:
                low = middle
            else:
                high = middle
        return low

    return lower(successes), 1 - lower(failures)


def few_differ(values: NDArray[np.float64]) -> bool:
    """Whether fewer than six values differ from the one that at least half of them share.

    Examples:
        >>> import numpy as np
        >>> few_differ(np.array([1.0] * 40 + [0.5] * 5)), few_differ(np.array([0.1, 0.2, 0.3]))
        (True, False)
    """
    import numpy as np

    _, times = np.unique(values, return_counts=True)
    most = int(times.max(initial=0))
    return len(values) - most < FEW and 2 * most >= len(values)


def mean_interval(
    values: NDArray[np.float64], low: float, high: float, confidence: float = 0.95
) -> BoundedInterval:
    """Returns an interval of a mean that never claims certainty without evidence of it.

    - Values that are all at one of two ends, such as 0 and 1: the exact interval of a share.
    - If fewer than six values differ from the most frequent one, which at least half of the values
      share, or if all values together are less than two steps of the whole range from its nearer
      end, n min(mean − low, high − mean) < 2 (high − low): their spread says little about values
      that were not seen. The betting interval needs only the range.
    - Else Student's interval, cut to the range.

    Without a finite range there is none in the second case.

    Args:
        values: Independent values, in an order that does not depend on them.
        low: Lower bound of the values, possibly infinite.
        high: Upper bound of the values, possibly infinite.
        confidence: Such as 0.95.

    Examples:
        >>> import numpy as np
        >>> mean_interval(np.ones(6), 0, 1).method
        'exact'
        >>> [round(bound, 2) for bound in mean_interval(np.ones(6), 0, 1).bounds]
        [0.54, 1.0]
        >>> few = np.append(np.full(28, 0.5), [0.4, 0.6])
        >>> mean_interval(few, 0, 1).method, mean_interval(few, 0, math.inf).missing
        ('betting', 'few-differ')

    References:
        Clopper and Pearson (1934), Biometrika 26; Waudby-Smith and Ramdas (2024), Journal of the
        Royal Statistical Society B 86(1); Student (1908), Biometrika 6(1).
    """
    import numpy as np

    check_fraction("confidence", confidence)
    count = len(values)
    if count < 2:
        return BoundedInterval.none("one-value")
    if not np.isfinite(values).all():
        return BoundedInterval.none("infinite")
    width = high - low
    finite = math.isfinite(width) and width > 0
    if finite and bool(((values == low) | (values == high)).all()):
        ends = clopper_pearson(int((values == high).sum()), count, confidence)
        return BoundedInterval((low + width * ends[0], low + width * ends[1]), "exact")
    few = few_differ(values)
    if finite:
        centre = mean(values)
        if few or count * min(centre - low, high - centre) < STEPS_FROM_END * width:
            inside = bool(values.min() >= low and values.max() <= high)
            if inside:
                bounds = betting_interval(values, low, high, confidence=confidence)
                return BoundedInterval(bounds, "betting")
    if standard_deviation(values) == 0:
        return BoundedInterval.none("equal-values")
    if few:
        return BoundedInterval.none("few-differ")
    found = t_interval(np.sort(values), confidence)
    return BoundedInterval(found, "t").cut(low, high)
