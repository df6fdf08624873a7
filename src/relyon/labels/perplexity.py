"""Predicted clicks against observed clicks: likelihood, perplexity and calibration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.labels.result_lists import Lists

    Values = NDArray[np.float64]

__all__ = [
    "LEAST",
    "Bin",
    "by_position",
    "log_likelihood",
    "perplexity",
    "query_numbers",
    "reliability",
    "sums_by_query",
]

#: The probability of an event whose model probability is 0.
LEAST = 1e-6
#: Steps of probability that groups of results are made of.
STEPS = 1 << 16


@dataclass(frozen=True)
class Bin:
    """Results whose clicks a model predicted with about the same probability.

    Attributes:
        foreseen: The mean probability.
        clicked: The share of them that was clicked.
        interval: The interval of that share, over queries; NaN with fewer than two.
        shown: How many results there are.
    """

    foreseen: float
    clicked: float
    interval: tuple[float, float]
    shown: int


def log_likelihood(lists: Lists, clicks: Values) -> Values:
    """Returns the log-likelihood of each list's clicks.

    Args:
        lists: Lists with their clicks.
        clicks: The probability of a click on each result, the clicks above it being known.
    """
    import numpy as np

    seen = np.where(lists.clicked, clicks, 1 - clicks)
    found: Values = np.where(lists.shown, np.log(np.maximum(seen, LEAST)), 0.0).sum(axis=1)
    return found


def perplexity(lists: Lists, clicks: Values) -> Values:
    """Returns the perplexity at each position: 1 where every click is predicted, 2 for a guess.

    Positions count from 1, where nothing was shown too: it is NaN there.

    Args:
        lists: Lists with their clicks.
        clicks: The probability of a click on each result.
    """
    import numpy as np

    seen = np.maximum(np.where(lists.clicked, clicks, 1 - clicks), LEAST)
    found: Values = 2.0 ** -by_position(lists, np.log2(seen))
    return found


def by_position(lists: Lists, values: Values) -> Values:
    """Returns the mean of values at each position, from 1; NaN where nothing was shown.

    Args:
        lists: Lists; each counts as often as it came.
        values: One per result; NaN does not count.
    """
    import numpy as np

    held = lists.shown & np.isfinite(values)
    weights = np.broadcast_to(lists.counts[:, None], values.shape)[held]
    places = lists.positions[held] - 1
    sums, counts = np.bincount(places, values[held] * weights), np.bincount(places, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Values = np.where(counts > 0, sums / counts, math.nan)
    return found


def sums_by_query(lists: Lists, values: Values) -> Values:
    """Returns the sum of one value per list over the sessions of each query."""
    import numpy as np

    return np.bincount(query_numbers(lists), values * lists.counts).astype(np.float64)


def query_numbers(lists: Lists) -> NDArray[np.int64]:
    """Returns the number of each list's query, from 0."""
    import numpy as np

    numbers = lists.names.get_column("query").rank("dense").to_numpy().astype(np.int64)
    found: NDArray[np.int64] = numbers[lists.pairs[:, 0]] - 1
    return found


def reliability(lists: Lists, clicks: Values, level: float, bins: int = 10) -> tuple[Bin, ...]:
    """Returns click rates by predicted probability: is 0.3 really 0.3?

    Bins contain about equally many results; equal probabilities share a bin.

    Args:
        lists: Lists with their clicks.
        clicks: The probability of a click on each result.
        level: Confidence level of the intervals.
        bins: The most bins.
    """
    import numpy as np

    from relyon.analysis.statistics import ratio_of_sums

    if not lists.shown.any():
        return ()
    foreseen, shape = clicks[lists.shown], lists.shown.shape
    counts = np.broadcast_to(lists.counts[:, None], shape)[lists.shown]
    queries = np.broadcast_to(query_numbers(lists)[:, None], shape)[lists.shown]
    # Probabilities are parted by so many steps: no sorting, and equal ones stay together.
    steps = (foreseen * STEPS).astype(np.int64)
    heights = np.bincount(steps, counts)
    middles = np.cumsum(heights) - heights / 2
    numbers = np.minimum((middles / counts.sum() * bins).astype(np.int64), bins - 1)[steps]
    width = int(queries.max()) + 1
    cells = numbers * width + queries

    def added(values: Values) -> Values:
        found: Values = np.bincount(cells, values, bins * width).astype(np.float64)
        return found.reshape(bins, width)

    shown, clicked = added(counts), added(lists.clicked[lists.shown] * counts)
    sums = np.bincount(numbers, foreseen * counts, bins)
    found = []
    for number in range(bins):
        trials = float(shown[number].sum())
        if trials:
            share = ratio_of_sums(clicked[number], shown[number])
            interval = share.share_interval(level, trials)
            found.append(Bin(float(sums[number]) / trials, share.value, interval, int(trials)))
    return tuple(found)
