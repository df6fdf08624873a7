"""The values of systems, unit by unit, in one part or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = ["Part"]


@dataclass(frozen=True)
class Part:
    """The units of one task, or of the only one.

    Attributes:
        sums: Systems x units: the sum of each unit's values.
        sizes: How many values each unit has.
        weight: The weight of the part's mean in the whole.
    """

    sums: Floats
    sizes: Floats
    weight: float = 1.0

    @property
    def means(self) -> Floats:
        """Each system's mean over the values."""
        found: Floats = self.sums.sum(axis=1) / self.sizes.sum()
        return found
