"""Features brought to one scale: mean 0 and standard deviation 1 over the training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Scaling"]


@dataclass(frozen=True, eq=False)
class Scaling:
    """The mean and the standard deviation of each feature.

    Attributes:
        centre: The means; 0 for sparse features, which would not stay sparse.
        scale: The standard deviations, 1 where a feature is the same in all rows.
    """

    centre: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, values: Any) -> Self:
        """Returns the scaling of a matrix, sparse or not."""
        import numpy as np

        if hasattr(values, "tocsr"):
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

    def apply(self, values: Any) -> NDArray[np.float64]:
        """Returns features on the scale, dense."""
        import numpy as np

        dense = values.toarray() if hasattr(values, "toarray") else values
        found: NDArray[np.float64] = (np.asarray(dense, np.float64) - self.centre) / self.scale
        return found
