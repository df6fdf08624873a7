"""The estimate of a sum over pairs of which some were drawn and graded, batch after batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.next_pairs.draw import draw_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.next_pairs.prior import Prior

__all__ = ["Graded", "Pairs", "Sums", "estimate_sums", "expected_variance"]


@dataclass(frozen=True)
class Pairs:
    """Pairs that sum to the values of queries.

    Attributes:
        query: The index of each pair's query.
        weight: What one unit of gain of each pair adds to its query's value.
        gains: The gain of each pair, NaN if it was unjudged before the first draw.
        queries: How many queries there are.
    """

    query: NDArray[np.int64]
    weight: NDArray[np.float64]
    gains: NDArray[np.float64]
    queries: int

    def by_query(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the sum of values of pairs for each query."""
        import numpy as np

        return np.bincount(self.query, values, self.queries).astype(np.float64, copy=False)


@dataclass(frozen=True)
class Graded:
    """The graded draws of a batch, in their order.

    Attributes:
        places: The index of each pair.
        probabilities: The probability of each among the pairs left when it was drawn.
        gains: The gain of each.
        prior: What was expected of all pairs before the batch was graded.
    """

    places: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    gains: NDArray[np.float64]
    prior: Prior


@dataclass(frozen=True)
class Sums:
    """Estimates for queries.

    Attributes:
        values: The estimate for each query; its expectation over draws is the query's value.
        drawn: How many pairs were drawn.
        total: How many there were.
        totals: The estimate of the sum over queries by each draw.
        weights: The weight of each draw; they sum to 1.
        seen: The variance of the sum over queries that the draws cause, by how they differ.
        expected: The same, by what the prior expects after all grades.
    """

    values: NDArray[np.float64]
    drawn: int
    total: int
    totals: NDArray[np.float64]
    weights: NDArray[np.float64]
    seen: float
    expected: float

    @property
    def complete(self) -> bool:
        """Whether every pair is graded, so that the values are exact."""
        return self.drawn == self.total


def estimate_sums(pairs: Pairs, batches: Sequence[Graded], curve: float, final: Prior) -> Sums:
    """Returns the estimate for each query.

    Draw m of N adds to what is known an estimate of the rest: the expected gains of the pairs that
    are left, and for the one drawn (gain - expected) / probability, all times their weights. Each
    is unbiased given the draws before, however wrong the expectations, as long as these do not
    depend on the grades that follow. Their mean with weights that no grade changes
    (`draw_weights`) is unbiased, too, and exact once every pair is drawn.

    Args:
        pairs: The pairs.
        batches: The graded draws.
        curve: As for `draw_weights`.
        final: What is expected after all grades, for the variance.

    References:
        Des Raj (1956), JASA 51(274); Farquhar, Gal and Rainforth (2021), ICLR.
    """
    import numpy as np

    left = np.isnan(pairs.gains) & (pairs.weight != 0)
    total = int(left.sum())
    drawn = sum(len(batch.places) for batch in batches)
    weights = draw_weights(drawn, total, curve)
    known = np.where(np.isnan(pairs.gains), 0.0, pairs.gains) * pairs.weight
    values = pairs.by_query(known)
    totals, noise = np.zeros(drawn), np.zeros(drawn)
    sure, start = math.fsum(known.tolist()), 0
    if not drawn:
        rest = np.where(left, pairs.weight * final.mean, 0.0)
        values = values + pairs.by_query(rest)
    for batch in batches:
        places, count = batch.places, len(batch.places)
        if not count:
            continue
        here, end = weights[start : start + count], float(weights[start + count :].sum())
        later = float(here.sum()) - np.cumsum(here)  # within the batch
        expected = pairs.weight * batch.prior.mean
        rest = np.where(left, expected, 0.0)
        worth = pairs.weight[places] * batch.gains
        surprise = worth - expected[places]
        values = values + here.sum() * pairs.by_query(rest)
        step = here * surprise / batch.probabilities + later * surprise + end * worth
        np.add.at(values, pairs.query[places], step)
        before = np.cumsum(surprise) - surprise
        totals[start : start + count] = (
            sure + math.fsum(rest.tolist()) + before + surprise / batch.probabilities
        )
        noise[start : start + count] = expected_variance(
            pairs.weight, left, places, batch.prior, final
        )
        left[places] = False
        sure += math.fsum(worth.tolist())
        start += count
    seen = 0.0
    if 1 < drawn < total:
        centre = float((weights * totals).sum())
        seen = float((weights**2 * (totals - centre) ** 2).sum())
        seen /= 1.0 - float((weights**2).sum())
    return Sums(values, drawn, total, totals, weights, seen, float((weights**2 * noise).sum()))


def expected_variance(
    weight: NDArray[np.float64],
    left: NDArray[np.bool_],
    places: NDArray[np.int64],
    prior: Prior,
    final: Prior,
) -> NDArray[np.float64]:
    """Returns the expected variance of the estimate by each draw of a batch.

    A pair of size s among pairs left of sizes that sum to S is drawn with probability s / S; if
    its gain is off by d, the variance is the sum of (w d)² (S / s - 1).

    Args:
        weight: What one unit of gain adds.
        left: Whether each pair was left before the batch.
        places: The pairs drawn, in order.
        prior: What was expected when they were drawn: size is |weight| times deviation.
        final: What is expected now: deviations.
    """
    import numpy as np

    size = np.where(left, np.abs(weight) * prior.deviation, 0.0)
    square = np.where(left, (weight * final.deviation) ** 2, 0.0)
    ratio = np.divide(square, size, out=np.zeros(len(size)), where=size > 0)

    def before(values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the sums over the pairs left before each draw."""
        own = values[places]
        return math.fsum(values.tolist()) - (np.cumsum(own) - own)

    found: NDArray[np.float64] = np.maximum(before(size) * before(ratio) - before(square), 0.0)
    return found
