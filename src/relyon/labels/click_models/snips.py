"""SNIPS: clicks weighted by the inverse of examination, over what the weights amount to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.correction import Clipped
from relyon.labels.model import register

if TYPE_CHECKING:
    from relyon.labels.model import Values

__all__ = ["SNIPS"]


@register
@dataclass(frozen=True)
class SNIPS(Clipped):
    """γ = (a + Σ wc) / (b + Σ wθ), w = 1 / max(θ, clip): clipping no longer lowers it.

    Self-normalised estimators divide by the weights of what was seen. A log does not say what was
    seen and skipped, so the weights are those expected, Σ wθ. Without clipping that is n: IPS.

    Source: Swaminathan, Joachims, The self-normalized estimator for counterfactual learning (2015).
    """

    name: ClassVar[str] = "snips"
    title: ClassVar[str] = "Self-normalised inverse propensity scoring"

    def weights(self, examination: Values) -> tuple[Values, Values]:
        """An impression counts as much as its clicks are expected to weigh where all attract."""
        weight = self.inverse(examination)
        return weight, weight * examination
