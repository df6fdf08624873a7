"""Always-valid intervals and p-values of estimates that are nearly normal: they are asymptotic."""

from __future__ import annotations

import math

from relyon.analysis.statistics.distributions import (
    normal,
    normal_quantile,
    student,
    student_quantile,
)
from relyon.core.parameters import check_fraction

__all__ = ["PER_UNIT", "mixture_half", "mixture_p", "smallest_found", "units_for"]

#: What each independent value adds to the ratio x of `mixture_p`. With .08 the interval is the
#: narrowest, relative to the standard error, at about a hundred values, and wider by at most a
#: fifth from 15 to 10,000 of them.
PER_UNIT = 0.08
#: A tail below it is taken for it, so that p is not 0.
LEAST = 1e-300


def mixture_p(estimate: float, error: float, degrees: float, x: float) -> float:
    """Returns the p-value of an expectation of 0, valid at every look and at any stop.

    With z = estimate / error, as a normal deviate:

        p = √(1 + x) exp(-z² x / (2 (1 + x))), at most 1,   x = τ² / error²,

    which is 1 / the likelihood ratio of a normal prior with the fixed variance τ² against 0. The
    ratio is a martingale if estimates of increasing precision have Cov(E_n, E_m) = Var(E_m), m ≥ n:
    means of independent values, means of strata of fixed weights regardless of their pace,
    means of a sample without replacement with the finite population's error, and differences of
    such a mean from a finished one. z has the tail of Student's t: error is estimated.

    Unlike `kelly_p` it is asymptotic: the estimate must be nearly normal from the first look on.

    Args:
        estimate: E_n.
        error: Its standard error, above 0.
        degrees: The degrees of freedom of the error, possibly infinite.
        x: τ² / error²: for τ² a constant that was chosen before the first look. For a mean of n
            values, n times a constant such as `PER_UNIT`.

    Examples:
        >>> round(mixture_p(0.03, 0.01, 99, 8), 3), mixture_p(0.01, 0.01, 99, 8)
        (0.066, 1.0)

    References:
        Robbins (1970), Annals of Mathematical Statistics 41(5); Waudby-Smith, Arbour, Sinha,
        Kennedy and Ramdas (2024), Annals of Statistics 52(6): asymptotic confidence sequences;
        Scharfstein, Tsiatis and Robins (1997), Journal of the American Statistical Association 92.
    """
    ratio = abs(estimate) / error
    if math.isfinite(degrees):
        ratio = -normal_quantile(min(max(student(degrees, -ratio), LEAST), 0.5))
    return min(1.0, math.sqrt(1 + x) * math.exp(-0.5 * ratio * ratio * x / (1 + x)))


def mixture_half(error: float, degrees: float, x: float, confidence: float = 0.95) -> float:
    """Returns half the width of the interval of all expectations that `mixture_p` does not refute.

    error · t, where t is Student's quantile at the normal tail of z = √((1 + 1/x) (log(1 + x) +
    2 log(1 / α))).

    Args:
        error: The standard error.
        degrees: Its degrees of freedom, possibly infinite.
        x: As for `mixture_p`.
        confidence: 1 - α, over all looks together.

    Raises:
        ParameterError: If `confidence` does not lie between 0 and 1.

    Examples:
        >>> round(mixture_half(0.01, 99, 8), 4), round(mixture_half(0.01, float("inf"), 8), 4)
        (0.0312, 0.0304)

    References:
        Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), Annals of Statistics 52(6).
    """
    check_fraction("confidence", confidence)
    z = math.sqrt((1 + 1 / x) * (math.log1p(x) - 2 * math.log1p(-confidence)))
    if math.isfinite(degrees):
        z = -student_quantile(degrees, normal(-z))
    return error * z


def smallest_found(units: float, deviation: float, alpha: float, power: float = 0.8) -> float:
    """Returns the difference that so many values show with that power: (z_n + z_power) σ / √n.

    z_n is that of `mixture_half`. The interval of `kelly_interval` is wider where few values or a
    small spread leave room for values that were not seen, so that it finds less.

    Args:
        units: n, above 0.
        deviation: σ, the standard deviation of a value; NaN if it is unknown.
        alpha: α, over all looks together.
        power: The probability of having found it after n values.

    Examples:
        >>> round(smallest_found(246, 0.2, 0.05), 4)
        0.05
    """
    z = mixture_half(1.0, math.inf, PER_UNIT * units, 1 - alpha) + normal_quantile(power)
    return z * deviation / math.sqrt(units)


def units_for(difference: float, deviation: float, alpha: float, power: float = 0.8) -> int:
    """Returns how many values are needed until a difference is found with that power.

    The least n with √n |difference| / deviation ≥ z_n + z_power, z_n as in `mixture_half`; 0 if
    there is no difference or no spread.

    Args:
        difference: The expectation.
        deviation: The standard deviation of a value.
        alpha: α, over all looks together.
        power: The probability of having found it after n values.

    Examples:
        >>> units_for(0.05, 0.2, 0.05), units_for(0.0, 0.2, 0.05)
        (246, 0)
    """
    if not difference or not deviation > 0:
        return 0
    step, extra = abs(difference) / deviation, normal_quantile(power)

    def found(count: int) -> bool:
        needed = mixture_half(1.0, math.inf, PER_UNIT * count, 1 - alpha) + extra
        return math.sqrt(count) * step >= needed

    high = 1
    while not found(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high
