"""RCTR: a click-through rate for each position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from relyon.labels.examination import Independent
from relyon.labels.model import Parameters, Relevance, register

if TYPE_CHECKING:
    from relyon.labels.log import ClickLog
    from relyon.labels.model import Values
    from relyon.labels.result_lists import Lists
    from relyon.labels.user_behaviour import UserBehaviour

__all__ = ["RCTR"]


@register
@dataclass(frozen=True)
class RCTR(Independent):
    """A result is clicked with the probability of its position: (a + clicks) / (b + impressions).

    It ignores documents: the baseline for the effect of position alone.

    Source: Craswell et al., An experimental comparison of click position-bias models (2008).
    """

    name: ClassVar[str] = "rctr"
    title: ClassVar[str] = "Click-through rate by position"
    ranks: ClassVar[bool] = False

    def estimate(self, log: ClickLog) -> Parameters:
        """Counts clicks and impressions of each position."""
        counts = log.native.counts()
        rates = self.rate(counts["position_clicks"], counts["position_shown"])
        overall = self.rate(counts["clicks"].sum(), counts["shown"].sum())
        shared = {"rate": rates, "overall": overall}
        return Parameters({}, {"shown": counts["shown"] * 1.0}, shared)

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """Every result is clicked like the average pair at its position."""
        import numpy as np

        rates = attraction.mean() * behaviour.positions
        shared = {"rate": rates, "overall": rates.mean()}
        return Parameters({}, {"shown": np.full_like(attraction, np.inf)}, shared)

    def relevance(self, parameters: Parameters) -> Relevance:
        """The overall rate, for every pair."""
        import numpy as np

        weight = parameters.weights["shown"]
        mean = np.full_like(weight, parameters.shared["overall"])
        return Relevance(mean, weight + self.prior_shown)

    def click(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Values:
        """The rate of each position."""
        rates: Values = parameters.shared["rate"][lists.positions - 1]
        return rates
