"""The value of a ranker on held-out queries, and its difference from a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics import (
    ENOUGH_QUERIES,
    RatioEstimate,
    interval,
    jackknife_ratio,
    mean,
    paired_test,
)
from relyon.core.document.json import json_number, json_values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.core.texts import Catalogue

__all__ = ["HeldOut", "held_out", "paired"]

NOTHING = (float("nan"), float("nan"))


@dataclass(frozen=True)
class HeldOut:
    """The mean of a measure over queries, and its difference from that of a baseline.

    Attributes:
        queries: The number of queries with a value.
        value: The ranker's mean over them; NaN if there are none.
        interval: Student's interval of the mean, over queries; NaN for fewer than two.
        paired: The number of queries with a value of both; 0 without a baseline.
        baseline: The baseline's mean over those.
        difference: The mean of the differences over those.
        difference_interval: Student's interval of the difference, over queries.
        p: The p-value of the paired t test; NaN for fewer than two queries.
        better: The number of queries on which the ranker is better.
        worse: The number of queries on which it is worse.
        clusters: The number of groups of queries that are not independent, such as near-copies:
            intervals and p-values count these. 0 if each query counts.
    """

    queries: int
    value: float
    interval: tuple[float, float]
    paired: int = 0
    baseline: float = NOTHING[0]
    difference: float = NOTHING[0]
    difference_interval: tuple[float, float] = NOTHING
    p: float = NOTHING[0]
    better: int = 0
    worse: int = 0
    clusters: int = 0

    @property
    def tone(self) -> str:
        """`better` or `worse` if the interval of the difference excludes 0, else `undecided`.

        With fewer than six queries, or groups of them, it is always `few`: Student's interval of
        two equal differences is a single point.
        """
        if (self.clusters or self.paired) < ENOUGH_QUERIES:
            return "few"
        low, high = self.difference_interval
        return "better" if low > 0 else "worse" if high < 0 else "undecided"

    def verdict(self, baseline: str, words: Catalogue) -> str:
        """Returns a sentence on whether the ranker is better than the baseline.

        Args:
            baseline: The name of the baseline.
            words: The texts of training.
        """
        return words.say(
            f"verdict.{self.tone}",
            baseline=baseline,
            better=self.better,
            worse=self.worse,
            queries=self.paired,
        )

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        return {
            "queries": self.queries,
            "value": json_number(self.value),
            "interval": json_values(self.interval),
            "paired": self.paired,
            "baseline": json_number(self.baseline),
            "difference": json_number(self.difference),
            "difference_interval": json_values(self.difference_interval),
            "p": json_number(self.p),
            "better": self.better,
            "worse": self.worse,
            **({"clusters": self.clusters} if self.clusters else {}),
        }


def held_out(
    values: Sequence[float],
    baseline: Sequence[float] = (),
    *,
    level: float = 0.95,
    groups: NDArray[np.int64] | None = None,
) -> HeldOut:
    """Returns the mean of per-query values, and their paired difference from a baseline.

    Args:
        values: One per query, NaN if the measure is undefined.
        baseline: The baseline's values on the same queries; empty without a baseline.
        level: Confidence level of the intervals.
        groups: The group of each query, if some are not independent of each other: errors are then
            the jackknife's over groups, with Satterthwaite's degrees of freedom.

    Raises:
        ParameterError: If the level is not between 0 and 1.

    Examples:
        >>> found = held_out([0.8, 0.6, float("nan")], [0.5, 0.5, 0.5])
        >>> found.queries, round(found.value, 3), round(found.difference, 3), found.better
        (2, 0.7, 0.2, 2)
    """
    import numpy as np

    own = np.asarray(values, dtype=np.float64)
    if groups is not None and len(np.unique(groups)) < len(groups):
        return _by_group(own, np.asarray(baseline, dtype=np.float64), groups, level)
    known = own[~np.isnan(own)]
    alone = HeldOut(len(known), mean(known), interval("t", known, confidence=level))
    if not len(baseline):
        return alone
    before, differences = paired(own, np.asarray(baseline, dtype=np.float64))
    if not len(differences):
        return alone
    return HeldOut(
        alone.queries,
        alone.value,
        alone.interval,
        len(differences),
        mean(before),
        mean(differences),
        interval("t", differences, confidence=level),
        paired_test("t", differences).p,
        int((differences > 0).sum()),
        int((differences < 0).sum()),
    )


def _by_group(
    values: NDArray[np.float64],
    baseline: NDArray[np.float64],
    groups: NDArray[np.int64],
    level: float,
) -> HeldOut:
    """Returns the same of queries that are independent only between groups."""
    import numpy as np

    own = _grouped(values, groups)
    known = values[~np.isnan(values)]
    alone = HeldOut(len(known), mean(known), own.interval(level), clusters=own.clusters)
    if not len(baseline):
        return alone
    before, differences = paired(values, baseline)
    if not len(differences):
        return alone
    change = _grouped(values - baseline, groups)
    return HeldOut(
        alone.queries,
        alone.value,
        alone.interval,
        len(differences),
        mean(before),
        mean(differences),
        change.interval(level),
        change.p,
        int((differences > 0).sum()),
        int((differences < 0).sum()),
        change.clusters,
    )


def _grouped(values: NDArray[np.float64], groups: NDArray[np.int64]) -> RatioEstimate:
    """Returns the mean of values with its error over groups; NaN is left out."""
    import numpy as np

    known = ~np.isnan(values)
    _, at = np.unique(groups[known], return_inverse=True)
    sums = np.bincount(at, weights=values[known])
    return jackknife_ratio(sums.astype(np.float64), np.bincount(at).astype(np.float64))


def paired(
    values: NDArray[np.float64], baseline: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns the baseline's values and the differences on queries that have both."""
    import numpy as np

    both = ~(np.isnan(values) | np.isnan(baseline))
    return baseline[both], (values - baseline)[both]
