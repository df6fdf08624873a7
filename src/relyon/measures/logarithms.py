"""Logarithms of values, as summed by geometric means."""

import math

__all__ = ["geometric_parts"]

#: The floor of values in a geometric mean, so that one query of 0 does not make it 0.
FLOOR = 0.00001


def geometric_parts(value: float) -> tuple[float, float]:
    """Returns a query's part of a geometric mean: the logarithm of its value, and 1.

    Examples:
        >>> geometric_parts(1.0), geometric_parts(math.nan)
        ((0.0, 1.0), (0.0, 0.0))
    """
    return (0.0, 0.0) if math.isnan(value) else (math.log(max(value, FLOOR)), 1.0)
