"""IPS: clicks weighted by the inverse of examination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.correction import Clipped
from relyon.labels.model import register

if TYPE_CHECKING:
    from relyon.labels.model import Values

__all__ = ["IPS"]


@register
@dataclass(frozen=True)
class IPS(Clipped):
    """γ = (a + Σ c / max(θ, clip)) / (b + n): unbiased but for the clipping, which lowers it.

    Source: Joachims, Swaminathan, Schnabel, Unbiased learning-to-rank with biased feedback (2017).
    """

    name: ClassVar[str] = "ips"
    title: ClassVar[str] = "Inverse propensity scoring"

    def weights(self, examination: Values) -> tuple[Values, Values]:
        """Every impression counts 1."""
        return self.inverse(examination), examination**0
