"""A ratio of sums over queries, and the ratio without each of them."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from relyon.measures.definition import Measure
from relyon.measures.pairwise import PNR

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ratios = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

__all__ = ["left_out_ratios", "ratios_of"]

Ratio = Callable[[float, float], float]


def ratios_of(ratio: Ratio | None) -> Ratios | None:
    """Returns what computes a ratio of sums for whole arrays, None if its formula is its own."""
    measure = getattr(ratio, "__self__", None)
    if ratio is None or (isinstance(measure, Measure) and type(measure).micro is Measure.micro):
        return partial(_divided, smoothing=0.0)
    if isinstance(measure, PNR) and type(measure).ratio is PNR.ratio:
        return partial(_divided, smoothing=measure.smoothing)
    return None


def _divided(
    above: NDArray[np.float64], below: NDArray[np.float64], *, smoothing: float
) -> NDArray[np.float64]:
    """Returns quotients: infinite over 0, NaN for 0/0."""
    import numpy as np

    found = np.where(above > 0, math.inf, math.nan)
    known = (below + smoothing != 0) & ((above + below != 0) | (smoothing == 0))
    np.divide(above + smoothing, below + smoothing, out=found, where=known)
    return found


def left_out_ratios(
    numerators: NDArray[np.float64], denominators: NDArray[np.float64], ratio: Ratio | None
) -> tuple[float, NDArray[np.float64]]:
    """Returns a ratio of sums, and the ratio without each query."""
    import numpy as np

    of = ratio or operator.truediv
    numerator, denominator = math.fsum(numerators.tolist()), math.fsum(denominators.tolist())
    every = ratios_of(ratio)
    if every is not None and len(numerators) > 1:
        return of(numerator, denominator), every(numerator - numerators, denominator - denominators)
    rows = zip(numerators.tolist(), denominators.tolist(), strict=True)
    if len(numerators) < 2:
        return of(numerator, denominator), np.full(len(numerators), math.nan)
    without = [of(numerator - ours, denominator - theirs) for ours, theirs in rows]
    return of(numerator, denominator), np.array(without)
