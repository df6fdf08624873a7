"""The jackknife of a number pooled over queries, such as a ratio of sums or its logarithm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from relyon.analysis.statistics.distributions import student_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["FEWEST", "Jackknife", "effective_count"]

#: Effective queries that an interval needs.
FEWEST = 2


def effective_count(weights: NDArray[np.float64]) -> float:
    """Returns (Σ w²)² / Σ w⁴: of how many equal parts the variance of a weighted sum consists.

    Examples:
        >>> import numpy as np
        >>> effective_count(np.full(40, 10.0)), round(effective_count(np.array([4950.0, 45.0])), 3)
        (40.0, 1.0)
    """
    squares = weights * weights
    fourth = math.fsum((squares * squares).tolist())
    return math.fsum(squares.tolist()) ** 2 / fourth if fourth > 0 else 0.0


@dataclass(frozen=True)
class Jackknife:
    """A number with what each query moves it by.

    Attributes:
        value: The number θ over all queries.
        moved: d: θ minus the number without the query, one per query; NaN or infinite if there is
            none.
        freedom: Degrees of freedom of its error.

    References:
        Tukey (1958), Annals of Mathematical Statistics 29.
    """

    value: float
    moved: NDArray[np.float64]
    freedom: float

    @classmethod
    def of(
        cls, value: float, without: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> Jackknife:
        """Returns the jackknife of queries of unequal size.

        The error of a number that few large queries dominate rests on these few, so the degrees of
        freedom follow the sizes w: (Σ w²)² / Σ w⁴ − 1, at least 1; with equal sizes n − 1.

        Args:
            value: θ.
            without: The number without each query.
            weights: w: the size of each query, such as its number of pairs.

        Examples:
            >>> import numpy as np
            >>> positive, negative = np.array([40.0, 30.0, 35.0]), np.array([5.0, 15.0, 10.0])
            >>> without = (positive.sum() - positive) / (negative.sum() - negative)
            >>> found = Jackknife.of(math.log(3.5), np.log(without), positive + negative)
            >>> round(found.freedom, 3), [round(math.exp(one), 2) for one in found.interval(0.95)]
            (2.0, [0.69, 17.8])

        References:
            Satterthwaite (1946), Biometrics Bulletin 2, for the degrees of freedom.
        """
        import numpy as np

        with np.errstate(invalid="ignore"):
            moved = value - without
        return cls(value, moved, max(effective_count(weights) - 1, 1.0))

    @property
    def error(self) -> float:
        """The standard error √((n − 1) / n Σ (d − mean d)²); NaN if a query leaves no number."""
        import numpy as np

        count = len(self.moved)
        if count < 2 or not (np.isfinite(self.moved).all() and math.isfinite(self.value)):
            return math.nan
        centre = math.fsum(self.moved.tolist()) / count
        squares = math.fsum(((self.moved - centre) ** 2).tolist())
        return math.sqrt((count - 1) / count * squares)

    @property
    def pseudo_values(self) -> NDArray[np.float64]:
        """One value per query, with θ as their mean: θ + (n − 1) (d − mean d)."""
        count = len(self.moved)
        centre = math.fsum(self.moved.tolist()) / count
        values: NDArray[np.float64] = self.value + (count - 1) * (self.moved - centre)
        return values

    def interval(self, confidence: float) -> tuple[float, float]:
        """Returns θ ± t error; NaN if the error is unknown or only rounding noise."""
        error = self.error
        if not error > 1e-12 * max(abs(self.value), 1e-3):
            return math.nan, math.nan
        half = student_quantile(self.freedom, 0.5 + confidence / 2) * error
        return self.value - half, self.value + half
