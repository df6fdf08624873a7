"""Features scaled to mean 0 and standard deviation 1 over the training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from relyon.data.matrices import FeatureMatrix, dense

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Scaling"]


@dataclass(frozen=True, eq=False)
class Scaling:
    """The mean and the standard deviation of each feature.

    Attributes:
        centre: The means; 0 for sparse features, which stay sparse so.
        scale: The standard deviations; 1 for a feature that is the same in all rows.
    """

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, values: FeatureMatrix) -> Self:
        """Returns the scaling of a matrix, sparse or not."""
        import numpy as np

        if hasattr(values, "multiply"):
            means = np.asarray(values.mean(axis=0), dtype=np.float64).ravel()
            squares = np.asarray(values.multiply(values).mean(axis=0), dtype=np.float64).ravel()
            spread = np.sqrt(np.maximum(squares - means**2, 0))
            centre = np.zeros_like(spread)
        else:
            centre = values.mean(axis=0, dtype=np.float64)
            spread = values.std(axis=0, dtype=np.float64)
        # A column of one value may have a spread of rounding errors.
        still = spread <= 1e-12 * np.maximum(np.abs(centre), 1)
        return cls(centre, np.where(still, 1.0, spread))

    def apply(self, values: FeatureMatrix) -> NDArray[np.float64]:
        """Returns scaled features, dense."""
        import numpy as np

        plain = np.asarray(dense(values), np.float64)
        found: NDArray[np.float64] = (plain - self.centre) / self.scale
        return found
