"""Resampling tests and intervals: permutation, bootstrap, randomised Tukey HSD.

Values are first converted to whole numbers, so that sums are exact and results identical for any
number of threads and on any machine: the largest value gets 40 binary digits, fewer for more than
two million values. Two sums that are equal in exact arithmetic can then differ by one unit per
value; a test counts them as equal.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon import _native
from relyon.analysis.statistics.differences import mean, standard_deviation
from relyon.analysis.statistics.distributions import normal, normal_quantile
from relyon.analysis.statistics.paired import PairedTest, Resampling, TestResult, register

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Kernel = Callable[[NDArray[np.int64], int, int, int, int], NDArray[np.int64]]
    Ratios = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

__all__ = [
    "Whole",
    "bca_interval",
    "bootstrap_results",
    "chunks",
    "percentile_interval",
    "permutation_p_values",
    "ratio_p",
    "tukey_p_values",
]

DIGITS = 40
MOST_BITS = 61
#: Resamples drawn at a time, so that a million of them take little memory.
CHUNK = 1 << 17


@dataclass(frozen=True)
class Whole:
    """Values as whole numbers of one unit.

    Attributes:
        values: Shape (columns, items).
        unit: The value of 1.
    """

    values: NDArray[np.int64]
    unit: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Whole:
        """Rounds finite values to whole units.

        Args:
            values: Shape (columns, items).
        """
        import numpy as np

        items = max(2, values.shape[1])
        bits = min(DIGITS, MOST_BITS - math.ceil(math.log2(items)))
        shift = bits - math.frexp(float(np.abs(values).max(initial=0.0)))[1]
        whole = np.rint(np.ldexp(values, shift)).astype(np.int64)
        return cls(np.ascontiguousarray(whole), math.ldexp(1.0, -shift))

    @property
    def slack(self) -> int:
        """The most units by which two sums that are equal in exact arithmetic may differ."""
        return int(self.values.shape[-1])


def chunks(resampling: Resampling) -> Iterator[tuple[int, int]]:
    """Yields the first resample and the size of each chunk; Ctrl-C works between chunks."""
    for first in range(0, resampling.resamples, CHUNK):
        yield first, min(CHUNK, resampling.resamples - first)


def _draw(
    kernel: Kernel, values: NDArray[np.int64], resampling: Resampling
) -> Iterator[NDArray[np.int64]]:
    """Yields the sums of all resamples, chunk by chunk; Ctrl-C works between chunks."""
    for first, count in chunks(resampling):
        yield kernel(values, first, count, resampling.seed, resampling.threads)


def _p(at_least: int, resampling: Resampling) -> float:
    """Returns (b + 1) / (B + 1): the observed data counts as one of the draws."""
    return (at_least + 1) / (resampling.resamples + 1)


@register
class Permutation(PairedTest):
    """Fisher's randomisation test: under the null each difference could have the other sign.

    p is the share of random sign patterns, the observed one among them, whose absolute mean is at
    least the observed one. The statistic is the mean difference.

    References:
        Fisher (1935), The Design of Experiments, §21; Smucker, Allan and Carterette (2007), CIKM.
    """

    name = "permutation"
    title = "Fisher's randomisation test"

    def result(self, differences: NDArray[np.float64], resampling: Resampling) -> TestResult:
        import numpy as np

        (p,) = permutation_p_values(differences[np.newaxis], resampling)
        return TestResult(mean(differences), p)


def permutation_p_values(differences: NDArray[np.float64], resampling: Resampling) -> list[float]:
    """Returns Fisher's randomisation test of several measures, which share the random signs.

    Each result equals that of the measure alone; together they take less time.

    Args:
        differences: Shape (measures, queries), finite.
        resampling: Number of draws and seed.

    Examples:
        >>> import numpy as np
        >>> rows = np.array([[0.1, 0.2, 0.1, 0.3, 0.2, 0.1], [0.1, -0.2, 0.1, 0.0, 0.1, -0.1]])
        >>> [round(p, 2) for p in permutation_p_values(rows, Resampling())]
        [0.03, 1.0]
    """
    import numpy as np

    wholes = [Whole.of(row[np.newaxis]) for row in differences]
    observed = [abs(int(whole.values.sum())) - whole.slack for whole in wholes]
    values = np.concatenate([whole.values for whole in wholes])
    at_least = [0] * len(wholes)
    for sums in _draw(_native.signed_sums, values, resampling):
        for row, least in enumerate(observed):
            at_least[row] += int(np.count_nonzero(np.abs(sums[row]) >= least))
    return [_p(count, resampling) for count in at_least]


@register
class Bootstrap(PairedTest):
    """The paired bootstrap test with a studentised statistic.

    Differences are shifted to a mean of 0 and drawn with replacement. p is the share of draws
    whose |t| is at least the observed |t|, the observed one among them. The statistic is t.
    Equal nonzero differences have no spread: p is the smallest possible, 1 / (B + 1).

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, §16.4; Sakai (2006), SIGIR.
    """

    name = "bootstrap"
    title = "paired bootstrap test"

    def result(self, differences: NDArray[np.float64], resampling: Resampling) -> TestResult:
        import numpy as np

        (found,) = bootstrap_results(differences[np.newaxis], resampling)
        return found


@dataclass(frozen=True)
class _Shifted:
    """Differences shifted to a mean of 0, and scaled so that squares neither overflow nor vanish.

    Attributes:
        first: The shifted differences.
        second: Their squares.
        observed: The statistic of the original differences.
    """

    first: Whole
    second: Whole
    observed: float

    @classmethod
    def of(cls, differences: NDArray[np.float64]) -> _Shifted:
        import numpy as np

        count, centre = len(differences), mean(differences)
        shifted = differences - centre
        exponent = math.frexp(float(np.abs(shifted).max()))[1]
        shifted, centre = np.ldexp(shifted, -exponent), math.ldexp(centre, -exponent)
        spread = math.fsum((shifted**2).tolist()) / count
        observed = _studentised(np.array([centre]), np.array([spread]), count)[0]
        first, second = Whole.of(shifted[np.newaxis]), Whole.of(shifted[np.newaxis] ** 2)
        return cls(first, second, float(observed))

    def at_least(self, sums: NDArray[np.int64], count: int) -> int:
        """Returns how many draws have a statistic at least as large as the observed one."""
        import numpy as np

        means = sums[0] * (self.first.unit / count)
        spreads = np.maximum(sums[1] * (self.second.unit / count) - means**2, 0.0)
        statistics = _studentised(means, spreads, count)
        return int((np.abs(statistics) >= abs(self.observed) * (1 - 1e-9)).sum())


def bootstrap_results(
    differences: Sequence[NDArray[np.float64]] | NDArray[np.float64], resampling: Resampling
) -> list[TestResult]:
    """Returns the paired bootstrap test of several measures, which share the queries drawn.

    Each result equals that of the measure alone; together they take less time.

    Args:
        differences: One row per measure, of equal length.
        resampling: Number of draws and seed.

    Examples:
        >>> import numpy as np
        >>> rows = np.array([[0.1, 0.2, 0.1, 0.3, 0.2, 0.1], [0.1, -0.2, 0.1, 0.0, 0.1, -0.1]])
        >>> [round(one.p, 2) for one in bootstrap_results(rows, Resampling())]
        [0.02, 1.0]
    """
    import numpy as np

    found: dict[int, TestResult] = {}
    drawn: dict[int, _Shifted] = {}
    for place, row in enumerate(differences):
        settled = PairedTest.settled(row)
        if settled is not None:
            found[place] = settled
        elif standard_deviation(row) == 0:
            found[place] = TestResult(math.copysign(math.inf, mean(row)), _p(0, resampling))
        else:
            drawn[place] = _Shifted.of(row)
    if drawn:
        columns = [part.values for one in drawn.values() for part in (one.first, one.second)]
        values = np.concatenate(columns)
        at_least = dict.fromkeys(drawn, 0)
        for sums in _draw(_native.resampled_sums, values, resampling):
            for row, (place, one) in enumerate(drawn.items()):
                at_least[place] += one.at_least(sums[2 * row : 2 * row + 2], values.shape[1])
        for place, one in drawn.items():
            found[place] = TestResult(one.observed, _p(at_least[place], resampling))
    return [found[place] for place in range(len(differences))]


def _studentised(
    means: NDArray[np.float64], spreads: NDArray[np.float64], count: int
) -> NDArray[np.float64]:
    """Returns means divided by their standard errors; infinite without spread."""
    import numpy as np

    errors = np.sqrt(spreads / (count - 1))
    small = errors <= np.abs(means) * 1e-9
    safe = np.where(small, 1.0, errors)
    return np.where(small & (means != 0), np.copysign(np.inf, means), means / safe)


def _bootstrap_shifts(
    deviations: NDArray[np.float64], resampling: Resampling
) -> tuple[NDArray[np.float64], float]:
    """Returns the deviation of each draw's mean, and the share of draws that are too low.

    Draws equal to the mean count half; at least half a draw is on each side.
    """
    import numpy as np

    whole = Whole.of(deviations[np.newaxis])
    drawn = [sums[0] for sums in _draw(_native.resampled_sums, whole.values, resampling)]
    sums = np.concatenate(drawn)
    low = int(np.count_nonzero(sums < -whole.slack))
    met = int(np.count_nonzero(np.abs(sums) <= whole.slack))
    share = min(max(low + met / 2, 0.5), len(sums) - 0.5) / len(sums)
    return sums * (whole.unit / len(deviations)), share


def percentile_interval(
    differences: NDArray[np.float64], confidence: float, resampling: Resampling
) -> tuple[float, float]:
    """Returns the middle part of the bootstrap's means; NaN for fewer than two differences.

    With few values it is too narrow: it covers the true mean less often than stated.

    References:
        Efron and Tibshirani (1993), §13.3.
    """
    import numpy as np

    deviation = standard_deviation(differences)
    centre = mean(differences)
    if not deviation > 0:
        return (centre, centre) if deviation == 0 else (math.nan, math.nan)
    shifts, _ = _bootstrap_shifts(differences - centre, resampling)
    low, high = np.quantile(shifts, (0.5 - confidence / 2, 0.5 + confidence / 2))
    return centre + float(low), centre + float(high)


def bca_interval(
    differences: NDArray[np.float64], confidence: float, resampling: Resampling
) -> tuple[float, float]:
    """Returns the bias-corrected and accelerated bootstrap interval; NaN for n < 2.

    References:
        Efron (1987), Journal of the American Statistical Association 82(397).
    """
    import numpy as np

    deviation = standard_deviation(differences)
    centre = mean(differences)
    if not deviation > 0:
        return (centre, centre) if deviation == 0 else (math.nan, math.nan)
    deviations = differences - centre
    shifts, share = _bootstrap_shifts(deviations, resampling)
    # The jackknife's: for a mean, the skewness of the values.
    scaled = deviations / np.abs(deviations).max()
    squares = math.fsum((scaled**2).tolist())
    acceleration = math.fsum((scaled**3).tolist()) / (6 * squares**1.5)
    bias = normal_quantile(share)
    ends = []
    for probability in (0.5 - confidence / 2, 0.5 + confidence / 2):
        moved = bias + normal_quantile(probability)
        ends.append(normal(bias + moved / (1 - acceleration * moved)))
    low, high = np.quantile(shifts, ends)
    return centre + float(low), centre + float(high)


def tukey_p_values(
    values: NDArray[np.float64], resampling: Resampling
) -> dict[tuple[int, int], float]:
    """Returns the p-value of each pair of rows by the randomised Tukey HSD test.

    Under the null the runs of a query are exchangeable: each query's values are shuffled over
    the runs, and the range of the runs' means is kept. p is the share of shuffles whose range is
    at least the pair's difference, the observed one among them.

    Args:
        values: Shape (runs, queries).
        resampling: Number of draws and seed.

    References:
        Carterette (2012), ACM TOIS 30(1); Sakai (2014), SIGIR Forum 48(1).
    """
    import numpy as np

    runs = len(values)
    whole = Whole.of(values)
    totals = whole.values.sum(axis=1)
    pairs = [(first, second) for first in range(runs) for second in range(first + 1, runs)]
    at_least = dict.fromkeys(pairs, 0)
    for ranges in _draw(_native.permuted_ranges, whole.values, resampling):
        ordered = np.sort(ranges)
        for first, second in pairs:
            # Both ends of a range are sums with their own rounding error.
            observed = abs(int(totals[second] - totals[first])) - 2 * whole.slack
            at_least[first, second] += len(ordered) - int(np.searchsorted(ordered, observed))
    return {pair: _p(count, resampling) for pair, count in at_least.items()}


def ratio_p(
    parts: tuple[NDArray[np.float64], ...],
    ratio: Callable[[float, float], float],
    resampling: Resampling,
    ratios: Ratios | None = None,
) -> float:
    """Returns Fisher's randomisation test of the difference of two ratios of sums.

    Under the null a query's numerator and denominator could belong to either run: they are
    swapped together.

    Args:
        parts: The baseline's numerators and denominators, then the candidate's.
        ratio: Computes a number from summed numerators and denominators.
        resampling: Number of draws and seed.
        ratios: The same for arrays, if there is such a function: it takes less time.

    Returns:
        The p-value; NaN if an observed ratio is not a number. Equal infinities do not differ; a
        draw without a ratio counts as at least as large.

    Examples:
        >>> import numpy as np
        >>> import operator
        >>> baseline = np.array([4.0, 1.0, 7.0, 3.0]), np.array([5.0, 2.0, 2.0, 3.0])
        >>> candidate = np.array([6.0, 2.0, 7.0, 5.0]), np.array([3.0, 1.0, 2.0, 1.0])
        >>> round(ratio_p((*baseline, *candidate), operator.truediv, Resampling()), 1)
        0.2
    """
    import numpy as np

    if not all(np.isfinite(part).all() for part in parts):
        return math.nan
    numerators, denominators, other_numerators, other_denominators = parts
    above = math.fsum(numerators.tolist()) + math.fsum(other_numerators.tolist())
    below = math.fsum(denominators.tolist()) + math.fsum(other_denominators.tolist())
    first = Whole.of((other_numerators - numerators)[np.newaxis])
    second = Whole.of((other_denominators - denominators)[np.newaxis])

    def distance(numerator: float, denominator: float) -> float:
        theirs = ratio((above + numerator) / 2, (below + denominator) / 2)
        ours = ratio((above - numerator) / 2, (below - denominator) / 2)
        return abs(theirs - ours) if theirs != ours else 0.0

    observed = distance(
        float(first.values.sum()) * first.unit, float(second.values.sum()) * second.unit
    )
    if math.isnan(observed):
        return math.nan
    values = np.concatenate([first.values, second.values])
    at_least = 0
    for sums in _draw(_native.signed_sums, values, resampling):
        ups, downs = sums[0] * first.unit, sums[1] * second.unit
        if ratios is not None:
            theirs = ratios((above + ups) / 2, (below + downs) / 2)
            ours = ratios((above - ups) / 2, (below - downs) / 2)
            with np.errstate(invalid="ignore"):
                apart = np.where(theirs == ours, 0.0, np.abs(theirs - ours))
            at_least += int(np.count_nonzero(~(apart < observed * (1 - 1e-9))))
            continue
        at_least += sum(
            not distance(up, down) < observed * (1 - 1e-9)
            for up, down in zip(ups.tolist(), downs.tolist(), strict=True)
        )
    return _p(at_least, resampling)
