"""Ratio: clicks over expected examinations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.correction import Corrected
from relyon.labels.model import register

if TYPE_CHECKING:
    from relyon.labels.model import Values

__all__ = ["Ratio"]


@register
@dataclass(frozen=True)
class Ratio(Corrected):
    """γ = (a + Σ c) / (b + Σ θ): an impression counts as much as it was seen.

    Of all weights it varies least where clicks are rare.

    Source: Zhang, Jones, Comparing click logs and editorial labels for training query rewriting
    (2007), with examination in place of the position's rate.
    """

    name: ClassVar[str] = "ratio"
    title: ClassVar[str] = "Clicks over examinations"

    def weights(self, examination: Values) -> tuple[Values, Values]:
        """Every click counts 1."""
        return examination**0, examination
