"""The product of two uncertain probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from relkit.labels.model import Relevance

if TYPE_CHECKING:
    from relkit.labels.model import Values

__all__ = ["product"]


def product(
    first: Values, first_weight: Values, second: Values, second_weight: Values
) -> Relevance:
    """Returns the product of two independent Beta variables as the one with its two moments.

    With means p and q of weights n and m, the variance of pq is
    (p² + v)(q² + w) − p²q², where v = p(1 − p) / (n + 1) and w likewise.
    """
    import numpy as np

    one = first * (1 - first) / (first_weight + 1)
    other = second * (1 - second) / (second_weight + 1)
    mean = first * second
    variance = (first**2 + one) * (second**2 + other) - mean**2
    most = mean * (1 - mean)
    weight = np.divide(most, variance, out=np.full_like(mean, np.inf), where=variance > 0) - 1
    return Relevance(mean, np.where(np.isfinite(weight), np.maximum(weight, 0.0), first_weight))
