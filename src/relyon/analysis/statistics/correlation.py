"""Rank correlations of several lists of numbers at once, by name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from relyon.analysis.statistics.paired import tidy
from relyon.core.registry import Registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Coefficient", "coefficients", "correlate"]


class Coefficient(ABC):
    """A rank correlation of two lists of numbers, from -1 to 1.

    Attributes:
        name: The name in options and results.
        title: The name in prose.
    """

    name: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def matrix(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns the coefficient of every pair of rows.

        Args:
            values: Shape (lists, items), finite; higher is better.

        Returns:
            Shape (lists, lists), symmetric; NaN if a list is constant or has only one item.
        """


coefficients: Registry[Coefficient] = Registry("coefficient")


def register(kind: type[Coefficient]) -> type[Coefficient]:
    """Class decorator that registers a coefficient by its name."""
    coefficients.add(kind.name, kind())
    return kind


def correlate(name: str, first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Returns a coefficient of two lists of numbers.

    Args:
        name: `kendall`, `tau_ap`, `spearman` or `pearson`.
        first: Shape (items,).
        second: Shape (items,).

    Raises:
        UnknownNameError: If the coefficient is unknown.

    Examples:
        >>> import numpy as np
        >>> round(correlate("kendall", np.array([1.0, 2, 3]), np.array([1.0, 3, 2])), 4)
        0.3333
    """
    import numpy as np

    return float(coefficients.get(name).matrix(np.array([first, second], dtype=np.float64))[0, 1])


def signs(
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """Returns the sign of value i - value j for every pair i < j, and the pairs' i and j.

    Values that differ only by rounding noise count as equal.
    """
    import numpy as np

    tidied = np.array([tidy(row) for row in values])
    first, second = np.triu_indices(values.shape[1], 1)
    return np.sign(tidied[:, first] - tidied[:, second]), first, second


@register
class KendallTau(Coefficient):
    """Kendall's τ-b: (concordant - discordant) / √(pairs untied in x · pairs untied in y).

    References:
        Kendall (1945), Biometrika 33(3).
    """

    name = "kendall"
    title = "Kendall's τ-b"

    def matrix(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        pairs = signs(values)[0]
        untied = np.abs(pairs).sum(axis=1)
        norm = np.sqrt(np.outer(untied, untied))
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(norm > 0, (pairs @ pairs.T) / norm, math.nan))


@register
class TauAP(Coefficient):
    """AP rank correlation, symmetric: mistakes among the best items count more.

    For each item below the top of one list, the share of the items above it that the other list
    also puts above it: 2 / (items below the top) · sum of shares - 1, averaged over both
    directions. Tied items are compared with the items above their tie; a pair that the other
    list ties is not in the right order (τ_AP,b).

    References:
        Yilmaz, Aslam and Robertson (2008), SIGIR; Urbano and Marrero (2017), ICTIR, for ties and
        symmetry.
    """

    name = "tau_ap"
    title = "τ_AP (symmetric)"

    def matrix(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        pairs, first, second = signs(values)
        items = values.shape[1]
        lists = len(values)
        # Number of items above each one.
        above = np.zeros((lists, items))
        for row, found in enumerate(pairs):
            above[row] += np.bincount(second[found > 0], minlength=items)
            above[row] += np.bincount(first[found < 0], minlength=items)
        below_top = (above > 0).sum(axis=1)
        lower = np.where(pairs > 0, above[:, second], above[:, first])
        with np.errstate(divide="ignore", invalid="ignore"):
            weights = np.where(pairs != 0, 1.0 / lower, 0.0)
            right = 0.5 * (weights @ np.abs(pairs).T + (weights * pairs) @ pairs.T)
            directed = 2.0 * right / below_top[:, None] - 1.0
        both = (directed + directed.T) / 2.0
        return np.asarray(np.where(np.outer(below_top, below_top) > 0, both, math.nan))


@register
class SpearmanRho(Coefficient):
    """Spearman's ρ: Pearson's r of the ranks, tied items sharing their mean rank.

    References:
        Spearman (1904), American Journal of Psychology 15(1).
    """

    name = "spearman"
    title = "Spearman's ρ"

    def matrix(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        from relyon.measures.agreement import average_ranks

        return _pearson(np.array([average_ranks(tidy(row).tolist()) for row in values]))


@register
class PearsonR(Coefficient):
    """Pearson's r: covariance divided by both standard deviations.

    References:
        Pearson (1895), Proceedings of the Royal Society of London 58.
    """

    name = "pearson"
    title = "Pearson's r"

    def matrix(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        import numpy as np

        constant = np.array([np.ptp(tidy(row)) == 0 for row in values])
        return _pearson(np.where(constant[:, None], 0.0, values))


def _pearson(values: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    centred = values - values.mean(axis=1, keepdims=True)
    centred[np.ptp(values, axis=1) == 0] = 0.0
    size = np.abs(centred).max(axis=1, keepdims=True, initial=0.0)
    centred = np.divide(centred, size, out=np.zeros_like(centred), where=size > 0)
    norm = np.sqrt(np.square(centred).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        found = (centred @ centred.T) / np.outer(norm, norm)
    return np.asarray(np.clip(found, -1.0, 1.0))
