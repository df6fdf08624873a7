"""Weights of labels whose interval is known: the impressions that would give it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

__all__ = ["interval_weights"]

#: The squared quantile of a 95% interval.
SQUARED = 1.959963984540054**2


def interval_weights(low: pl.Series, high: pl.Series) -> pl.Series | None:
    """Returns the number of impressions that would give each label's 95% interval.

    n = z² m(1 − m) / h², with the interval's middle m and half width h: a share of n impressions
    has the standard error √(m(1 − m)/n) (Wald). It weighs a label by its evidence, as the weights
    of `relyon labels make` do.

    Args:
        low: The lower ends, between 0 and 1; null where unknown.
        high: The upper ends.

    Returns:
        One weight per label, null where the interval is unknown or has no width; None if an end is
        not between 0 and 1: then a label is not a probability, and its interval counts no
        impressions.

    Examples:
        >>> import polars as pl
        >>> interval_weights(pl.Series([0.4, 0.2]), pl.Series([0.6, 0.8])).round(1).to_list()
        [96.0, 10.7]
        >>> interval_weights(pl.Series([1.0]), pl.Series([3.0])) is None
        True
    """
    low, high = low.fill_nan(None), high.fill_nan(None)
    if any(bool(((end < 0) | (end > 1)).any()) for end in (low, high)):
        return None
    middle, half = (low + high) / 2, (high - low) / 2
    weights = SQUARED * middle * (1 - middle) / (half * half)
    known = (half > 0) & (weights > 0)
    return weights.set(~known.fill_null(False), None)
