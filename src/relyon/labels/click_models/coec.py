"""COEC: clicks over those expected at the positions."""

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

__all__ = ["COEC"]


@register
@dataclass(frozen=True)
class COEC(Independent):
    """Clicks over expected clicks: (a + clicks) / (a + Σ over impressions of the position's rate).

    1 is a document that is clicked as often as documents at its positions usually are. The rate is
    that of the position where each impression really was. The relevance is the ratio times the
    overall rate, so that it is a probability; it is cut at 1.

    Source: Zhang, Jones, Comparing click logs and editorial labels for training query rewriting
    (2007).
    """

    name: ClassVar[str] = "coec"
    title: ClassVar[str] = "Clicks over expected clicks"

    def estimate(self, log: ClickLog) -> Parameters:
        """Counts clicks, and what each position would have had."""
        import numpy as np

        counts = log.native.counts()
        shown = counts["position_shown"]
        rates = np.divide(
            counts["position_clicks"], shown, out=np.zeros(len(shown)), where=shown > 0
        )
        expected = self.prior_clicks + counts["expected"]
        clicks = self.prior_clicks + counts["clicks"]
        ratio = np.divide(clicks, expected, out=np.ones(len(expected)), where=expected > 0)
        overall = counts["clicks"].sum() / counts["shown"].sum()
        weight = counts["shown"] + self.prior_shown
        return Parameters({"ratio": ratio}, {"ratio": weight}, {"rate": rates, "overall": overall})

    @property
    def unseen(self) -> float:
        """A pair that the log does not have is clicked as often as any."""
        return 1.0

    def assume(
        self, behaviour: UserBehaviour, attraction: Values, satisfaction: Values | None
    ) -> Parameters:
        """Pairs are clicked as often as their attraction is above the average one."""
        mean = attraction.mean()
        rates = mean * behaviour.positions
        ratio = attraction / mean if mean else attraction
        shared = {"rate": rates, "overall": rates.mean()}
        return Parameters.exact({"ratio": ratio}, shared)

    def relevance(self, parameters: Parameters) -> Relevance:
        """The ratio times the overall rate."""
        import numpy as np

        mean = np.minimum(parameters.pairs["ratio"] * parameters.shared["overall"], 1.0)
        return Relevance(mean, parameters.weights["ratio"])

    def click(self, parameters: Parameters, lists: Lists, pairs: Mapping[str, Values]) -> Values:
        """The ratio times the rate of the position."""
        import numpy as np

        rates = parameters.shared["rate"][lists.positions - 1]
        clicks: Values = np.minimum(pairs["ratio"] * rates, 1.0)
        return clicks
