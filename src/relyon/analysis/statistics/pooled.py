"""AUC over the pooled documents of all queries, compared by resampling whole queries.

The pooled AUC is not a mean of per-query values: a positive of one query is compared with the
negatives of all. So whole queries are drawn, left out or swapped, and the AUC is recomputed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from relyon import _native
from relyon.analysis.statistics.differences import mean
from relyon.analysis.statistics.distributions import normal, normal_quantile, student_quantile
from relyon.analysis.statistics.resampling import chunks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.statistics.paired import Resampling

__all__ = ["PooledScores", "pooled_interval", "swapped_p"]


@dataclass(frozen=True)
class PooledScores:
    """The scores of all documents of one run with a class.

    Attributes:
        scores: One per document, float64.
        items: The number of each document's query, int64, from 0.
        positive: 1 for positives, 0 for negatives, uint8.
        queries: Number of queries, including those without documents.
    """

    scores: NDArray[np.float64]
    items: NDArray[np.int64]
    positive: NDArray[np.uint8]
    queries: int

    @cached_property
    def area(self) -> float:
        """The AUC of all pairs; NaN if one class is absent."""
        return _native.pooled_auc(self.positive, self.scores, 0.5)

    @cached_property
    def areas_without(self) -> NDArray[np.float64]:
        """The AUC without each query, NaN if that leaves one class."""
        import numpy as np

        chosen = self.positive == 1
        positives, negatives = self.scores[chosen], self.scores[~chosen]
        of_positives, of_negatives = self.items[chosen], self.items[~chosen]

        def added(items: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.bincount(items, values, self.queries).astype(np.float64)

        below, above = np.sort(negatives), np.sort(positives)
        won = np.searchsorted(below, positives) + np.searchsorted(below, positives, "right")
        lost = np.searchsorted(above, negatives) + np.searchsorted(above, negatives, "right")
        won_by, won_against = (
            added(of_positives, won / 2),
            added(of_negatives, len(above) - lost / 2),
        )
        ours = added(of_positives, np.ones(len(positives)))
        theirs = added(of_negatives, np.ones(len(negatives)))
        pairs = (len(positives) - ours) * (len(negatives) - theirs)
        left = won_by.sum() - won_by - won_against + self._won_within
        areas = np.full(self.queries, math.nan)
        np.divide(left, pairs, out=areas, where=pairs > 0)
        return areas

    @property
    def _won_within(self) -> NDArray[np.float64]:
        """Pairs that each query's positives win against its own negatives."""
        import numpy as np

        if not len(self.scores):
            return np.zeros(self.queries)
        order = np.lexsort((self.scores, self.items))
        items, scores, positive = self.items[order], self.scores[order], self.positive[order]
        negative = 1 - positive.astype(np.int64)
        before = np.cumsum(negative) - negative
        new_query = np.append(True, items[1:] != items[:-1])
        new_score = new_query | np.append(True, scores[1:] != scores[:-1])
        of_query = before[new_query][np.cumsum(new_query) - 1]
        place = np.cumsum(new_score) - 1
        tied = np.add.reduceat(negative, np.flatnonzero(new_score))[place]
        won = positive * (before[new_score][place] - of_query + tied / 2)
        return np.bincount(items, won, self.queries).astype(np.float64)

    @cached_property
    def pseudo_values(self) -> NDArray[np.float64]:
        """One value per query that has the AUC as its mean: the jackknife's, shifted."""
        import numpy as np

        count, without = self.queries, self.areas_without
        if count < 2 or not np.isfinite(without).all():
            return np.full(count, self.area if count < 2 else math.nan)
        pseudo = count * self.area - (count - 1) * without
        shifted: NDArray[np.float64] = pseudo - mean(pseudo) + self.area
        return shifted

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """Each score's normalised rank, from 0 to 1; equal scores share theirs.

        The AUC of the ranks is that of the scores, and ranks of two runs are comparable even if
        their scores are not.
        """
        import numpy as np

        ordered = np.sort(self.scores)
        low, high = (np.searchsorted(ordered, self.scores, side) for side in ("left", "right"))
        return (low + high) / (2 * max(len(ordered), 1))

    @cached_property
    def _sorting(self) -> NDArray[np.int64]:
        import numpy as np

        return np.lexsort((self.places, self.positive, self.items))

    @property
    def order(self) -> NDArray[np.float64]:
        """The normalised ranks, sorted by query, class and rank."""
        return self.places[self._sorting]

    @property
    def sorted_items(self) -> NDArray[np.int64]:
        """Each document's query, in the same order."""
        return self.items[self._sorting]


def swapped_p(baseline: PooledScores, candidate: PooledScores, resampling: Resampling) -> float:
    """Returns Fisher's randomisation test of the difference of two pooled AUCs.

    Under the null a query's whole list could belong to either run. Scores count by their rank among
    all scores of their run, so that the runs' units do not matter.

    Returns:
        The p-value; NaN if a run has no AUC. A draw without an AUC counts as at least as large.
    """
    import numpy as np

    observed = abs(candidate.area - baseline.area)
    if math.isnan(observed):
        return math.nan
    runs = (baseline, candidate)
    scores = np.concatenate([one.places for one in runs])
    items = np.concatenate([2 * one.items + place for place, one in enumerate(runs)])
    positive = np.concatenate([one.positive for one in runs])
    at_least = 0
    for first, count in chunks(resampling):
        found = _native.swapped_auc(
            scores,
            items,
            positive,
            baseline.queries,
            first,
            count,
            resampling.seed,
            resampling.threads,
        )
        at_least += int(np.count_nonzero(~(np.abs(found) < observed - 1e-12)))
    return (at_least + 1) / (resampling.resamples + 1)


def pooled_interval(
    name: str,
    baseline: PooledScores,
    candidate: PooledScores,
    confidence: float,
    resampling: Resampling,
) -> tuple[float, float]:
    """Returns an interval of the difference of two pooled AUCs from draws of whole queries.

    Args:
        name: `t` takes the draws' standard deviation as the standard error and Student's
            quantile for n - 1 queries; `percentile` the middle of the draws;
            `bca` corrects it for bias and skewness.
        baseline: The baseline run.
        candidate: The candidate run.
        confidence: Such as 0.95.
        resampling: Number of draws and seed.

    Returns:
        The bounds; NaN for fewer than two queries, if every tenth draw has no AUC, or if all draws
        are equal, which leaves the spread unknown.

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, §8, §12-14; Obuchowski
        (1997), Biometrics 53: clusters of a ROC curve.
    """
    import numpy as np

    centre, queries = candidate.area - baseline.area, baseline.queries
    if math.isnan(centre) or queries < 2:
        return math.nan, math.nan
    draws = np.concatenate(
        [
            np.subtract(
                *(
                    _native.resampled_auc(
                        one.scores,
                        one.items,
                        one.positive,
                        queries,
                        first,
                        count,
                        resampling.seed,
                        resampling.threads,
                    )
                    for one in (candidate, baseline)
                )
            )
            for first, count in chunks(resampling)
        ]
    )
    held = draws[np.isfinite(draws)]
    if len(held) < 2 or len(held) < 0.9 * len(draws) or float(np.ptp(held)) <= 1e-12:
        return math.nan, math.nan
    ends = [0.5 - confidence / 2, 0.5 + confidence / 2]
    if name == "t":
        error = float(held.std(ddof=1)) * math.sqrt(queries / (queries - 1))
        half = student_quantile(queries - 1, ends[1]) * error
        return centre - half, centre + half
    if name == "bca":
        jackknife = candidate.pseudo_values - baseline.pseudo_values - centre
        squares = float((jackknife**2).sum())
        if not squares > 0:
            return math.nan, math.nan
        acceleration = float((jackknife**3).sum()) / (6 * squares**1.5)
        close = np.abs(held - centre) <= 1e-12
        low = int(np.count_nonzero((held < centre) & ~close))
        share = low + int(np.count_nonzero(close)) / 2
        bias = normal_quantile(min(max(share, 0.5), len(held) - 0.5) / len(held))
        moved = [bias + normal_quantile(end) for end in ends]
        ends = [normal(bias + one / (1 - acceleration * one)) for one in moved]
    low_end, high_end = np.quantile(held, ends)
    return float(low_end), float(high_end)
