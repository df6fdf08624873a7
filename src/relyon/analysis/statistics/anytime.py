"""Tests and intervals that stay valid however often you look and whenever you stop."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

__all__ = ["Looks", "always_valid"]

#: The betting rates of the mixture: each is best for a different number of values.
RATES = tuple(0.9 * 2 ** (-place / 2) for place in range(24))
STEPS = 60
CHUNK = 1 << 16


@dataclass(frozen=True)
class Looks:
    """The state at each look.

    Attributes:
        counts: Number of values so far.
        means: Their mean.
        low: Lower bounds of their mean expectation.
        high: Upper bounds.
        p: The smallest p-value so far: below α at any time is evidence at level α.
    """

    counts: NDArray[np.int64]
    means: Values
    low: Values
    high: Values
    p: Values


def always_valid(
    values: Values, looks: NDArray[np.int64] | None = None, *, confidence: float = 0.95
) -> Looks:
    """Tests sequentially whether the expectation of arriving values is 0.

    With y = (x + 1) / 2 and ŷ the mean of the values before, for every λ from 0 to 1

        M(λ) = exp(λ Σ (y − ½) − ψ(λ) Σ (y − ŷ)²),   ψ(λ) = −log(1 − λ) − λ

    is a supermartingale that begins at 1 if each expectation, given the past, is 0: it
    exceeds 1/α at any time with probability α at most, and so does the mean of M over 24 fixed λ.
    The same is true for −x. p is 2 / the larger of the two, bounds are the values at which it is α.
    Only bounded values are assumed: expectations may change, and the interval is then for the mean
    expectation so far.

    Args:
        values: From −1 to 1, in order of arrival.
        looks: After how many values to look, ascending; None for the end only. The p-value looks
            after every value in any case.
        confidence: 1 − α, over all looks together.

    Raises:
        ParameterError: If a value is below −1 or above 1, or `confidence` is not between 0 and 1.

    Examples:
        >>> import numpy as np
        >>> found = always_valid(np.tile([1.0, 1.0, 0.0], 40), np.array([12, 120]))
        >>> [round(float(low), 2) for low in found.low], bool(found.p[1] < 0.001)
        ([-0.8, 0.43], True)

    References:
        Howard, Ramdas, McAuliffe and Sekhon (2021), Annals of Statistics 49(2): theorem 4, the
        empirical Bernstein bound, with a discrete mixture over λ. Fan, Grama and Liu (2015).
    """
    import numpy as np

    check_fraction("confidence", confidence)
    if len(values) and not (np.abs(values) <= 1).all():
        raise ParameterError(message("analysis.values-of-always-valid-test"))
    wanted = np.array([len(values)] if looks is None else looks, dtype=np.int64)
    halves = (values + 1) / 2
    number = np.arange(1, len(values) + 1)
    sums = np.cumsum(halves)
    guesses = (0.5 + np.concatenate([[0.0], sums[:-1]])) / number
    spread = np.cumsum(np.square(halves - guesses))
    drift = sums - number / 2
    lowest = np.minimum.accumulate(_p_values(drift, spread))
    at = wanted[wanted > 0] - 1
    beyond = np.full((4, len(wanted)), np.nan)
    beyond[3] = 1.0
    if len(at):
        mean = drift[at] / number[at]
        half = _reach(spread[at], math.log(2 / (1 - confidence))) / number[at]
        beyond[:, wanted > 0] = [
            2 * mean,
            np.maximum(2 * (mean - half), -1),
            np.minimum(2 * (mean + half), 1),
            lowest[at],
        ]
    return Looks(wanted, *beyond)


def _terms() -> tuple[Values, Values]:
    import numpy as np

    rates = np.array(RATES)
    return rates, -np.log1p(-rates) - rates


def _evidence(drift: Values, spread: Values) -> Values:
    """Returns the logarithm of the mixture."""
    import numpy as np

    rates, costs = _terms()
    powers = drift[:, None] * rates - spread[:, None] * costs
    most = powers.max(axis=1)
    total: Values = most + np.log(np.exp(powers - most[:, None]).mean(axis=1))
    return total


def _p_values(drift: Values, spread: Values) -> Values:
    import numpy as np

    p = np.ones(len(drift))
    for first in range(0, len(drift), CHUNK):
        part = slice(first, first + CHUNK)
        # Both sides, x and -x; the larger one is evidence against 0.
        found = _evidence(np.abs(drift[part]), spread[part])
        p[part] = np.minimum(1.0, 2 * np.exp(-np.minimum(found, 700)))
    return p


def _reach(spread: Values, target: float) -> Values:
    """Returns how far a sum must drift for the evidence to be `target`, by bisection."""
    import numpy as np

    rates, costs = _terms()
    parts = (target + math.log(len(rates)) + spread[:, None] * costs) / rates
    low, high = np.zeros(len(spread)), parts.min(axis=1)
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = _evidence(middle, spread) >= target
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    reached: Values = high
    return reached
