"""How many times more queries one cutoff needs than another, with a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from relyon.core.document.json import json_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["QueriesNeeded", "queries_needed"]

#: Per query, the baseline's value and the difference.
Values = tuple["NDArray[np.float64]", "NDArray[np.float64]"]


@dataclass(frozen=True)
class QueriesNeeded:
    """How many times the queries of one cutoff another needs, for the same relative difference.

    That is the ratio of (σ/mean)² of the two: the variance of the differences by query, relative
    to the first run's mean.

    Attributes:
        measure: The measure without a cutoff.
        run: The run that is compared with the first one.
        k: The cutoff that needs more queries.
        other: The cutoff that needs fewer.
        times: How many times more.
        low: Lower bound; with probability 1 - alpha all bounds of a result are right.
        high: Upper bound.
    """

    measure: str
    run: str
    k: int
    other: int
    times: float
    low: float
    high: float

    def to_dict(self) -> dict[str, object]:
        """Returns JSON-ready values."""
        values = asdict(self)
        return values | {name: json_number(values[name]) for name in ("times", "low", "high")}


def queries_needed(
    measure: str, run: str, values: Mapping[int, Values], alpha: float, families: int
) -> QueriesNeeded | None:
    """Compares all pairs of cutoffs, and returns the one whose lower bound is the largest.

    The bounds are Student's of the jackknife's pseudo-values of the logarithm of the ratio, at
    alpha divided by the number of pairs of all families.

    Args:
        measure: The measure without a cutoff.
        run: The candidate.
        values: By cutoff, for the same queries in the same order.
        alpha: The probability that any of the bounds is wrong.
        families: How many pairs of a measure and a candidate are compared.

    Returns:
        The pair; `None` if there are fewer than six queries, or no spread is known.

    References:
        Miller (1968), Jackknifing variances, Annals of Mathematical Statistics 39(2).
    """
    import numpy as np

    from relyon.analysis.statistics import ENOUGH_QUERIES, interval

    count = len(next(iter(values.values()))[1])
    if count < ENOUGH_QUERIES:
        return None
    pairs = list(combinations(sorted(values), 2))
    confidence = 1 - alpha / max(1, len(pairs) * families)
    spreads = {k: _spreads(*one) for k, one in values.items()}
    found = []
    for first, second in pairs:
        spread = spreads[first], spreads[second]
        if not all(np.isfinite(part).all() for one in spread for part in one):
            continue
        whole, without = (ours - theirs for ours, theirs in zip(*spread, strict=True))
        low, high = interval("t", count * whole - (count - 1) * without, confidence=confidence)
        k, other, ends = first, second, (low, high)
        if whole < 0:
            k, other, ends = second, first, (-high, -low)
        times = math.exp(abs(float(whole[0])))
        found.append(QueriesNeeded(measure, run, k, other, times, *map(_exponential, ends)))
    return max(found, key=lambda one: one.low, default=None)


def _spreads(
    baseline: NDArray[np.float64], differences: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns log (σ/mean)² of all queries, and without each of them; NaN or ±∞ if undefined."""
    import numpy as np

    count = len(differences)
    moved = differences - differences.mean()
    squares = moved**2
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = np.log(squares.sum() / (count - 1)) - 2 * np.log(abs(baseline.mean()))
        # The sum of squares without one query, about the mean of the others.
        left = squares.sum() - squares * count / (count - 1)
        left[left < 1e-12 * squares.sum()] = 0.0
        means = (baseline.sum() - baseline) / (count - 1)
        without = np.log(left / (count - 2)) - 2 * np.log(abs(means))
    return np.atleast_1d(whole), without


def _exponential(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf
