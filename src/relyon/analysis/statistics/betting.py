"""Betting intervals: they are valid at any sample size and are nearly as narrow as possible."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from relyon.core.errors import ParameterError
from relyon.core.parameters import check_fraction
from relyon.core.texts import message

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["betting_evidence", "betting_interval", "first_refuted"]

#: The largest share of the capital at risk in a bet.
RISK = 0.75
STEPS = 40


def betting_evidence(
    values: NDArray[np.float64], mean: float, side: int, confidence: float, risk: float = RISK
) -> float:
    """Returns how far the evidence against a mean exceeds the threshold; below 0 it does not.

    A bet on values above m (side 1) multiplies the capital by 1 + λ (x − m) at each value, with a λ
    that depends only on earlier values. If m is the mean, the capital is not expected to grow: it
    ever exceeds 2 / (1 − confidence) with probability (1 − confidence) / 2 at most. λ is √(2 L / (n
    v)), L = log(2 / (1 − confidence)), where v is the mean of (x − m)² so far, begun with m (1 −
    m); at most `risk` of the stake.

    Args:
        values: Independent values from 0 to 1, in an order that does not depend on them.
        mean: m.
        side: 1 for values above the mean, −1 for values below.
        confidence: Such as 0.95.
        risk: The largest share of the capital at risk in a bet, below 1.

    Returns:
        The logarithm of the capital minus L.

    References:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1): theorem 3
        and section 4.
    """
    import numpy as np

    enough = math.log(2 / (1 - confidence))
    at_risk = mean if side > 0 else 1 - mean
    away = values - mean
    if at_risk <= 0:  # a single value beyond the end refutes it
        return math.inf if bool((side * away > 0).any()) else -enough
    squares = np.concatenate([[mean * (1 - mean)], np.square(away[:-1])])
    spread = np.cumsum(squares) / np.arange(1, len(values) + 1)
    with np.errstate(divide="ignore", over="ignore"):
        bets = np.sqrt(2 * enough / (len(values) * spread))
    bets = np.minimum(bets, risk / max(at_risk, sys.float_info.min))  # a finite bet
    return float(np.log1p(side * bets * away).sum()) - enough


def first_refuted(refutes: Callable[[float], float], far: float, near: float) -> float:
    """Returns the end of an interval: the first refuted value, starting from `near`.

    Args:
        refutes: Above 0 if a value is refuted.
        far: The lowest or highest possible value.
        near: The estimate.
    """
    if not refutes(far) > 0:
        return far
    for _ in range(STEPS):
        middle = (far + near) / 2
        if refutes(middle) > 0:
            far = middle
        else:
            near = middle
    return far


def betting_interval(
    values: NDArray[np.float64], low: float, high: float, *, confidence: float = 0.95
) -> tuple[float, float]:
    """Returns an interval of a mean: every m that betting against it does not refute.

    It is valid for any number of independent values, even if few are nonzero, without assuming
    normality. Without values it is the range itself.

    Args:
        values: Independent values, in an order that does not depend on them: the interval depends
            slightly on the order.
        low: Lower bound of the values.
        high: Upper bound of the values.
        confidence: Such as 0.95.

    Raises:
        ParameterError: If a value lies outside the range.

    Examples:
        >>> import numpy as np
        >>> found = betting_interval(np.tile([0.0, 1.0], 500), 0, 1)
        >>> [round(bound, 3) for bound in found]
        [0.457, 0.543]

    References:
        Waudby-Smith and Ramdas (2024), Journal of the Royal Statistical Society B 86(1).
    """
    import numpy as np

    check_fraction("confidence", confidence)
    slack = 1e-9 * max(abs(low), abs(high), 1.0)
    if len(values) and not (low - slack <= values.min() and values.max() <= high + slack):
        raise ParameterError(message("analysis.value-lies-outside-given", low=low, high=high))
    width = high - low
    if not len(values) or not width > 0:
        return float(low), float(high)
    scaled = np.clip((values - low) / width, 0.0, 1.0)
    centre = math.fsum(scaled.tolist()) / len(scaled)

    def end(side: int, far: float) -> float:
        return first_refuted(
            lambda mean: betting_evidence(scaled, mean, side, confidence), far, centre
        )

    return low + width * end(1, 0.0), low + width * end(-1, 1.0)
