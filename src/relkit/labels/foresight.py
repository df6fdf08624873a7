"""What a model foresees of lists against what users did there, position by position."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relkit.labels.lists import Lists

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

#: The least probability that an event is given which a model holds impossible.
LEAST = 1e-6


@dataclass(frozen=True)
class Bin:
    """Results whose clicks a model foresaw with about the same probability.

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
    """Returns the perplexity at each position: 1 where every click is foreseen, 2 for a guess.

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
    return _sums(query_numbers(lists), values * lists.counts)


def _sums(numbers: NDArray[np.int64], values: Values) -> Values:
    import numpy as np

    return np.bincount(numbers, values).astype(np.float64)


def query_numbers(lists: Lists) -> NDArray[np.int64]:
    """Returns the number of each list's query, from 0."""
    import numpy as np

    numbers = lists.names.get_column("query").rank("dense").to_numpy().astype(np.int64)
    found: NDArray[np.int64] = numbers[lists.pairs[:, 0]] - 1
    return found


def reliability(lists: Lists, clicks: Values, level: float, bins: int = 10) -> tuple[Bin, ...]:
    """Returns how often results were clicked that a model foresaw alike: is 0.3 really 0.3?

    Bins hold about equally many results; those with one probability stay together.

    Args:
        lists: Lists with their clicks.
        clicks: The probability of a click on each result.
        level: The probability of the intervals.
        bins: The most bins.
    """
    import numpy as np

    from relkit.analysis.statistics import ratio_of_sums

    rows, places = np.nonzero(lists.shown)
    if not len(rows):
        return ()
    foreseen, counts = clicks[rows, places], lists.counts[rows]
    clicked, queries = lists.clicked[rows, places] * counts, query_numbers(lists)[rows]
    _, groups = np.unique(foreseen, return_inverse=True)
    heights = np.bincount(groups, counts)
    middles = np.cumsum(heights) - heights / 2
    numbers = np.minimum((middles / counts.sum() * bins).astype(np.int64), bins - 1)[groups]
    found = []
    for number in range(bins):
        held = numbers == number
        if not held.any():
            continue
        shown = _sums(queries[held], counts[held])
        share = ratio_of_sums(_sums(queries[held], clicked[held]), shown)
        trials = float(shown.sum())
        interval = share.share_interval(level, trials)
        mean = float(foreseen[held] @ counts[held] / counts[held].sum())
        found.append(Bin(mean, share.value, interval, int(trials)))
    return tuple(found)
