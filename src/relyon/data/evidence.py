"""The evidence behind grades derived from behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ROLES", "Evidence"]

#: The columns of evidence, in the order in which they are written.
ROLES = ("weight", "low", "high")


@dataclass(frozen=True, eq=False)
class Evidence:
    """The evidence behind grades of judgments, one value per row of their `to_frame`.

    A missing value is NaN; a missing column is None.

    Attributes:
        weight: How much evidence there is for each grade, in effective impressions.
        low: The lower bound of each grade's interval.
        high: The upper bound of each grade's interval.
        about: How the grades were derived, and the assumptions: text by name. Parquet keeps it.

    Examples:
        >>> from relyon import Judgments
        >>> clicked = Judgments.from_arrays(["q1", "q1"], ["d1", "d2"], [0.4, 0], weights=[120, 15])
        >>> clicked.evidence.weight.tolist(), clicked.evidence.low
        ([120.0, 15.0], None)
    """

    weight: NDArray[np.float64] | None = None
    low: NDArray[np.float64] | None = None
    high: NDArray[np.float64] | None = None
    about: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> dict[str, NDArray[np.float64]]:
        """The columns present, by name."""
        found = {role: getattr(self, role) for role in ROLES}
        return {role: values for role, values in found.items() if values is not None}

    def __repr__(self) -> str:
        return f"Evidence({', '.join(self.columns)})"
