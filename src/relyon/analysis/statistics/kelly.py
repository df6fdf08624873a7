"""Always-valid intervals and p-values of bounded means, regardless of their order."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from relyon.analysis.statistics.betting import first_refuted
from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Values = NDArray[np.float64]

__all__ = ["kelly_interval", "kelly_p", "kelly_units"]

#: The bets: the shares k / (BETS + 1) of what can be staked, k = 1 … BETS, in equal parts.
BETS = 20


def kelly_p(values: Values, mean: float, low: float, high: float) -> float:
    """Returns the p-value of a mean m, valid at any time: at every look and at any stop.

    Values are scaled to 0 … 1. A bettor divides a capital of 1 over both directions and 20 stakes
    c = 1/21 … 20/21, and never changes them:

        W_n(m) = ½ mean_c Π (1 + c (x_i / m - 1)) + ½ mean_c Π (1 + c ((1 - x_i) / (1 - m) - 1)).

    If every value's expectation, given the values before it, is m, then W is a martingale that
    begins at 1, so that it ever exceeds 1 / α with probability α at most (Ville). p = 1 / W_n, at
    most 1. As the stakes are constant, W depends on the values and not on their order: a look needs
    no record of those before it.

    Args:
        values: Values whose order of arrival does not depend on them.
        mean: m.
        low: Lower bound of the values.
        high: Upper bound of the values.

    Returns:
        p; 1 without values.

    Raises:
        ParameterError: If a value or m lies outside the range, or the range is empty or infinite.

    Examples:
        >>> import numpy as np
        >>> values = np.array([0.5, 0.25, 0.0, 0.75] * 10)
        >>> round(kelly_p(values, 0, -1, 1), 6), kelly_p(-values[::-1], 0, -1, 1) < 0.05
        (0.000168, True)

    References:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1): the
        diversified Kelly bettor. Ville (1939), Étude critique de la notion de collectif.
    """
    scaled, counts = _scaled(values, low, high)
    if not low <= mean <= high:
        raise ParameterError(message("analysis.value-lies-outside-given", low=low, high=high))
    return min(1.0, math.exp(-_wealth(scaled, counts, (mean - low) / (high - low))))


def kelly_interval(
    values: Values, low: float, high: float, *, confidence: float = 0.95
) -> tuple[float, float]:
    """Returns an interval of a mean that is valid at any time: at every look and at any stop.

    All m that `kelly_p` does not refute: W_n(m) < 1 / (1 - confidence). W is a sum of polynomials
    in 1 / m and in 1 / (1 - m) with no negative coefficient, hence convex, so that these m are an
    interval; it contains the mean of the values.

    Args:
        values: Values whose order of arrival does not depend on them.
        low: Lower bound of the values.
        high: Upper bound of the values.
        confidence: Over all looks together, such as 0.95.

    Returns:
        The bounds; the range itself without values.

    Raises:
        ParameterError: If a value lies outside the range, or the range is empty or infinite.

    Examples:
        >>> import numpy as np
        >>> values = np.array([0.5, 0.25, 0.0, 0.75] * 10)
        >>> [round(bound, 3) for bound in kelly_interval(values, -1, 1)]
        [0.18, 0.504]

    References:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1).
    """
    check_fraction("confidence", confidence)
    scaled, counts = _scaled(values, low, high)
    if not len(scaled):
        return float(low), float(high)
    centre = math.fsum((scaled * counts).tolist()) / math.fsum(counts.tolist())
    enough = -math.log1p(-confidence)

    def refutes(mean: float) -> float:
        return _wealth(scaled, counts, mean) - enough

    width = high - low
    first, second = first_refuted(refutes, 0.0, centre), first_refuted(refutes, 1.0, centre)
    return max(low + width * first, low), min(low + width * second, high)


def kelly_units(
    values: Values, low: float, high: float, alpha: float, *, mean: float = 0.0, power: float = 0.8
) -> int:
    """Returns how many values like these are needed until `kelly_p` refutes a mean.

    With g_c and s_c the mean and the standard deviation of log(1 + c (x / m - 1)) in the direction
    of the values' mean, the least n with

        log(½ mean_c exp(n g_c - z_power s_c √n)) ≥ log(1 / α).

    Args:
        values: The values so far.
        low: Lower bound of the values.
        high: Upper bound of the values.
        alpha: α, over all looks together.
        mean: m, inside the range.
        power: The probability of having refuted it after n values.

    Returns:
        n; 0 if such values never refute it, as of equal ones at m.

    Examples:
        >>> import numpy as np
        >>> kelly_units(np.array([0.5, 0.25, 0.0, 0.75] * 10), -1, 1, 0.05)
        21
    """
    import numpy as np

    from relyon.analysis.statistics.distributions import normal_quantile

    scaled, counts = _scaled(values, low, high)
    at = (mean - low) / (high - low)
    if not len(scaled) or not 0 < at < 1:
        return 0
    shares = counts / counts.sum()
    if float(shares @ scaled) < at:
        scaled, at = 1 - scaled, 1 - at
    growth = np.log1p(np.multiply.outer(_stakes(), scaled / at - 1))
    drift = growth @ shares
    noise = np.sqrt(np.maximum(np.square(growth) @ shares - np.square(drift), 0.0))
    noise *= normal_quantile(power)

    def found(count: float) -> bool:
        powers = count * drift - math.sqrt(count) * noise
        most = float(powers.max())
        return most + math.log(float(np.exp(powers - most).mean()) / 2) >= -math.log(alpha)

    if not (drift > 0).any():
        return 0
    high_count = 1
    while not found(high_count):
        high_count *= 2
    least = high_count // 2
    while high_count - least > 1:
        middle = (least + high_count) // 2
        least, high_count = (least, middle) if found(middle) else (middle, high_count)
    return high_count


def _stakes() -> Values:
    import numpy as np

    return np.arange(1, BETS + 1) / (BETS + 1)


def _scaled(values: Values, low: float, high: float) -> tuple[Values, Values]:
    """Returns the different values from 0 to 1, ascending, and how often each occurs."""
    import numpy as np

    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ParameterError(
            message("analysis.anytime-range", low=low, high=high),
            hint=message("analysis.give-finite-range"),
        )
    slack = 1e-9 * max(abs(low), abs(high), 1.0)
    if len(values) and not (low - slack <= values.min() and values.max() <= high + slack):
        raise ParameterError(message("analysis.value-lies-outside-given", low=low, high=high))
    found, counts = np.unique(np.clip((values - low) / (high - low), 0, 1), return_counts=True)
    return found, counts.astype(np.float64)


def _wealth(scaled: Values, counts: Values, mean: float) -> float:
    """Returns the logarithm of W."""
    import numpy as np

    if not len(scaled):
        return 0.0
    stakes, logarithms = _stakes(), []
    for values, at in ((scaled, mean), (1 - scaled, 1 - mean)):
        if at <= 0:  # a single value beyond the end refutes it
            if bool((values > 0).any()):
                return math.inf
            gains = np.zeros_like(values)
        else:
            with np.errstate(over="ignore"):
                gains = values / at - 1
        logarithms.append(counts @ np.log1p(np.multiply.outer(gains, stakes)))
    powers = np.concatenate(logarithms)
    most = float(powers.max())
    if math.isinf(most):
        return most
    return most + math.log(float(np.exp(powers - most).mean()))
