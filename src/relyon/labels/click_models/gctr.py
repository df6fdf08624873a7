"""GCTR: one click-through rate for all."""

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

__all__ = ["GCTR"]


@register
@dataclass(frozen=True)
class GCTR(Independent):
    """Every result is clicked with one probability: (a + clicks) / (b + impressions).

    The baseline that ignores documents. Also known as the random click model.

    Source: Chuklin, Markov, de Rijke, Click Models for Web Search (2015), 3.1.
    """

    name: ClassVar[str] = "gctr"
    title: ClassVar[str] = "Global click-through rate"
    ranks: ClassVar[bool] = False

    def estimate(self, log: ClickLog) -> Parameters:
        """Counts clicks and impressions."""
        counts = log.native.counts()
        rate = self.rate(counts["clicks"].sum(), counts["shown"].sum())
        return Parameters({}, {"shown": counts["shown"] * 1.0}, {"rate": rate})

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """Every result is clicked like the average pair at the top."""
        import numpy as np

        weight = np.full_like(attraction, np.inf)
        return Parameters({}, {"shown": weight}, {"rate": attraction.mean()})

    def relevance(self, parameters: Parameters) -> Relevance:
        """The rate, for every pair."""
        import numpy as np

        weight = parameters.weights["shown"]
        mean = np.full_like(weight, parameters.shared["rate"])
        return Relevance(mean, weight + self.prior_shown)

    def click(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Values:
        """The rate."""
        rates: Values = lists.shown * parameters.shared["rate"]
        return rates
