"""PBM: a click is examination of the position times attraction of the document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.examination import Independent
from relyon.labels.expectation_maximisation import Examined
from relyon.labels.model import Parameters, register

if TYPE_CHECKING:
    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["PBM"]


@register
@dataclass(frozen=True)
class PBM(Examined, Independent):
    """P(click) = θ_position · α_{query, document}.

    Only the products are identified: the relevance is θ_1 · α, the probability of a click at the
    top, and θ is relative to θ_1. With a tolerance of 0 by expectation maximisation:
    α ← (a + Σ [c + (1 − c)(1 − θ)α / (1 − θα)]) / (b + n), θ likewise with the roles changed.

    Source: Richardson, Dominowska, Ragno, Predicting clicks (2007); Chuklin et al. (2015), 4.1.
    """

    name: ClassVar[str] = "pbm"
    title: ClassVar[str] = "Position-based model"
    context: ClassVar[str] = "position"

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """The position's examination, the pair's attraction."""
        shared = {"examination": behaviour.positions}
        return Parameters.exact({"attraction": attraction}, shared)

    def click(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Values:
        """Examination times attraction."""
        import numpy as np

        examination = np.nan_to_num(parameters.shared["examination"], nan=self.unseen)
        clicks: Values = np.minimum(pairs["attraction"] * examination[lists.positions - 1], 1.0)
        return clicks
