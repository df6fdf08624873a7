"""Sign flips of whole clusters: the test of a mean, and the interval that agrees with it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from relyon import _native
from relyon.analysis.statistics.paired import TestResult
from relyon.analysis.statistics.resampling import Whole, chunks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from relyon.analysis.statistics.clusters.mean import ClusteredMean
    from relyon.analysis.statistics.paired import Resampling

__all__ = ["EXACT", "flips_interval", "flips_test"]

#: Up to this many clusters, all patterns of signs are tried.
EXACT = 16


def flips_test(found: ClusteredMean, resampling: Resampling) -> TestResult:
    """Returns Fisher's randomisation test of whole clusters.

    Under the null all values of a cluster could have the other sign, at once. p is the share of
    sign patterns, the observed one among them, whose absolute mean is at least the observed one:
    of all patterns for up to 16 clusters, else of random ones. The statistic is the mean.

    Args:
        found: The clusters' sums and sizes.
        resampling: Number of draws and seed.

    Returns:
        The test; p is NaN for fewer than two clusters, or if a value is NaN or infinite.

    Examples:
        >>> import numpy as np
        >>> from relyon.analysis.statistics import ClusteredMean, Resampling
        >>> found = ClusteredMean(np.array([2.0, 3.0, 1.0, 2.0, 4.0]), np.full(5, 4.0))
        >>> flips_test(found, Resampling()).p
        0.0625

    References:
        Fisher (1935), The Design of Experiments, §21; Canay, Romano and Shaikh (2017),
        Econometrica 85(3), for few large clusters.
    """
    import numpy as np

    if found.count < 2 or math.isnan(found.value):
        return TestResult(math.nan, math.nan)
    whole = Whole.of(found.sums[np.newaxis])
    least = abs(int(whole.values.sum())) - whole.slack
    counted, patterns = 1, 1
    for sums in _signed(whole.values, resampling):
        counted += int(np.count_nonzero(np.abs(sums[0]) >= least))
        patterns += sums.shape[1]
    return TestResult(found.value, counted / patterns)


def flips_interval(
    found: ClusteredMean, confidence: float, resampling: Resampling
) -> tuple[float, float]:
    """Returns the means that `flips_test` does not reject: its interval agrees with its p.

    A pattern that flips the clusters A is at least as extreme about δ as the observed one if and
    only if δ is between the mean of A and that of the others. So the bounds are order statistics of
    these means, and the interval excludes 0 if and only if p is at most 1 - confidence. It needs
    neither equal clusters nor equal spreads, only that a cluster's deviation could have the other
    sign.

    Args:
        found: The clusters' sums and sizes.
        confidence: Such as 0.95.
        resampling: Number of draws and seed; the test's signs are the same.

    Returns:
        The bounds; NaN if so few clusters exclude nothing: fewer than six for 95%.

    Examples:
        >>> import numpy as np
        >>> from relyon.analysis.statistics import ClusteredMean, Resampling
        >>> sums = np.array([2.0, 3.0, 1.0, 2.0, 4.0, 3.0])
        >>> flips_interval(ClusteredMean(sums, np.full(6, 4.0)), 0.95, Resampling())
        (0.25, 1.0)

    References:
        Hartigan (1969), Journal of the American Statistical Association 64: typical values.
    """
    import numpy as np

    if found.count < 2 or math.isnan(found.value):
        return math.nan, math.nan
    sums, sizes = Whole.of(found.sums[np.newaxis]), Whole.of(found.sizes[np.newaxis])
    values = np.concatenate([sums.values, sizes.values])
    total, whole = values.sum(axis=1)
    lows, highs = [], []
    unit = sums.unit / sizes.unit
    for signed, weighed in _signed(values, resampling):
        flipped, weight = total - signed, whole - weighed
        kept, rest = total + signed, whole + weighed
        known = (weight > 0) & (rest > 0)
        one = np.full(len(signed), -math.inf)
        other = np.full(len(signed), math.inf)
        np.divide(flipped, weight, out=one, where=known)
        np.divide(kept, rest, out=other, where=known)
        lows.append(np.minimum(one, other))
        highs.append(np.maximum(one, other))
    low, high = np.sort(np.concatenate(lows)), np.sort(np.concatenate(highs))[::-1]
    place = math.floor((1 - confidence) * (len(low) + 1) * (1 + 1e-12))
    if not 0 < place <= len(low) or not math.isfinite(low[place - 1] - high[place - 1]):
        return math.nan, math.nan
    return float(low[place - 1]) * unit, float(high[place - 1]) * unit


def _signed(values: NDArray[np.int64], resampling: Resampling) -> list[NDArray[np.int64]]:
    """Returns the sums of each row under sign patterns, chunk by chunk.

    All patterns are those that keep the last cluster's sign, except the observed one: the opposite
    pattern is as extreme.
    """
    import numpy as np

    clusters = values.shape[1]
    if clusters <= EXACT:
        signs = _patterns(clusters)
        return [np.ascontiguousarray((signs @ values.T).T)]
    return [
        _native.signed_sums(values, first, count, resampling.seed, resampling.threads)
        for first, count in chunks(resampling)
    ]


@lru_cache(maxsize=4)
def _patterns(clusters: int) -> NDArray[np.int64]:
    """Returns all patterns of signs that keep the last, but that which keeps all."""
    import numpy as np

    numbers = np.arange(1, 2 ** (clusters - 1), dtype=np.int64)
    flipped = numbers[:, np.newaxis] >> np.arange(clusters, dtype=np.int64) & 1
    return np.asarray(1 - 2 * flipped)
